// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import VendorTypes

/// What a bag says about itself, and which bag and which token it follows: `bag-info.txt`.
package struct BagInfo: Equatable {
    package let agent: String
    package let byteCount: UInt64
    package let fileCount: UInt64
    package let origin: String
    package let number: Int
    package let closed: UTCTime
    /// SHA-256 of the previous bag's tag manifest, in hexadecimal digits; in the first bag, of the description.
    package let previous: String
    /// Of the newest earlier bag that had one.
    package let token: Token?

    package struct Token: Equatable {
        package let bag: Int
        /// In hexadecimal digits.
        package let sha256: String
    }

    init(
        agent: String, byteCount: UInt64, fileCount: UInt64, origin: String, number: Int, closed: UTCTime,
        previous: String, token: Token?
    ) {
        self.agent = agent
        self.byteCount = byteCount
        self.fileCount = fileCount
        self.origin = origin
        self.number = number
        self.closed = closed
        self.previous = previous
        self.token = token
    }

    private static let labels = [
        "Bag-Software-Agent", "Bagging-Date", "Payload-Oxum", "Evidence-Archive-Origin", "Evidence-Archive-Bag",
        "Evidence-Archive-Closed", "Evidence-Archive-Previous-SHA256", "Evidence-Archive-Previous-Token",
    ]

    /// Reads it.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) for anything that is not, byte for byte, what ``text`` writes.
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        let name = Layout.bagInfo
        let lines = try textLines(bytes, of: name, .bag)
        guard Self.labels.count - 1...Self.labels.count ~= lines.count else {
            throw EvidenceError(.bag, "\(name) has \(lines.count) lines; it must have 7 or 8")
        }
        var values: [String] = []
        for (label, line) in zip(Self.labels, lines) {
            guard let text = value(line, after: "\(label):") else {
                throw EvidenceError(.bag, "\(name), line \(values.count + 1): it must begin with \(label):")
            }
            values.append(text)
        }
        func required<Value>(_ line: Int, _ value: Value?) throws(EvidenceError) -> Value {
            guard let value else { throw EvidenceError(.bag, "\(name), line \(line): the value is invalid") }
            return value
        }
        let oxum = values[2].utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        byteCount = try required(3, oxum.first.flatMap { decimal($0) })
        fileCount = try required(3, oxum.count == 2 ? decimal(oxum[1]) : nil)
        origin = try required(4, ArchiveDescription.isOrigin(values[3]) ? values[3] : nil)
        let number = try required(5, Self.number(values[4].utf8))
        let closed = try required(6, UTCTime(values[5]))
        _ = try required(2, values[1].utf8.count == 10 && values[5].hasPrefix(values[1]) ? true : nil)
        previous = try required(7, isHex(values[6].utf8, count: 64) ? values[6] : nil)
        if values.count > 7 {
            let words = values[7].utf8.split(separator: 0x20, omittingEmptySubsequences: false)
            let bag = words.first.flatMap { Self.number($0) }.flatMap { $0 < number ? $0 : nil }
            let digest =
                words.count == 2 && isHex(words[1], count: 64) ? String(decoding: words[1], as: UTF8.self) : nil
            token = Token(bag: try required(8, bag), sha256: try required(8, digest))
        } else {
            token = nil
        }
        agent = values[0]
        self.number = number
        self.closed = closed
    }

    private static func number(_ text: some Collection<UInt8>) -> Int? {
        guard let number = decimal(text), (1...999_999_999).contains(number) else { return nil }
        return Int(number)
    }

    package var text: String {
        var values = [
            agent, String("\(closed)".prefix(10)), "\(byteCount).\(fileCount)", origin, "\(number)", "\(closed)",
            previous,
        ]
        if let token { values.append("\(token.bag) \(token.sha256)") }
        return zip(Self.labels, values).map { "\($0): \($1)\n" }.joined()
    }
}
