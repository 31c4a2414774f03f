// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import Recognition
package import VendorDocuments
package import VendorTypes

/// Extracts one field of a payload: all of it, or nothing.
///
/// One pass suffices when the payload has its fields in our own order and the destination withholds what it gets.
/// Otherwise the characters of the field are needed again: ``rereading(_:)`` asks for them where the payload is a file
/// and the destination withholds, else they come from a spool of our own. Bytes for a destination that does not
/// withhold are checked to the end before the first is written, and only a spool cannot change meanwhile: it holds the
/// opened content, or the characters where what opens them comes later.
package final class FieldExtraction {
    /// The request.
    package enum Request {
        case sealed(SealedField, FieldOpening)
        case plainVideo
        case photo
    }

    /// How it is carried out.
    package struct Manner {
        /// The maximum number of threads; `nil` for as many as are useful.
        var threads: Int?
        /// Whether the payload can be read again.
        var canReread = false
        /// Whether faults of the field are reported only by ``finish(_:)``, because other fields are read as well.
        var waits = false
        /// What is read as the vendor's spelling.
        let spelling: PayloadSpelling
        /// The findings of an earlier reading of the same payload.
        var index: PayloadIndex?
        /// Whether the destination gets each chunk of `evidence-v2` as soon as its tag is verified, though others
        /// may see it there and the rest may turn out to be damaged.
        var releasesChunks = false
        /// The repairs of the field's text, and of its wrapped key's.
        package let repairs: Set<TextRepair>

        package init(
            threads: Int? = nil, canReread: Bool = false, waits: Bool = false, index: PayloadIndex? = nil,
            releasesChunks: Bool = false,
            accepting repairs: Set<DocumentRepair.Code> = DocumentRepair.Code.documented
        ) {
            spelling = PayloadSpelling(accepting: repairs)
            self.repairs = TextRepair.named(in: repairs)
            self.threads = threads
            self.canReread = canReread
            self.waits = waits
            self.index = index
            self.releasesChunks = releasesChunks
        }
    }

    /// The field it is in.
    package let name: PayloadField
    private let content: Request
    private let manner: Manner
    private let expectedOrder: OrderNumber?
    private let destination: any ByteDestination
    private var reader: FieldReader?
    /// The text, where what opens it comes later.
    private var spool: SealedSpool?
    /// The content, until its tag was checked, for a destination that withholds nothing.
    private var held: SealedSpool?
    private var failure: EvidenceError?
    /// The beginning of the field, by which it is named if it is refused.
    private var beginning = TextBeginning()
    /// What it was found to be: a refusal passes several places that name it, and looking takes as long as opening.
    private var recognised: (beginning: TextBeginning, form: FieldForm?)?
    /// A fault of its text, until enough of that has passed to say what it is.
    private var fault: EvidenceError?
    /// Repairs the field's text, if it is to be repaired.
    private var cleaner: TextCleaner?

    package init(
        _ content: Request, of order: OrderNumber? = nil, into destination: any ByteDestination, _ manner: Manner
    ) {
        self.content = content
        self.manner = manner
        expectedOrder = order
        self.destination = destination
        cleaner = manner.repairs.isEmpty ? nil : TextCleaner(manner.repairs)
        name =
            switch content {
            case .sealed(let field, _): field.content
            case .plainVideo: .userVideoString
            case .photo: .userImageString
            }
    }

    /// The payload may turn out to be unreadable meanwhile.
    deinit { _ = reader?.stop(for: .cannotOpen) }

    /// What is read as the vendor's spelling.
    var spelling: PayloadSpelling { manner.spelling }

    /// The additional fields to keep for it.
    package var extraFields: ExtraFields { .named(envelope?.profile.extraFields ?? []) }

    /// Ends the work because of an error.
    ///
    /// - Returns: the error to report.
    package func stop(for error: EvidenceError) -> EvidenceError {
        let error = fault.map(named) ?? error
        let reported = reader?.stop(for: error) ?? error
        return reported.code == .cannotOpen ? named(reported) : reported
    }

    /// What the field is instead of bytes in its encoding, where that shows.
    package var form: FieldForm? {
        if let recognised, recognised.beginning == beginning { return recognised.form }
        let form = beginning.form(insteadOf: encoding)
        recognised = (beginning, form)
        return form
    }

    private var encoding: TextEncoding { envelope?.profile.encodings.content ?? .base64 }

    /// The video that the bytes are as they stand.
    private var visibleVideo: FieldForm? { beginning.visibleVideo(insteadOf: encoding) }

    /// The refusal to open what was never sealed. Without a tag, opening it would make noise of it.
    private var unsealed: EvidenceError? {
        guard case .sealed(let field, _) = content else { return nil }
        return beginning.unsealed(field, insteadOf: encoding)
    }

    private func named(_ error: EvidenceError) -> EvidenceError {
        if [.cannotOpen, .length].contains(error.code), let unsealed { return unsealed }
        // What is encoded inside opened content is no text of the field.
        guard error.code != .base64 || error.path == name.name else { return error }
        return error.naming(
            beginning, form, in: name.name, repairableTo: encoding, after: manner.repairs,
            hadBlanks: cleaner?.hadBlanks ?? false)
    }

    /// Throws what was found before.
    private func checkFault() throws(EvidenceError) {
        if let failure { throw failure }
        if let fault { throw stop(for: fault) }
    }

    // MARK: - While the payload passes

    /// The field begins. `index` is what came before it.
    func begin(_ index: PayloadIndex) throws(EvidenceError) {
        do throws(EvidenceError) { try start(manner.index ?? index) } catch { try fail(error) }
    }

    /// Once the field has begun: whether its characters are needed again, because what opens it comes later.
    var isReadTwice: Bool { reader == nil && spool == nil && failure == nil }

    /// Takes the next characters, unescaped.
    func append(_ text: Span<UInt8>) throws(EvidenceError) {
        guard let cleaner else { return try take(text) }
        var repaired: [UInt8] = []
        cleaner.append(text, to: &repaired)
        try take(repaired.span)
    }

    /// After the last character: what a repair held back.
    private func endText() throws(EvidenceError) {
        var repaired: [UInt8] = []
        cleaner?.finish(to: &repaired)
        try take(repaired.span)
    }

    /// The same, for a report.
    private func textRepairs(_ index: PayloadIndex) throws(EvidenceError) -> [DocumentRepair] {
        var found = try repairs(appliedRepairs, of: name, at: value(in: index), index)
        if let key = try repairedKey(index) { found += try repairs(key.applied, of: key.name, at: key.value, index) }
        return found
    }

    /// The field's wrapped key, where a repair changed something in it.
    package func repairedKey(
        _ index: PayloadIndex
    ) throws(EvidenceError) -> (name: PayloadField, value: PayloadIndex.Value, applied: Set<TextRepair>)? {
        guard case .sealed(let field, _) = content, !manner.repairs.isEmpty,
            let value = try index.value(field.wrappedKey)
        else { return nil }
        let applied = TextCleaner.clean(value.text, manner.repairs).applied
        return applied.isEmpty ? nil : (field.wrappedKey, value, applied)
    }

    private func repairs(
        _ applied: Set<TextRepair>, of name: PayloadField, at value: PayloadIndex.Value, _ index: PayloadIndex
    ) throws(EvidenceError) -> [DocumentRepair] {
        if applied.isEmpty { return [] }
        let isInside = try index.payloadObject() == .simpleModeResult ? index.value(name) != nil : false
        let path = (isInside ? "$.\(FieldName.simpleModeResult)." : "$.") + name.name
        return DocumentRepair.repairs(applied, at: path, offset: value.range.lowerBound - 1)
    }

    /// The repairs that were asked for.
    package var madeRepairs: Set<TextRepair> { manner.repairs }

    /// The repairs that changed something.
    package var appliedRepairs: Set<TextRepair> { cleaner?.applied ?? [] }

    private func take(_ text: Span<UInt8>) throws(EvidenceError) {
        if failure != nil || text.isEmpty { return }
        let wasFull = beginning.isFull
        beginning.append(text)
        // What is released at once is looked at first.
        if releasesChunks, !wasFull, beginning.isFull, let unsealed { return try fail(unsealed) }
        if let fault {
            if isDecided(fault) { try fail(fault) }
            return
        }
        do throws(EvidenceError) {
            switch reader {
            case .sealed(let reader)?: try reader.append(text)
            case .chunked(let reader)?: try reader.append(text)
            case .plain(let reader)?: try reader.append(text)
            case nil: break
            }
            try spool?.write(text)
        } catch {
            guard error.code == .base64 || error.code == .hex, !isDecided(error) else { return try fail(named(error)) }
            fault = error
        }
    }

    /// Whether more of the text would change nothing about how a fault in it is named.
    private func isDecided(_ fault: EvidenceError) -> Bool {
        beginning.isFull && fault.offset.flatMap { beginning.end(from: $0) } == nil
    }

    /// How many characters are to pass before a run could begin, see ``ChunkedFieldReader/charactersToRun(of:)``.
    func charactersToRun(of rest: UInt64) -> UInt64? {
        guard case .chunked(let reader)? = reader, spool == nil && failure == nil && cleaner == nil else {
            return nil
        }
        return reader.charactersToRun(of: rest)
    }

    /// Reads directly from a source, see ``ChunkedFieldReader/run(through:from:of:)``.
    func run(
        through source: any PositionedSource, from offset: UInt64, of size: UInt64
    ) throws(EvidenceError) -> UInt64 {
        guard case .chunked(let reader)? = reader, spool == nil && failure == nil && cleaner == nil else { return 0 }
        do throws(EvidenceError) {
            let count = try reader.run(through: source, from: offset, of: size)
            beginning.skip(count)
            return count
        } catch {
            try fail(error)
            return 0
        }
    }

    private func start(_ index: PayloadIndex) throws(EvidenceError) {
        guard reader == nil && spool == nil else {
            _ = try value(in: index)
            throw EvidenceError(.ambiguous, "\(name.name) occurs twice")
        }
        // A payload known to be for another order is not opened, let alone released. An order that comes later is
        // checked then.
        if try index.orderNumber() != nil { try checkOrder(index) }
        let isReadable = try isReadable(index)
        if destination.isWithheldUntilFinished || releasesChunks {
            if isReadable {
                reader = try makeReader(index, into: destination)
                return
            }
            if manner.canReread && destination.isWithheldUntilFinished { return }
        }
        // Two fields may be spooled at a time, and a statement is short.
        let spool = SealedSpool(
            memoryLimit: name == .identifyStr ? Limits.shortSpoolMemoryBytes : Limits.spoolMemoryBytes)
        if isReadable {
            held = spool
            reader = try makeReader(index, into: spool)
        } else {
            self.spool = spool
        }
    }

    private func fail(_ error: EvidenceError) throws(EvidenceError) {
        let error = stop(for: error)
        failure = error
        if !manner.waits { throw error }
    }

    /// Whether everything needed to read the field has come before it.
    private func isReadable(_ index: PayloadIndex) throws(EvidenceError) -> Bool {
        switch content {
        case .sealed(let field, let opening):
            guard try index.wrappedKey(of: field) != nil else { return false }
            let profile = opening.envelope.profile
            if profile.coversOrder, try index.orderNumber() == nil { return false }
            if case .field(let name) = profile.iv { return try index.extra(name) != nil }
            return true
        // A wrapped key that comes later is found by `value(in:)`, before anything is released.
        case .plainVideo, .photo: return true
        }
    }

    // MARK: - After it

    /// The range of the field's characters, if they must be passed to ``append(_:)`` once more before ``finish(_:)``.
    func rereading(_ index: PayloadIndex) throws(EvidenceError) -> Range<UInt64>? {
        try checkFault()
        let value = try value(in: index)
        try checkOrder(index)
        guard reader == nil && spool == nil else { return nil }
        if cleaner != nil { cleaner = TextCleaner(manner.repairs) }
        reader = try makeReader(index, into: destination)
        return value.range
    }

    /// Does the rest once the whole payload was scanned.
    package func finish(_ index: PayloadIndex) throws(EvidenceError) -> OpenReport {
        try checkFault()
        _ = try value(in: index)
        try checkOrder(index)
        let tag = try envelope?.detachedTag(index)
        try endText()
        try checkFault()
        var byteCount = try reader.map { reader throws(EvidenceError) in try end(reader, tag) }
        if let spool = spool.take() {
            try spool.finish()
            if !destination.isWithheldUntilFinished {
                _ = try read(spool, index, tag, into: DiscardingDestination())
            }
            byteCount = try read(spool, index, tag, into: destination)
        }
        if let held = held.take() {
            try held.finish()
            try held.forEachChunk { chunk throws(EvidenceError) in
                try destination.write(chunk)
                return true
            }
        }
        try destination.finish()
        return OpenReport(
            orderNo: try index.orderNumber(), byteCount: byteCount ?? 0, tag: envelope?.profile.tagCoverage ?? .none,
            repairs: try index.repairs + textRepairs(index))
    }

    /// Finishes, with a source to read from again if needed.
    ///
    /// - Parameters:
    ///   - source: the source of the payload; `nil` if it was passed in pieces.
    ///   - text: the digest of the field's characters in the first reading. A second reading must have the same, so
    ///     that what is opened is what was checked.
    package func finish(
        _ index: PayloadIndex, rereading source: (any ByteSource)?, expecting text: ContentDigest? = nil
    ) throws(EvidenceError) -> OpenReport {
        if let range = try rereading(index), let source {
            var digester: ContentDigester? = text == nil ? nil : try ContentDigester()
            try source.forEachRun(ofStringAt: range) { run throws(EvidenceError) in
                digester?.append(run)
                try append(run)
            }
            if let digester = digester.take(), try digester.finalize() != text {
                throw EvidenceError(.changed, "the document changed after it was read")
            }
        }
        return try finish(index)
    }

    private func read(
        _ spool: SealedSpool, _ index: PayloadIndex, _ tag: [UInt8]?, into destination: any ByteDestination
    ) throws(EvidenceError) -> UInt64 {
        let reader = try makeReader(index, into: destination)
        self.reader = reader
        spool.seek(to: 0)
        var chunk: [UInt8] = []
        while failure == nil, try spool.readChunk(&chunk) { try take(chunk.span) }
        try checkFault()
        return try end(reader, tag)
    }

    private func end(_ reader: FieldReader, _ tag: [UInt8]?) throws(EvidenceError) -> UInt64 {
        if let unsealed { throw unsealed }
        do throws(EvidenceError) { return try reader.finish(detachedTag: tag) } catch { throw named(error) }
    }

    private func checkOrder(_ index: PayloadIndex) throws(EvidenceError) {
        guard let expectedOrder else { return }
        guard try Envelope.required(index.orderNumber()) == expectedOrder else { throw .otherOrder }
    }

    /// The field, if the payload has it in the requested form.
    private func value(in index: PayloadIndex) throws(EvidenceError) -> PayloadIndex.Value {
        switch content {
        case .photo: try index.plainPhoto()
        case .plainVideo: try index.plainVideo(isVisible: visibleVideo != nil)
        case .sealed(let field, _): try index.sealedContent(of: field)
        }
    }

    private func makeReader(
        _ index: PayloadIndex, into destination: any ByteDestination
    ) throws(EvidenceError) -> FieldReader {
        beginning = TextBeginning()
        switch content {
        case .plainVideo, .photo:
            return .plain(PlainFieldReader(name, into: destination, threads: manner.threads))
        case .sealed(let field, let opening):
            return try opening.reader(
                of: field, in: index, into: destination, atOnce: releasesChunks, threads: manner.threads,
                repairing: manner.repairs)
        }
    }

    /// Never for a field in one piece, whose tag comes last.
    private var releasesChunks: Bool { manner.releasesChunks && isChunked }

    /// Lends the bytes that were wrapped for a field of `evidence-v2` that opened; does nothing for any other.
    package func withUnwrappedKey(_ body: (Span<UInt8>) throws(EvidenceError) -> Void) throws(EvidenceError) {
        if case .chunked(let reader)? = reader { try reader.withUnwrappedKey(body) }
    }

    /// Whether it is `evidence-v2`.
    package var isChunked: Bool { envelope?.profile.layout == .chunked }

    /// How the field is sealed, where it is.
    private var envelope: Envelope? {
        guard case .sealed(_, let opening) = content else { return nil }
        return opening.envelope
    }
}

extension TextBeginning {
    /// The video that the bytes are as they stand: of a ciphertext, one in 2^32 or fewer begins like one.
    fileprivate func visibleVideo(insteadOf encoding: TextEncoding) -> FieldForm? {
        guard ["mp4", "quicktime", "3gp"].contains(medium(in: encoding)?.id) else { return nil }
        return form(insteadOf: encoding).flatMap { $0.isOne(of: "mp4", "quicktime", "3gp") ? $0 : nil }
    }

    /// The refusal of a sealed field that begins like a video as it stands; `nil` where it does not.
    func unsealed(_ field: SealedField, insteadOf encoding: TextEncoding) -> EvidenceError? {
        guard let video = visibleVideo(insteadOf: encoding) else { return nil }
        return EvidenceError(
            .notSealed,
            "\(field.content.name) is not sealed: it is \(video.name), though \(field.wrappedKey.name) is present",
            hint: "anyone could have put unsealed content there; extract it with UnsealedContent.video")
    }
}
