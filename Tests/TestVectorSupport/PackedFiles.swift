// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Many small files in one: a line of JSON for each, `{"name", "text"}`, or `{"name", "base64"}` where it is not UTF-8.
/// `TestVectors/generate/packed.py` writes them.
public struct PackedFiles: Sendable {
    /// What is in it, by name.
    public let files: [String: [UInt8]]

    /// Reads `FOLDER.ndjson`, which stands for a folder.
    ///
    /// - Returns: `nil` where there is none.
    public init?(folder: URL) throws {
        let path = folder.path + ".ndjson"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let decoder = JSONDecoder()
        var files: [String: [UInt8]] = [:]
        for line in try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A) {
            let file = try decoder.decode(File.self, from: line)
            guard let bytes = file.bytes, files.updateValue(bytes, forKey: file.name) == nil else {
                throw CocoaError(.fileReadCorruptFile)
            }
        }
        self.files = files
    }

    /// Writes them into a new folder, as they would lie there unpacked.
    public func unpack(into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
    }

    private struct File: Decodable {
        let name: String
        let text: String?
        let base64: String?

        var bytes: [UInt8]? {
            if let text { return Array(text.utf8) }
            return base64.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
    }
}
