// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
internal import Recognition
internal import VendorDocuments
internal import VendorTypes

/// The parts of a document that a device's signature covers, whether or not it is signed.
package struct SignedDocument: Sendable {
    /// SHA-256 of the text of each covered field that is present.
    package fileprivate(set) var digests: [CoveredField: [UInt8]] = [:]
    /// SHA-256 of the canonical form of each other member that can be covered and is present, or why it has none.
    package fileprivate(set) var members: [CoveredField: Result<[UInt8], EvidenceError>] = [:]
    /// Every `orderNo` of the outermost object and of the payload object, as it stands there.
    package fileprivate(set) var orders: [[UInt8]] = []
    /// The signature; `nil` if there is none. One that is too long is cut off after its bound.
    package fileprivate(set) var signature: [UInt8]?
    /// Whether a signature is in another object than the outermost.
    package fileprivate(set) var isMisplaced = false
    /// The members other than the vendor's fields, as JSON paths in ASCII; of a long name its place alone.
    package fileprivate(set) var others: [String] = []

    /// The covered fields that are present and whose digests come from elsewhere: ``supply(_:for:)``.
    package fileprivate(set) var undigested: Set<CoveredField> = []

    /// Takes the digest of a field that the reader did not digest itself.
    package mutating func supply(_ digest: [UInt8], for field: CoveredField) {
        if undigested.remove(field) != nil { digests[field] = digest }
    }

    /// The name of the member that holds a signature.
    package static let memberName = FieldName.deviceSignature
}

