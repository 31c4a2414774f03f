internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

/// Gets one field out of a payload: whole, or not at all.
///
/// One pass does it when the payload has its fields in our own order and the destination withholds what it gets.
/// Otherwise the characters of the field are read again: from the payload where that is a file and the destination
/// withholds, else from a spool of our own. Bytes for a destination that does not withhold are checked to the end
/// before the first is written, and only a spool cannot change in between; they are checked while they are spooled,
/// when the payload's order of fields lets them be.
final class FieldExtraction: FieldTap {
    /// What is wanted.
    enum Want {
        case sealed(SealedField, FieldOpening)
        case plainVideo
        case photo
    }

    let field: PayloadField
    private let want: Want
    private let expectedOrder: OrderNumber?
    private let source: any ByteSource
    private let destination: any ByteDestination
    private let threads: Int?
    private var reader: (any FieldReader)?
    private var spool: SealedSpool?

    /// - Parameter threads: at most so many are at work; `nil` for what helps.
    init(
        _ want: Want, order: OrderNumber? = nil, from source: any ByteSource, into destination: any ByteDestination,
        threads: Int?
    ) {
        self.want = want
        self.threads = threads
        expectedOrder = order
        self.source = source
        self.destination = destination
        field =
            switch want {
            case .sealed(let field, _): field.content
            case .plainVideo: .userVideoString
            case .photo: .userImageString
            }
    }

    /// Does it.
    func run() throws(EvidenceError) -> OpenReport {
        do throws(EvidenceError) { return try extract() } catch { throw stop(for: error) }
    }

    /// Ends the work because of an error.
    ///
    /// - Returns: the error to report.
    func stop(for error: EvidenceError) -> EvidenceError { reader?.stop(for: error) ?? error }

    private func extract() throws(EvidenceError) -> OpenReport {
        let index = try PayloadScan.run(source, taps: [self], extraFields: .named(envelope?.profile.extraFields ?? []))
        // Everything that is wrong with the payload as a whole is said before its sealed content is judged.
        try index.check()
        return try finish(index)
    }

    /// Does what is left once the whole payload was scanned.
    func finish(_ index: PayloadIndex) throws(EvidenceError) -> OpenReport {
        let value = try value(in: index)
        let order = try index.orderNumber()
        guard expectedOrder == nil || expectedOrder == order else {
            throw EvidenceError(
                .otherOrder, "the payload is not of the expected order",
                hint: "look at its orderNo, and at where you have the payload from")
        }
        // The first reading, where there was one: into the destination, or only to check what went to the spool.
        var byteCount = try reader?.finish(detachedTag: envelope?.detachedTag(index))
        if byteCount == nil && !destination.isWithheldUntilFinished {
            _ = try read(value, index, into: DiscardingDestination())
        }
        if byteCount == nil || spool != nil { byteCount = try read(value, index, into: destination) }
        try destination.complete()
        return OpenReport(orderNo: order, byteCount: byteCount ?? 0)
    }

    // MARK: - While the payload is scanned

    func begin(_ index: PayloadIndex) throws(EvidenceError) -> Bool {
        guard reader == nil && spool == nil else {
            _ = try value(in: index)
            throw EvidenceError(.ambiguous, "\(field.rawValue) occurs twice")
        }
        let isReadable = try isReadable(index)
        if destination.isWithheldUntilFinished {
            if isReadable {
                reader = try makeReader(index, into: destination)
                return true
            }
            if source.isSeekable { return false }
        }
        // Two fields may be spooled at a time, and a statement is short.
        let isStatement = field == .identifyStr
        spool = SealedSpool(memoryLimit: isStatement ? Limits.shortSpoolMemoryBytes : Limits.spoolMemoryBytes)
        // What goes to the spool is checked on its way, where that can be.
        if isReadable && !destination.isWithheldUntilFinished {
            reader = try makeReader(index, into: DiscardingDestination())
        }
        return true
    }

    func append(_ text: Span<UInt8>) throws(EvidenceError) {
        try reader?.append(text)
        try spool?.put(text)
    }

    /// Whether all that is needed to read the field has come before it.
    private func isReadable(_ index: PayloadIndex) throws(EvidenceError) -> Bool {
        switch want {
        case .sealed(let field, let opening):
            guard try index.wrappedKey(of: field) != nil else { return false }
            let profile = opening.envelope.profile
            if profile.aad != .none, try index.orderNumber() == nil { return false }
            if case .field(let name) = profile.iv { return try index.extra(name) != nil }
            return true
        // A wrapped key that comes later is found by `value(in:)`, before anything is released.
        case .plainVideo, .photo: return true
        }
    }

    // MARK: - After it

    /// The field, if the payload has it in the form that was asked for.
    private func value(in index: PayloadIndex) throws(EvidenceError) -> PayloadIndex.Value {
        switch want {
        case .photo: try index.plainPhoto()
        case .plainVideo: try index.plainVideo()
        case .sealed(let field, _): try index.sealedContent(of: field)
        }
    }

    private func makeReader(
        _ index: PayloadIndex, into destination: any ByteDestination
    ) throws(EvidenceError) -> any FieldReader {
        guard case .sealed(let field, let opening) = want else {
            return PlainFieldReader(self.field, into: destination, threads: threads)
        }
        guard let wrappedKey = try index.wrappedKey(of: field) else {
            throw index.noContent(field.wrappedKey)
        }
        return try SealedFieldReader(
            field, in: index, wrappedKey: wrappedKey, opening, into: destination, threads: threads)
    }

    /// How the field is sealed, where it is.
    private var envelope: Envelope? {
        guard case .sealed(_, let opening) = want else { return nil }
        return opening.envelope
    }

    /// Reads the field's characters a first or second time.
    private func read(
        _ value: PayloadIndex.Value, _ index: PayloadIndex, into destination: any ByteDestination
    ) throws(EvidenceError) -> UInt64 {
        let reader = try makeReader(index, into: destination)
        // Where it fails, `run()` stops it.
        self.reader = reader
        if let spool {
            try spool.complete()
            try spool.forEachChunk { text throws(EvidenceError) in
                try reader.append(text)
                return true
            }
        } else {
            try PayloadScan.readString(source, at: value.range) { text throws(EvidenceError) in
                try reader.append(text)
            }
        }
        return try reader.finish(detachedTag: envelope?.detachedTag(index))
    }
}
