// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
package import EvidenceErrors

/// The outcome of checking a device's signature.
package enum DeviceSignatureVerification: Sendable {
    /// A registered device signed these fields for this order and this challenge.
    case signed(DeviceSignedResult)
    /// The signature is refused.
    case refused(DeviceSignatureRefusal)

    /// Marks the challenge as used. This is the last step, so that a refused signature does not use one up.
    ///
    /// - Throws: ``EvidenceError``: what the store throws, with its error in ``EvidenceError/underlying``.
    package func claimingChallenge(
        in store: any ChallengeStore
    ) async throws(EvidenceError) -> DeviceSignatureVerification {
        guard case .signed(let signed) = self else { return self }
        let isNew: Bool
        do {
            isNew = try await store.claim(signed.manifest.challenge, for: signed.manifest.orderNo)
        } catch let error as EvidenceError {
            throw error
        } catch { throw EvidenceError(.nonceStore, "the store of challenges failed", underlying: error) }
        return isNew ? self : .refused(DeviceSignatureRefusal(.replay, "its challenge was already used"))
    }
}

/// A result that a registered device signed.
///
/// It proves that this installation sent these bytes for this challenge, not that its camera took them, nor that a
/// living face was in front of it, nor who holds it (`docs/LIMITATIONS.md`).
package struct DeviceSignedResult: Sendable {
    /// The registered key.
    package let key: P256PublicKey
    /// What it signed.
    package let manifest: DeviceManifest
    /// The wrapped keys that were rewrapped since, for another reader of the same sealed text.
    package let rewrapped: [CoveredField]
    /// The members of the result that the signature does not cover, as JSON paths in ASCII (RFC 9535): `$.note`,
    /// `$['my-field']`. A name of more than 64 bytes is given by its length and position instead.
    package let uncovered: [String]
    /// Whether it names the user who was expected. If not, it names none, or none was expected.
    package let isForExpectedUser: Bool
}

/// Why a device's signature is refused.
package struct DeviceSignatureRefusal: Error, Sendable, CustomStringConvertible {
    /// The kind of reason, with its name in `docs/FORMATS.md` §7.1.
    package enum Reason: String, Sendable, CustomStringConvertible {
        /// The document cannot be read, or two readers would read it as two.
        case document
        /// A signature is in another object than the outermost.
        case place
        /// There is none.
        case missing
        /// It is not a compact JWS.
        case form
        /// The header is a different one.
        case header
        /// The key is not registered.
        case unknownKey = "unknown-key"
        /// It does not verify.
        case signature
        /// What was signed is not a manifest.
        case manifest
        /// It is for another order.
        case order
        /// It is for another appId.
        case app
        /// It is for another user.
        case user
        /// It is for another challenge.
        case challenge
        /// Its time is later than the clock, or too old.
        case moment
        /// Fields were changed, removed or added since.
        case fields
        /// The challenge was used before.
        case replay

        /// The name.
        package var description: String { rawValue }
    }

    /// What kind of reason.
    package let reason: Reason
    /// Why, in one sentence without a full stop. It carries no content.
    package let detail: String
    /// The fields that are not as they were signed, where that is the reason.
    package let fields: [CoveredFieldFinding]

    package init(_ reason: Reason, _ detail: String, _ fields: [CoveredFieldFinding] = []) {
        self.reason = reason
        self.detail = detail
        self.fields = fields
    }

    /// The sentence.
    package var description: String { detail }
}

/// A field that is not as it was signed.
package struct CoveredFieldFinding: Hashable, Sendable, CustomStringConvertible {
    /// How it differs.
    package enum Difference: String, Sendable {
        /// Its text is different.
        case changed
        /// It was signed and is missing.
        case removed
        /// It is present but was not signed.
        case notCovered = "not covered"
        /// It is a rewrapped key of a field that commits to its content key.
        case rewrapped = "re-wrapped"
    }

    /// Which.
    package let field: CoveredField
    /// How it differs.
    package let difference: Difference

    init(_ field: CoveredField, _ difference: Difference) {
        self.field = field
        self.difference = difference
    }

    /// `userVideoString changed`.
    package var description: String { "\(field) \(difference.rawValue)" }
}
