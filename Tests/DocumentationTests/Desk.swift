// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// A folder with the files that the examples name, made the current one of the process. So an example runs in a process
/// of its own.
struct Desk {
    let folder: TemporaryFolder
    let order: OrderNumber

    init() throws {
        folder = try TemporaryFolder()
        order = try OrderNumber("ord1")
        let files = FileManager.default
        try #require(files.changeCurrentDirectoryPath(folder.path))
        for (name, vector) in [
            ("key.pem", "keys/rsa2048.pem"), ("pub.pem", "keys/rsa2048.public.pem"),
            ("compare-key.pem", "keys/rsa3072.pem"), ("compare-pub.pem", "keys/rsa3072.public.pem"),
            ("new-key.pem", "keys/other3072.pem"), ("device.pem", "keys/ec-p256.pem"),
            ("device-pub.pem", "keys/ec-p256.public.pem"), ("video.mp4", "media/clip.mp4"),
            ("photo.jpg", "media/photo.jpg"),
        ] { try files.copyItem(atPath: Vectors.path(vector), toPath: folder(name)) }
        try folder.write("XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS\n", to: "ticket.txt")
        try files.createDirectory(atPath: folder("devices"), withIntermediateDirectories: false)
        let device = try P256PublicKey(contentsOf: "device-pub.pem")
        try files.copyItem(atPath: folder("device-pub.pem"), toPath: folder("devices/\(device.thumbprint).pem"))
        try PayloadSealer(orderNo: order, to: RSAPublicKey(contentsOf: "pub.pem")).seal(
            FileSource(path: "video.mp4"), into: WholeFile(path: "payload.json", access: .umask))
    }

    /// Runs an example at a desk. What it throws is an issue of the test, though the process is another.
    static func example(_ body: @Sendable (Desk) async throws -> Void) async {
        do {
            try await body(Desk())
        } catch { Issue.record(error) }
    }

    /// Whether two files of the folder have the same bytes.
    func same(_ left: String, _ right: String) throws -> Bool {
        try Data(contentsOf: folder.url.appending(path: left)) == Data(contentsOf: folder.url.appending(path: right))
    }

    /// Writes the bytes of a vector under a name.
    func copy(_ vector: String, to name: String) throws {
        try FileManager.default.copyItem(atPath: Vectors.path(vector), toPath: folder(name))
    }

    /// A file in pieces, as a request's body arrives.
    func body(_ name: String) throws -> AsyncStream<[UInt8]> {
        let bytes = Array(try Data(contentsOf: folder.url.appending(path: name)))
        return AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: 10_000) {
                continuation.yield(Array(bytes[start..<min(start + 10_000, bytes.count)]))
            }
            continuation.finish()
        }
    }
}

/// What the clock says.
func currentTime() throws -> UTCTime { try #require(UTCTime(secondsSince1970: Date().timeIntervalSince1970)) }
