public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

extension SimpleModePayload {
    /// Opens `userVideoString`, sealed as a profile says.
    ///
    /// - Parameters:
    ///   - order: the order you expect the payload to be of; another one is refused. `nil` takes any.
    ///   - key: the private key of the public key the app was given.
    ///   - profile: how the payload is sealed; no other way is tried.
    ///   - iv: the IV, for a profile whose IV is ``Profile/IVSource/caller``, and only then.
    ///   - destination: gets the video whole, or nothing.
    /// - Returns: what came out, and whether anything proves that it is what was sealed. That is a question of the
    ///   profile; the answer has to be taken apart so that nobody passes it by.
    /// - Throws: ``EvidenceError``: `.profile` for an IV that is missing, not wanted or of another length. For
    ///   everything that is wrong with the key or the sealed bytes it is `.cannotOpen`.
    public func openVideo(
        of order: OrderNumber? = nil, with key: RSAPrivateKey, sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        try open(.video, of: order, with: key, sealedAs: profile, iv: iv, into: destination)
    }

    func open(
        _ field: SealedField, of order: OrderNumber?, with key: RSAPrivateKey, sealedAs profile: Profile, iv: [UInt8]?,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        let envelope = try Envelope(profile, iv: iv)
        let report = try extract(.sealed(field, FieldOpening(key, envelope)), of: order, into: destination)
        return profile.isAuthenticated
            ? .authenticated(report)
            : .unauthenticated(UnauthenticatedReport(claimedOrderNo: report.orderNo, byteCount: report.byteCount))
    }

    /// Writes the same payload for another key, as ``rewrap(from:to:into:)`` does, under a profile that wraps with
    /// OAEP.
    ///
    /// - Throws: ``EvidenceError``: `.profile` for PKCS#1 v1.5, which does not show whether the old key is right.
    public func rewrap(
        from oldKey: RSAPrivateKey, to newKey: RSAPublicKey, sealedAs profile: Profile,
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        try rewrap(from: oldKey, to: newKey, profile, into: destination)
    }
}

/// What came out of a payload that was opened under a profile.
public enum ProfileOpening: Equatable, Sendable {
    /// The tag was right: the content is what was sealed.
    case authenticated(OpenReport)
    /// The profile has no tag: nothing proves that the content was not altered.
    case unauthenticated(UnauthenticatedReport)
}

/// What came out of a payload whose profile has no tag.
///
/// The key fitted and the padding at the end was right, no more: about one wrong key in 256 gets as far. Whoever had
/// the payload in hand may have altered the content without knowing any key.
public struct UnauthenticatedReport: Equatable, Sendable {
    /// The order number in the payload, where there is one. Nothing ties the content to it.
    public let claimedOrderNo: OrderNumber?
    /// How many bytes went to the destination.
    public let byteCount: UInt64
}
