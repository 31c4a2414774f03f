// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// The file of a record's keys, each wrapped for the archive key: `facts BASE64` and, if the record has a part of the
/// face that no reduction took, `face BASE64`. So the face is taken by cutting the file after its first line.
package struct RecordKeyFile: Hashable, Sendable {
    package let facts: [UInt8]
    package let face: [UInt8]?

    package init(facts: [UInt8], face: [UInt8]?) { (self.facts, self.face) = (facts, face) }

    package subscript(_ key: PartKey) -> [UInt8]? { key == .facts ? facts : face }

    /// The keys that are there.
    package var keys: Set<PartKey> { Set(PartKey.allCases.filter { self[$0] != nil }) }

    /// Reads a file.
    ///
    /// - Parameter isBeingReduced: whether a reduction was begun: then whatever follows `facts` counts as gone.
    /// - Throws: ``EvidenceError`` (`.bag`) for anything that is not, byte for byte, what ``text`` writes.
    package init(_ bytes: [UInt8], of path: String, whileReduced isBeingReduced: Bool = false) throws(EvidenceError) {
        let refusal = EvidenceError(.bag, "\(path) is not the keys of a record")
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        func take(_ key: PartKey) throws(EvidenceError) -> [UInt8]? {
            guard let line = lines.first, let text = value(line, after: key.rawValue) else { return nil }
            lines = lines.dropFirst()
            // The line feed is there where something follows, if only nothing.
            guard !lines.isEmpty else { throw refusal }
            let characters = Array(text.utf8)
            do throws(EvidenceError) {
                let wrapped = try Base64.decode(characters.span)
                guard Limits.wrappedRecordKeyBytes.contains(wrapped.count) else { throw refusal }
                return wrapped
            } catch { throw error.code == .base64 ? refusal : error }
        }
        guard let facts = try take(.facts) else { throw refusal }
        self.facts = facts
        if isBeingReduced {
            face = nil
            return
        }
        face = try take(.face)
        guard lines.count == 1, lines.first?.isEmpty == true else { throw refusal }
    }

    package var text: String {
        var text = ""
        for key in PartKey.allCases {
            guard let wrapped = self[key] else { continue }
            text += "\(key.rawValue) \(String(decoding: Base64.encode(wrapped.span), as: UTF8.self))\n"
        }
        return text
    }

    /// The lines of wrapped keys in whatever bytes: what a copy of a key file has, whatever it is called.
    package static func wrappedLines(in bytes: [UInt8]) -> [(key: PartKey, value: ArraySlice<UInt8>)] {
        bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
            let words = line.split(separator: 0x20)
            guard words.count == 2,
                let key = PartKey.allCases.first(where: { words[0].elementsEqual($0.rawValue.utf8) }),
                words[1].count >= Base64.encodedCount(of: Limits.wrappedRecordKeyBytes.lowerBound)
            else { return nil }
            return (key, words[1])
        }
    }

    /// The values of these lines.
    static func wrappedValues(in bytes: [UInt8]) -> [ArraySlice<UInt8>] { wrappedLines(in: bytes).map(\.value) }

    /// Whether whatever bytes may have the keys of several records, also where a line feed between them was changed.
    package static func mayHaveOthers(_ bytes: [UInt8]) -> Bool {
        PartKey.allCases.contains { key in
            bytes.split(separator: Array("\(key.rawValue) ".utf8), omittingEmptySubsequences: false).count > 2
        }
    }

    /// Where the first line ends, in whatever bytes: what follows is destroyed by a reduction. A file that does not
    /// begin as one of keys does has nothing to be kept.
    package static func endOfFacts(in bytes: [UInt8]) -> Int {
        guard bytes.starts(with: "\(PartKey.facts.rawValue) ".utf8) else { return 0 }
        return bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }
}
