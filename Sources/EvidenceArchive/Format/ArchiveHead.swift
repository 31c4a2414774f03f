// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// The newest bag of an archive in one line.
public struct ArchiveHead: Hashable, Sendable, CustomStringConvertible {
    /// Of which archive.
    package let origin: String
    /// The bag's number.
    public let bag: Int
    /// SHA-256 of its tag manifest, in hexadecimal digits.
    public let sha256: String
    /// SHA-256 of its signature, in hexadecimal digits.
    package let signatureSHA256: String
    /// The serial number of its token; `nil` where it has none.
    package let serial: String?

    init(origin: String, bag: Int, sha256: String, signatureSHA256: String, serial: String?) {
        self.origin = origin
        self.bag = bag
        self.sha256 = sha256
        self.signatureSHA256 = signatureSHA256
        self.serial = serial
    }

    /// Reads the line.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) where it is none.
    public init(_ line: String) throws(EvidenceError) {
        let words = line.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { String($0) ?? "" }
        guard words.count == 7, words[0] == "evidence-head", words[1] == "1", isOrigin(words[2]),
            let bag = BagInfo.number(words[3].utf8), isHex(words[4].utf8, count: 64), isHex(words[5].utf8, count: 64),
            words[6] == "-" || Self.isSerial(words[6])
        else {
            throw EvidenceError(
                .value,
                "this is not the head line of an archive: evidence-head 1 ORIGIN BAG SHA256 SHA256 SERIAL")
        }
        origin = words[2]
        self.bag = bag
        sha256 = words[4]
        signatureSHA256 = words[5]
        serial = words[6] == "-" ? nil : words[6]
    }

    private static func isSerial(_ word: String) -> Bool {
        (1...64).contains(word.utf8.count) && word.utf8.allSatisfy { "-0123456789ABCDEF".utf8.contains($0) }
    }

    /// The line, without a line feed.
    public var description: String {
        "evidence-head 1 \(origin) \(bag) \(sha256) \(signatureSHA256) \(serial ?? "-")"
    }
}
