// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors

extension PKey {
    /// Refuses a private key whose numbers contradict each other (RFC 8017 §3.2).
    ///
    /// OpenSSL loads such a key, and then opens nothing with it, or opens at another speed: it tries the primes, sees
    /// that the answer is wrong, and starts over with d. A key of three primes is refused too. Whether the primes are
    /// prime is not tested: that takes longer than it takes to open a small payload.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey`, or `.openSSL`.
    func checkPrivateNumbers() throws(EvidenceError) {
        clearErrors()
        defer { clearErrors() }
        guard let arithmetic = Arithmetic() else { throw openSSLError("no memory for the numbers of a key") }
        guard let n = number("n"), let e = number("e"), let d = number("d"),
            let p = number("rsa-factor1"), let q = number("rsa-factor2"),
            let dP = number("rsa-exponent1"), let dQ = number("rsa-exponent2"), let qInv = number("rsa-coefficient1"),
            let pLess = p.lessOne(), let qLess = q.lessOne(),
            unsafe BN_cmp(d.pointer, n.pointer) < 0, p != q, arithmetic.product(p, q) == n,
            arithmetic.isOne(e, d, modulo: pLess), arithmetic.isOne(e, d, modulo: qLess),
            arithmetic.remainder(d, pLess) == dP, arithmetic.remainder(d, qLess) == dQ,
            arithmetic.isOne(q, qInv, modulo: p), arithmetic.remainder(qInv, p) == qInv
        else {
            let refusal = EvidenceError(
                .weakKey, "the numbers of the RSA private key do not match each other",
                hint: "use an intact copy: the file was damaged, or combined from two keys")
            throw judgement(refusal, "cannot compute with the numbers of a key")
        }
    }

    /// The secret of the substitute keys (`docs/FORMATS.md` §2.1): of the primes in order of size, because their order
    /// in a key means nothing, and under a label, because a digest of the key as it is stored may be known.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    func substituteSecret() throws(EvidenceError) -> SecretBytes {
        guard let p = number("rsa-factor1"), let q = number("rsa-factor2") else {
            throw openSSLError("cannot read the numbers of an RSA key")
        }
        let primes = unsafe BN_cmp(p.pointer, q.pointer) > 0 ? [p, q] : [q, p]
        let byteCount = (bitCount + 7) / 8
        let label = Array("evidence-kit implicit rejection 1".utf8)
        var bytes = [UInt8](repeating: 0, count: 2 * byteCount)
        var areWritten = true
        for (i, prime) in primes.enumerated() {
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                let place = unsafe bytes.baseAddress.map { unsafe $0 + i * byteCount }
                let count = unsafe BN_bn2binpad(prime.pointer, place, Int32(byteCount))
                areWritten = areWritten && count == Int32(byteCount)
            }
        }
        let secret = SecretBytes(wiping: &bytes)
        guard areWritten else { throw openSSLError("cannot read the numbers of an RSA key") }
        return try secret.withExposedBytes { secret throws(EvidenceError) in
            try hmacSHA256(key: label.span, secret, count: 32)
        }
    }

    private func number(_ name: String) -> Number? {
        guard let number = unsafe copyNumber(name) else { return nil }
        return unsafe Number(takingOwnership: number)
    }
}

/// The owner of one `BIGNUM`, which is wiped.
@safe
private final class Number: Equatable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe BN_clear_free(pointer) }

    func lessOne() -> Number? {
        guard let copy = unsafe BN_dup(pointer) else { return nil }
        let less = unsafe Number(takingOwnership: copy)
        return unsafe BN_sub_word(less.pointer, 1) == 1 ? less : nil
    }

    static func == (left: Number, right: Number) -> Bool { unsafe BN_cmp(left.pointer, right.pointer) == 0 }
}

/// The owner of one `BN_CTX`. What cannot be computed, like a remainder by zero, is `nil`.
@safe
private struct Arithmetic: ~Copyable {
    private let context: OpaquePointer

    init?() {
        guard let context = unsafe BN_CTX_secure_new() else { return nil }
        unsafe self.context = context
    }

    deinit { unsafe BN_CTX_free(context) }

    func product(_ left: Number, _ right: Number) -> Number? {
        unsafe result { unsafe BN_mul($0, left.pointer, right.pointer, context) }
    }

    func remainder(_ number: Number, _ modulus: Number) -> Number? {
        unsafe result { unsafe BN_nnmod($0, number.pointer, modulus.pointer, context) }
    }

    func isOne(_ left: Number, _ right: Number, modulo modulus: Number) -> Bool {
        guard let product = product(left, right), let rest = remainder(product, modulus) else { return false }
        return unsafe BN_is_one(rest.pointer) == 1
    }

    private func result(_ body: (OpaquePointer) -> Int32) -> Number? {
        guard let pointer = unsafe BN_secure_new() else { return nil }
        let number = unsafe Number(takingOwnership: pointer)
        return unsafe body(pointer) == 1 ? number : nil
    }
}
