// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
import Synchronization

/// Private keys by URI: on a PKCS#11 token (RFC 7512) or wherever else OpenSSL's stores reach.
public enum KeyStore {
    /// The private key at a URI: `pkcs11:token=…;object=…`, `file:/…`, or of any scheme that OpenSSL has a loader for.
    ///
    /// For `pkcs11:`, a provider that OpenSSL's configuration activates is asked, such as pkcs11-provider; it must find
    /// just one key. Without one, the engine `pkcs11` is (libp11, up to OpenSSL 3), which takes the first; its module
    /// is set by its own configuration or `PKCS11_MODULE_PATH`. A key whose numbers can be read comes back as an
    /// ``RSAPrivateKey``. One that cannot be exported stays where it is.
    ///
    /// Read a file of an untrusted origin by ``RSAPrivateKey/init(encoded:passphrase:)``, which bounds its key
    /// derivation; OpenSSL's own loader does not.
    ///
    /// - Parameters:
    ///   - uri: where the key is. It must not carry a PIN (`pin-value`): URIs are logged.
    ///   - pin: the token's PIN, or the passphrase of an encrypted file. Nobody is asked for one.
    /// - Throws: ``EvidenceError``: `.keyUnavailable`, `.passphraseNeeded`, `.notRSA`, `.weakKey` or `.openSSL`.
    public static func key(
        at uri: String, pin: borrowing SecretBytes? = nil
    ) throws(EvidenceError) -> any DecryptionKey {
        let handle = try handle(at: uri, pin: pin)
        guard handle.isRSA else {
            throw EvidenceError(.notRSA, "expected an RSA key, found \(named(handle.algorithmName))")
        }
        try handle.checkRSAParameters()
        guard handle.hasPrivateNumbers else { return try TokenKey(handle) }
        try handle.checkPrivateNumbers()
        return try RSAPrivateKey(FoundKey(handle: handle, format: "by URI"))
    }

    static func handle(at uri: String, pin: borrowing SecretBytes?) throws(EvidenceError) -> PKey {
        guard !uri.contains("pin-value"), !uri.utf8.contains(0) else {
            throw EvidenceError(
                .keyUnavailable, "the key's URI contains a PIN, which would be visible and logged",
                hint: "give the PIN separately, and change it")
        }
        // OpenSSL does not decode the path of a file.
        let path = try path(ofFileURI: uri)
        let uri = path.map { $0.hasPrefix("/") ? $0 : "./\($0)" } ?? uri
        switch pin {
        case .some(let pin):
            return try pin.withExposedBytes { bytes throws(EvidenceError) in try PKey.stored(at: uri, pin: bytes) }
        case .none: return try PKey.stored(at: uri, pin: nil)
        }
    }
}

/// A private key that cannot be exported: a token performs the operation.
private final class TokenKey: DecryptionKey, CustomStringConvertible {
    let publicKey: RSAPublicKey
    let substituteSecret: SubstituteSecret
    private let handle: PKey
    /// Which pairs of hashes the token supports, as far as known.
    private let knowsOAEP = Mutex<[OAEP: Bool]>([:])

    init(_ handle: PKey) throws(EvidenceError) {
        // Read again: public operations are done by OpenSSL, not by the token.
        let info = try handle.subjectPublicKeyInfo()
        publicKey = try RSAPublicKey(encoded: info)
        substituteSecret = try SubstituteSecret.random()
        self.handle = handle
    }

    var description: String { "private key held outside memory, of \(publicKey)" }

    /// On the token or, if it does not support this pair of hashes, by raw RSA.
    ///
    /// A token may report any error. So after a failure it is tested with an operation that must succeed.
    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: wrapped)
        if knowsOAEP.withLock({ $0[padding] }) != false {
            do throws(EvidenceError) { return try ask(wrapped, .oaep(padding)) } catch {
                if does(padding) { throw .cannotOpen }
            }
        }
        let block = try decryptRaw(wrapped)
        knowsOAEP.withLock { $0[padding] = false }
        defer { wipeTraces() }
        guard let message = try KeyWrapping.Padding.oaep(padding).message(in: block) else { throw .cannotOpen }
        return message
    }

    func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: block)
        guard try publicKey.handle.isBelowModulus(block) else { throw .cannotOpen }
        let result: SecretBytes
        do throws(EvidenceError) { result = try ask(block, .none) } catch {
            throw EvidenceError(
                .keyFailed, "the token that holds the key failed: \(error)",
                hint: "check that it is present and unlocked, and supports this OAEP or raw RSA; if it was away, start "
                    + "this program again")
        }
        return try wholeBlock(result)
    }

    private func ask(_ block: Span<UInt8>, _ padding: PKey.Padding) throws(EvidenceError) -> SecretBytes {
        silencePrompts()
        defer { allowPrompts() }
        return try handle.decrypt(block, padding: padding)
    }

    /// Whether the token opens something that was just wrapped for it.
    private func does(_ padding: OAEP) -> Bool {
        let message: [UInt8] = [1]
        do throws(EvidenceError) {
            let wrapped = try publicKey.handle.encrypt(message.span, padding: .oaep(padding))
            let answer = try ask(wrapped.span, .oaep(padding))
            return answer.withExposedBytes { $0.count == 1 && $0[0] == 1 }
        } catch { return false }
    }
}
