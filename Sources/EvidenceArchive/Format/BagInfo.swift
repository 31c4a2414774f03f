// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import VendorTypes

/// What a bag of any format says about its place in the chain: what every later format keeps.
package struct BagLink: Hashable, Sendable {
    /// 1 for what this code reads and writes.
    package let format: UInt64
    package let origin: String
    package let number: Int
    /// SHA-256 of the previous bag's tag manifest, in hexadecimal digits; in the first bag, of the description.
    package let previous: String
    /// A still earlier bag that it names, and SHA-256 of its tag manifest; `nil` where it names none: ``BagSkips``.
    package let skip: NamedBag?

    /// An earlier bag, and the SHA-256 of one of its files.
    package struct NamedBag: Hashable, Sendable {
        package let bag: Int
        /// In hexadecimal digits.
        package let sha256: String

        package init(bag: Int, sha256: String) { (self.bag, self.sha256) = (bag, sha256) }

        /// - Parameter limit: the bag that says so.
        init?(_ text: String, before limit: Int) {
            let words = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
            guard words.count == 2, let bag = BagInfo.number(words[0]), bag < limit, isHex(words[1], count: 64) else {
                return nil
            }
            self.init(bag: bag, sha256: String(decoding: words[1], as: UTF8.self))
        }

        var text: String { "\(bag) \(sha256)" }
    }

    /// Whether only a later version knows what else the bag says.
    package var isNewer: Bool { format > 1 }
}

