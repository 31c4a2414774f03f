// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization

/// Where the recorded vectors are, and how to read them.
public enum Vectors {
    /// The folder `TestVectors`.
    public static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../TestVectors")
        .standardized

    /// Where a file in it is.
    public static func path(_ name: String) -> String { folder.path + "/" + name }

    /// The bytes of a file in it, which may be packed.
    public static func bytes(_ name: String) throws -> [UInt8] {
        let url = folder.appending(path: name)
        if let bytes = try packed(url.deletingLastPathComponent())?.files[url.lastPathComponent] { return bytes }
        return Array(try Data(contentsOf: url))
    }

    /// The names of the cases in a packed folder.
    public static func cases(_ folder: String) throws -> [String] {
        guard let cases = try packed(self.folder.appending(path: folder)), !cases.files.isEmpty else {
            throw CocoaError(.fileNoSuchFile)
        }
        return cases.files.keys.sorted()
    }

    /// Lays all of it out in a new folder for programs that take paths: packed files unpacked, if `wants` says so of
    /// what they stand for, and links to everything else.
    public static func layOut(_ source: URL = folder, in destination: URL, wants: (String) -> Bool) throws {
        let files = FileManager.default
        try files.createDirectory(at: destination, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: source.path) {
            let entry = source.appending(path: name)
            let inside = (try? files.contentsOfDirectory(atPath: entry.path)) ?? []
            if entry.pathExtension == "ndjson" {
                let folder = entry.deletingPathExtension()
                guard wants(folder.lastPathComponent) else { continue }
                try packed(folder)?.unpack(into: destination.appending(path: folder.lastPathComponent))
            } else if inside.contains(where: { $0.hasSuffix(".ndjson") }) {
                try layOut(entry, in: destination.appending(path: name), wants: wants)
            } else {
                try files.createSymbolicLink(at: destination.appending(path: name), withDestinationURL: entry)
            }
        }
    }

    private static func packed(_ folder: URL) throws -> PackedFiles? {
        try known.withLock { known in
            if let packed = known[folder.path] { return packed }
            let packed = try PackedFiles(folder: folder)
            known[folder.path] = .some(packed)
            return packed
        }
    }

    private static let known = Mutex<[String: PackedFiles?]>([:])

    /// A case: a header of lines `key: value`, an empty line, and the payload.
    public static func readCase(_ path: String) throws -> (header: [String: String], payload: [UInt8]) {
        let bytes = try bytes(path)
        let end = bytes.indices.dropLast().first { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A } ?? bytes.endIndex
        var header: [String: String] = [:]
        for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstRange(of: ": ") else { throw CocoaError(.fileReadCorruptFile) }
            header[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        return (header, Array(bytes[min(end + 2, bytes.endIndex)...]))
    }

    /// A file of primitive vectors: `{"source", "note", "tests"}`.
    public static func tests<Test: Decodable>(_ name: String, of type: Test.Type = Test.self) throws -> [Test] {
        return try JSONDecoder().decode(VectorFile<Test>.self, from: Data(contentsOf: folder.appending(path: name)))
            .tests
    }
}

private struct VectorFile<Test: Decodable>: Decodable {
    let tests: [Test]
}

/// Bytes written as lower-case hex in a vector file.
public struct HexBytes: Decodable, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Reads a string of digits.
    public init(from decoder: any Decoder) throws {
        let digits = try decoder.singleValueContainer().decode(String.self).utf8.map { digit in
            Character(UnicodeScalar(digit)).hexDigitValue.map { UInt8($0) }
        }
        let values = digits.compactMap(\.self)
        guard values.count == digits.count, values.count % 2 == 0 else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not hex"))
        }
        bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

/// Numbers that are the same in every run: a property test that fails can be run again.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The numbers that belong to a seed.
    public init(seed: UInt64) { state = seed }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Bytes that mean nothing.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
    /// The bytes in pieces of random sizes, some of them empty.
    public mutating func pieces(of bytes: [UInt8], upTo largest: Int = 40) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...largest, using: &self))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

/// The ways to cut a text that show a fault at a piece's edge: whole, in two at every place, and byte by byte.
public func everySplit(of bytes: [UInt8]) -> [[[UInt8]]] {
    var splits = (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    splits.append([bytes])
    splits.append(bytes.map { [$0] })
    return splits
}
