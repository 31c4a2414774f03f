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
    /// What was repaired. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, CaseIterable {
            case name = "wrapper-name"
            case androidKeyName = "android-key-name"
            case lookAlike = "look-alike"
            case envelope = "wrapper"
            case place
            case success = "success-spelling"
            case score = "score-number"
            case tag = "tag-number"
            case error = "error-spelling"
            case contradiction
            // As JSONScanner names it.
            case trailingComma = "trailing-comma"
        }
        /// What programs call it: `android-key-name`.
        public let name: String

        private init(kind: Kind) { name = kind.rawValue }

        /// A repair of a text.
        package init(_ repair: TextRepair) { name = repair.rawValue }

        /// The repair of that `name`; `nil` where there is none.
        public init?(named name: String) {
            guard Kind(rawValue: name) != nil || TextRepair(rawValue: name) != nil else { return nil }
            self.name = name
        }

        /// The repair of a text that it is; `nil` for any other.
        package var ofText: TextRepair? { TextRepair(rawValue: name) }
        /// Whether it only reads another spelling, so that two readers cannot see two different results.
        public var isHarmless: Bool { self != .lookAlike && self != .contradiction }
        /// Every repair that only reads another spelling.
        package static let harmless =
            (Kind.allCases.map { Code(kind: $0) } + TextRepair.allCases.map { Code($0) }).filter(\.isHarmless)

        /// The names that the vendor itself documents for one platform, each read where it stands alone: what is read
        /// unless something else is said. To read nothing but the vendor's common names, give no repair at all.
        public static let documented: Set<Code> = [.androidKeyName]

        /// A field has a wrapper's name.
        package static let name = Code(kind: .name)
        /// The video's wrapped key has the name that Android's SDK has for it.
        package static let androidKeyName = Code(kind: .androidKeyName)
        /// A name that is not a field's, but that another reader would take for one (`docs/FORMATS.md` §1.1). It is
        /// ignored.
        package static let lookAlike = Code(kind: .lookAlike)
        /// The result is inside a wrapper's object.
        package static let envelope = Code(kind: .envelope)
        /// A field is in another object than in the vendor's header.
        package static let place = Code(kind: .place)
        /// Success is a text or a number instead of true or false.
        package static let success = Code(kind: .success)
        /// A score is a number instead of text.
        package static let score = Code(kind: .score)
        /// A risk tag is a number instead of text.
        package static let tag = Code(kind: .tag)
        /// An error is flat or plain text instead of an object.
        package static let error = Code(kind: .error)
        /// Something next to a pass that could be taken for another verdict: an error, a code that is not 0, another
        /// order, a look-alike of one of these, or a text in a form that is not read (`docs/FORMATS.md` §5.2). Such a
        /// pass is not relied on.
        package static let contradiction = Code(kind: .contradiction)
        /// A comma before the end of an object or array.
        package static let trailingComma = Code(kind: .trailingComma)
        /// The text of bytes has line breaks or tabs, which are left out.
        package static let lineBreaks = Code(TextRepair.lineBreaks)
        /// The text of bytes is in the URL-safe alphabet.
        package static let urlSafe = Code(TextRepair.urlSafe)
        /// The text of bytes has blanks, which are read as `+`.
        package static let lostPlus = Code(TextRepair.lostPlus)
        /// The text of bytes is URL-encoded.
        package static let percentEncoding = Code(TextRepair.percentEncoding)
        /// The text of bytes is a data URI, of which only what follows its comma is read.
        package static let dataURI = Code(TextRepair.dataURI)
        /// The text of bytes has lost its padding.
        package static let missingPadding = Code(TextRepair.missingPadding)
        /// Bytes were encoded twice.
        package static let doubleBase64 = Code(TextRepair.doubleBase64)
        /// The text of bytes has quotation marks or backslashes, which are left out.
        package static let quotationMarks = Code(TextRepair.quotationMarks)
        /// Bytes were printed as decimal numbers or hexadecimal digits.
        package static let printedBytes = Code(TextRepair.printedBytes)
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
            case _ where code.ofText != nil: code.ofText?.effect ?? ""
            default: "a trailing comma, ignored"
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
    private var name: String { isUndecided ? "undecided" : code.name }

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
