internal import EvidenceEncoding
package import EvidenceErrors

/// One way in which a wrapped key unwraps. It tells what the bytes are like, and hands out keys; never the bytes.
package struct Unwrapping: Sendable {
    /// The padding whose structure was found.
    package let padding: KeyPacking.Padding
    /// How many bytes were wrapped.
    package let byteCount: Int
    private let message: SecretBox

    /// Whether all bytes are ASCII letters and digits.
    package var isLettersAndDigits: Bool {
        message.bytes.withExposedBytes { bytes in
            bytes.indices.allSatisfy { i in
                switch bytes[i] {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: false
                }
            }
        }
    }

    /// The key that the bytes stand for in a form; `nil` where they cannot.
    package func key(_ form: KeyPacking.Form, _ size: AESKey.Size) -> AESKey? {
        message.bytes.withExposedBytes { KeyPacking(padding, form, size).key(in: $0) }
    }

    fileprivate init(_ padding: KeyPacking.Padding, _ message: consuming SecretBytes) {
        self.padding = padding
        byteCount = message.count
        self.message = SecretBox(message)
    }
}

extension RSAPrivateKey {
    /// Every padding whose structure is there once the bare RSA operation is undone: PKCS#1 v1.5, and OAEP under each
    /// pair of hashes.
    ///
    /// Decided on structure, because "no error" means nothing: OpenSSL 3.2 and later answer bad PKCS#1 v1.5 padding
    /// with bytes that look like a key. This is the oracle of Bleichenbacher's and Manger's attacks: for diagnosis
    /// alone, by whoever holds the key, never behind a network.
    ///
    /// - Throws: ``EvidenceError``: `.length` or `.openSSL`.
    package func unwrappings(of wrapped: Span<UInt8>) throws(EvidenceError) -> [Unwrapping] {
        try requireWrappedLength(wrapped.count)
        // A number not less than the modulus is of another key.
        guard let block = try handle.decryptRaw(wrapped) else { return [] }
        var paddings = [KeyPacking.Padding.pkcs1v15]
        for hash in DigestAlgorithm.allCases {
            paddings += DigestAlgorithm.allCases.map { .oaep(OAEP(hash, mgf1: $0)) }
        }
        var found: [Unwrapping] = []
        for padding in paddings {
            if let message = try padding.message(in: block) { found.append(Unwrapping(padding, message)) }
        }
        return found
    }
}
