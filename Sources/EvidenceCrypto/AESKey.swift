// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// An AES key from the system's generator, wiped when it is destroyed.
///
/// It cannot be copied, printed, encoded or compared by accident. The only way to make one from bytes is
/// ``init(importing:)``, and the only access to its bytes is ``withExposedBytes(_:)``: search for these names to find
/// every use.
package struct AESKey: ~Copyable, Sendable {
    /// The three key lengths of AES (FIPS 197).
    package enum Size: Int, CaseIterable, Sendable {
        /// 16 bytes.
        case bits128 = 128
        /// 24 bytes.
        case bits192 = 192
        /// 32 bytes.
        case bits256 = 256

        /// The length in bytes.
        package var byteCount: Int { rawValue / 8 }
    }

    /// How long the key is.
    package let size: Size
    private let bytes: SecretBytes

    /// A new random key, from OpenSSL's generator for secrets (`RAND_priv_bytes`).
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) when the generator fails; no weaker one is tried.
    package static func generate(_ size: Size = .bits256) throws(EvidenceError) -> AESKey {
        AESKey(size: size, bytes: try SecretBytes(randomCount: size.byteCount))
    }

    /// An existing key: 16, 24 or 32 bytes.
    ///
    /// - Throws: ``EvidenceError`` (`.length`).
    package init(importing bytes: consuming SecretBytes) throws(EvidenceError) {
        guard let size = Size(rawValue: 8 * bytes.count) else {
            throw EvidenceError(.length, "an AES key must have 16, 24 or 32 bytes, not \(bytes.count)")
        }
        self.init(size: size, bytes: bytes)
    }

    init(size: Size, bytes: consuming SecretBytes) {
        self.size = size
        self.bytes = bytes
    }

    /// Lends the key's bytes to `body`, which must not keep them.
    ///
    /// - Throws: what `body` throws.
    package borrowing func withExposedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withExposedBytes(body)
    }

    /// Whether two keys are the same, in time that does not depend on where they differ.
    package static func isSame(_ left: borrowing AESKey, _ right: borrowing AESKey) -> Bool {
        SecretBytes.isSame(left.bytes, right.bytes)
    }
}
