// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorTypes

/// What hides order numbers in an index of an archive. There are few enough order numbers to try them all, so an index
/// has codes of them, under this key; and of the key only what the archive's private key opens: `docs/ARCHIVE.md` §8.
public final class ArchiveIndexKey: Sendable {
    private static let label = "evidence-archive-index-1"
    private static let padding = OAEP(.sha256)
    /// Bytes of an order number's code.
    public static let codeByteCount = 16
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
        let head = try Self.head(description)
        guard wrapped.count == archiveKey.publicKey.byteCount else { throw Self.refusal }
        let message: SecretBytes
        do throws(EvidenceError) { message = try archiveKey.decrypt(wrapped.span, Self.padding) } catch {
            throw error.code == .cannotOpen ? Self.refusal : error
        }
        key = try message.withExposedBytes { bytes throws(EvidenceError) in
            guard bytes.count == head.count + 32,
                isSameInConstantTime(bytes.extracting(..<head.count), head.span)
            else { throw Self.refusal }
            return SecretBytes(copying: bytes.extracting(head.count...))
        }
    }

    private static let refusal = EvidenceError(
        .cannotOpen, "the index's key does not open: it is wrapped for another archive key, or was changed")

    /// What stands before the key in its wrapping, so that none is taken for another archive's.
    private static func head(_ description: ArchiveDescription) throws(EvidenceError) -> [UInt8] {
        Array("\(label)\n\(try sha256(Array(description.text.utf8)))\n".utf8)
    }

    /// What an index keeps of it.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey` or `.openSSL`.
    public func wrapped(
        for description: ArchiveDescription, _ archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> [UInt8] {
        let head = try Self.head(description)
        let message = key.withExposedBytes { bytes in
            SecretBytes(capacity: head.count + bytes.count) { out in
                for byte in head { out.append(byte) }
                for i in bytes.indices { out.append(bytes[i]) }
            }
        }
        return try message.withExposedBytes { message throws(EvidenceError) in
            try archiveKey.encrypt(message, Self.padding)
        }
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
