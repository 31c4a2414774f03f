// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorTypes

/// What hides order numbers in an index of an archive. There are few enough order numbers to try them all, so an index
/// has codes of them, under this key; and of the key only what the archive's private key opens:
/// `docs/ARCHIVE-INDEX.md`.
public final class ArchiveIndexKey: Sendable {
    /// Bytes of an order number's code.
    package static let codeByteCount = 16
    private let key: SecretBytes

    /// A new one.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public init() throws(EvidenceError) {
        key = try AESKey.generate(.bits256).withExposedBytes { SecretBytes(copying: $0) }
    }

    /// One that was wrapped.
    ///
    /// - Parameters:
    ///   - wrapped: the wrapped key.
    ///   - description: of the archive that the index is of.
    ///   - archiveKey: the archive's private key.
    /// - Throws: ``EvidenceError``: `.cannotOpen` where it was wrapped for another archive, or another archive key.
    public init(
        unwrapping wrapped: [UInt8], for description: ArchiveDescription, by archiveKey: any DecryptionKey
    ) throws(EvidenceError) {
        key = try Self.wrapping(for: description).unwrap(wrapped, by: archiveKey)
    }

    private static func wrapping(for description: ArchiveDescription) throws(EvidenceError) -> LabelledWrapping {
        LabelledWrapping(
            "evidence-archive-index-1", of: "\(try sha256(Array(description.text.utf8)))",
            refusal: "the index's key does not open: it is wrapped for another archive key, or was changed")
    }

    /// What an index keeps of it.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey` or `.openSSL`.
    public func wrapped(
        for description: ArchiveDescription, _ archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> [UInt8] {
        let wrapping = try Self.wrapping(for: description)
        return try key.withExposedBytes { key throws(EvidenceError) in try wrapping.wrap(key, for: archiveKey) }
    }

    /// The code of an order number: the first 16 bytes of its HMAC-SHA-256.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func code(of order: OrderNumber) throws(EvidenceError) -> [UInt8] {
        let message = Array("order\n\(order.value)".utf8)
        let code = try key.withExposedBytes { key throws(EvidenceError) in
            try DigestAlgorithm.sha256.authenticationCode(of: message.span, key: key)
        }
        return Array(code.prefix(Self.codeByteCount))
    }
}
