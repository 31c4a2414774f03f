// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import VendorDocuments
internal import VendorTypes

extension DocumentReader.Document {
    /// The digests of the known fields' characters, in the document's order.
    ///
    /// - Parameter long: those of the fields that a payload's reading digested as they passed.
    func fieldDigests(
        _ long: [PayloadField: ContentDigest], isWrapped: Bool
    ) throws(EvidenceError) -> [EvidenceReport.FieldDigest] {
        let carrier = isWrapped ? FieldName.envelopes.lazy.compactMap { root.member($0.carrier) }.first : nil
        let top = carrier ?? root
        var digests: [EvidenceReport.FieldDigest] = []
        guard case .object(let members) = top.content else { return [] }
        for (name, value) in members {
            if FieldName.simpleModeResult.has(exactly: name) {
                digests += try Self.digests(of: value, FieldName.digested, long)
            } else if FieldName.riskInfo.has(exactly: name) {
                digests += try Self.digests(of: value, FieldName.ofRiskInfo, long)
            } else if let digest = try Self.digest(of: value, name, FieldName.digested, long) {
                digests.append(digest)
            }
        }
        return digests
    }

    private static func digests(
        of object: DocumentValue, _ fields: [FieldName], _ long: [PayloadField: ContentDigest]
    ) throws(EvidenceError) -> [EvidenceReport.FieldDigest] {
        guard case .object(let members) = object.content else { return [] }
        var digests: [EvidenceReport.FieldDigest] = []
        for (name, value) in members {
            if let digest = try digest(of: value, name, fields, long) { digests.append(digest) }
        }
        return digests
    }

    private static func digest(
        of value: DocumentValue, _ name: String, _ fields: [FieldName], _ long: [PayloadField: ContentDigest]
    ) throws(EvidenceError) -> EvidenceReport.FieldDigest? {
        guard let field = fields.first(where: { $0.has(exactly: name) }) else { return nil }
        let text: String
        switch value.content {
        case .text(let characters):
            if let field = PayloadField(name: Array(field.vendor.utf8)), let digest = long[field] {
                return EvidenceReport.FieldDigest(name: name, path: value.path, text: digest)
            }
            guard let held = characters.text else { return nil }
            text = held
        case .number(let number): text = number
        case .bool(let value): text = value ? "true" : "false"
        case .object, .array, .null: return nil
        }
        let digest = try ContentDigest(of: MemorySource(text.utf8))
        return EvidenceReport.FieldDigest(name: name, path: value.path, text: digest)
    }
}

extension FieldName {
    /// The fields of a result whose characters are digested, besides those of `riskInfo`.
    fileprivate static let digested: [FieldName] = [
        isSuccess, orderNo, sign, liveRate, similarity, userImageString, encryptAESKey, userVideoString,
        videoEncryptAESKey, identifyStr,
    ]
}