/// What a bag says about itself, and which bags and which token it follows: `bag-info.txt`.
package struct BagInfo: Hashable, Sendable {
    package let agent: String
    package let byteCount: UInt64
    package let fileCount: UInt64
    package let closed: UTCTime
    package let link: BagLink
    /// SHA-256 of the list of the previous bag's signature files (``SignatureFiles``), in hexadecimal digits; `nil` in
    /// the first bag.
    package let previousSignatures: String?
    /// The newest earlier bag that had a token, and the token's SHA-256.
    package let token: BagLink.NamedBag?

    package var origin: String { link.origin }
    package var number: Int { link.number }
    package var previous: String { link.previous }

    init(
        agent: String, byteCount: UInt64, fileCount: UInt64, closed: UTCTime, link: BagLink,
        previousSignatures: String?, token: BagLink.NamedBag?
    ) {
        self.agent = agent
        self.byteCount = byteCount
        self.fileCount = fileCount
        self.closed = closed
        self.link = link
        self.previousSignatures = previousSignatures
        self.token = token
    }

    private enum Label: String, CaseIterable {
        case agent = "Bag-Software-Agent"
        case date = "Bagging-Date"
        case size = "Payload-Oxum"
        case format = "Evidence-Archive-Format"
        case origin = "Evidence-Archive-Origin"
        case number = "Evidence-Archive-Bag"
        case closed = "Evidence-Archive-Closed"
        case previous = "Evidence-Archive-Previous-SHA256"
        case skip = "Evidence-Archive-Skip-SHA256"
        case previousSignatures = "Evidence-Archive-Previous-Signatures-SHA256"
        case token = "Evidence-Archive-Previous-Token"

        /// Whether a bag of that number has the line; `nil` where it may have it.
        func isIn(bag number: Int) -> Bool? {
            switch self {
            case .skip: BagSkips.target(of: number) != nil
            case .previousSignatures: number > 1
            case .token: number > 1 ? nil : false
            default: true
            }
        }

        /// What an invalid value is, in a bag of that number.
        func fault(_ number: Int) -> String {
            switch self {
            case .skip: "not \(BagSkips.target(of: number) ?? 0) and a SHA-256"
            case .token: "not the number of a bag before \(number) and a SHA-256"
            case .previous, .previousSignatures: "not a SHA-256"
            case .date: "not the day of \(Label.closed.rawValue)"
            default: "invalid"
            }
        }
    }

    /// What some bytes are: the lines of a bag of this format, or of a newer one, whose place in the chain alone is
    /// known.
    package enum Reading: Sendable {
        case info(BagInfo)
        case newer(BagLink)

        package var link: BagLink {
            switch self {
            case .info(let info): info.link
            case .newer(let link): link
            }
        }
    }

    /// Reads it, of whichever format.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) for what is neither of this format nor of a newer one.
    package static func reading(_ bytes: [UInt8]) throws(EvidenceError) -> Reading {
        if let link = newerLink(bytes) { return .newer(link) }
        return .info(try BagInfo(thisFormat: bytes))
    }

    /// Refuses one of a newer format, whatever else it says.
    ///
    /// - Throws: ``EvidenceError`` (`.newerFormat`).
    static func requireThisFormat(_ bytes: [UInt8]) throws(EvidenceError) {
        guard !isThisFormat(bytes), let link = newerLink(bytes) else { return }
        throw EvidenceError(.newerFormat, "bag \(link.number) was written by a newer version")
    }

    /// Whether the format is where it stands in all bags of this one.
    private static func isThisFormat(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: 0x0A, maxSplits: 4).dropFirst(3).first?
            .elementsEqual("\(Label.format.rawValue): 1".utf8) ?? false
    }

    /// Reads it.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.bag` for anything that is not, byte for byte, what ``text``
    ///   writes.
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        switch try Self.reading(bytes) {
        case .info(let info): self = info
        case .newer(let link):
            throw EvidenceError(.newerFormat, "bag \(link.number) was written by a newer version")
        }
    }

    /// The link of a bag of a greater format: it may have any further lines, in any order.
    private static func newerLink(_ bytes: [UInt8]) -> BagLink? {
        var values: [Label: [String]] = [:]
        for line in bytes.split(separator: 0x0A) {
            for label in [Label.format, .origin, .number, .previous, .skip] {
                if let text = value(line, after: "\(label.rawValue):") { values[label, default: []].append(text) }
            }
        }
        func only(_ label: Label) -> String? { values[label].flatMap { $0.count == 1 ? $0[0] : nil } }
        guard let format = only(.format).flatMap({ decimal($0.utf8) }), format > 1,
            let origin = only(.origin), isOrigin(origin),
            let number = only(.number).flatMap({ Self.number($0.utf8) }),
            let previous = only(.previous), isHex(previous.utf8, count: 64)
        else { return nil }
        var skip: BagLink.NamedBag?
        if let target = BagSkips.target(of: number) {
            skip = only(.skip).flatMap { BagLink.NamedBag($0, before: number) }
            guard skip?.bag == target else { return nil }
        } else if values[.skip] != nil {
            return nil
        }
        return BagLink(format: format, origin: origin, number: number, previous: previous, skip: skip)
    }

    private init(thisFormat bytes: [UInt8]) throws(EvidenceError) {
        let name = Layout.bagInfo
        let lines = try textLines(bytes, of: name, .bag)
        var values: [Label: (text: String, line: Int)] = [:]
        var (next, number) = (lines.startIndex, 1)
        func refusal(_ line: Int, _ reason: String) -> EvidenceError {
            EvidenceError(.bag, "\(name), line \(line + 1): \(reason)")
        }
        for label in Label.allCases {
            let isThere = label.isIn(bag: number)
            if isThere == false { continue }
            guard next < lines.endIndex, let text = value(lines[next], after: "\(label.rawValue):") else {
                if isThere == nil { continue }
                throw refusal(next, "it must begin with \(label.rawValue):")
            }
            if label == .number {
                guard let found = Self.number(text.utf8) else {
                    throw refusal(next, "the value of \(label.rawValue) is not the number of a bag")
                }
                number = found
            }
            values[label] = (text, next)
            next += 1
        }
        guard next == lines.endIndex else {
            throw refusal(next, "bag \(number) does not have this line, or not in this place")
        }
        func required<Value>(
            _ label: Label, _ read: (String) -> Value?
        ) throws(EvidenceError) -> Value {
            let found = values[label]
            guard let value = found.flatMap({ read($0.text) }) else {
                throw refusal(found?.line ?? lines.endIndex, "the value of \(label.rawValue) is \(label.fault(number))")
            }
            return value
        }
        func optional<Value>(_ label: Label, _ read: (String) -> Value?) throws(EvidenceError) -> Value? {
            values[label] == nil ? nil : try required(label, read)
        }
        let digest = { (text: String) in isHex(text.utf8, count: 64) ? text : nil }
        agent = try required(.agent) { $0 }
        let size = try required(.size) { text -> (UInt64, UInt64)? in
            let numbers = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map { decimal($0) }
            guard numbers.count == 2, let bytes = numbers[0], let files = numbers[1] else { return nil }
            return (bytes, files)
        }
        (byteCount, fileCount) = size
        let format = try required(.format) { decimal($0.utf8).flatMap { $0 == 1 ? $0 : nil } }
        let origin = try required(.origin) { isOrigin($0) ? $0 : nil }
        let closed = try required(.closed) { UTCTime($0) }
        self.closed = closed
        _ = try required(.date) { $0 == ArchiveDay(closed).description ? true : nil }
        link = BagLink(
            format: format, origin: origin, number: number, previous: try required(.previous, digest),
            skip: try optional(.skip) { text in
                BagLink.NamedBag(text, before: number).flatMap { $0.bag == BagSkips.target(of: number) ? $0 : nil }
            })
        previousSignatures = try optional(.previousSignatures, digest)
        token = try optional(.token) { BagLink.NamedBag($0, before: number) }
    }

    /// The number of a bag, without leading zeros; `nil` for what is none.
    static func number(_ text: some Collection<UInt8>) -> Int? {
        guard let number = decimal(text), (1...999_999_999).contains(number) else { return nil }
        return Int(number)
    }

    package var text: String {
        var text = ""
        func add(_ label: Label, _ value: String?) { if let value { text += "\(label.rawValue): \(value)\n" } }
        add(.agent, agent)
        add(.date, ArchiveDay(closed).description)
        add(.size, "\(byteCount).\(fileCount)")
        add(.format, "\(link.format)")
        add(.origin, origin)
        add(.number, "\(number)")
        add(.closed, "\(closed)")
        add(.previous, previous)
        add(.skip, link.skip?.text)
        add(.previousSignatures, previousSignatures)
        add(.token, token?.text)
        return text
    }
}
