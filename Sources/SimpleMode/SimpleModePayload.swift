// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// A simple-mode payload: the object with `userVideoString`, or a whole result that carries it as `simpleModeResult`.
///
/// It is scanned, never loaded: a payload of many gigabytes is opened in constant memory. A payload in a file may be
/// asked several times; one that comes through a pipe, once.
///
/// ```swift
/// let payload = SimpleModePayload(try FileSource(path: "payload.json"))
/// let report = try payload.openVideo(with: key, into: WholeFile(path: "video.mp4"))
/// ```
///
/// Opening proves that the content is intact and was sealed for ``OpenReport/orderNo``, never who sealed it: anyone
/// who has the public key can. Compare the order number with the one you expect.
public struct SimpleModePayload {
    /// At most so many threads work on a payload, the caller's included. `nil`, which it is at first, means what helps:
    /// one for content of up to four megabytes, else as many as there are cores that the process may use, up to
    /// ``Limits/automaticThreads``.
    ///
    /// A video that is sealed as `evidence-v2`, in a file of ours or in memory, is opened by all of them: each reads,
    /// decodes and decrypts parts of it. Else there is work for two, and the source is read on the caller's thread.
    /// The destination is written to from any of them, by one at a time.
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
    ///   - order: the order you expect the payload to be of; another one is refused. `nil` takes any: then look at the
    ///     report.
    ///   - keys: private keys, of which one is that of the public key the app was given. Each whose modulus is as long
    ///     as the wrapped key is asked once.
    ///   - destination: gets the video whole, or nothing. It is used up either way.
    /// - Throws: ``EvidenceError``. For everything that is wrong with the key or the sealed bytes it is
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

    /// Opens `userVideoString`, sealed as `evidence-v2` and nothing else, and hands out each chunk as soon as it is
    /// known to be authentic: before the rest was read, which may turn out damaged.
    ///
    /// What the destination got when this throws is **a verified beginning, not the whole**. Where the wrapped key or
    /// the order number comes after the video, all is checked first, as ``openVideo(of:with:into:)`` does.
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

    /// Takes out a video that was never sealed: the SDK was given no public key.
    ///
    /// Nothing protects such a video: whoever had the payload in hand may have put another one in. A payload whose
    /// video is sealed is refused.
    ///
    /// - Throws: ``EvidenceError``.
    public func extractPlainVideo(
        of order: OrderNumber? = nil, into destination: any ByteDestination
    ) throws(EvidenceError) -> OpenReport {
        try extract(.plainVideo, of: order, into: destination)
    }

    /// Takes out `userImageString`, the photo, which is never sealed.
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

    /// Writes the same payload for another key: `videoEncryptAESKey` is replaced, every other byte stays.
    ///
    /// A wrapped key that belongs to another order or field is never handed on. Of `evidence-v2` the commitment shows
    /// that it does not; a video that is sealed as `evidence-v1` is opened first, into nowhere, out of the bytes that
    /// are written.
    ///
    /// - Parameters:
    ///   - order: the order you expect the payload to be of, from your own records.
    ///   - oldKey: the key the payload can be opened with now.
    ///   - newKey: the key it shall be opened with.
    ///   - verifying: whether a video of `evidence-v2` is opened, too, so that damage is found.
    /// - Throws: ``EvidenceError``. For another order, and for everything that is wrong with the key or the sealed
    ///   bytes, it is `.cannotOpen`.
    public func rewrap(
        of order: OrderNumber, from oldKey: any DecryptionKey, to newKey: RSAPublicKey, verifying: Bool = false,
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        try rewrap(of: order, from: [oldKey], to: newKey, verifying: verifying, into: destination)
    }
}
