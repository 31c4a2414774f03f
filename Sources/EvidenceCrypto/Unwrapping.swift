// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

extension DecryptionKey {
    /// A content key that was wrapped for this key; or, when it does not unwrap or is not of that form, a substitute
    /// that opens nothing (implicit rejection), so that the caller sees one kind of failure only.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey`, `.length`, `.unsuitableKey`, `.keyFailed` or `.openSSL`; nothing that
    ///   depends on what was wrapped.
    package func unwrapOrSubstitute(
        _ wrapped: Span<UInt8>, as wrapping: KeyWrapping, size: AESKey.Size
    ) throws(EvidenceError) -> AESKey {
        let content = try [self].unwrapOrSubstitute(wrapped, as: wrapping, size: size)
        return content.key
    }

    /// Unwraps PKCS#1 v1.5: exactly `byteCount` wrapped bytes, or else `byteCount` substitute bytes.
    ///
    /// Neither the result nor the time shows which of the two it was: the substitute is derived from the key's secret
    /// and `wrapped`, so it is the same every time, and it is selected in constant time. It is also the same on every
    /// version of OpenSSL: 3.0 reports bad padding, 3.2 and later return substitute bytes of their own.
    ///
    /// - Throws: ``EvidenceError``, nothing that depends on a secret.
    package func weakPKCS1v15Message(in wrapped: Span<UInt8>, byteCount: Int) throws(EvidenceError) -> SecretBytes {
        try message(in: wrapped, byteCount, unpadWeakPKCS1v15)
    }

    /// Unwraps without padding: at most `byteCount` wrapped bytes, or else `byteCount` substitute bytes, for
    /// which the same holds.
    ///
    /// - Throws: ``EvidenceError``, nothing that depends on a secret.
    package func weakBareMessage(in wrapped: Span<UInt8>, byteCount: Int) throws(EvidenceError) -> SecretBytes {
        try message(in: wrapped, byteCount, unpadNothing)
    }

    private func message(
        in wrapped: Span<UInt8>, _ byteCount: Int,
        _ unpad: (borrowing SecretBytes, borrowing SecretBytes) -> SecretBytes
    ) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: wrapped)
        let substitute = try substituteSecret.bytes(for: wrapped, count: byteCount)
        let block: SecretBytes
        do throws(EvidenceError) { block = try wholeBlock(decryptRaw(wrapped)) } catch {
            // Whether the number is less than the modulus is public, so this path may be observable.
            guard error.code == .cannotOpen else { throw error }
            return substitute
        }
        return unpad(block, substitute)
    }

    /// The content key; `nil` if what was wrapped is none in that form.
    fileprivate func unwrap(
        _ wrapped: Span<UInt8>, as wrapping: KeyWrapping, size: AESKey.Size
    ) throws(EvidenceError) -> ContentKey? {
        let message: SecretBytes
        switch wrapping.padding {
        case .oaep(let oaep):
            do throws(EvidenceError) { message = try decrypt(wrapped, oaep) } catch {
                guard error.code == .cannotOpen else { throw error }
                return nil
            }
        case .weakPKCS1v15: message = try weakPKCS1v15Message(in: wrapped, byteCount: wrapping.byteCount(size))
        case .weakNone: message = try weakBareMessage(in: wrapped, byteCount: wrapping.byteCount(size))
        }
        return message.withExposedBytes { wrapping.key(in: $0, size) }
    }

    /// Refuses a wrapped key that is not as long as the modulus, with a hint that says what its bytes show, which
    /// whoever sent them knows.
    package func requireWrappedLength(of wrapped: Span<UInt8>) throws(EvidenceError) {
        let (count, wanted) = (wrapped.count, publicKey.byteCount)
        guard count == wanted else {
            throw EvidenceError(
                .length,
                "the wrapped key has \(count) bytes, but one wrapped for this RSA-\(publicKey.bitCount) key has "
                    + "\(wanted)", hint: Self.hint(wrapped, wanted))
        }
    }

    private static func hint(_ wrapped: Span<UInt8>, _ wanted: Int) -> String {
        let surplus = wrapped.count - wanted
        let diagnosis = "diagnosis shows whether that is so"
        // Of 256 blocks one begins with a zero byte, of 65,536 one with two.
        if -2..<0 ~= surplus {
            return
                "perhaps its leading zero byte was dropped, as code does that takes the block for a number, or its end "
                + "was cut off: \(diagnosis)"
        }
        if surplus < 0 {
            return wrapped.count > 0 && wrapped.count.isMultiple(of: 64)
                ? "it was wrapped for a key of a different size"
                : [16, 24, 32, 40, 48].contains(wrapped.count)
                    ? "it is as long as an AES key itself, which was perhaps never wrapped"
                    : "no usual RSA key wraps to \(wrapped.count) bytes: the field was probably cut off"
        }
        if (0..<surplus).allSatisfy({ wrapped[$0] == 0 }) {
            return
                "it begins with a zero byte that does not belong to it, as code writes a number with its sign (Java's "
                + "BigInteger.toByteArray): \(diagnosis)"
        }
        if (wanted..<wrapped.count).allSatisfy({ [0x00, 0x0A, 0x0D, 0x20].contains(wrapped[$0]) }) {
            return "line breaks, blanks or zero bytes seem to follow it: \(diagnosis)"
        }
        if wrapped.count.isMultiple(of: wanted), wrapped.count / wanted <= 8 {
            return "it was wrapped for a larger key, or is \(wrapped.count / wanted) blocks in a row: \(diagnosis)"
        }
        if wrapped.count > Limits.rsaKeyBits.upperBound / 8 {
            return
                "it is longer than any wrapped key: perhaps it and the content were swapped; if so, swap the two names "
                + "back: \(diagnosis)"
        }
        return wrapped.count.isMultiple(of: 64)
            ? "it was wrapped for a key of a different size"
            : "something was added to it, or it was encoded in another way: \(diagnosis)"
    }
}

