// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorTypes

// Here, and not beside the types: who only reads results needs no OpenSSL.

extension OrderNumber {
    /// A new number for a new attempt: as many random letters and digits as fit, so that nobody guesses another
    /// person's.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) when the generator fails.
    public static func generate() throws(EvidenceError) -> OrderNumber {
        try OrderNumber(randomLettersAndDigits(Limits.orderNumberCharacters.upperBound))
    }
}

extension SignNonce {
    /// A new nonce from OpenSSL's generator; each of the 62 characters is as likely as any other.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) when the generator fails.
    public static func generate() throws(EvidenceError) -> SignNonce {
        SignNonce(unchecked: try randomLettersAndDigits(Limits.nonceCharacters))
    }
}

extension FaceAttempt {
    /// A new attempt, under a new order number.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) when the generator fails.
    public init(appId: AppId, userId: UserId) throws(EvidenceError) {
        self.init(appId: appId, userId: userId, orderNo: try .generate())
    }
}

/// Letters and digits from OpenSSL's generator, each as likely as any other: 190 bits in 32 of them.
private func randomLettersAndDigits(_ count: Int) throws(EvidenceError) -> String {
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
