// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// Takes a payload in pieces, as they arrive, and extracts one field: all of it, or nothing.
///
/// An example: <doc:OpeningPayloads>.
///
/// Nothing of the field is visible before ``finish()``: content that cannot be passed on yet, because of the order of
/// the fields or the kind of destination, waits in a sealed spool. A receiver is for one payload and for one task at a
/// time; it may be handed to another (`sending`).
public final class PayloadReceiver<Report: Sendable>: ByteReceiver {
    private let extraction: FieldExtraction
    private let destination: any ByteDestination
    private let report: (OpenReport) -> Report
    private var reading: PayloadReading
    private var isSpent = false

    init(
        _ content: FieldExtraction.Content, of order: OrderNumber? = nil, into destination: any ByteDestination,
        _ manner: FieldExtraction.Manner = FieldExtraction.Manner(), _ report: @escaping (OpenReport) -> Report
    ) {
        extraction = FieldExtraction(content, of: order, into: destination, manner)
        reading = PayloadReading([extraction], extraFields: extraction.extraFields)
        self.destination = destination
        self.report = report
    }

    deinit { abandon() }

    /// Takes the next bytes of the payload.
    ///
    /// - Throws: ``EvidenceError``, as `openVideo(of:with:into:)` does; then the receiver is used
    ///   up and the destination abandoned. `.spent` after that.
    public func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try checkNotSpent()
        do throws(EvidenceError) { try reading.append(bytes) } catch { throw end(error) }
    }

    /// After the last byte: releases the field, if all of it is valid.
    ///
    /// - Throws: ``EvidenceError``, as ``append(_:)`` does.
    public func finish() throws(EvidenceError) -> Report { try finish(rereading: nil) }

    /// Abandons the work. What is finished stays.
    public func abandon() {
        if !isSpent { _ = end(.cannotOpen) }
    }

    /// Reads a source to its end, twice if the order of its fields requires it.
    func take(_ source: any ByteSource) throws(EvidenceError) -> Report {
        do throws(EvidenceError) {
            if source.isSeekable { try source.seek(to: 0) }
            var chunk: [UInt8] = []
            while try source.readChunk(&chunk) {
                try append(chunk.span)
                if let source = source as? any PositionedSource { try reading.run(through: source) }
            }
        } catch { throw end(error) }
        return try finish(rereading: source)
    }

    private func finish(rereading source: (any ByteSource)?) throws(EvidenceError) -> Report {
        try checkNotSpent()
        do throws(EvidenceError) {
            let found = try extraction.finish(reading.finish(), rereading: source)
            isSpent = true
            return report(found)
        } catch { throw end(error) }
    }

    private func checkNotSpent() throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, "the receiver takes one payload and has already received it") }
    }

    private func end(_ error: EvidenceError) -> EvidenceError {
        if isSpent { return error }
        isSpent = true
        let error = extraction.stop(for: error)
        destination.abandon()
        return error
    }
}

extension PayloadReceiver<OpenReport> {
    /// Opens `userVideoString`, as `openVideo(of:with:into:)` does.
    ///
    /// - Parameters:
    ///   - order: the order that is expected; `nil` to accept any.
    ///   - key: your private key.
    ///   - destination: gets the video.
    ///   - threads: the maximum, including the caller's; `nil` for as many as are useful.
    public static func video(
        of order: OrderNumber? = nil, with key: RSAPrivateKey, into destination: any ByteDestination,
        threads: Int? = 1
    ) -> PayloadReceiver {
        video(of: order, with: [key], into: destination, threads: threads)
    }

    /// The same with several keys, one of which belongs to the public key in the app.
    public static func video(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], into destination: any ByteDestination,
        threads: Int? = 1
    ) -> PayloadReceiver {
        make(.sealed(.video, FieldOpening(keys)), order, destination, threads)
    }

    /// Extracts a video that was never sealed, as ``SimpleModePayload/extractPlainVideo(of:into:)`` does.
    public static func plainVideo(
        of order: OrderNumber? = nil, into destination: any ByteDestination, threads: Int? = 1
    ) -> PayloadReceiver {
        make(.plainVideo, order, destination, threads)
    }

    /// Extracts `userImageString`, as ``SimpleModePayload/extractPhoto(of:into:)`` does.
    public static func photo(
        of order: OrderNumber? = nil, into destination: any ByteDestination, threads: Int? = 1
    ) -> PayloadReceiver {
        make(.photo, order, destination, threads)
    }

    private static func make(
        _ content: FieldExtraction.Content, _ order: OrderNumber?, _ destination: any ByteDestination, _ threads: Int?
    ) -> PayloadReceiver {
        PayloadReceiver(content, of: order, into: destination, FieldExtraction.Manner(threads: threads)) { $0 }
    }
}

extension PayloadReceiver<ProfileOpening> {
    /// Opens `userVideoString`, as `openVideo(of:with:sealedAs:iv:into:)` does.
    ///
    /// - Throws: ``EvidenceError``: `.profile` for an IV that is missing, unexpected or of the wrong length.
    public static func video(
        of order: OrderNumber? = nil, with key: RSAPrivateKey, sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination, threads: Int? = 1
    ) throws(EvidenceError) -> PayloadReceiver {
        try video(of: order, with: [key], sealedAs: profile, iv: iv, into: destination, threads: threads)
    }

    /// The same with several keys, one of which belongs to the public key in the app. Under PKCS#1 v1.5 it must
    /// be only one.
    ///
    /// - Throws: ``EvidenceError``: `.profile` for an IV that is missing, unexpected or of the wrong length.
    public static func video(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination, threads: Int? = 1
    ) throws(EvidenceError) -> PayloadReceiver {
        let opening = try destination.orAbandon { () throws(EvidenceError) in
            FieldOpening(keys, try Envelope(profile, iv: iv))
        }
        return PayloadReceiver(
            .sealed(.video, opening), of: order, into: destination, FieldExtraction.Manner(threads: threads)
        ) { ProfileOpening($0, profile) }
    }
}
