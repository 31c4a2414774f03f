// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors

extension PKey {
    /// The first private key that OpenSSL finds at a URI.
    ///
    /// - Throws: ``EvidenceError``: `.keyUnavailable`, `.passphraseNeeded` or `.openSSL`.
    static func stored(at uri: String, pin: Span<UInt8>?) throws(EvidenceError) -> PKey {
        clearErrors()
        defer {
            clearErrors()
            wipeTraces()
        }
        let secret = PIN(pin)
        // With a method that never prompts: without one, OpenSSL prompts on the terminal.
        guard let method = unsafe UI_UTIL_wrap_read_pem_callback(answer, 0) else {
            throw openSSLError("no memory for a PIN")
        }
        defer { unsafe UI_destroy_method(method) }
        let data = unsafe Unmanaged.passUnretained(secret).toOpaque()
        if let key = unsafe load(uri, method, data) {
            return unsafe PKey(takingOwnership: key)
        }
        if uri.hasPrefix("pkcs11:"), let key = unsafe evidence_engine_key(uri, secret.text, method, data) {
            return unsafe PKey(takingOwnership: key)
        }
        if secret.wasMissed { throw EvidenceError(.passphraseNeeded, "the key needs a PIN or a passphrase") }
        let failure = openSSLError("no private key was found at the URI")
        throw EvidenceError(
            .keyUnavailable, failure.description,
            hint: failure.description.contains("PIN incorrect")
                ? "check the PIN: after a few wrong ones, a token locks itself"
                : uri.hasPrefix("pkcs11:")
                    ? "check that the token is present, its module is configured for OpenSSL, the PIN is right, and "
                        + "the URI names a private key on the token"
                    : "check that the file exists and holds a private key, and that the passphrase is right")
    }

    private static func load(_ uri: String, _ method: OpaquePointer, _ data: UnsafeMutableRawPointer) -> OpaquePointer?
    {
        guard let store = unsafe OSSL_STORE_open(uri, method, data, nil, nil) else { return nil }
        defer { unsafe OSSL_STORE_close(store) }
        guard unsafe OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1 else { return nil }
        while unsafe OSSL_STORE_eof(store) == 0 {
            // What cannot be loaded is skipped, like anything that is not a key.
            guard let found = unsafe OSSL_STORE_load(store) else {
                if unsafe OSSL_STORE_error(store) != 0 { return nil }
                continue
            }
            defer { unsafe OSSL_STORE_INFO_free(found) }
            if let key = unsafe OSSL_STORE_INFO_get1_PKEY(found) { return unsafe key }
        }
        return nil
    }

    /// Whether OpenSSL has the private numbers themselves.
    package var hasPrivateNumbers: Bool {
        defer { clearErrors() }
        guard let d = unsafe copyNumber("d") else { return false }
        unsafe BN_clear_free(d)
        return true
    }

    /// Whether a number as long as the modulus is less than it.
    func isBelowModulus(_ block: Span<UInt8>) throws(EvidenceError) -> Bool {
        let number = unsafe block.withUnsafeBufferPointer { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
        defer { unsafe BN_free(number) }
        guard let number = unsafe number, let n = unsafe copyNumber("n") else {
            throw openSSLError("cannot read the numbers of an RSA key")
        }
        defer { unsafe BN_free(n) }
        return unsafe BN_cmp(number, n) < 0
    }
}

/// A PIN as a C string, for as long as the key is looked up.
@safe
private final class PIN {
    let text: UnsafeMutablePointer<CChar>?
    private let count: Int
    /// Whether a PIN was requested that was not given.
    private(set) var wasMissed = false

    init(_ pin: Span<UInt8>?) {
        guard let pin else {
            unsafe text = nil
            count = 0
            return
        }
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: pin.count + 1)
        for i in pin.indices { unsafe memory[i] = CChar(bitPattern: pin[i]) }
        unsafe memory[pin.count] = 0
        unsafe text = memory
        count = pin.count
    }

    deinit {
        unsafe OPENSSL_cleanse(text, count)
        unsafe text?.deallocate()
    }

    func wasAskedFor(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> Int32 {
        guard let text = unsafe text, count <= Int(size) else {
            wasMissed = true
            return -1
        }
        unsafe buffer.update(from: text, count: count)
        return Int32(count)
    }
}

/// Answers OpenSSL's question for a passphrase.
private func answer(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer = unsafe buffer, let user = unsafe user else { return -1 }
    return unsafe Unmanaged<PIN>.fromOpaque(user).takeUnretainedValue().wasAskedFor(buffer, size)
}
