// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors

/// One way in which a wrapped key unwraps. It describes the bytes, returns keys, and lends what comes
/// after a key, never the key's bytes.
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

    /// What text was wrapped instead of a key, and what to ask for; `nil` if it is none of these.
    package var writtenForm: (name: String, advice: String)? {
        message.bytes.withExposedBytes { bytes in
            var end = bytes.count
            while end > 0, [0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
            let text = bytes.extracting(..<end)
            if end > 1, text[0] == UInt8(ascii: "{"), text[end - 1] == UInt8(ascii: "}") {
                let iv = ["iv", "nonce"].first { text.contains("\"\($0)\"") }
                return (
                    "JSON text" + (iv.map { " with the key and its IV, in the member \($0)" } ?? ""),
                    "ask the sender to wrap the key alone, with any IV in a field of its own; or take both out of the "
                        + "JSON with code of your own"
                )
            }
            guard end < bytes.count else { return nil }
            let isHex = text.indices.allSatisfy { i in
                (0x30...0x39).contains(text[i]) || (0x41...0x46).contains(text[i] & 0xDF)
            }
            let isText = text.indices.allSatisfy { (0x21...0x7E).contains(text[$0]) }
            guard isHex && [32, 48, 64].contains(end) || isText && [16, 24, 32, 44].contains(end) else { return nil }
            let what = bytes.count - end == 1 ? "a line feed" : "line breaks"
            return (
                "\(end) \(isHex ? "hexadecimal digits" : "characters") with \(what) after them",
                "ask the sender to wrap the text without \(what): a file or the command echo adds it"
            )
        }
    }

    /// The key, and the IV after it, if the bytes were wrapped like this; `nil` if they cannot be.
    package func key(_ wrapping: KeyWrapping, _ size: AESKey.Size) -> ContentKey? {
        message.bytes.withExposedBytes { wrapping.key(in: $0, size) }
    }

    /// Whether bytes that are to be shown look like a part of what was wrapped (`Span.isResembled(by:)`).
    package func resembles(_ shown: Span<UInt8>) -> Bool {
        message.bytes.withExposedBytes { $0.isResembled(by: shown) }
    }

    fileprivate init(_ padding: KeyWrapping.Padding, _ message: consuming SecretBytes) {
        self.padding = padding
        byteCount = message.count
        self.message = SecretBox(message)
    }
}

extension Span<UInt8> {
    /// Whether it contains a text.
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return count >= wanted.count
            && (0...count - wanted.count).contains { start in
                wanted.indices.allSatisfy { self[start + $0] == wanted[$0] }
            }
    }

    /// Whether bytes that are to be shown look like a part of these, which are secret: as they are, in hex, or in
    /// base64 that begins at any of them.
    package func isResembled(by shown: Span<UInt8>) -> Bool {
        if isMatched(by: shown) { return true }
        // Letters match in either case.
        let digits = Array("0123456789abcdef".utf8)
        let hex = SecretBytes(capacity: 2 * count) { out in
            for i in indices {
                out.append(digits[Int(self[i] >> 4)])
                out.append(digits[Int(self[i] & 15)])
            }
        }
        if hex.withExposedBytes({ $0.isMatched(by: shown) }) { return true }
        // Three bytes are four characters, so there are three ways to cut.
        for start in 0..<Swift.min(3, count) {
            var encoded = Base64.encode(extracting(start...))
            let base64 = SecretBytes(wiping: &encoded)
            if base64.withExposedBytes({ $0.isMatched(by: shown) }) { return true }
        }
        return false
    }

    /// Whether bytes that are to be shown look as if they were mixed from these, which are secret: three quarters of
    /// them occur here, in any order, as they are or inverted.
    ///
    /// Chance does that to 16 random letters and digits beside a key of 32 once in 800 times. Hex digits look like any
    /// others, so it is not asked of them.
    package func isMixed(into shown: Span<UInt8>) -> Bool {
        let isHex = indices.allSatisfy { i in
            (0x30...0x39).contains(self[i]) || (0x41...0x46).contains(self[i] & 0xDF)
        }
        guard !isHex else { return false }
        return [UInt8(0), 0xFF].contains { mask in
            var common = 0
            for i in shown.indices where !(0..<i).contains(where: { shown[$0] == shown[i] }) {
                let times = shown.indices.count { shown[$0] == shown[i] }
                common += Swift.min(times, indices.count { self[$0] == shown[i] ^ mask })
            }
            return 4 * common >= 3 * shown.count
        }
    }

    /// Whether half of the shorter of the two stands in the other as it does here, from front to back or from back to
    /// front, with letters in either case; as it is or inverted. They need not overlap in full.
    private func isMatched(by shown: Span<UInt8>) -> Bool {
        guard !isEmpty, !shown.isEmpty else { return false }
        let enough = (Swift.min(count, shown.count) + 1) / 2
        return [UInt8(0), 0xFF].contains { mask in
            (1 - shown.count..<count).contains { start in
                var (forwards, backwards) = (0, 0)
                for i in Swift.max(0, -start)..<Swift.min(shown.count, count - start) {
                    if Self.isEqual(shown[i] ^ mask, self[start + i]) { forwards += 1 }
                    if Self.isEqual(shown[shown.count - 1 - i] ^ mask, self[start + i]) { backwards += 1 }
                }
                return Swift.max(forwards, backwards) >= enough
            }
        }
    }

    private static func isEqual(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other || (one ^ other == 0x20 && (0x61...0x7A).contains(one | 0x20))
    }
}

