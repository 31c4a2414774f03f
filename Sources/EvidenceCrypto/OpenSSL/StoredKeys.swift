// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors
import Synchronization

extension PKey {
    /// The private key that OpenSSL finds at a URI.
    ///
    /// - Throws: ``EvidenceError``: `.keyUnavailable`, `.passphraseNeeded` or `.openSSL`.
    static func stored(at uri: String, pin: Span<UInt8>?) throws(EvidenceError) -> PKey {
        clearErrors()
        silencePrompts()
        defer {
            allowPrompts()
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
        let isOnToken = uri.hasPrefix("pkcs11:")
        // Without a store for such URIs, OpenSSL would look for a file of that name.
        if isOnToken, !hasTokenStore() {
            var hasEngine: Int32 = 0
            if let key = unsafe evidence_engine_key(uri, secret.text, method, data, &hasEngine) {
                return unsafe PKey(takingOwnership: key)
            }
            guard hasEngine == 1 else {
                throw EvidenceError(
                    .keyUnavailable, "this OpenSSL has neither a provider nor an engine that reaches tokens",
                    hint: "install one, such as pkcs11-provider, and activate it in OpenSSL's configuration "
                        + "(openssl.cnf, OPENSSL_CONF), beside the provider default")
            }
        } else if let key = try unsafe load(uri, method, data, isOnToken: isOnToken) {
            return key
        }
        if secret.wasMissed { throw EvidenceError(.passphraseNeeded, "the key needs a PIN or a passphrase") }
        let failure = openSSLError("no private key was found at the URI")
        throw EvidenceError(
            .keyUnavailable, failure.description,
            hint: failure.description.contains("PIN incorrect")
                ? "check the PIN: after a few wrong ones, a token locks itself"
                : isOnToken
                    ? "check that the token is present, its module is configured for OpenSSL, the PIN is right, and "
                        + "the URI names a private key on the token"
                    : "check that the file exists and holds a private key, and that the passphrase is right")
    }

    /// Whether a provider has a store for keys on tokens.
    private static func hasTokenStore() -> Bool {
        defer { clearErrors() }
        guard let loader = unsafe OSSL_STORE_LOADER_fetch(nil, "pkcs11", nil) else { return false }
        unsafe OSSL_STORE_LOADER_free(loader)
        return true
    }

    /// The first private key of a file; of a token, the only one that the URI fits: their order is no one's choice.
    private static func load(
        _ uri: String, _ method: OpaquePointer, _ data: UnsafeMutableRawPointer, isOnToken: Bool
    ) throws(EvidenceError) -> PKey? {
        guard let store = unsafe OSSL_STORE_open(uri, method, data, nil, nil) else { return nil }
        defer { unsafe OSSL_STORE_close(store) }
        guard unsafe OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1 else { return nil }
        var only: PKey?
        while unsafe OSSL_STORE_eof(store) == 0 {
            // What cannot be loaded is skipped, like anything that is not a key.
            guard let found = unsafe OSSL_STORE_load(store) else {
                if unsafe OSSL_STORE_error(store) != 0 { break }
                continue
            }
            defer { unsafe OSSL_STORE_INFO_free(found) }
            guard let pointer = unsafe OSSL_STORE_INFO_get1_PKEY(found) else { continue }
            let key = unsafe PKey(takingOwnership: pointer)
            // One token may be reached in two ways.
            if let only, unsafe EVP_PKEY_eq(only.key, key.key) != 1 {
                throw EvidenceError(
                    .keyUnavailable, "the URI fits more than one private key",
                    hint: "name one: with token= and object=, and with id= where two have the same label")
            }
            guard isOnToken else { return key }
            only = only ?? key
        }
        return only
    }

    /// Whether OpenSSL has the private numbers of an RSA or EC key themselves.
    package var hasPrivateNumbers: Bool {
        defer { clearErrors() }
        guard let number = unsafe copyNumber(isRSA ? "d" : "priv") else { return false }
        unsafe BN_clear_free(number)
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
        guard let text = unsafe text else {
            wasMissed = true
            return -1
        }
        guard count <= Int(size) else { return -1 }
        unsafe buffer.update(from: text, count: count)
        return Int32(count)
    }
}

/// From here until ``allowPrompts()``, OpenSSL asks nobody by itself: pkcs11-provider, where it gets no PIN or needs
/// one for an operation, falls back to OpenSSL's own prompt on the terminal, whatever method it was given.
package func silencePrompts() {
    prompts.withLock { prompts in
        if prompts.silencedBy == 0 {
            unsafe prompts.method = UI_get_default_method()
            unsafe UI_set_default_method(UI_null())
        }
        prompts.silencedBy += 1
    }
}

/// Ends what one ``silencePrompts()`` began.
package func allowPrompts() {
    prompts.withLock { prompts in
        prompts.silencedBy -= 1
        if prompts.silencedBy == 0 { unsafe UI_set_default_method(prompts.method) }
    }
}

/// The process's way to ask, which is kept while there is none.
@safe
private struct Prompts {
    var silencedBy = 0
    var method: OpaquePointer?
}

private let prompts = Mutex(Prompts())

/// Answers OpenSSL's question for a passphrase.
private func answer(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer = unsafe buffer, let user = unsafe user else { return -1 }
    return unsafe Unmanaged<PIN>.fromOpaque(user).takeUnretainedValue().wasAskedFor(buffer, size)
}
