// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
internal import VendorTypes

/// How tolerant a reader is.
public enum Tolerance: Hashable, Sendable {
    /// Accepts only what the vendor's documents and headers say. A document that needs a repair is refused.
    case strict
    /// Also reads wrappers' spellings, and lists each repair.
    case tolerant
    /// Like ``strict``, except for these repairs, which are listed.
    case accepting(Set<DocumentRepair.Code>)

    func allows(_ code: DocumentRepair.Code) -> Bool {
        switch self {
        case .strict: false
        case .tolerant: true
        case .accepting(let codes): codes.contains(code) && code.isHarmless
        }
    }
}

/// Something that was read although it deviates from the vendor's documentation.
public struct DocumentRepair: Hashable, Sendable, CustomStringConvertible {
    /// What was repaired. Its raw value is what programs call it: `android-key-name`.
    @nonexhaustive public enum Code: String, CaseIterable, Sendable {
        /// A field has a wrapper's name.
        case name = "wrapper-name"
        /// The video's wrapped key has the name that Android's SDK has for it.
        case androidKeyName = "android-key-name"
        /// A name that is not a field's, but that another reader would take for one (`docs/FORMATS.md` §1.1). It is
        /// ignored.
        case lookAlike = "look-alike"
        /// The result is inside a wrapper's object.
        case envelope = "wrapper"
        /// A field is in another object than in the vendor's header.
        case place
        /// Success is a text or a number instead of true or false.
        case success = "success-spelling"
        /// A score is a number instead of text.
        case score = "score-number"
        /// A risk tag is a number instead of text.
        case tag = "tag-number"
        /// An error is flat or plain text instead of an object.
        case error = "error-spelling"
        /// Something next to a pass that could be taken for another verdict: an error, a code that is not 0, another
        /// order, a look-alike of one of these, or a text in a form that is not read (`docs/FORMATS.md` §5.2). Such a
        /// pass is not relied on.
        case contradiction
        /// A comma before the end of an object or array.
        case trailingComma = "trailing-comma"
        /// The text of bytes has line breaks or tabs, which are left out.
        case lineBreaks = "line-breaks"
        /// The text of bytes is in the URL-safe alphabet.
        case urlSafe = "url-safe"
        /// The text of bytes has blanks, which are read as `+`.
        case lostPlus = "lost-plus"
        /// The text of bytes is URL-encoded.
        case percentEncoding = "percent-encoding"
        /// The text of bytes is a data URI, of which only what follows its comma is read.
        case dataURI = "data-uri"
        /// The text of bytes has lost its padding.
        case missingPadding = "missing-padding"
        /// Bytes were encoded twice.
        case doubleBase64 = "double-base64"
        /// The text of bytes has quotation marks or backslashes, which are left out.
        case quotationMarks = "quotation-marks"
        /// Bytes were printed as decimal numbers or hexadecimal digits.
        case printedBytes = "printed-bytes"

        /// The names that the vendor itself documents for one platform, each read where it stands alone: what is read
        /// unless something else is said. To read nothing but the vendor's common names, give no repair at all.
        public static let documented: Set<Code> = [.androidKeyName]

        /// Every repair that only reads another spelling.
        package static let harmless = allCases.filter(\.isHarmless)
        /// Whether it only reads another spelling, so that two readers cannot see two different results.
        public var isHarmless: Bool { self != .lookAlike && self != .contradiction }

        /// The repair of a text that it is; `nil` for any other.
        package var ofText: TextRepair? { TextRepair(rawValue: rawValue) }
    }

    /// What was repaired.
    public let code: Code
    /// Which value, as a JSON path.
    package let path: String
    /// Its position: bytes from the start of the document.
    package let offset: UInt64
    /// The vendor's name for it, where `code` is `Code.name`, ``Code/androidKeyName`` or ``Code/lookAlike``.
    package let vendorName: String?

    /// Whether nobody knows what a ``Code/contradiction`` says.
    package let isUndecided: Bool

    package init(code: Code, path: String, offset: UInt64, vendorName: String? = nil, isUndecided: Bool = false) {
        (self.code, self.path, self.offset, self.vendorName, self.isUndecided) = (
            code, path, offset, vendorName, isUndecided
        )
    }

    /// One sentence without a full stop.
    public var description: String {
        let what =
            switch code {
            case .name, .androidKeyName: "read as \(vendorName ?? "another field")"
            case .lookAlike where isInLowerCase:
                "ignored: it is \(vendorName ?? "another field") in lower case, as some bridges write it"
            case .lookAlike: "ignored, though another reader could take it for \(vendorName ?? "another field")"
            case .envelope: "read as a wrapper around the result"
            case .place: "read, although the vendor's results have it in a different object"
            case .success: "not a JSON boolean, but read as one"
            case .score: "a number, read as the text of a score"
            case .tag: "a number, read as the text of a tag"
            case .error: "read as an error object"
            case .contradiction: contradiction
            case .trailingComma: "a trailing comma, ignored"
            case .lineBreaks, .urlSafe, .lostPlus, .percentEncoding, .dataURI, .missingPadding, .doubleBase64,
                .quotationMarks, .printedBytes:
                code.ofText?.effect ?? ""
            }
        return "\(path) at byte \(offset): \(what)"
    }

    /// As the reports have it (`docs/JSON.md`).
    package var value: JSONValue {
        .object([
            ("name", .text(name)), ("path", .text(path)), ("offset", .number(offset)),
            ("sentence", .text("\(self)")),
        ])
    }

    /// Its name in reports.
    private var name: String { isUndecided ? "undecided" : code.rawValue }

    /// The member's name, if it has only letters and digits.
    var memberName: Substring.UTF8View { (path.split(separator: ".").last ?? "").utf8 }

    /// Whether it is a field's name in lower case.
    var isInLowerCase: Bool { vendorName.map { FieldName.isInLowerCase(memberName, $0) } ?? false }

    /// Says what a member contradicts: a field of the same meaning, or the claimed pass itself.
    var contradiction: String {
        isUndecided
            ? "nobody can tell from its name and its text whether it says that the person passed"
            : vendorName.map { "differs from \($0)" } ?? "contradicts the pass that the document claims"
    }

    /// What to do about a contradiction.
    package static let contradictionHint =
        "if your own app adds this member, give the vendor's result without it; otherwise ask the vendor's server "
        + "(queryfacerecord)"
}
