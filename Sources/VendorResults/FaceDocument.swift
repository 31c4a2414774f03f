// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import MediaStructure
package import Recognition
package import SuperID
package import VendorDocuments
package import VendorTypes

/// Any known document, recognised by its content, with a list of its fields.
///
/// Use it to show a person what a file is. Code that expects a certain document reads that one: a client's result
/// through ``UnverifiedFaceVerifyResult``, the answer of the vendor's server through ``FaceRecordAnswer``.
package struct FaceDocument: Equatable, Sendable {
    /// What the document is.
    package enum Kind: Equatable, Sendable {
        /// A result from an SDK or a wrapper.
        case verifyResult(UnverifiedFaceVerifyResult)
        /// The simple-mode object alone.
        case simpleModeResult(WBFaceSimpleModeResult)
        /// The answer of the vendor's server.
        case recordAnswer(FaceRecordAnswer)
        /// An error alone, as the login's failure block gets it.
        case error(WBFaceError)
        /// SuperID's face features.
        case superID(SuperIDFeatureInfo)
    }

    /// One value that has no members.
    package struct Field: Equatable, Sendable {
        /// Which, as a JSON path.
        package let path: String
        /// Bytes in the document, including quotation marks.
        package let byteCount: UInt64
        /// How a text longer than any code or name encodes bytes; `nil` if it does not.
        package let encoding: TextEncoding?
        /// How many bytes these are.
        package let decodedByteCount: UInt64?
        /// Their format; ``MediaContent/notBase64(at:)`` if such a long text encodes none.
        package let media: MediaContent?
        /// What a field of a payload or an answer has instead of encoded bytes, or these are instead of a known medium.
        package let form: FieldForm?
        /// The beginning of such a long text, and why it is no base64 without line breaks, if it is none.
        package let beginning: TextBeginning?
        package let refusal: EvidenceError?
    }

    /// What the document is.
    package let kind: Kind
    /// Sealed fields of simple mode that are next to a result's own, where no reader of results expects them.
    package let fieldsBesideResult: WBFaceSimpleModeResult?
    /// Where a payload is inside another object, which was not read.
    package let innerPayload: ValuePlace?
    /// What to do where there are several of them.
    package let innerPayloadChoice: String?
    /// Its fields, in the document's order.
    package let fields: [Field]
    /// Bytes of the document.
    package let byteCount: UInt64
    /// What was read although it deviates from the vendor's documentation.
    package let repairs: [DocumentRepair]

    /// The order that it names; `nil` for none.
    package var orderNo: OrderNumber? {
        switch kind {
        case .verifyResult(let result): result.claimedOrderNo
        case .simpleModeResult(let result): result.orderNo
        case .recordAnswer(let answer): answer.orderNo
        case .error, .superID: nil
        }
    }

    /// Whether it says, without contradiction, that the person passed for this order: an answer of the
    /// backend by ``FaceRecordAnswer/isPass(of:)``, a client's result by its claim. No other document does.
    ///
    /// A client's result is only a claim until its sign is checked.
    package func saysPassed(of order: OrderNumber) -> Bool {
        switch kind {
        case .verifyResult(let result): result.claimsSuccess && !isContradicted && result.claimedOrderNo == order
        case .recordAnswer(let answer): answer.isPass(of: order)
        case .simpleModeResult, .error, .superID: false
        }
    }

    /// Whether, next to a claimed pass, something in it contradicts that for some reader (`docs/FORMATS.md` §5.2).
    package var isContradicted: Bool { repairs.contains(where: \.speaksAgainstPass) }

    /// What to do about what contradicts the pass; `nil` if nothing does.
    package var contradictionHint: String? { isContradicted ? DocumentRepair.contradictionHint : nil }

    /// Bytes of names, punctuation and white space. With those of the fields they add up to ``byteCount``.
    package var structureByteCount: UInt64 { byteCount - fields.reduce(0) { $0 + $1.byteCount } }

    /// Reads a document in one pass.
    ///
    /// - Throws: ``EvidenceError``; `.unknownDocument` for an unknown kind of document.
    package init(reading source: any ByteSource, _ tolerance: Tolerance = .tolerant) throws(EvidenceError) {
        try self.init(DocumentReader.read(source, examinesStrings: true), tolerance)
    }

    /// Classifies a document that was read with its strings examined.
    package init(_ document: DocumentReader.Document, _ tolerance: Tolerance) throws(EvidenceError) {
        self = try document.interpret(tolerance) { root, reading throws(EvidenceError) in
            try FaceDocument(document, root, &reading)
        }
    }

    private init(
        _ document: DocumentReader.Document, _ root: DocumentValue, _ reading: inout Interpretation
    ) throws(EvidenceError) {
        let kind = try Kind(root, &reading)
        self.kind = kind
        if case .verifyResult(let result) = kind, result.withoutCheckingSign.simpleModeResult == nil,
            root.isMarkedBySimpleMode
        {
            fieldsBesideResult = try reading.simpleModeResult(root)
        } else {
            fieldsBesideResult = nil
        }
        innerPayload = kind.hasSimpleMode || fieldsBesideResult != nil ? nil : root.innerPayloads.first
        let payloads = root.innerPayloads
        innerPayloadChoice = innerPayload == nil || payloads.count == 1 ? nil : ValuePlace.choice(of: payloads)
        fields = Self.fields(of: root)
        byteCount = document.byteCount
        repairs = reading.repairs
    }

    /// The values without members. Not recursive, since the document controls the nesting.
    private static func fields(of root: DocumentValue) -> [Field] {
        var fields: [Field] = []
        var rest = [root]
        while let value = rest.popLast() {
            switch value.content {
            case .object(let members): rest += members.reversed().map(\.value)
            case .array(let elements): rest += elements.reversed()
            default: fields.append(Field(value))
            }
        }
        return fields
    }
}

