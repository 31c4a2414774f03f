// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
package import DeviceSignature
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceKit
internal import EvidenceStreams
internal import PlatformC

/// Whether a word names a key on a token (RFC 7512), not a file.
package func isTokenURI(_ word: String) -> Bool { word.hasPrefix("pkcs11:") }

extension Files {
    /// Finds a private key, by its file or its URI, and its passphrase or PIN if there is one.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` for what is no such key.
    public mutating func privateKey(_ path: String, passphraseFile: String?) throws -> LockedKey<any DecryptionKey> {
        try privateKey(path, passphrase: passphrase(ifNamed: passphraseFile))
    }

    private mutating func privateKey(
        _ path: String, passphrase: borrowing SecretBytes?, mayAsk: Bool = true
    ) throws -> LockedKey<any DecryptionKey> {
        try key(
            path, passphrase, mayAsk: mayAsk,
            onToken: { pin throws(EvidenceError) in try KeyStore.key(at: path, pin: pin) },
            inFile: { encoded, passphrase throws(EvidenceError) in
                try RSAPrivateKey(encoded: encoded, passphrase: passphrase)
            })
    }

    /// Finds a private key that signs documents.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` for what is no such key.
    public mutating func signingKey(_ path: String, passphraseFile: String?) throws -> LockedKey<SigningKey> {
        let given = try passphrase(ifNamed: passphraseFile)
        return try key(
            path, given, onToken: { pin throws(EvidenceError) in try KeyStore.signingKey(at: path, pin: pin) },
            inFile: { encoded, passphrase throws(EvidenceError) in
                try SigningKey(encoded: encoded, passphrase: passphrase)
            })
    }