/// Reads a document once, front to back, and digests the fields that a device's signature covers as they pass. What it
/// holds does not grow with them.
package struct SignedDocumentReader: ~Copyable {
    /// The position of the document's closing brace, once it was reached.
    package private(set) var end: UInt64?
    private var scanner = JSONScanner()
    private var document = SignedDocument()
    private var hasBegun = false
    /// The open value at depth 2.
    private var inner = ObjectKind.other
    private var hasPayloadObject = false
    private var hasRisks = false
    private var member = Member.none
    /// The other member whose value is being read, and what it is in canonical form.
    private var builder: (field: CoveredField, value: CanonicalJSONBuilder)?
    /// The fields of the payload object that are in the outermost one, and where the photo is.
    private var outside: Set<CoveredField> = []
    private var inside: Set<CoveredField> = []
    private var digester: Digester?
    private var isDigesting = false
    private var text: [UInt8] = []
    private var isHeld = false
    private var unescaped: [UInt8] = []

    /// An object whose members mean something.
    private enum ObjectKind {
        case outermost, payloadObject, risks, other
    }

    /// The current value.
    private enum Member: Equatable {
        case none, order, signature, payloadObject, risks
        case covered(CoveredField)
    }

    private let digestedElsewhere: Set<CoveredField>

    /// A reader at the start of a document.
    ///
    /// - Parameter fields: those that are digested elsewhere, from the same bytes.
    package init(leaving fields: Set<CoveredField> = []) { digestedElsewhere = fields }

    /// The next bytes.
    ///
    /// - Throws: ``EvidenceError``: why the document cannot be signed, or its signature not checked, or
    ///   `.openSSL`.
    package mutating func append(_ chunk: Span<UInt8>) throws(EvidenceError) {
        var position = 0
        do throws(EvidenceError) { try append(chunk, from: &position) } catch {
            throw error.naming(document: chunk, read: position, of: scanner.offset)
        }
    }

    private mutating func append(_ chunk: Span<UInt8>, from position: inout Int) throws(EvidenceError) {
        while true {
            if isDigesting, scanner.takeEscapedText(in: chunk, at: &position, to: &unescaped) {
                // Moved out while it is read, and moved back to keep its capacity.
                let text = exchange(&unescaped, with: [])
                digester?.append(text.span)
                unescaped = text
                continue
            }
            let token = try scanner.next(in: chunk, at: &position)
            if token == .needsInput { return }
            try take(token, chunk)
        }
    }

    /// What was found, once ``end`` is known.
    ///
    /// - Throws: ``EvidenceError`` (`.ambiguous`).
    package func found() throws(EvidenceError) -> SignedDocument {
        if hasPayloadObject,
            let field = CoveredField.vendorFields.first(where: { $0.home == .payloadObject && outside.contains($0) })
        {
            throw EvidenceError(
                .ambiguous,
                "\(field.vendorName) is next to \(FieldName.simpleModeResult), but belongs inside it")
        }
        if outside.contains(.userImageString), inside.contains(.userImageString) {
            throw EvidenceError(
                .ambiguous, "the result and its \(FieldName.simpleModeResult) both have \(FieldName.userImageString)")
        }
        var document = document
        if !hasPayloadObject { document.others.removeAll { $0 == Self.hintPath } }
        return document
    }

    /// What was found, after the last byte.
    ///
    /// - Throws: ``EvidenceError``, as ``append(_:)`` and ``found()``.
    package mutating func finish() throws(EvidenceError) -> SignedDocument {
        let last = try scanner.finish()
        if last != .needsInput { try take(last, Span()) }
        return try found()
    }

    private mutating func take(_ token: JSONToken, _ chunk: Span<UInt8>) throws(EvidenceError) {
        if !hasBegun {
            guard token == .beginObject else { throw EvidenceError(.json, "the document is not a JSON object") }
            hasBegun = true
            return
        }
        if builder != nil { try build(token, chunk) }
        switch token {
        case .needsInput, .endArray: break
        case .name(let name): try takeName(name)
        case .beginObject: try beginObject()
        case .endObject: if scanner.depth == 0 { end = scanner.offset - 1 }
        case .beginArray:
            try refuseKnown("a list")
            if scanner.depth == 2 { inner = .other }
        case .beginString: try beginString()
        case .text, .byte, .scalar:
            token.withText(in: chunk) { run in
                digester?.append(run)
                if isHeld { hold(run) }
            }
        case .stringEnd: try endString()
        case .number: try takeNumber()
        case .bool(let value):
            guard member == .covered(.isSuccess) else { return try refuseKnown("true or false") }
            try add(.isSuccess, Array((value ? "true" : "false").utf8))
            member = .none
        case .null: member = .none
        }
    }

    // MARK: - Names

    /// The object whose members are being read.
    private var place: ObjectKind {
        switch scanner.depth {
        case 1: .outermost
        case 2: inner
        default: .other
        }
    }

    private static let outermostNames = names(.outermost, .payloadObject, .either)
        .merging(
            [
                FieldName.orderNo.vendor: .order, FieldName.simpleModeResult.vendor: .payloadObject,
                SignedDocument.memberName: .signature,
            ].merging(FieldName.riskInfo.all.map { ($0, .risks) }, uniquingKeysWith: { first, _ in first }),
            uniquingKeysWith: { first, _ in first })
    private static let payloadNames = names(.payloadObject, .either)
        .merging(
            [FieldName.orderNo.vendor: .order, SignedDocument.memberName: .signature],
            uniquingKeysWith: { first, _ in first })
    private static let riskNames = names(.risks)

    private static func names(_ homes: CoveredField.Home...) -> [String: Member] {
        let fields = CoveredField.vendorFields.filter { homes.contains($0.home) }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.vendorName, .covered($0)) })
    }

    private static let outermostForms = LooseNames(outermostNames.keys.map { ($0, true) })
    private static let payloadForms = LooseNames(payloadNames.keys.map { ($0, true) })
    private static let riskForms = LooseNames(riskNames.keys.map { ($0, true) })

    private mutating func takeName(_ name: [UInt8]) throws(EvidenceError) {
        let place = place
        if place != .outermost, name.elementsEqual(SignedDocument.memberName.utf8) { document.isMisplaced = true }
        let (known, forms, path): ([String: Member], LooseNames<Bool>, String)
        switch place {
        case .other: return member = .none
        case .outermost: (known, forms, path) = (Self.outermostNames, Self.outermostForms, "$")
        case .payloadObject:
            (known, forms, path) = (Self.payloadNames, Self.payloadForms, "$.\(FieldName.simpleModeResult)")
        case .risks: (known, forms, path) = (Self.riskNames, Self.riskForms, "$.\(FieldName.riskInfo)")
        }
        // By bytes: to Swift's `String`, a Kelvin sign is equal to a K.
        if let found = known.first(where: { $0.key.utf8.elementsEqual(name) }) {
            member = found.value
            return
        }
        let text = String(decoding: name, as: UTF8.self)
        let isActedOn = FieldName.actedOn.contains { $0.utf8.elementsEqual(name) }
        guard forms[text] == nil, !isActedOn else {
            throw EvidenceError(
                .ambiguous, at: path, offset: scanner.nameStart,
                isActedOn
                    ? "\(text) does not belong here; some readers would take its value"
                    : "another reader could take this name for a field of the vendor",
                hint: FieldName.lookAlikeHint)
        }
        member = .none
        if place == .outermost, let field = CoveredField(rawValue: "$.\(text)") {
            builder = (field, CanonicalJSONBuilder(limit: Limits.deviceMemberBytes))
        }
        // A hint at the key, which a rewrapper renews: nothing depends on it.
        if place == .payloadObject, name.elementsEqual(FieldName.keyId.vendor.utf8) { return }
        document.others.append(path + component(text))
    }

    /// The same hint, where the outermost object is the payload object.
    private static let hintPath = "$.\(FieldName.keyId)"

    /// Takes a token of another member's value, and digests the value at its end. One that is `null` is absent.
    private mutating func build(_ token: JSONToken, _ chunk: Span<UInt8>) throws(EvidenceError) {
        guard let field = builder?.field else { return }
        let number = token == .number ? scanner.number : nil
        do throws(EvidenceError) { try builder?.value.take(token, number: number, in: chunk) } catch {
            builder = nil
            document.members[field] = .failure(error)
            return
        }
        guard let whole = builder?.value.value else { return }
        builder = nil
        if case .literal("null") = whole { return }
        let bytes = whole.bytes
        document.members[field] =
            bytes.count <= Limits.deviceMemberBytes
            ? .success(try DigestAlgorithm.sha256.digest(of: bytes.span))
            : .failure(CanonicalJSONBuilder.tooLong(Limits.deviceMemberBytes))
    }

    /// The name that was read last as a path has it (RFC 9535): `.note`, `['my-field']`.
    private func component(_ name: String) -> String {
        let plain = pathComponent(name)
        guard plain.utf8.first != UInt8(ascii: ".") else { return plain }
        guard name.utf8.count <= Limits.shownNameBytes else {
            return "[a name of \(name.utf8.count) bytes at byte \(scanner.nameStart)]"
        }
        // Untrusted text, which may reach a terminal.
        var shown = ""
        for unit in name.utf16 {
            switch unit {
            case 0x27, 0x5C: shown += "\\" + String(decoding: [unit], as: UTF16.self)
            case 0x20...0x7E: shown += String(decoding: [unit], as: UTF16.self)
            default:
                let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
                shown += "\\u" + Hex.encode(bytes.span)
            }
        }
        return "['" + shown + "']"
    }

    // MARK: - Values

    private mutating func beginObject() throws(EvidenceError) {
        guard scanner.depth == 2 else { return try refuseKnown("an object") }
        switch member {
        case .payloadObject:
            inner = .payloadObject
            hasPayloadObject = true
        case .risks:
            guard !hasRisks else {
                throw EvidenceError(.ambiguous, "\(FieldName.riskInfo) appears under two names")
            }
            inner = .risks
            hasRisks = true
        default:
            try refuseKnown("an object")
            inner = .other
        }
        member = .none
    }

    private mutating func beginString() throws(EvidenceError) {
        switch member {
        case .none: break
        case .order, .signature:
            text.removeAll(keepingCapacity: true)
            isHeld = true
        case .covered(.isSuccess), .payloadObject, .risks: try refuseKnown("a string")
        case .covered(let field):
            note(field)
            guard !digestedElsewhere.contains(field) else {
                document.undigested.insert(field)
                break
            }
            digester = try Digester(.sha256)
            isDigesting = true
        }
    }

    /// Longer text is not a signature; one byte more than the longest is enough to see that.
    private mutating func hold(_ run: Span<UInt8>) {
        for i in 0..<min(run.count, Limits.deviceSignatureBytes + 1 - text.count) { text.append(run[i]) }
    }

    private mutating func endString() throws(EvidenceError) {
        switch member {
        case .covered(let field):
            if let digester = digester.take() { document.digests[field] = try digester.finalize() }
        case .order: document.orders.append(text)
        case .signature where place == .outermost: document.signature = text
        default: break
        }
        isHeld = false
        isDigesting = false
        member = .none
    }

    private mutating func takeNumber() throws(EvidenceError) {
        guard case .covered(let field) = member, field.home == .risks else { return try refuseKnown("a number") }
        guard let number = scanner.number,
            number.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || ByteSet.digits.contains($0) })
        else { throw EvidenceError(.type, "\(field) must be a string or an integer") }
        try add(field, Array(number.utf8))
        member = .none
    }

    private mutating func refuseKnown(_ found: String) throws(EvidenceError) {
        let name: String
        switch member {
        case .none: return
        case .order: name = FieldName.orderNo.vendor
        case .signature: name = SignedDocument.memberName
        case .payloadObject: name = FieldName.simpleModeResult.vendor
        case .risks: name = FieldName.riskInfo.vendor
        case .covered(let field): name = field.rawValue
        }
        throw EvidenceError(.type, "\(name) cannot be \(found)")
    }

    // MARK: - Digests

    private mutating func add(_ field: CoveredField, _ text: [UInt8]) throws(EvidenceError) {
        note(field)
        document.digests[field] = try DigestAlgorithm.sha256.digest(of: text.span)
    }

    private mutating func note(_ field: CoveredField) {
        if place == .outermost { outside.insert(field) } else { inside.insert(field) }
    }
}
