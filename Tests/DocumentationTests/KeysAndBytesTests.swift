// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

// snippet
/// A key in your own key service, which performs the private operation and never releases the key.
struct ServiceKey: DecryptionKey {
    let publicKey: RSAPublicKey
    let substituteSecret: SubstituteSecret
    let service: @Sendable (_ wrapped: [UInt8], OAEP) throws(EvidenceError) -> SecretBytes

    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try service(wrapped.indices.map { wrapped[$0] }, padding)
    }
}
// end of snippet

// snippet
/// Counts what arrives: a destination of your own, for an upload or an object store.
final class CountingDestination: ByteDestination {
    private(set) var byteCount = 0
    /// True if nobody can see the bytes before ``finish()``: the library may then write unverified content.
    let isWithheldUntilFinished = true

    func write(_ bytes: Span<UInt8>) { byteCount += bytes.count }
    func finish() {}
    func abandon() { byteCount = 0 }
}

/// Reads a source in pieces and feeds them to a receiver.
func feed<Receiver: ByteReceiver>(
    _ receiver: Receiver, from source: any ByteSource
) throws(EvidenceError) -> Receiver.Report {
    var piece: [UInt8] = []
    while try source.read(65_536, to: &piece) > 0 { try receiver.append(piece.span) }
    return try receiver.finish()
}
// end of snippet

/// The snippets of `KeysAndBytes.md`.
@Suite struct KeysAndBytesTests {
    @Test func keys() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.keysExample) }
    }

    private static func keysExample(_ desk: Desk) async throws {
        // snippet
        let key: RSAPrivateKey = try .generate()
        let pem: SecretBytes = try key.pem()  // wiped when it is gone; it cannot be copied or printed
        let publicKey: RSAPublicKey = key.publicKey
        print(pem.count, publicKey.bitCount, publicKey.fingerprint)
        try publicKey.requireSealingStrength()
        // end of snippet

        let uri = "file:\(desk.folder.path)/key.pem"
        // snippet
        // On a token: pkcs11:token=evidence;object=payload. In a file: file:/etc/kyc/key.pem
        let stored: any DecryptionKey = try KeyStore.key(at: uri)
        print(stored.publicKey.fingerprint)
        // end of snippet

        try #require(stored.publicKey == (try RSAPublicKey(contentsOf: "pub.pem")))
        let local = try RSAPrivateKey(contentsOf: "key.pem")
        // snippet
        // `local`, a private key in memory, stands in for the service.
        let remote = ServiceKey(publicKey: local.publicKey, substituteSecret: try .random()) {
            wrapped, padding throws(EvidenceError) in try local.decrypt(wrapped.span, padding)
        }
        // end of snippet
        _ = try PayloadOpener(remote).open(
            of: desk.order, from: FileSource(path: "payload.json"), into: WholeFile(path: "opened.mp4"))
        try #require(try desk.same("opened.mp4", "video.mp4"))

        // snippet
        let device = try P256PrivateKey.generate()
        let message = Array("what the device signs".utf8)
        let signature: P256Signature = try device.signature(for: message.span)
        let registered: P256PublicKey = device.publicKey
        print(try registered.isValid(signature, for: message.span), registered.thumbprint)
        // end of snippet
        try #require(try registered.isValid(signature, for: message.span))
    }

    @Test func bytes() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.bytesExample) }
    }

    private static func bytesExample(_ desk: Desk) async throws {
        // snippet
        let source: any ByteSource = try FileSource(path: "video.mp4")
        let bytes = try source.readAll(limit: 1 << 20, name: "video.mp4")
        let again = MemorySource(bytes)
        let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
        var digester = try Digester(.sha256)  // the same, in pieces
        digester.append(bytes.span)
        print(try digester.finalize() == digest)
        let file: FileIdentity = try FileSource(path: "video.mp4").identity  // equal for all names of one file
        print(file == (try FileSource(path: "./video.mp4").identity))
        let text = String(decoding: Base64.encode(bytes.span), as: UTF8.self)
        print(bytes.count, digest.count, text.count, again.size ?? 0)
        // end of snippet

        try #require(try Base64.decode(Array(text.utf8).span) == bytes)
        let (key, order) = (try RSAPrivateKey(contentsOf: "key.pem"), desk.order)
        let payload = try FileSource(path: "payload.json")

        // snippet
        let memory = MemoryDestination()
        let standardOutput = try DescriptorDestination(descriptor: 1, name: "standard output")
        let counting = CountingDestination()
        let destinations: [any ByteDestination] = [memory, counting]
        for destination in destinations { _ = try PayloadOpener(key).open(of: order, from: payload, into: destination) }
        print(memory.bytes.count == counting.byteCount, standardOutput.isWithheldUntilFinished)
        // end of snippet

        try #require(memory.bytes == bytes && counting.byteCount == bytes.count)

        // snippet
        do {
            _ = try PayloadOpener(key).open(of: OrderNumber("ord2"), from: payload, into: WholeFile(path: "other.mp4"))
        } catch {
            let failure: EvidenceError = error  // no cast: the compiler knows the type
            print(failure.code.name, failure, failure.hint ?? "")
            if failure.code.isSystem { print("the machine failed, not the payload: try again") }
        }
        // end of snippet

        try #require(!FileManager.default.fileExists(atPath: "other.mp4"))

        // snippet
        /// What your own sources and destinations throw; the cause stays in `underlying`.
        func uploading<Result>(_ send: () throws -> Result) throws(EvidenceError) -> Result {
            do { return try send() } catch {
                throw EvidenceError(.cannotWrite, "the upload failed", underlying: error)
            }
        }
        // end of snippet

        // snippet
        print(EvidenceVersions.evidenceKit, EvidenceVersions.openSSL)  // for a bug report
        // end of snippet

        let told = #expect(throws: EvidenceError.self) {
            try uploading { throw CocoaError(.fileWriteOutOfSpace) }
        }
        try #require(told?.underlying is CocoaError)
        let receiver = PayloadOpener(key).receiver(of: order, into: MemoryDestination())
        // snippet
        let report = try feed(receiver, from: FileSource(path: "payload.json"))
        // end of snippet
        try #require(report.byteCount == UInt64(bytes.count))
    }
}