    private mutating func key<Key>(
        _ path: String, _ passphrase: borrowing SecretBytes?, mayAsk: Bool = true,
        onToken: @escaping (borrowing SecretBytes?) throws(EvidenceError) -> Key,
        inFile: @escaping (borrowing SecretBytes, borrowing SecretBytes?) throws(EvidenceError) -> Key
    ) throws -> LockedKey<Key> {
        // Whatever the scheme and its spelling: such a word must not appear in a message about files.
        guard !path.lowercased().contains("pin-value") else {
            throw CommandError(
                .usage, "the key's URI contains a PIN, which would be visible and logged",
                hint: "give the PIN with --passphrase-file, and change it")
        }
        if isTokenURI(path) {
            try refuseDressedPIN(passphrase)
            // The URI is not shown, since it may contain a PIN or a part of one.
            return try LockedKey(.pin, mayAsk: mayAsk, passphrase) { pin in
                do throws(EvidenceError) { return try onToken(pin) } catch { throw CommandError(keyAt: nil, error) }
            }
        }
        let path = try pathOfKey(path)
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: path)
        return try LockedKey(.passphrase(of: path), mayAsk: mayAsk, passphrase) { passphrase in
            do throws(EvidenceError) { return try inFile(encoded, passphrase) } catch {
                throw CommandError(keyAt: path, error.hintingAtPassphrase(passphrase))
            }
        }
    }

    /// The keys that `--key` names, and those of the folder that `--keys` names; none where neither is given.
    package mutating func privateKeys(_ arguments: Arguments) throws -> LockedKey<PrivateKeys> {
        // Read only once, since it may come from standard input.
        let isNeeded = arguments[.keys] != nil || arguments[.keyFolder] != nil
        let passphrase = try passphrase(ifNamed: isNeeded ? arguments[.passphraseFile] : nil)
        var named: [(String, LockedKey<any DecryptionKey>)] = []
        for path in arguments.all(.keys) { named.append((quoted(path), try privateKey(path, passphrase: passphrase))) }
        var ofFolder = PrivateKeys()
        if let folder = arguments[.keyFolder] {
            ofFolder = try privateKeys(inFolder: folder, passphrase, besides: !named.isEmpty)
        }
        return LockedKey { [named, ofFolder] in
            var keys = ofFolder
            keys.usable.insert(contentsOf: try named.map { ($0, try $1.unlocked()) }, at: 0)
            return keys
        }
    }

    /// Nobody is asked for the passphrases of a whole folder.
    private mutating func privateKeys(
        inFolder folder: String, _ passphrase: borrowing SecretBytes?, besides hasOthers: Bool
    ) throws -> PrivateKeys {
        var keys = PrivateKeys()
        let names: [String]
        do { names = try fileNames(inFolder: folder, limit: Limits.keyFolderEntries) } catch {
            guard error.code == .tooLarge else { throw error }
            throw CommandError(
                .usage, "\(quoted(folder)) has more than \(Limits.keyFolderEntries) entries: name the keys with --key")
        }
        for name in names {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            do {
                let key = try privateKey(path, passphrase: passphrase, mayAsk: false).unlocked()
                keys.usable.append((quoted(path), key))
            } catch { try keys.passOver(path, error) }
        }
        guard hasOthers || !keys.usable.isEmpty else {
            try keys.refuseToJudge("\(quoted(folder)) has no usable private key")
            throw CommandError(.usage, "\(quoted(folder)) has no private key")
        }
        return keys
    }

    /// Reads a public key.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` for what is no such key.
    public mutating func publicKey(_ path: String) throws -> RSAPublicKey {
        guard !isTokenURI(path) else {
            throw CommandError(
                .usage, "a public key is read from a file, not from a token",
                hint: "make that file with: evidence-tool public-key -o FILE URI")
        }
        let encoded = try input(path, as: "the key").readAll(limit: Limits.keyFileBytes, name: path)
        do {
            let key = try RSAPublicKey(encoded: encoded)
            try key.checkModulus()
            key.certificate?.warn(at: path)
            return key
        } catch {
            throw CommandError(keyAt: path, error)
        }
    }

    /// Reads certificates.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` for what are none.
    public mutating func certificates(_ path: String) throws -> Certificates {
        let bytes = try input(path, as: "the certificates").readAll(limit: Limits.keyFileBytes, name: path)
        do { return try Certificates(encoded: bytes) } catch { throw CommandError(keyAt: path, error) }
    }

    /// Reads the private key of a device for tests.
    package mutating func devicePrivateKey(_ path: String, passphraseFile: String?) throws -> LockedKey<P256PrivateKey>
    {
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: path)
        let given = try passphrase(ifNamed: passphraseFile)
        return try LockedKey(.passphrase(of: path), given) { passphrase in
            do throws(EvidenceError) { return try P256PrivateKey(encoded: encoded, passphrase: passphrase) } catch {
                throw CommandError(keyAt: path, error.hintingAtPassphrase(passphrase))
            }
        }
    }

    /// Finds the registered keys of devices: files, and folders that have them by thumbprint.
    package mutating func deviceKeys(_ paths: [String]) throws -> RegisteredDeviceKeys {
        var keys: [P256PublicKey] = []
        var folders: [RegisteredDeviceKeys] = []
        for path in paths {
            do {
                let encoded = try input(path, as: "the key").readAll(limit: Limits.keyFileBytes, name: path)
                keys.append(try P256PublicKey(encoded: encoded))
            } catch let error as EvidenceError where error.errno == EISDIR {
                try requireDeviceKeys(inFolder: path)
                folders.append(RegisteredDeviceKeys(folder: path))
            } catch let error as EvidenceError where error.streamName == nil {
                throw CommandError(keyAt: path, error)
            }
        }
        let known = RegisteredDeviceKeys(keys)
        return RegisteredDeviceKeys { [folders] thumbprint throws(EvidenceError) in
            for place in [known] + folders {
                if let key = try place.key(thumbprint) { return key }
            }
            return nil
        }
    }

    /// An empty or wrong folder is the caller's mistake, not the signer's.
    private func requireDeviceKeys(inFolder path: String) throws {
        do {
            let names = try fileNames(inFolder: path, limit: Limits.keyFolderEntries)
            if names.contains(where: { $0.hasSuffix(".pem") && $0.utf8.count == P256PublicKey.thumbprintLength + 4 }) {
                return
            }
        } catch {
            // With many entries, a key is looked up when needed.
            guard error.code == .tooLarge else { throw error }
            return
        }
        throw CommandError(
            .usage, "\(quoted(path)) has no registered device key",
            hint: "name each file THUMBPRINT.pem; evidence-tool public-key prints a key's thumbprint")
    }
}

private func refuseDressedPIN(_ pin: borrowing SecretBytes?) throws {
    switch pin {
    case .some(let pin): try requirePlainPIN(pin)
    case .none: break
    }
}

extension EvidenceError {
    /// A wrong passphrase, with what surrounds it in its file: that is the likeliest cause.
    package func hintingAtPassphrase(_ passphrase: borrowing SecretBytes?) -> EvidenceError {
        guard code == .wrongPassphrase else { return self }
        let found: [String]
        switch passphrase {
        case .some(let passphrase): found = passphrase.surroundings() + passphrase.encodings()
        case .none: return self
        }
        guard !found.isEmpty else { return self }
        return hinting(
            "the first line of the passphrase's file \(found.joined(separator: ", and ")): if that is not part of the "
                + "passphrase, write the passphrase alone" + (hint.map { "\n\($0)" } ?? ""))
    }
}
