// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// A simple-mode payload: the object with `userVideoString`, or a whole result that carries it as `simpleModeResult`.
///
/// It is scanned, never loaded: a payload of many gigabytes is opened in constant memory. A payload in a file can be
/// used several times; one that comes through a pipe, once.
///
/// An example: <doc:OpeningPayloads>.
///
/// Opening proves that the content is intact and was sealed for ``OpenReport/orderNo``, never who sealed it: anyone
/// who has the public key can. Compare the order number with the one you expect.
public struct SimpleModePayload {
    /// The maximum number of threads for a payload, including the caller's. `nil`, the default, means as many as are
    /// useful: one for content of up to four megabytes, else as many as there are cores that the process may use, up to
    /// ``Limits/automaticThreads``.
    ///
    /// A video sealed as `evidence-v2`, in a regular file or in memory, is opened by all of them: each reads,
    /// decodes and decrypts parts of it. Otherwise there is work for two, and the source is read on the caller's
    /// thread. The destination is written from any of them, one at a time.
    public var threads: Int?
    let source: any ByteSource

    /// A payload to be read from `source`.
    public init(_ source: any ByteSource) {
        self.source = source
    }

    /// Opens `userVideoString`, sealed as `evidence-v2` or as `evidence-v1`: the wrapped key says which of the two.
    ///
    /// A payload whose video is not sealed is refused; see ``extractPlainVideo(of:into:)``.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; a payload for another one is refused. `nil` accepts any: then look at the
    ///     report.
    ///   - keys: private keys, one of which belongs to the public key in the app. Each whose modulus is as long
    ///     as the wrapped key is tried once.
    ///   - destination: gets all of the video, or nothing. It is used up either way.
    /// - Throws: ``EvidenceError``. For any fault of the key or the sealed bytes it is
    ///   `.cannotOpen`.
    public func openVideo(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try extract(.sealed(.video, FieldOpening(keys)), of: order, into: destination)
    }

    /// The same with one key.
    ///
    /// - Throws: ``EvidenceError``.
    public func openVideo(
        of order: OrderNumber? = nil, with key: any DecryptionKey, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try openVideo(of: order, with: [key], into: destination)
    }

    /// Opens `userVideoString`, sealed as `evidence-v2` and nothing else, and releases each chunk as soon as its
    /// tag is verified: before the rest was read, which may turn out to be damaged.
    ///
    /// What the destination got when this throws is **a verified beginning, not the whole**. Where the wrapped key or
    /// the order number comes after the video, everything is checked first, as `openVideo(of:with:into:)` does.
    ///
    /// - Throws: ``EvidenceError``.
    public func streamVideo(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        let manner = FieldExtraction.Manner(threads: 1, releasesChunks: true)
        return try PayloadReceiver(
            .sealed(.video, FieldOpening(keys, .evidenceV2)), of: order, into: destination, manner
        ) { $0 }.take(source)
    }

    /// Extracts a video that was never sealed because the SDK was given no public key.
    ///
    /// Nothing protects such a video: anyone who handled the payload may have replaced it. A payload whose
    /// video is sealed is refused.
    ///
    /// - Throws: ``EvidenceError``.
    public func extractPlainVideo(
        of order: OrderNumber? = nil, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try extract(.plainVideo, of: order, into: destination)
    }

    /// Extracts `userImageString`, the photo, which is never sealed.
    ///
    /// - Throws: ``EvidenceError``.
    public func extractPhoto(
        of order: OrderNumber? = nil, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try extract(.photo, of: order, into: destination)
    }

    func extract(
        _ content: FieldExtraction.Content, of order: OrderNumber?, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        let manner = FieldExtraction.Manner(threads: threads, canReread: source.isSeekable)
        return try PayloadReceiver(content, of: order, into: destination, manner) { $0 }.take(source)
    }

    /// Rewraps the payload for another key: `videoEncryptAESKey` is replaced, every other byte is kept.
    ///
    /// A wrapped key that belongs to another order or field is never passed on. For `evidence-v2`, the commitment shows
    /// that it does not; a video sealed as `evidence-v1` is opened first, discarding its content, from the bytes that
    /// are written.
    ///
    /// - Parameters:
    ///   - order: the order that you expect, from your own records.
    ///   - oldKey: the key that opens the payload now.
    ///   - newKey: the key that will open it.
    ///   - verifying: whether a video of `evidence-v2` is opened as well, to find damage.
    ///   - destination: gets the new payload.
    /// - Throws: ``EvidenceError``. For another order, and for any fault of the key or the sealed
    ///   bytes, it is `.cannotOpen`.
    public func rewrap(
        of order: OrderNumber, from oldKey: any DecryptionKey, to newKey: RSAPublicKey, verifying: Bool = false,
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        try rewrap(of: order, from: [oldKey], to: newKey, verifying: verifying, into: destination)
    }
}
