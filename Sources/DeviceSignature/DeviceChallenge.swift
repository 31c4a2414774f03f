// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorTypes

/// A value that the server issues for one order and a device's signature repeats, so that an old result cannot be
/// replayed. Its length is `Limits.challengeCharacters`: ASCII letters, digits, `-` or `_`.
public struct DeviceChallenge: Hashable, Sendable, CustomStringConvertible {
    /// The challenge as text.
    public let value: String

    /// A challenge, or `nil` when the text does not have the form of one.
    public init?(_ text: String) {
        guard Self.form.accepts(text) else { return nil }
        value = text
    }

    /// A new challenge: 32 bytes of OpenSSL's generator in base64url.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public static func generate() throws(EvidenceError) -> DeviceChallenge {
        let random = try randomNonce(byteCount: 32)
        return DeviceChallenge(unchecked: String(decoding: Base64URL.encode(random.span), as: UTF8.self))
    }

    private init(unchecked text: String) { value = text }

    private static let form = ValueForm(
        Limits.challengeCharacters, .lettersAndDigits.union("-_"),
        "\(Limits.text(Limits.challengeCharacters)) ASCII letters, digits, '-' or '_'")

    /// The form of a challenge, for a message.
    package static var shape: String { form.shape }

    /// The challenge as text.
    public var description: String { value }
}

/// Records which challenges were used: a table in the caller's database, with a unique index.
public protocol ChallengeStore: Sendable {
    /// Records that a challenge is used.
    ///
    /// - Parameters:
    ///   - challenge: the challenge that the signature repeats.
    ///   - orderNo: the order that it was given out for.
    /// - Returns: true the first time, false every time after. Of two concurrent calls only one may get true.
    /// - Throws: anything, if the store cannot tell; then the check has no answer.
    func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) async throws -> Bool
}
