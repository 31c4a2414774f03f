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
            throw EvidenceError(.bag, "\(name) has more lines, or fewer, than a bag has")
        }
        var values: [String] = []
        for (number, (label, line)) in zip(Self.labels, lines).enumerated() {
            guard let text = value(line, after: "\(label):") else {
                throw EvidenceError(.bag, "\(name), line \(number + 1): only \(label) may stand here")
            }
            values.append(text)
        }
        let oxum = values[2].utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard oxum.count == 2, let byteCount = decimal(oxum[0]), let fileCount = decimal(oxum[1]),
            ArchiveDescription.isOrigin(values[3]), let number = Self.number(values[4].utf8),
            let closed = UTCTime(values[5]), values[5].hasPrefix(values[1]), values[1].utf8.count == 10,
            isHex(values[6].utf8, count: 64)
        else { throw EvidenceError(.bag, "\(name) has a value that it cannot have") }
        if values.count > 7 {
            let words = values[7].utf8.split(separator: 0x20, omittingEmptySubsequences: false)
            guard words.count == 2, let bag = Self.number(words[0]), bag < number, isHex(words[1], count: 64) else {
                throw EvidenceError(.bag, "\(name) names a token that cannot be")
            }
            token = Token(bag: bag, sha256: String(decoding: words[1], as: UTF8.self))
        } else {
            token = nil
        }
        agent = values[0]
        self.byteCount = byteCount
        self.fileCount = fileCount
        origin = values[3]
        self.number = number
        self.closed = closed
        previous = values[6]
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
