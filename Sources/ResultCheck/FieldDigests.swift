// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import VendorDocuments
internal import VendorTypes

/// A field of a result that a report lists.
struct KnownField {
    private let field: FieldName
    private let name: String
    private let value: DocumentValue

    /// Its position, as a JSON path.
    var path: String { value.path }

    /// The field of a payload that it is; `nil` for the others.
    var payloadField: PayloadField? { PayloadField(name: Array(field.vendor.utf8)) }

    fileprivate init?(_ name: String, _ value: DocumentValue, among fields: [FieldName]) {
        guard let field = fields.first(where: { $0.has(exactly: name) }) else { return nil }
        (self.field, self.name, self.value) = (field, name, value)
    }

    /// The digest of its characters; `nil` where the value has none, or they are too long and nobody digested them.
    ///
    /// - Parameter long: those of the fields that a payload's reading digested as they passed.
    func digest(_ long: [PayloadField: ContentDigest]) throws(EvidenceError) -> EvidenceReport.FieldDigest? {
        let text: String
        switch value.content {
        case .text(let characters):
            if let digest = payloadField.flatMap({ long[$0] }) {
                return EvidenceReport.FieldDigest(name: name, path: path, text: digest)
            }
            guard let held = characters.text else { return nil }
            text = held
        case .number(let number): text = number
        case .bool(let value): text = value ? "true" : "false"
        case .object, .array, .null: return nil
        }
        let digest = try ContentDigest(of: MemorySource(text.utf8))
        return EvidenceReport.FieldDigest(name: name, path: path, text: digest)
    }
}

extension DocumentReader.Document {
    /// The known fields, in the document's order.
    func knownFields(isWrapped: Bool) -> [KnownField] {
        let envelopes = FieldName.envelopes.filter { root.has($0.carrier) }
        let envelope = isWrapped ? envelopes.first { $0.isAround(root) } ?? envelopes.first : nil
        let carrier = envelope.flatMap { root.member($0.carrier) }
        return (carrier ?? root).members.flatMap { name, value in
            if FieldName.simpleModeResult.has(exactly: name) {
                value.members.compactMap { KnownField($0, $1, among: FieldName.listed) }
            } else if FieldName.riskInfo.has(exactly: name) {
                value.members.compactMap { KnownField($0, $1, among: FieldName.ofRiskInfo) }
            } else {
                [KnownField(name, value, among: FieldName.listed)].compactMap(\.self)
            }
        }
    }
}

extension DocumentValue {
    fileprivate var members: [(name: String, value: DocumentValue)] {
        if case .object(let members) = content { members } else { [] }
    }
}

extension FieldName {
    /// The fields of a result that are listed, besides those of `riskInfo`.
    fileprivate static let listed: [FieldName] = [
        isSuccess, orderNo, sign, liveRate, similarity, userImageString, encryptAESKey, userVideoString,
        videoEncryptAESKey, identifyStr,
    ]
}