extension [any DecryptionKey] {
    /// A content key that was wrapped for one of several keys, with the IV wrapped after it; or, if none fits,
    /// substitutes for both, as ``DecryptionKey/unwrapOrSubstitute(_:as:size:)`` has it.
    ///
    /// Each key whose modulus has the length of the wrapped bytes is tried once, whether or not an earlier one fitted.
    /// Only if the key fits at which a hint points are the others left out: the time then shows that the hint was
    /// right, which its writer knows.
    ///
    /// - Parameter hint: how the fingerprint of the right key probably begins.
    /// - Throws: as that does; `.unsuitableKey` for several keys under a padding that does not show which fits.
    package func unwrapOrSubstitute(
        _ wrapped: Span<UInt8>, as wrapping: KeyWrapping, size: AESKey.Size, hint: String? = nil
    ) throws(EvidenceError) -> ContentKey {
        guard let first else {
            throw EvidenceError(.unsuitableKey, "no key was given to open it with")
        }
        if count > 1, let name = wrapping.padding.weakName {
            throw EvidenceError(
                .unsuitableKey, "under \(name), nothing shows which of several keys fits", hint: "give only one key")
        }
        let strong = filter { wrapping.allowsWeakKeys || $0.publicKey.hasSealingStrength }
        if strong.isEmpty { try wrapping.requireStrength(of: first.publicKey) }
        let candidates = strong.filter { $0.publicKey.byteCount == wrapped.count }
        guard let substituting = candidates.first else {
            try first.requireWrappedLength(of: wrapped)
            throw .cannotOpen
        }
        var found: ContentKey?
        let hinted = hint.flatMap { hint in candidates.firstIndex { $0.publicKey.fingerprint.hasPrefix(hint) } }
        if let hinted { found = try candidates[hinted].unwrap(wrapped, as: wrapping, size: size) }
        let isHintRight = found != nil
        for (i, key) in candidates.enumerated() where i != hinted && !isHintRight {
            let unwrapped = try key.unwrap(wrapped, as: wrapping, size: size)
            if found == nil { found = unwrapped }
        }
        // Always computed, so that the time does not show whether it is needed.
        let substitute = try substituting.substituteSecret.bytes(
            for: wrapped, count: size.byteCount + wrapping.ivByteCount)
        if let found = found.take() { return found }
        return try substitute.withExposedBytes { bytes throws(EvidenceError) in
            ContentKey(
                key: try AESKey(importing: SecretBytes(copying: bytes.extracting(..<size.byteCount))),
                iv: SecretBytes(copying: bytes.extracting(size.byteCount...)))
        }
    }
}
