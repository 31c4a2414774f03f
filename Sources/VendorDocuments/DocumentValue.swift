// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
package import EvidenceErrors
package import MediaStructure
package import VendorTypes

/// What a string has in it (`docs/FORMATS.md` §5.2).
struct TextFindings {
    /// The JSON in it.
    var values: [DocumentValue] = []
    /// Whether nobody knows what all of it says: it is too long, or encoded too often.
    var isUndecided = false
    /// Whether it begins as an object does, and is too long to be looked through.
    var beginsObject = false
    /// Whether it is written as a compact signature is (RFC 7515 §7.1).
    var isCompact = false
    /// What is said around the JSON, or in a text that is too long to be held; `nil` where the text itself is.
    var speech: VerdictWords.Speech?
}

/// A value of a JSON document, with its position.
package struct DocumentValue {
    package enum Content {
        case object([(name: String, value: DocumentValue)])
        case array([DocumentValue])
        case text(FieldText)
        /// The number as it is written.
        case number(String)
        case bool(Bool)
        case null
    }

    /// As a JSON path: `$.error.code`.
    package let path: String
    /// All of the value, quotation marks and braces included, in bytes from the start of the document.
    package let range: Range<UInt64>
    package let content: Content
    /// The bytes that a string encodes, if requested.
    package var bytes: MediaProbe.Outcome?
    /// What was found in a string, if anything was looked for.
    var found = TextFindings()
    /// If there is JSON in a string (`docs/FORMATS.md` §5.2): its values. Their paths continue that of the string,
    /// whose place in the document they have.
    package var inside: [DocumentValue] { found.values }
    /// Whether a string begins as an object does, and is too long to be looked through.
    package var beginsLongObject: Bool { found.beginsObject }

    /// The value of a member; `nil` if there is none.
    package func member(_ name: String) -> DocumentValue? {
        guard case .object(let members) = content else { return nil }
        // Compared as bytes: to Swift's String, a Kelvin sign is equal to a K.
        return members.first { $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    package func has(_ name: String) -> Bool { member(name) != nil }

    /// Whether some reader would find one of these names in it (`docs/FORMATS.md` §1.1).
    package func hasLoosely(_ names: LooseNames<Bool>) -> Bool {
        guard case .object(let members) = content else { return false }
        return members.contains { names[$0.name] != nil }
    }

    /// The value of a field under any of its names.
    package func member(_ field: FieldName) -> DocumentValue? { field.all.lazy.compactMap(member).first }

    /// A short text or a number, as it is written.
    package var written: String? {
        if case .number(let number) = content { number } else { text }
    }

    /// A short text; or a number as it is written, where every reader has that number: those that compute in floating
    /// point round longer ones, and write out an exponent.
    var writtenAlike: String? {
        guard case .number(let number) = content else { return text }
        let digits = number.utf8.filter(ByteSet.digits.contains).count
        let isPlain = number.utf8.allSatisfy {
            ByteSet.digits.contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        return isPlain && digits <= Limits.exactNumberDigits ? number : nil
    }

    /// Whether it is null or an empty text.
    package var isBlank: Bool {
        switch content {
        case .null: true
        case .text(let text): text.byteCount == 0
        case .object, .array, .number, .bool: false
        }
    }

    package var isNull: Bool {
        if case .null = content { true } else { false }
    }

    package var isObject: Bool {
        if case .object = content { true } else { false }
    }

    /// A short text, `nil` for everything else.
    package var text: String? {
        if case .text(let text) = content { text.text } else { nil }
    }

    /// An error at this value.
    package func fault(_ code: EvidenceError.Code, _ reason: String, hint: String? = nil) -> EvidenceError {
        EvidenceError(code, at: path, offset: range.lowerBound, reason, hint: hint)
    }

    /// The error of a value of another type than its field has. What to do about bytes, those say who read them.
    package func wrongType(_ reason: String) -> EvidenceError {
        guard path.hasSuffix(".\(FieldName.orderNo)"), written != text, writtenAlike == nil else {
            return fault(.type, reason, hint: FieldName.isOfBytes(path) ? nil : Self.rewrittenHint)
        }
        return fault(.type, reason, hint: Self.numberHint)
    }

    /// Of an order number that is not text.
    package static let numberHint =
        rewrittenHint + ": as a number, one of more than \(Limits.exactNumberDigits) digits is rounded by JavaScript, "
        + "by readers of JSON and by Excel"

    package static let rewrittenHint =
        "ask for it as the SDK or the vendor's server returned it, before anything rewrote it"

    /// The error of a value that must be an object.
    package var noObject: EvidenceError {
        guard case .text(let text) = content else { return wrongType("it must be an object") }
        let reason = "expected an object, found a string"
        // What is too long to be held may be one.
        if let short = text.text, short.first(where: { !$0.isWhitespace }) != "{" { return wrongType(reason) }
        return fault(
            .type, reason,
            hint: "if the string holds JSON, put that in its place: "
                + ValuePlace(path: path, isText: true, range: range).unquoting)
    }
}

/// The place of a value in its document, and the commands that take it out there, to the byte. `FILE` and `COPY` stand
/// for files, as in the steps of the known forms.
package struct ValuePlace: Equatable, Sendable {
    /// As a JSON path.
    package let path: String
    /// Whether it is a string that holds the value as JSON.
    package let isText: Bool
    private let range: Range<UInt64>

    package init(path: String, isText: Bool, range: Range<UInt64>) {
        (self.path, self.isText, self.range) = (path, isText, range)
    }

    private var bytes: String {
        "tail -c +\(range.lowerBound + 1) FILE | head -c \(range.upperBound - range.lowerBound)"
    }

    /// Writes the value, or the text of the string, to a copy.
    package var takingOut: String { bytes + (isText ? " | \(Self.decoding)" : "") + " > COPY" }

    /// Writes a copy of the document with the text of the string in its place.
    package var unquoting: String {
        "(head -c \(range.lowerBound) FILE; \(bytes) | \(Self.decoding); tail -c +\(range.upperBound + 1) FILE) > COPY"
    }

    /// Of a string whose end is not known yet.
    package static let insideHint = "if the string holds JSON, decode it first"
    /// What to do with a document that is one string.
    private static let ofWhole =
        "if it is one string, and holds JSON, take it out: \(decoding) < FILE > COPY; of anything else, have the "
        + "program write the document alone, to a file of its own"
    /// What a document is that is no object, by its first token.
    package static func found(_ token: JSONToken) -> String {
        token == .beginArray ? "found a list" : "found another kind of value"
    }

    /// What to do with it.
    package static func hint(of token: JSONToken) -> String? {
        switch token {
        case .beginString: ofWhole
        case .beginArray:
            "use only the object in it that you mean; one that is alone in the list comes out with "
                + #"perl -0777 -pe 's/^\s*\[//; s/\]\s*$//' FILE > COPY"#
        default: nil
        }
    }

    /// What to do with several results or payloads in one document.
    package static func choice(of places: [ValuePlace]) -> String {
        let named = 4
        let rest = places.count > named ? " and others" : ""
        return "\(places.count) results or payloads are inside, at "
            + places.prefix(named).map(\.path).joined(separator: ", ") + rest
            + ": use only the one that you mean" + (places.first.map { ", as here the first: \($0.takingOut)" } ?? "")
    }

    /// From a string of JSON to its text.
    private static let decoding = "python3 -c 'import json,sys;sys.stdout.write(json.load(sys.stdin))'"
}

/// A name as shown in a path. Names are untrusted text: one that is not a plain word is not shown.
package func pathComponent(_ name: String) -> String {
    let isWord = name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
    return isWord && (1...Limits.shownNameBytes).contains(name.utf8.count) ? ".\(name)" : "[?]"
}

extension FieldName.Envelope {
    /// Whether a document is a result inside this object; not one that only has the names of a wrapper, too.
    package func isAround(_ root: DocumentValue) -> Bool {
        guard let carried = root.member(carrier), mark.map(root.has) ?? true else { return false }
        return carried.isObject && !carried.isEmpty || !root.saysSuccess()
    }
}
