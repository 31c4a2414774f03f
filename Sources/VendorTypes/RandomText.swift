// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// Letters and digits from OpenSSL's generator, each as likely as any other: 190 bits in 32 of them.
func randomLettersAndDigits(_ count: Int) throws(EvidenceError) -> String {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    // The highest bytes are discarded: 256 is not a multiple of 62, and a remainder would favour the first characters.
    let limit = 256 - 256 % alphabet.count
    var text: [UInt8] = []
    while text.count < count {
        for byte in try randomNonce(byteCount: count) where Int(byte) < limit && text.count < count {
            text.append(alphabet[Int(byte) % alphabet.count])
        }
    }
    return String(decoding: text, as: UTF8.self)
}
