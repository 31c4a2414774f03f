// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import VendorTypes

/// Turns a document's values into fields, and keeps the list of repairs.
package struct Interpretation {
    package let tolerance: Tolerance
    package private(set) var repairs: [DocumentRepair] = []
    /// The position of the member that claims success.
    private var claim: UInt64?

    package init(_ tolerance: Tolerance) { self.tolerance = tolerance }

    /// Records a repair, or refuses it.
    package mutating func repair(
        _ code: DocumentRepair.Code, _ path: String, _ offset: UInt64, vendorName: String? = nil,
        isUndecided: Bool = false
    ) throws(EvidenceError) {
        let repair = DocumentRepair(
            code: code, path: path, offset: offset, vendorName: vendorName, isUndecided: isUndecided)
        guard tolerance.allows(code) else {
            let reason =
                switch code {
                case .androidKeyName: "the Android SDK's name for \(FieldName.videoEncryptAESKey)"
                case .name: "not the vendor's name for the field"
                case .lookAlike: FieldName.likeness(of: repair.memberName, to: vendorName ?? "another field")
                case .contradiction: repair.contradiction
                case .envelope: "the result is wrapped in another object"
                case .success: "expected true or false, found another way to write it"
                case .score, .tag: "expected a string, found a number"
                default: "not as in the vendor's documentation"
                }
            let hint: String? =
                code == .contradiction
                ? DocumentRepair.contradictionHint
                : code.isHarmless
                    ? "the repair \(code.rawValue) accepts it" : repair.isInLowerCase ? FieldName.lowerCaseHint : nil
            throw EvidenceError(isUndecided ? .undecided : .repair, at: path, offset: offset, reason, hint: hint)
        }
        if !repairs.contains(repair) { repairs.append(repair) }
    }

    /// Records the names that another reader would take for one or more of these fields.
    package mutating func noteLookAlikes(of fields: KnownFields, in object: DocumentValue) throws(EvidenceError) {
        guard case .object(let members) = object.content else { return }
        for (name, value) in members where !fields.has(exactly: name) {
            let vendor = fields.vendorName(like: name)
            guard vendor != nil || FieldName.actedOn.contains(where: { $0.utf8.elementsEqual(name.utf8) })
            else { continue }
            try repair(.lookAlike, value.path, value.range.lowerBound, vendorName: vendor)
        }
    }

    /// Records what contradicts the claimed pass of a document for any of the common readers: at any depth,
    /// each member and each text that could be taken for a verdict either agrees with the pass or is recorded.
    ///
    /// - Parameters:
    ///   - own: what the document's own fields say, which may occur a second time.
    ///   - envelope: the wrapper that the result was in; its mark was already read.
    ///   - unread: a name of the vendor's that means nothing in this document and in its `result`.
    package mutating func noteContradictions(
        in root: DocumentValue, beside own: [(field: FieldName, text: String?)],
        inside envelope: FieldName.Envelope? = nil, besides unread: String? = nil
    ) throws(EvidenceError) {
        let review = VerdictReview(
            own: Dictionary(own.map { ($0.field.vendor, $0.text) }) { first, _ in first }.compactMapValues(\.self),
            claim: claim,
            read: [
                root.path: [envelope?.carrier, envelope?.mark, envelope?.remark, unread].compactMap(\.self),
                "\(root.path).\(FieldName.result)": [unread].compactMap(\.self),
            ])
        for finding in review.contradictions(in: root) {
            let value = finding.value
            try repair(
                .contradiction, value.path, value.range.lowerBound, vendorName: finding.field,
                isUndecided: finding.isUndecided)
        }
    }

    /// Whether something contradicts the pass that the document claims, or may.
    package var hasContradiction: Bool { repairs.contains { $0.code == .contradiction } }

    package mutating func repair(_ code: DocumentRepair.Code, _ value: DocumentValue) throws(EvidenceError) {
        try repair(code, value.path, value.range.lowerBound)
    }

    /// A field of an object; `nil` where it is absent or null.
    ///
    /// - Throws: `.ambiguous` when it appears under two names.
    package mutating func value(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> DocumentValue? {
        var found: DocumentValue?
        for name in field.all {
            guard let value = object.member(name) else { continue }
            if case .null = value.content { continue }
            guard found == nil else {
                throw value.fault(
                    .ambiguous, "\(field.vendor) appears under two names", hint: DocumentValue.rewrittenHint)
            }
            found = value
            if name != field.vendor {
                let code: DocumentRepair.Code = name == FieldName.androidKey ? .androidKeyName : .name
                try repair(code, value.path, value.range.lowerBound, vendorName: field.vendor)
            }
        }
        return found
    }

    /// A string that may be long; `nil` where it is absent, null or empty.
    package mutating func longText(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> FieldText? {
        guard let value = try value(field, of: object) else { return nil }
        guard case .text(let text) = value.content else { throw value.wrongType("it must be a string") }
        return text.byteCount == 0 ? nil : text
    }

    /// A held string; `nil` if it is absent, null or empty.
    package mutating func text(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> String? {
        guard let value = try value(field, of: object) else { return nil }
        return try text(of: value)
    }

    package func text(of value: DocumentValue) throws(EvidenceError) -> String? {
        guard case .text(let text) = value.content else { throw value.wrongType("it must be a string") }
        guard let short = text.text else { throw value.fault(.limit, "it is too long") }
        return short.isEmpty ? nil : short
    }

    /// A code: a number in headers, text in documents.
    package mutating func code(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> String? {
        guard let value = try value(field, of: object) else { return nil }
        if case .number(let text) = value.content {
            guard Int64(text) != nil else { throw value.wrongType("a code must be a whole number") }
            return text
        }
        return try text(of: value)
    }

    /// The tags of a risk, which a wrapper may have turned into a number.
    package mutating func tag(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> String? {
        guard let value = try value(field, of: object) else { return nil }
        if case .number(let text) = value.content {
            try repair(.tag, value)
            return text
        }
        return try text(of: value)
    }

    package mutating func orderNo(of object: DocumentValue) throws(EvidenceError) -> OrderNumber? {
        guard let value = try value(.orderNo, of: object), let text = try text(of: value) else { return nil }
        do throws(EvidenceError) { return try OrderNumber(text) } catch {
            throw value.fault(error.code, error.description)
        }
    }

    package mutating func score(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> FaceScore {
        guard let value = try value(field, of: object) else { return .absent }
        if case .number(let text) = value.content {
            try repair(.score, value)
            return FaceScore(text)
        }
        return try text(of: value).map(FaceScore.init) ?? .absent
    }

    /// An object; `nil` where it is absent or null.
    package mutating func object(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> DocumentValue? {
        guard let value = try value(field, of: object) else { return nil }
        guard value.isObject else { throw value.noObject }
        return value
    }

    /// Whether success is claimed; `nil` if the document does not say.
    ///
    /// - Parameter isResult: whether the object is known to be a result, because a wrapper's envelope carries it.
    package mutating func success(
        of object: DocumentValue, isResult: Bool = false
    ) throws(EvidenceError) -> Bool? {
        guard object.saysSuccess(isResult: isResult), let value = try value(.isSuccess, of: object) else { return nil }
        claim = value.range.lowerBound
        let spelling: String?
        switch value.content {
        case .bool(let success): return success
        case .number(let text): spelling = text
        default: spelling = value.text
        }
        guard let spelling, let success = FieldName.truths[spelling] else {
            throw value.wrongType("it must be true or false")
        }
        try repair(.success, value)
        return success
    }
}

extension DocumentValue {
    /// Whether it says how a verification ended. Any backend writes `success` into its envelopes: it is a verdict only
    /// beside members that nothing but a result has.
    package func saysSuccess(isResult: Bool = false) -> Bool {
        let isSuccess = FieldName.isSuccess
        if ([isSuccess.vendor] + isSuccess.others.dropFirst()).contains(where: has) { return true }
        if isResult, !has(FieldName.anybodysSuccess) { return true }
        guard let success = member(FieldName.anybodysSuccess) else { return false }
        let text = if case .bool(let value) = success.content { String(value) } else { success.written }
        let isPass = text.flatMap { FieldName.truths[$0] } ?? true
        if isPass, carriesContents { return false }
        if isResult { return true }
        return (isPass ? FieldName.ofPassAlone : FieldName.ofPassAlone + FieldName.ofFailureAlone)
            .contains { !(member($0)?.isEmpty ?? true) }
    }

    /// Whether a member carries what an envelope is about: then `success` is that of the envelope.
    private var carriesContents: Bool {
        guard case .object(let members) = content else { return false }
        return members.contains { name, value in Self.carriers[name] != nil && !value.isEmpty }
    }

    private static let carriers = LooseNames(FieldName.carriers.map { ($0, true) })

    /// Whether it is null, an empty text, or an object or list without anything in it.
    var isEmpty: Bool {
        switch content {
        case .object(let members): members.isEmpty
        case .array(let elements): elements.isEmpty
        default: isBlank
        }
    }
}

extension DocumentReader.Document {
    /// What `body` makes of the document.
    package func interpret<Meaning>(
        _ tolerance: Tolerance, _ body: (DocumentValue, inout Interpretation) throws(EvidenceError) -> Meaning
    ) throws(EvidenceError) -> Meaning {
        var interpretation = Interpretation(tolerance)
        for comma in trailingCommas { try interpretation.repair(.trailingComma, comma.path, comma.offset) }
        return try body(root, &interpretation)
    }
}

/// The fields that one kind of object can have, and the names that other readers would take for one of them. Each is
/// built once, since that takes longer than reading most objects.
package struct KnownFields: Sendable {
    private let names: Set<String>
    private let likenesses: LooseNames<String>

    package static let result = KnownFields(FieldName.ofResult)
    package static let answer = KnownFields(FieldName.ofAnswer)
    package static let error = KnownFields(FieldName.ofError)
    package static let simpleModeResult = KnownFields(FieldName.ofSimpleModeResult)
    package static let riskInfo = KnownFields(FieldName.ofRiskInfo)
    package static let willModeResult = KnownFields(FieldName.ofWillModeResult)

    private init(_ fields: [FieldName]) {
        let known =
            fields.flatMap { field in field.all.map { ($0, field.vendor) } }
            + FieldName.verdicts.map { ($0.name, $0.name) }
        names = Set(known.map(\.0))
        likenesses = LooseNames(known)
    }

    /// Whether it is one of the names, as bytes: to Swift's String, a Kelvin sign is equal to a K.
    func has(exactly name: String) -> Bool {
        names.firstIndex(of: name).map { names[$0].utf8.elementsEqual(name.utf8) } ?? false
    }

    func vendorName(like name: String) -> String? { likenesses[name] }
}
