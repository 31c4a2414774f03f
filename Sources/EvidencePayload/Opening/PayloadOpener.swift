// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorDocuments
public import VendorTypes

/// Opens simple-mode payloads: the object with `userVideoString`, or a whole result that carries it as
/// `simpleModeResult`.
///
/// A payload is scanned, never loaded: one of many gigabytes is opened in constant memory. Nothing in a payload chooses
/// how it is opened: one opener has one format, and tries no other.
///
/// Opening proves that the content is intact and, where the tag covers the order, that it was sealed for
/// ``OpenReport/orderNo``; never who sealed it: anyone who has the public key can. Compare the order number with the
/// one you expect.
///
/// An example: <doc:OpeningPayloads>.
public struct PayloadOpener: Sendable {
    /// The maximum number of threads for a payload, including the caller's. `nil`, the default, means as many as are
    /// useful: one for content of up to four megabytes, else as many as there are cores that the process may use, up to
    /// `Limits.automaticThreads`.
    ///
    /// A video sealed as `evidence-v2`, in a regular file or in memory, is opened by all of them: each reads,
    /// decodes and decrypts parts of it. Otherwise there is work for two, and the source is read on the caller's
    /// thread. The destination is written from any of them, one at a time.
    public var threads: Int?
    /// The spellings that are read besides the vendor's common ones; by default those that the vendor documents for one
    /// platform, and none with `[]`. What was read so is in the report. A name that another reader could take for a
    /// field is refused whatever is accepted.
    public var repairs = DocumentRepair.Code.documented
    private let opening: FieldOpening

    /// Opens what is sealed as `evidence-v2`, and nothing else.
    ///
    /// - Parameter keys: private keys, one of which belongs to the public key in the app; for `identifyStr`, to that of
    ///   the comparing service. Each whose modulus is as long as the wrapped key is tried once.
    public init(_ keys: [any DecryptionKey]) {
        opening = FieldOpening(keys)
    }

    /// The same with one key.
    public init(_ key: any DecryptionKey) {
        self.init([key])
    }

    /// Opens what is sealed as a profile says, and nothing else.
    ///
    /// - Parameters:
    ///   - keys: private keys, one of which belongs to the public key in the app. Under PKCS#1 v1.5 there must be only
    ///     one.
    ///   - profile: how the payload is sealed.
    ///   - iv: the IV, for a profile whose IV the caller gives, and only then.
    ///   - coverage: the least that a tag must cover. What a profile's tag does not cover, anyone who handled the
    ///     payload may have changed or exchanged, and the order that you expect is compared with unprotected text:
    ///     accept it only where something else protects the payload.
    /// - Throws: ``EvidenceError``: `.profile` where the profile's tag covers less, and for an IV that is unexpected or
    ///   of the wrong length; `.iv` for one that is missing.
    public init(
        _ keys: [any DecryptionKey], sealedAs profile: Profile, iv: [UInt8]? = nil,
        accepting coverage: TagCoverage = .order
    ) throws(EvidenceError) {
        guard profile.tagCoverage >= coverage else {
            throw EvidenceError(
                .profile,
                profile.isAuthenticated
                    ? "the tag of \(profile.inWords) does not cover the order" : "\(profile.inWords) has no tag",
                hint: "where something else protects the payload, accept what the profile's tag covers")
        }
        opening = FieldOpening(keys, try Envelope(profile, iv: iv))
    }

    /// Opens a field of a payload in a file, in memory or from a pipe.
    ///
    /// A payload whose field is not sealed is refused; see ``UnsealedContent``.
    ///
    /// - Parameters:
    ///   - field: the video, or `identifyStr`, whatever its content.
    ///   - order: the order that you expect; a payload for another one is refused. `nil` accepts any: then look at the
    ///     report.
    ///   - source: the payload. One in a file can be used several times; one that comes through a pipe, once.
    ///   - destination: gets all of the content, or nothing. It is used up either way.
    /// - Throws: ``EvidenceError``. For any fault of the key or the sealed bytes it is `.cannotOpen`.
    @discardableResult
    public func open(
        _ field: SealedField = .video, of order: OrderNumber? = nil, from source: any ByteSource,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        let manner = FieldExtraction.Manner(threads: threads, canReread: source.isSeekable, accepting: repairs)
        return try PayloadReceiver(.sealed(field, opening), of: order, into: destination, manner).take(source)
    }

    /// Opens a video sealed as `evidence-v2`, and releases each chunk as soon as its tag is verified: before the rest
    /// was read, which may turn out to be damaged.
    ///
    /// What the destination got when this throws is **a verified beginning, not the whole**. Where the wrapped key or
    /// the order number comes after the video, everything is checked first, as `open(_:of:from:into:)` does.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - source: the payload.
    ///   - destination: gets the video, chunk by chunk.
    /// - Throws: ``EvidenceError``; `.profile` under another format, whose one tag is at the end.
    public func stream(
        of order: OrderNumber? = nil, from source: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try streamReceiver(of: order, into: destination).take(source)
    }