extension DecryptionKey {
    /// Every padding whose structure raw RSA shows: PKCS#1 v1.5, and OAEP with each
    /// pair of hashes and each label; and none at all, where the block begins with so many zero bytes that it cannot be
    /// chance.
    ///
    /// Decided on structure, because "no error" means nothing: OpenSSL 3.2 and later answer bad PKCS#1 v1.5 padding
    /// with bytes that look like a key. This is the oracle of Bleichenbacher's and Manger's attacks: for diagnosis
    /// only, for the holder of the key, never reachable over a network.
    ///
    /// - Throws: ``EvidenceError``: `.length`, `.unsuitableKey`, `.keyFailed` or `.openSSL`.
    package func unwrappings(
        of wrapped: Span<UInt8>, labels: [[UInt8]] = []
    ) throws(EvidenceError) -> [Unwrapping] {
        try requireWrappedLength(wrapped.count)
        guard let block = try rawBlock(wrapped) else { return [] }
        var paddings = [KeyWrapping.Padding.weakPKCS1v15]
        for label in [[]] + labels {
            for hash in DigestAlgorithm.allCases {
                paddings += DigestAlgorithm.allCases.map { .oaep(OAEP(hash, mgf1: $0, label: label)) }
            }
        }
        var found: [Unwrapping] = []
        for padding in paddings {
            if let message = try padding.message(in: block) { found.append(Unwrapping(padding, message)) }
        }
        guard found.isEmpty else { return found }
        return block.withExposedBytes { bytes in
            let zeros = bytes.indices.first { bytes[$0] != 0 } ?? bytes.count
            // By chance, one block in 2^128 begins like this.
            guard zeros >= 16 else { return [] }
            // A key may begin with zero bytes itself; with more than two, one in 2^24 does.
            return (max(zeros - 2, 0)...zeros).reversed().filter { $0 < bytes.count }.map { start in
                Unwrapping(.weakNone, SecretBytes(copying: bytes.extracting(start...)))
            }
        }
    }

    /// Raw RSA; `nil` for a number not less than the modulus, which belongs to another key.
    private func rawBlock(_ wrapped: Span<UInt8>) throws(EvidenceError) -> SecretBytes? {
        do throws(EvidenceError) { return try wholeBlock(decryptRaw(wrapped)) } catch {
            guard error.code == .cannotOpen else { throw error }
            return nil
        }
    }
}
