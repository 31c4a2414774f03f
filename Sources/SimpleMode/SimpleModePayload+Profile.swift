// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

extension SimpleModePayload {
    /// Opens `userVideoString`, sealed as a profile says.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; a payload for another one is refused. `nil` accepts any. Unless the
    ///     profile's tag covers the order (``Profile/coversOrder``), it is only compared with the text of `orderNo`.
    ///   - keys: private keys, one of which belongs to the public key in the app. Under PKCS#1 v1.5 there must be
    ///     only one.
    ///   - profile: how the payload is sealed; no other way is tried.
    ///   - iv: the IV, for a profile whose IV is ``Profile/IVSource/caller``, and only then.
    ///   - destination: gets all of the video, or nothing.
    /// - Returns: the outcome, and whether anything proves that the content is what was sealed. That depends on the
    ///   profile; it is an enum, so that callers cannot overlook it.
    /// - Throws: ``EvidenceError``: `.profile` for an IV that is missing, unexpected or of the wrong length. For
    ///   any fault of the key or the sealed bytes it is `.cannotOpen`.
    public func openVideo(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        try open(.video, of: order, with: keys, sealedAs: profile, iv: iv, into: destination)
    }

    /// The same with one key.
    ///
    /// - Throws: ``EvidenceError``.
    public func openVideo(
        of order: OrderNumber? = nil, with key: any DecryptionKey, sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        try openVideo(of: order, with: [key], sealedAs: profile, iv: iv, into: destination)
    }

    func open(
        _ field: SealedField, of order: OrderNumber?, with keys: [any DecryptionKey], sealedAs profile: Profile,
        iv: [UInt8]?,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        let envelope = try Envelope(profile, iv: iv)
        return ProfileOpening(
            try extract(.sealed(field, FieldOpening(keys, envelope)), of: order, into: destination), profile)
    }

    /// Writes the same payload for another key, as ``rewrap(of:from:to:verifying:into:)`` does, with several old keys,
    /// or under a profile whose tag covers the order number (``Profile/coversOrder``). For other profiles, open the
    /// payload, and seal its content for the new key.
    ///
    /// - Parameters:
    ///   - order: the order that the payload must be of.
    ///   - oldKeys: private keys, one of which fits the payload.
    ///   - newKey: the public key to wrap for.
    ///   - profile: how the payload is sealed; `nil` for either of the toolkit's own formats.
    ///   - iv: the IV, for a profile whose IV is ``Profile/IVSource/caller``, and only then.
    ///   - verifying: whether a video of `evidence-v2` is opened as well, to find damage.
    ///   - destination: gets the new payload.
    /// - Throws: ``EvidenceError``: `.profile` where no tag covers the order, and for an IV that is missing, not
    ///   wanted or of another length.
    public func rewrap(
        of order: OrderNumber, from oldKeys: [any DecryptionKey], to newKey: RSAPublicKey,
        sealedAs profile: Profile? = nil, iv: [UInt8]? = nil, verifying: Bool = false,
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        try destination.orAbandon { () throws(EvidenceError) in
            let envelope = try profile.map { profile throws(EvidenceError) in try Envelope(profile, iv: iv) }
            var opening = FieldOpening(oldKeys, envelope)
            opening.isCommitmentEnough = !verifying
            try Rewrapping(.video, of: order, opening, to: newKey, threads: threads)
                .run(source, into: destination)
        }
    }
}
