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
    /// Whether they were wrapped in several blocks, as no profile has it.
    let isJoined: Bool
    private let message: SecretBox

    /// What the bytes show of themselves.
    func content() throws(EvidenceError) -> WrappedContent {
        try message.bytes.withExposedBytes { bytes throws(EvidenceError) in try WrappedContent(bytes) }
    }

    /// The texts that may be a passphrase: the bytes as they are, without what surrounds them, and what they encode;
    /// each with how it was had, in words.
    func passphrases() throws(EvidenceError) -> [(text: Unwrapping, words: String)] {
        let others = try message.bytes.withExposedBytes { bytes throws(EvidenceError) in
            WrappedContent.passphrases(in: bytes)
        }
        return [(self, "")]
            + others.map { text, words in
                var text = text
                return (Unwrapping(padding, SecretBytes(wiping: &text)), words)
            }
    }

    /// A key and an IV that OpenSSL derives from the bytes, as a passphrase, and a salt.
    func derivedKey(salt: [UInt8], _ digest: PassphraseDigest) throws(EvidenceError) -> SecretBytes? {
        try message.bytes.withExposedBytes { bytes throws(EvidenceError) in
            guard var chain = try digest.chain(bytes.indices.map { bytes[$0] }, salt: salt) else { return nil }
            return SecretBytes(wiping: &chain)
        }
    }

    /// What several blocks hold together, each under the same padding; `nil` if one of them does not unwrap.
    static func joined(_ blocks: [[Unwrapping]]) -> Unwrapping? {
        guard let first = blocks.first else { return nil }
        for padding in first.map(\.padding) {
            let parts = blocks.compactMap { $0.first { $0.padding == padding } }
            guard parts.count == blocks.count else { continue }
            let message = SecretBytes(capacity: parts.reduce(0) { $0 + $1.byteCount }) { out in
                for part in parts {
                    part.message.bytes.withExposedBytes { bytes in for i in bytes.indices { out.append(bytes[i]) } }
                }
            }
            return Unwrapping(padding, message, isJoined: true)
        }
        return nil
    }

    /// Whether a file with the bytes is a passphrase that OpenSSL's commands read to its end.
    var isOneLine: Bool {
        message.bytes.withExposedBytes { bytes in !bytes.indices.contains { bytes[$0] == 0x0A || bytes[$0] == 0 } }
    }

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

    /// Whether all of them are zero.
    var isZero: Bool { message.bytes.withExposedBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == 0 } } }

    /// What they are called, if they follow a pattern that anyone would try: one byte, or each one more than the last.
    var nameOfPattern: String? {
        message.bytes.withExposedBytes { bytes in
            guard bytes.count >= 16 else { return nil }
            let pairs = bytes.indices.dropFirst().map { (bytes[$0 - 1], bytes[$0]) }
            if pairs.allSatisfy({ $0 == $1 }) { return "one byte, repeated" }
            return pairs.allSatisfy { $1 == $0 &+ 1 || ($0, $1) == (0x39, 0x30) || ($0, $1) == (0x39, 0x31) }
                ? "bytes or digits that count up" : nil
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

    fileprivate init(_ padding: KeyWrapping.Padding, _ message: consuming SecretBytes, isJoined: Bool = false) {
        self.padding = padding
        self.isJoined = isJoined
        byteCount = message.count
        self.message = SecretBox(message)
    }
}

extension Span<UInt8> {
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
        // Bytes that are repeated occur here once.
        let isRepeated = [4, 8].contains { part in
            shown.count > part && shown.indices.allSatisfy { shown[$0] == shown[$0 % part] }
                && shown.indices.contains { shown[$0] != shown[0] }
        }
        return [UInt8(0), 0xFF].contains { mask in
            var common = 0
            for i in shown.indices where !(0..<i).contains(where: { shown[$0] == shown[i] }) {
                let times = shown.indices.count { shown[$0] == shown[i] }
                common += Swift.min(times, indices.count { self[$0] == shown[i] ^ mask })
            }
            return 4 * common >= 3 * shown.count
                || isRepeated && shown.indices.allSatisfy { i in indices.contains { self[$0] == shown[i] ^ mask } }
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
        try requireWrappedLength(of: wrapped)
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
        // One block of OAEP in some hundreds looks like one of PKCS#1 v1.5, which never looks like one of OAEP.
        if found.count > 1 { found.removeAll { $0.padding == .weakPKCS1v15 } }
        guard found.isEmpty else { return found }
        return block.withExposedBytes { bytes in
            // Zero and one are the same before and after: they are no block of this key's.
            guard bytes.indices.contains(where: { $0 >= wrapped.count || bytes[$0] != wrapped[$0] }) else { return [] }
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
