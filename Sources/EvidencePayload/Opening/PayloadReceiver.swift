// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
internal import Recognition
internal import VendorTypes

/// Takes a payload in pieces, as they arrive, and extracts one field: all of it, or nothing.
///
/// An example: <doc:OpeningPayloads>.
///
/// Nothing of the field is visible before ``finish()``, unless ``PayloadOpener/streamReceiver(of:into:)`` made the
/// receiver: content that cannot be passed on yet, because of the order of the fields or the kind of destination,
/// waits in a sealed spool. A receiver is for one payload and for one task at a time; it may be handed to another
/// (`sending`).
public final class PayloadReceiver: ByteReceiver {
    private let extraction: FieldExtraction
    private let destination: any ByteDestination
    private var reading: PayloadReading
    private var isSpent = false

    init(
        _ content: FieldExtraction.Request, of order: OrderNumber? = nil, into destination: any ByteDestination,
        _ manner: FieldExtraction.Manner
    ) {
        extraction = FieldExtraction(content, of: order, into: destination, manner)
        reading = PayloadReading(
            [extraction], extraFields: extraction.extraFields, spelling: extraction.spelling)
        self.destination = destination
    }

    deinit { abandon() }

    /// What the field is instead of bytes in its encoding, where that shows.
    var form: FieldForm? { extraction.form }

    /// Takes the next bytes of the payload.
    ///
    /// - Throws: ``EvidenceError``, as ``PayloadOpener/open(_:of:from:into:)`` does; then the receiver is used
    ///   up and the destination abandoned. `.spent` after that.
    public func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try checkNotSpent()
        do throws(EvidenceError) { try reading.append(bytes) } catch { throw end(error) }
    }

    /// After the last byte: releases the field, if all of it is valid.
    ///
    /// - Throws: ``EvidenceError``, as ``append(_:)`` does.
    public func finish() throws(EvidenceError) -> OpenReport { try finish(rereading: nil) }

    /// Abandons the work. What is finished stays.
    public func abandon() {
        if !isSpent { _ = end(.cannotOpen) }
    }

    /// Reads a source to its end, twice if the order of its fields requires it.
    func take(_ source: any ByteSource) throws(EvidenceError) -> OpenReport {
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

    private func finish(rereading source: (any ByteSource)?) throws(EvidenceError) -> OpenReport {
        try checkNotSpent()
        do throws(EvidenceError) {
            let report = try extraction.finish(reading.finish(), rereading: source)
            isSpent = true
            return report
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