extension FaceDocument.Field {
    fileprivate init(_ value: DocumentValue) {
        path = value.path
        byteCount = value.range.upperBound - value.range.lowerBound
        // Any word of four letters is base64, so only text long enough to be content counts.
        form = value.bytes.flatMap { FieldName.isOfBytes(value.path) ? $0.form : nil }
        guard case .text(let text) = value.content, text.byteCount >= 64, let bytes = value.bytes else {
            encoding = nil
            decodedByteCount = nil
            media = nil
            beginning = nil
            refusal = nil
            return
        }
        encoding = bytes.encoding
        decodedByteCount = bytes.encoding == nil ? nil : bytes.byteCount
        media = bytes.media
        beginning = bytes.beginning
        refusal = bytes.refusal
    }
}

extension FaceDocument.Kind {
    fileprivate init(_ root: DocumentValue, _ reading: inout Interpretation) throws(EvidenceError) {
        if FieldName.envelopes.contains(where: { $0.isAround(root) }) {
            self = .verifyResult(try UnverifiedFaceVerifyResult(root, &reading))
        } else if root.isAnswer, !root.isEnvelope {
            // Checked before success, which means nothing next to this code.
            self = .recordAnswer(try FaceRecordAnswer(root, &reading))
        } else if root.saysSuccess() {
            self = .verifyResult(try UnverifiedFaceVerifyResult(root, &reading))
        } else if root.isMarkedBySimpleMode {
            self = .simpleModeResult(try reading.simpleModeResult(root))
        } else if let simpleMode = try reading.object(.simpleModeResult, of: root) {
            self = .simpleModeResult(try reading.simpleModeResult(simpleMode))
        } else if root.has("domain"), root.has("code") {
            self = .error(try reading.nestedError(root))
        } else if SuperIDFeatureInfo.isFlat(root) || SuperIDFeatureInfo.isObjects(root) {
            self = .superID(try SuperIDFeatureInfo(root, reading))
        } else {
            throw root.fault(
                .unknownDocument,
                "expected a result, an answer of the vendor's server, an error of an SDK, or face features of SuperID",
                hint: root.innerDocumentHint ?? root.lowerCaseHint
                    ?? "check the members: a result has \(FieldName.isSuccess), an answer of the vendor's server has "
                    + "code beside result"
            )
        }
    }

    /// Whether a simple-mode object is part of what was read.
    fileprivate var hasSimpleMode: Bool {
        switch self {
        case .verifyResult(let result): result.withoutCheckingSign.simpleModeResult != nil
        case .simpleModeResult: true
        case .recordAnswer, .error, .superID: false
        }
    }
}

extension DocumentValue {
    /// What to do with a document that a bridge wrote in lower case.
    package var lowerCaseHint: String? {
        let names =
            FieldName.isSuccess.all.filter { $0 != FieldName.anybodysSuccess } + FieldName.ofPayloadAlone.flatMap(\.all)
        guard let found = names.first(where: { has($0.lowercased()) }) else { return nil }
        return "it has \(found) in lower case, as some bridges write it; \(FieldName.lowerCaseHint)"
    }

