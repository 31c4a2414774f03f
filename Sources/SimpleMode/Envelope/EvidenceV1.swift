internal import EvidenceCrypto
internal import FaceVerification

/// The numbers of `evidence-v1` (`docs/FORMATS.md` §2).
enum EvidenceV1 {
    static let contentKeySize = AESKey.Size.bits256
    static let oaep = OAEP(.sha256)

    /// What the tag covers besides the content: the field and the order it was sealed for.
    static func aad(_ field: SealedField, _ order: OrderNumber) -> [UInt8] {
        Array("evidence-v1\n\(field.content.rawValue)\n\(order.value)\n".utf8)
    }
}
