// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// Proof packs that are valid, and whose names, lengths and lines are then misspelled: `verify.sh` takes what was made,
/// byte for byte and under its name, and nothing else. More of it: `scripts/steps/check-archive.py`.
@Suite struct PackTests {
    /// Files that no digest covers: the script says so.
    private static let uncovered: Set = ["README.txt", "page.html", "verify.sh", "signer-ca.pem"]
    private let folder: TemporaryFolder
    private let pack: URL
    /// Paths in the pack.
    private let covered: [String]

    init() throws {
        let shelf = try ArchiveShelf()
        folder = shelf.folder
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        try shelf.close(writer)
        let made = ProofPack(signers: shelf.certificates, authorities: nil)
        let packs = folder("packs")
        _ = try writer.export(record, openedBy: shelf.key, to: packs, as: made, at: shelf.now)
        pack = URL(filePath: packs).appending(path: "\(record)")
        let pack = pack
        covered = try FileManager.default.subpathsOfDirectory(atPath: pack.path).sorted().filter { path in
            let isFile = try pack.appending(path: path).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            return isFile == true && !Self.uncovered.contains(path)
        }
    }

    private func isTaken() throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The court's own copy of the certificate, which it trusts.
        process.arguments = [
            pack.appending(path: "verify.sh").path, Vectors.path("keys/rsa3072.certificate.pem"),
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// - Returns: whether the pack is another one now.
    private func misspell(_ file: URL, _ generator: inout SeededGenerator) throws -> Bool {
        let old = try Data(contentsOf: file)
        var bytes = Array(old)
        let place = Int.random(in: 0...bytes.count, using: &generator)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let (one, other) = (
            lines.indices.randomElement(using: &generator), lines.indices.randomElement(using: &generator)
        )
        guard let one, let other else { return false }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 1: bytes = Array(bytes[..<place])
        case 2 where place < bytes.count: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
        case 3:
            lines.swapAt(one, other)
            bytes = Array(lines.joined(separator: [0x0A]))
        case 4:
            lines.insert(lines[one], at: other)
            bytes = Array(lines.joined(separator: [0x0A]))
        case 5:
            lines.remove(at: one)
            bytes = Array(lines.joined(separator: [0x0A]))
        case 6:
            lines[one].append(contentsOf: Bool.random(using: &generator) ? [0x0D] : [0x20])
            bytes = Array(lines.joined(separator: [0x0A]))
        default:
            let name = file.lastPathComponent
            let names = [name + "x", name.uppercased() + "X", "." + name, name + " ", String(name.dropLast()) + "_"]
            let moved = file.deletingLastPathComponent().appending(path: names.randomElement(using: &generator) ?? "x")
            try FileManager.default.moveItem(at: file, to: moved)
            return true
        }
        try Data(bytes).write(to: file)
        return Data(bytes) != old
    }

    @Test func nothingIsTakenButWhatWasMade() throws {
        #expect(try isTaken())
        let good = folder.url.appending(path: "good")
        try FileManager.default.copyItem(at: pack, to: good)
        var generator = SeededGenerator(seed: 29)
        for round in 0..<40 {
            let path = try #require(covered.randomElement(using: &generator))
            guard try misspell(pack.appending(path: path), &generator) else { continue }
            #expect(try !isTaken(), "round \(round): \(path)")
            try FileManager.default.removeItem(at: pack)
            try FileManager.default.copyItem(at: good, to: pack)
        }
        #expect(try isTaken())
    }
}