    /// Whether it has a field that only a simple-mode object has.
    fileprivate var isMarkedBySimpleMode: Bool {
        FieldName.ofPayloadAlone.contains { $0.all.contains(where: has) }
    }

    /// Whether it has what an answer of the vendor's server has.
    fileprivate var isAnswer: Bool {
        has("code") && ["bizSeqNo", "transactionTime", "result", "photoList"].contains(where: has)
    }

    /// Whether a backend put a result or an answer into this object, as the member in which the vendor's server has its
    /// answer. `success` alone is no sign of that: in some of its answers the vendor's server has it too.
    fileprivate var isEnvelope: Bool {
        guard let result = member(FieldName.result) else { return false }
        if result.isAnswer { return true }
        guard result.saysSuccess() else { return false }
        return FieldName.isSuccess.all.contains { $0 != FieldName.anybodysSuccess && result.has($0) }
            || FieldName.ofPassAlone.contains { name in
                result.has(name) && !FieldName.ofAnswer.contains { $0.has(exactly: name) }
            }
    }

    /// The outermost objects inside this one that are a payload or carry one; none if the first is in a text.
    fileprivate var innerPayloads: [ValuePlace] {
        let all = inner { value in
            value.isMarkedBySimpleMode || value.member(FieldName.simpleModeResult.vendor)?.isObject ?? false
        }
        return all.first?.isText ?? true ? [] : all
    }

    /// What to do with an object that is neither result nor payload but has one inside.
    package var innerDocumentHint: String? {
        let all = inner { value in
            value.saysSuccess() || value.isAnswer && !value.isEnvelope || value.isMarkedBySimpleMode
                || value.member(FieldName.simpleModeResult.vendor)?.isObject ?? false
        }
        guard let found = all.first ?? longObject else { return nil }
        if speaksAgainst(found.path) {
            return "what is around the result or payload at \(found.path) is no plain yes, and may say that "
                + "something failed: do not use it without that; ask the vendor's server (queryfacerecord)"
        }
        guard all.count <= 1 else { return "an envelope: \(ValuePlace.choice(of: all))" }
        if namesSeveralOrders {
            return "the result or payload at \(found.path) and what is around it name different orders: do not use it; "
                + "ask the vendor's server about the order that you expect (queryfacerecord)"
        }
        if all.isEmpty {
            return "the long text at \(found.path) begins as JSON does: if it is the result or payload, take it out: "
                + found.takingOut
        }
        let envelope = "an envelope: a result or payload is "
        return found.isText
            ? envelope + "in the JSON text at \(found.path); take that text out: \(found.takingOut)"
            : envelope + "nested inside; use only the object at \(found.path): \(found.takingOut)"
    }

    /// A text that begins as an object does, and is too long to be looked through.
    private var longObject: ValuePlace? {
        any { _, value in value.beginsLongObject }.map { ValuePlace(path: $0.path, isText: true, range: $0.range) }
    }

    /// Whether more than one order is named in it, at any depth.
    private var namesSeveralOrders: Bool {
        var first: String?
        return any { name, value in
            guard FieldName.orderNo.all.contains(name), let order = value.written else { return false }
            defer { first = first ?? order }
            return first.map { $0 != order } ?? false
        } != nil
    }

    /// The outermost objects inside this one of which something is true, in their order; without recursion.
    private func inner(_ isWanted: (DocumentValue) -> Bool) -> [ValuePlace] {
        var found: [ValuePlace] = []
        var rest = [(value: self, isText: false)]
        while let (value, isText) = rest.popLast() {
            switch value.content {
            case .object(let members):
                if value.path != path, isWanted(value) {
                    found.append(ValuePlace(path: value.path, isText: isText, range: value.range))
                    continue
                }
                rest += members.reversed().map { ($0.value, isText) }
            case .array(let elements): rest += elements.reversed().map { ($0, isText) }
            case .text: rest += value.inside.map { ($0, true) }
            case .number, .bool, .null: break
            }
        }
        return found
    }
}

extension UnverifiedFaceVerifyResult {
    fileprivate init(_ root: DocumentValue, _ reading: inout Interpretation) throws(EvidenceError) {
        let result = try reading.verifyResult(root)
        self.init(result, repairs: reading.repairs)
    }
}