    /// Opens a video sealed as `evidence-v2` while it arrives, and releases each chunk as soon as its tag is verified,
    /// as `stream(of:from:into:)` does: on the thread that appends, and during that call.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - destination: gets the video, chunk by chunk.
    /// - Throws: ``EvidenceError`` (`.profile`) under another format, whose one tag is at the end.
    public func streamReceiver(
        of order: OrderNumber? = nil, into destination: any ByteDestination
    ) throws(EvidenceError) -> PayloadReceiver {
        let content = try destination.orAbandon { () throws(EvidenceError) in
            FieldExtraction.Request.sealed(.video, try chunked("be streamed"))
        }
        let manner = FieldExtraction.Manner(threads: 1, releasesChunks: true, accepting: repairs)
        return PayloadReceiver(content, of: order, into: destination, manner)
    }

    /// Opens a field of a payload while it arrives, as `open(_:of:from:into:)` does: an upload, a request's body. On
    /// the caller's thread alone, unless ``threads`` allows more.
    ///
    /// - Parameters:
    ///   - field: the video, or `identifyStr`.
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - destination: gets all of the content, or nothing.
    public func receiver(
        _ field: SealedField = .video, of order: OrderNumber? = nil, into destination: any ByteDestination
    ) -> PayloadReceiver {
        let manner = FieldExtraction.Manner(threads: threads ?? 1, accepting: repairs)
        return PayloadReceiver(.sealed(field, opening), of: order, into: destination, manner)
    }

    /// Reads any part of a video sealed as `evidence-v2`, without opening the rest.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - source: a file, or memory. It is read to its end once, and then where a part is.
    /// - Throws: ``EvidenceError``: `.noRanges` if a character of the video is written as a JSON escape, a repair of
    ///   texts is accepted, or the source is not seekable; `.profile` under another format; else as
    ///   `open(_:of:from:into:)`.
    public func parts(
        of order: OrderNumber? = nil, from source: any ByteSource
    ) throws(EvidenceError) -> SealedVideoReader {
        try SealedVideoReader(source, of: order, try chunked("be read in parts"), accepting: repairs)
    }

    /// The same of a file, with an index of it: a small file that keeps what was found, so that a later process need
    /// not read the document again (`docs/FORMATS.md` §8.4).
    ///
    /// The index is made where it is missing, and made anew where size, inode or times of the document are not those
    /// that it names; of a document that was written in the last three seconds none is made.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - source: the document.
    ///   - path: the index. Nobody else may have the right to write it: another one is not believed.
    /// - Throws: ``EvidenceError`` as `parts(of:from:)`; `.value` for another file than an index, or `.cannotWrite`.
    public func parts(
        of order: OrderNumber? = nil, from source: FileSource, indexedAt path: String
    ) throws(EvidenceError) -> SealedVideoReader {
        try SealedVideoReader(source, of: order, try chunked("be read in parts"), accepting: repairs, indexedAt: path)
    }

    /// Rewraps a payload of `evidence-v2` for another key: `videoEncryptAESKey` is replaced, and the hint `keyId`
    /// beside it is renewed or added; every other byte is kept, also of a text that only a repair reads.
    ///
    /// A wrapped key that belongs to another order or field is never passed on: the commitment shows that it does not.
    ///
    /// - Parameters:
    ///   - order: the order that you expect, from your own records.
    ///   - source: the payload.
    ///   - newKey: the key that will open it.
    ///   - verifying: whether the video is opened as well, to find damage.
    ///   - destination: gets the new payload.
    /// - Throws: ``EvidenceError``. For any fault of the key or the sealed bytes it is `.cannotOpen`; `.otherOrder`, or
    ///   `.missing` without an order; `.notSealed`; `.profile` under another format.
    public func rewrap(
        of order: OrderNumber, from source: any ByteSource, to newKey: RSAPublicKey, verifying: Bool = false,
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        try destination.orAbandon { () throws(EvidenceError) in
            var opening = try chunked("be rewrapped")
            opening.isCommitmentEnough = !verifying
            try Rewrapping(.video, of: order, opening, to: newKey, threads: threads, accepting: repairs).run(
                source, into: destination)
        }
    }

    private func chunked(_ act: String) throws(EvidenceError) -> FieldOpening {
        guard opening.envelope.profile.layout == .chunked else {
            throw EvidenceError(.profile, "only \(Profile.evidenceV2.name) can \(act)")
        }
        return opening
    }
}
