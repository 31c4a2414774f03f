// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// One way in which a wrapped key unwraps. It tells what the bytes are like, and hands out keys, and lends what stands
/// behind a key; never the key's bytes.
package struct Unwrapping: Sendable {
    /// The padding whose structure was found.
    package let padding: KeyWrapping.Padding
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
    package func key(_ form: KeyWrapping.Form, _ size: AESKey.Size) -> AESKey? {
        message.bytes.withExposedBytes { KeyWrapping(padding, form).key(in: $0, size) }
    }

    /// The key in front, where there are more bytes than a key has; `nil` where there are not.
    package func keyInFront(_ size: AESKey.Size) -> AESKey? {
        guard byteCount > AESKey.Size.bits256.byteCount else { return nil }
        return message.bytes.withExposedBytes { bytes in
            try? AESKey(importing: SecretBytes(copying: bytes.extracting(..<size.byteCount)))
        }
    }

    /// Lends what stands behind the key in front: an IV, where it was wrapped with the key.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        behind size: AESKey.Size, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try message.bytes.withExposedBytes { bytes throws(Failure) in
            try body(bytes.extracting(min(size.byteCount, bytes.count)...))
        }
    }

    /// Whether bytes that are to be shown look like a part of what was wrapped, as it is, in hex or in base64: half of
    /// them in their places are enough for that. Random text does once in 2^30 times, hex digits once in 10,000 times.
    package func resembles(_ shown: Span<UInt8>) -> Bool {
        func isIn(_ secret: Span<UInt8>, _ shown: Span<UInt8>) -> Bool {
            var start = 0
            while start + shown.count <= secret.count {
                var equal = 0
                for i in shown.indices where shown[i] == secret[start + i] { equal += 1 }
                if equal >= shown.count / 2 { return true }
                start += 1
            }
            return false
        }
        return message.bytes.withExposedBytes { bytes in
            if isIn(bytes, shown) { return true }
            for digits in [Array("0123456789abcdef".utf8), Array("0123456789ABCDEF".utf8)] {
                let hex = SecretBytes(capacity: 2 * bytes.count) { out in
                    for i in bytes.indices {
                        out.append(digits[Int(bytes[i] >> 4)])
                        out.append(digits[Int(bytes[i] & 15)])
                    }
                }
                if hex.withExposedBytes({ isIn($0, shown) }) { return true }
            }
            var encoded = Base64.encode(bytes)
            let base64 = SecretBytes(wiping: &encoded)
            return base64.withExposedBytes { isIn($0, shown) }
        }
    }

    fileprivate init(_ padding: KeyWrapping.Padding, _ message: consuming SecretBytes) {
        self.padding = padding
        byteCount = message.count
        self.message = SecretBox(message)
    }
}

extension DecryptionKey {
    /// Every padding whose structure is there once the bare RSA operation is undone: PKCS#1 v1.5, and OAEP under each
    /// pair of hashes.
    ///
    /// Decided on structure, because "no error" means nothing: OpenSSL 3.2 and later answer bad PKCS#1 v1.5 padding
    /// with bytes that look like a key. This is the oracle of Bleichenbacher's and Manger's attacks: for diagnosis
    /// alone, by whoever holds the key, never behind a network.
    ///
    /// - Throws: ``EvidenceError``: `.length`, `.unsuitableKey`, `.keyFailed` or `.openSSL`.
    package func unwrappings(of wrapped: Span<UInt8>) throws(EvidenceError) -> [Unwrapping] {
        try requireWrappedLength(wrapped.count)
        guard let block = try rawBlock(wrapped) else { return [] }
        var paddings = [KeyWrapping.Padding.weakPKCS1v15]
        for hash in DigestAlgorithm.allCases {
            paddings += DigestAlgorithm.allCases.map { .oaep(OAEP(hash, mgf1: $0)) }
        }
        var found: [Unwrapping] = []
        for padding in paddings {
            if let message = try padding.message(in: block) { found.append(Unwrapping(padding, message)) }
        }
        return found
    }

    /// How many zero bytes a wrapped key begins with once the bare RSA operation is undone: what was wrapped without
    /// padding begins with nearly all of them.
    ///
    /// - Throws: ``EvidenceError``: `.length`, `.unsuitableKey`, `.keyFailed` or `.openSSL`.
    package func leadingZeroCount(in wrapped: Span<UInt8>) throws(EvidenceError) -> Int {
        try requireWrappedLength(wrapped.count)
        guard let block = try rawBlock(wrapped) else { return 0 }
        return block.withExposedBytes { bytes in
            bytes.indices.first { bytes[$0] != 0 } ?? bytes.count
        }
    }

    /// The bare RSA operation; `nil` for a number not less than the modulus, which is of another key.
    private func rawBlock(_ wrapped: Span<UInt8>) throws(EvidenceError) -> SecretBytes? {
        do throws(EvidenceError) { return try wholeBlock(decryptRaw(wrapped)) } catch {
            guard error.code == .cannotOpen else { throw error }
            return nil
        }
    }
}
