// SPDX-License-Identifier: Apache-2.0
import CEvidence
import EvidenceKit

/// A key that C has a handle of. Any number of threads may use it at a time.
final class LoadedKey: Sendable {
    private enum Material {
        case secret(any DecryptionKey)
        case open(RSAPublicKey)
        case device(P256PublicKey)
    }
    private let material: Material

    /// Reads a key of a kind that evidence.h names.
    init(_ kind: String, _ bytes: consuming SecretBytes, passphrase: consuming SecretBytes?) throws {
        guard kind == "private" || passphrase == nil else {
            throw Misuse(.argument, "only a private key has a passphrase")
        }
        switch kind {
        case "private": material = .secret(try RSAPrivateKey(encoded: bytes, passphrase: passphrase))
        case "public":
            material = .open(try bytes.withExposedBytes { bytes in try RSAPublicKey(encoded: bytes) })
        case "device":
            material = .device(
                try bytes.withExposedBytes { bytes in try P256PublicKey(encoded: bytes.indices.map { bytes[$0] }) })
        default: throw Misuse(.argument, "the kind of a key must be private, public or device")
        }
    }

    /// Finds a private key by its URI.
    init(at uri: String, pin: consuming SecretBytes?) throws {
        // Those modules bring the system's libcrypto along, and would be given objects of another one.
        guard !uri.lowercased().hasPrefix("pkcs11:") || evidence_has_own_libcrypto() == 0 else {
            throw EvidenceError(
                .keyUnavailable, "this build of the library includes its libcrypto, and so reaches no token",
                hint: "take a build that uses the system's: scripts/install-c, scripts/build-wheel --system-libcrypto")
        }
        material = .secret(try KeyStore.key(at: uri, pin: pin))
    }

    /// The key, to open with.
    var opening: any DecryptionKey {
        get throws {
            guard case .secret(let key) = material else { throw Self.wrongKind("a private RSA key") }
            return key
        }
    }

    /// The key, to seal for.
    var sealing: RSAPublicKey {
        get throws {
            switch material {
            case .secret(let key): key.publicKey
            case .open(let key): key
            case .device: throw Self.wrongKind("an RSA key")
            }
        }
    }

    /// The key, to verify a device's signature with.
    var device: P256PublicKey {
        get throws {
            guard case .device(let key) = material else { throw Self.wrongKind("a device's public key") }
            return key
        }
    }

    private static func wrongKind(_ wanted: String) -> EvidenceError {
        EvidenceError(.wrongKindOfKey, "this use needs \(wanted); the handle is of another kind of key")
    }
}
