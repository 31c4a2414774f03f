// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// Paths and their SHA-256, as `sha256sum` writes them: in the order of the paths' bytes.
package struct Manifest: Equatable {
    package struct Line: Equatable {
        package let path: String
        /// In hexadecimal digits.
        package let sha256: String
    }

    package private(set) var lines: [Line] = []

    package init() {}

    /// Adds a line; the caller adds them in order.
    mutating func append(_ path: String, _ sha256: String) { lines.append(Line(path: path, sha256: sha256)) }

    /// Whether a path stands before another. All are ASCII, where Swift orders strings by their bytes, and fast.
    static func precedes(_ path: String, _ other: String) -> Bool { path < other }

    /// The line of a path, where there is one.
    package func line(_ path: String) -> Line? {
        var range = 0..<lines.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            if lines[middle].path == path { return lines[middle] }
            let isBefore = Self.precedes(lines[middle].path, path)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Reads a manifest.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) for anything that is not, byte for byte, what ``text`` writes, and for
    ///   every path that no manifest of an archive has.
    package init(_ bytes: [UInt8], of name: String) throws(EvidenceError) {
        for (index, line) in try textLines(bytes, of: name, .bag).enumerated() {
            let (digest, path) = (line.prefix(64), line.dropFirst(66))
            guard isHex(digest, count: 64), line.dropFirst(64).starts(with: [0x20, 0x20]),
                Self.isPath(path)
            else {
                throw EvidenceError(
                    .bag, "\(name): line \(index + 1) is not a SHA-256 and a path that a bag can have")
            }
            let text = String(decoding: path, as: UTF8.self)
            if let last = lines.last, !Self.precedes(last.path, text) {
                throw EvidenceError(.bag, "\(name): line \(index + 1) is out of order, or repeats another")
            }
            append(text, String(decoding: digest, as: UTF8.self))
        }
    }

    /// The records that it names, and those of them that are evidence: they alone have a report.
    package var records: (all: Set<RecordID>, evidence: Set<RecordID>) {
        var (all, evidence): (Set<RecordID>, Set<RecordID>) = ([], [])
        for line in lines {
            let names = line.path.split(separator: "/")
            guard names.count == 3, let id = RecordID(String(names[1])) else { continue }
            all.insert(id)
            if names[2] == RecordPart.report + Layout.sealed { evidence.insert(id) }
        }
        return (all, evidence)
    }

    /// Refuses a file of a bag that its tag manifest does not list as it is. The tag manifest of a newer format may
    /// list other files as well.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`).
    static func require(_ bytes: [UInt8], of name: String, listedIn tags: [UInt8]) throws(EvidenceError) {
        let line = tags.split(separator: 0x0A).first { $0.dropFirst(64).elementsEqual("  \(name)".utf8) }
        guard try line?.prefix(64).elementsEqual(EvidenceArchive.sha256(bytes).utf8) ?? false else {
            throw EvidenceError(.bag, "\(Layout.tagManifest) does not list this \(name)")
        }
    }

    /// `data/RECORD/statement`, `data/RECORD/PART.sealed`, or one of the tag files.
    private static func isPath(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.starts(with: dataPath) else {
            return Layout.tagFiles.contains { path.elementsEqual($0.utf8) }
        }
        let (record, file) = (path.dropFirst(dataPath.count).prefix(32), path.dropFirst(dataPath.count + 32))
        return isHex(record, count: 32) && file.first == 0x2F && Layout.isRecordFile(file.dropFirst())
    }

    private static let dataPath = Array("\(Layout.data)/".utf8)

    package var text: [UInt8] {
        var text: [UInt8] = []
        for line in lines {
            text += Array(line.sha256.utf8)
            text += [0x20, 0x20]
            text += Array(line.path.utf8)
            text.append(0x0A)
        }
        return text
    }
}
