// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import TestVectorSupport

/// The keys of the targets that need one: test keys, read once.
enum Keys {
    static let own = read("rsa2048.pem")
    static let other = read("other3072.pem")
    /// The passphrase of every encrypted test key.
    static let passphrase = "correct horse"

    static let device: P256PrivateKey = {
        do { return try P256PrivateKey.generate() } catch { fatalError("\(error)") }
    }()

    private static func read(_ name: String) -> RSAPrivateKey {
        do {
            let bytes = try Vectors.bytes("keys/\(name)")
            return try RSAPrivateKey(encoded: SecretBytes(copying: bytes.span))
        } catch { fatalError("\(name): \(error)") }
    }
}
