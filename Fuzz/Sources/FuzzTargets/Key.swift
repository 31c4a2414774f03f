// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

extension FuzzTarget {
    /// Key files: what is read has a size that is allowed, can be written and read again, and means the same in every
    /// packing.
    static let key = FuzzTarget(name: "key") { bytes in
        let publicKey = readPublic(bytes)
        let privateKey = readPrivate(bytes)
        for key in [publicKey.value, privateKey.value?.publicKey].compactMap({ $0 }) {
            try hold((1024...8192).contains(key.bitCount), "a key has a size that is allowed")
            try hold(try RSAPublicKey(encoded: Array(key.pem().utf8)) == key, "a public key comes back")
        }
        if let key = privateKey.value {
            let pem = try key.pem()
            let again = try RSAPrivateKey(encoded: pem)
            try hold(again.publicKey == key.publicKey, "a private key comes back")
        }
        try hold(
            publicKey.value == nil || privateKey.value == nil || publicKey.value != privateKey.value?.publicKey
                || bytes.first != 0x30, "DER is one thing")
        guard bytes.first == 0x30 else { return }
        // DER alone, and packed in the ways there are.
        let base64 = Base64.encode(bytes.span)
        try hold(readPublic(base64).value == publicKey.value, "base64 of DER is DER")
        var pem = Array("-----BEGIN PUBLIC KEY-----\n".utf8)
        for start in stride(from: 0, to: base64.count, by: 64) {
            pem += base64[start..<min(start + 64, base64.count)] + [0x0A]
        }
        pem += Array("-----END PUBLIC KEY-----\n".utf8)
        if pem.count <= Limits.keyFileBytes {
            try hold(readPublic(pem).value == publicKey.value, "PEM of DER is DER")
            try hold(readPrivate(pem).value?.publicKey == privateKey.value?.publicKey, "the label is not needed")
        }
    }

    private static func readPublic(_ bytes: [UInt8]) -> Result<RSAPublicKey, Broken> {
        outcome { try RSAPublicKey(encoded: bytes) }
    }

    private static func readPrivate(_ bytes: [UInt8]) -> Result<RSAPrivateKey, Broken> {
        let passphrase = Array(Keys.passphrase.utf8)
        return outcome {
            try RSAPrivateKey(
                encoded: SecretBytes(copying: bytes.span), passphrase: SecretBytes(copying: passphrase.span))
        }
    }
}
