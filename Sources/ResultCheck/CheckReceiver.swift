// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams
internal import IdentifyString
package import MediaStructure
internal import Recognition
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

/// Takes a result in pieces, as they arrive, and checks it: ``ResultChecker/receiver(keeping:)``.
///
/// Two readers see the same bytes: the reader of results and the reader of the payload, whose long fields are examined,
/// digested and kept as they are read, so the kept bytes are the checked bytes. It ends in two calls: between
/// `conclude()` and `release(_:)` a caller can ask its own store whether the nonce or challenge was used before.
public final class CheckReceiver: ConcludingReceiver {
    private let checker: ResultChecker
    private var document = DocumentReader()
    private let digester: ParallelDigester
    private var reading: PayloadReading
    private let texts: FieldTexts
    private let kept: PartKeeper
    /// After `conclude()`: why the bytes are not one whole JSON object, if they do not begin as one, end before it
    /// does, or go on after it. Where the bytes came over a network, that may be a fault of the transport, and the
    /// report says nothing about a result.
    public private(set) var noDocument: EvidenceError?
    /// Why the document, or the payload in it, cannot be read further.
    private var documentFailure: EvidenceError?
    private var payloadFailure: EvidenceError?
    /// Present if a device's signature is expected.
    private let deviceVerifier: DeviceSignatureVerifier?
    private var signedReader = SignedDocumentReader(leaving: Set(CheckReceiver.digestedFields.map(\.0)))
    private var signedReaderFailure: EvidenceError?
    /// The long fields, whose digests the device's signature covers.
    private static let digestedFields: [(CoveredField, PayloadField)] = [
        (.userVideoString, .userVideoString), (.userImageString, .userImageString), (.identifyStr, .identifyStr),
    ]
    private let photo: FieldExtraction
    private let video: FieldExtraction?
    private let identify: FieldExtraction?
    private let photoBytes: DigestingDestination
    private let videoBytes: DigestingDestination
    private let statementBytes = StatementDestination()
    private var found: EvidenceReport.Findings
    /// Where the payload's fields are in the document.
    private var paths: [PayloadField: String] = [:]
    private var hasDeviceSignature = false
    /// A result of which nobody can tell whether it is one.
    private var undecided: WBFaceVerifyResult?
    /// Whether the payload's fields stand in the outermost object, whose members a device can cover.
    private var isPayloadOutermost = false
    private var isSpent = false
    private var isReleased = false

    init(
        _ checker: ResultChecker, keeping parts: KeptParts, canReread: Bool = false, threads: Int?
    ) throws(EvidenceError) {
        guard !checker.hasReconstructedHead || !parts.isAnything else {
            throw EvidenceError(.profile, "a video whose head is reconstructed is not the original, and is not kept")
        }
        try checker.requireComparable()
        let (videoOpening, statementOpening) = (try checker.videoOpening(), try checker.statementOpening())
        deviceVerifier = try checker.deviceVerifier()
        let kept = try PartKeeper(parts)
        self.kept = kept
        self.checker = checker
        found = checker.findings()
        digester = try ParallelDigester(threads: threads)
        texts = try FieldTexts(isEager: checker.digestsLongFields || deviceVerifier != nil)
        let order = checker.orderNo
        let manner = FieldExtraction.Manner(
            threads: threads, canReread: canReread, waits: true, accepting: checker.repairs)
        let photoBytes = try DigestingDestination(keeping: kept[.photo])
        let videoBytes = try DigestingDestination(keeping: kept[.video])
        (self.photoBytes, self.videoBytes) = (photoBytes, videoBytes)
        let photo = FieldExtraction(.photo, into: photoBytes, manner)
        let video = videoOpening.map { opening in
            FieldExtraction(.sealed(.video, opening), of: order, into: videoBytes, manner)
        }
        let statementBytes = statementBytes
        let identify = statementOpening.map { opening in
            FieldExtraction(
                .sealed(.identifyString, opening), of: order, into: statementBytes,
                FieldExtraction.Manner(threads: 1, canReread: canReread, waits: true, accepting: checker.repairs))
        }
        (self.photo, self.video, self.identify) = (photo, video, identify)
        reading = PayloadReading(
            [photo, video, identify].compactMap(\.self), extraFields: video?.extraFields ?? .named([]),
            spelling: PayloadSpelling(accepting: checker.repairs), digesting: texts)
    }

    deinit { abandon() }

    /// Takes the next bytes of the result.
    ///
    /// - Throws: ``EvidenceError`` if the system failed and there will be no answer; `.spent` after that.
    public func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try checkNotSpent()
        guard documentFailure == nil else { return }
        do throws(EvidenceError) {
            try digester.append(bytes)
            try kept.write(bytes, of: .result)
        } catch {
            abandon()
            throw error
        }
        do throws(EvidenceError) { try document.append(bytes) } catch { documentFailure = error }
        if deviceVerifier != nil, signedReaderFailure == nil {
            do throws(EvidenceError) { try signedReader.append(bytes) } catch { signedReaderFailure = error }
        }
        guard payloadFailure == nil else { return }
        do throws(EvidenceError) { try reading.append(bytes) } catch { payloadFailure = error }
    }

    /// After the last byte: the report, without the nonce. Keeps the requested parts, if allowed.
    ///
    /// - Throws: ``EvidenceError`` if the system failed and there is no answer. Faults of the result
    ///   itself are in the report.
    public func finish() throws(EvidenceError) -> CheckAnswer {
        let answer = try conclude()
        try release(answer)
        return answer
    }

    /// After the last byte: the report, without the nonce (``CheckAnswer/claimingNonce(in:)``). Nothing is kept yet:
    /// ``release(_:)``.
    ///
    /// - Throws: ``EvidenceError``, as ``finish()``.
    package func conclude() throws(EvidenceError) -> CheckAnswer { try conclude(rereading: nil) }

    /// Keeps the requested parts, if the answer, which must be this receiver's, allows it.
    ///
    /// - Throws: ``EvidenceError`` if it cannot be kept, or already was (`.spent`).
    package func release(_ answer: CheckAnswer) throws(EvidenceError) { try release(answer, andThen: nil) }

    /// The same, followed by an action that cannot be undone, such as text for a pipe: if that fails, a folder is
    /// removed again.
    package func release(
        _ answer: CheckAnswer, andThen last: (() throws(EvidenceError) -> Void)?
    ) throws(EvidenceError) {
        let report = answer.reportForKeyHolder
        guard isSpent, !isReleased, report.document == found.document, report.orderNo == found.orderNo else {
            throw EvidenceError(.spent, "the receiver has no such answer to release")
        }
        isReleased = true
        try kept.requireRoom()
        guard report.verdict == .holds else {
            kept.abandon()
            try last?()
            return
        }
        var parts: Set<CheckPart> = [.result, .report]
        let items: [(CheckItem.Name, CheckPart)] = [(.video, .video), (.photo, .photo), (.statement, .statement)]
        for (name, part) in items where report[name]?.state == .holds { parts.insert(part) }
        if let json = report.openedStatement?.json { try kept.write(json.span, of: .statement) }
        if !kept[.report].isEmpty {
            let json = Array(report.json.utf8)
            try kept.write(json.span, of: .report)
        }
        try kept.publish(parts, last)
    }

    /// Lends the bytes with which anybody opens the sealed video, or the statement, again: those that were wrapped for
    /// it. Does nothing for what did not open, or is not of `evidence-v2`.
    package func withUnwrappedKey(
        of part: CheckPart, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        switch part {
        case .video: try video?.withUnwrappedKey(body)
        case .statement: try identify?.withUnwrappedKey(body)
        case .photo, .result, .report: break
        }
    }

    /// Abandons the work. What was released stays.
    public func abandon() {
        isSpent = true
        kept.abandon()
    }

    /// Reads a source to its end, parts of it twice if the order of its fields requires it, and concludes.
    package func conclude(reading source: any ByteSource) throws(EvidenceError) -> CheckAnswer {
        if source.isSeekable { try source.seek(to: 0) }
        var chunk: [UInt8] = []
        while documentFailure == nil, try source.readChunk(&chunk) { try append(chunk.span) }
        return try conclude(rereading: source)
    }

    private func checkNotSpent() throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, "the receiver takes one result and has already received it") }
    }

    private func conclude(rereading source: (any ByteSource)?) throws(EvidenceError) -> CheckAnswer {
        try checkNotSpent()
        isSpent = true
        do throws(EvidenceError) {
            let result = try look(source)
            if let comparison = checker.answerComparison {
                found.items.append(comparison.item(beside: result ?? undecided))
            }
        } catch {
            kept.abandon()
            throw error
        }
        return CheckAnswer(EvidenceReport(found))
    }

    // MARK: - What is found

    /// The result, if it could be read.
    private func look(_ source: (any ByteSource)?) throws(EvidenceError) -> WBFaceVerifyResult? {
        let (result, index) = try read()
        if let result = result ?? undecided {
            var order = checker.orderItem(result.orderNo)
            let hasSign = found.fields.contains { FieldName.sign.has(exactly: $0.name) }
            let sign = try checker.signItem(result, isPresent: hasSign)
            if order.state == .holds, sign.state == .holds { order.strength = .bound }
            if case .passed(let passed) = result.outcome, sign.state == .fails {
                found.refusedSign = passed.sign.flatMap { Self.isOfDigits($0) ? $0 : nil }
            }
            found.items += [order, sign]
        } else {
            skip([.order, .sign], "the result is refused")
        }
        guard let index else {
            let device: [CheckItem.Name] = deviceVerifier == nil ? [] : [.device]
            skip([.photo, .video, .statement] + device, "the result could not be read")
            return nil
        }
        isPayloadOutermost = try index.isOutermost()
        let photo = try checkPhoto(index, source)
        let video = try checkVideo(index, source)
        if let statement = try checkStatement(index, source) {
            found.statement = statement
            let comparison = StatementComparison(
                statement: statement, expectation: checker.expectation,
                context: StatementContext(photo: photo, video: video, result: result))
            found.items += comparison.findings()
            bind()
        }
        try checkDevice()
        return result
    }

    /// Whether a wrong sign can be shown: hexadecimal digits, which a verification explains.
    private static func isOfDigits(_ sign: String) -> Bool {
        (1...Limits.explainedSignCharacters).contains(sign.utf8.count)
            && sign.utf8.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }

    private func skip(_ names: [CheckItem.Name], _ reason: String) {
        found.items += names.map { .unchecked($0, reason) }
    }

    private func index(of name: CheckItem.Name) -> Int? { found.items.firstIndex { $0.name == name } }

    /// A statement for the expected order binds what it names.
    private func bind() {
        func holds(_ binding: CheckItem.Name) -> Bool {
            index(of: binding).map { found.items[$0].state == .holds } ?? false
        }
        guard holds(.statementOrder) else {
            // A statement for another order proves only what was sealed.
            for place in found.items.indices where found.items[place].name.isBinding {
                if found.items[place].state == .holds { found.items[place].strength = .intact }
            }
            return
        }
        let bound: [(CheckItem.Name, by: CheckItem.Name)] = [
            (.order, .statementOrder), (.photo, .statementPhoto), (.video, .statementVideo),
        ]
        for (name, binding) in bound {
            guard holds(binding), let place = index(of: name), found.items[place].isPresent else { continue }
            // A video that was opened without a tag, in an unknown container format, is what the statement says it is.
            if name == .video, found.items[place].state == .unchecked {
                found.items[place].state = .holds
                found.items[place].sentence += "; size and SHA-256 match those that the statement names"
                found.items[place].hint = nil
            }
            guard found.items[place].state == .holds else { continue }
            found.items[place].strength = .bound
        }
    }

    /// A registered device's signature binds what it covers.
    private func bind(by signed: DeviceSignedResult) {
        let bound: [(CheckItem.Name, CoveredField?)] = [
            (.order, nil), (.photo, .userImageString), (.video, .userVideoString), (.statement, .identifyStr),
        ]
        for (name, field) in bound {
            guard field.map({ signed.manifest.fields[$0] != nil }) ?? true, let place = index(of: name),
                found.items[place].state == .holds
            else { continue }
            if name == .video, let open = uncoveredIV(signed) {
                guard found.items[place].strength != .bound else { continue }
                found.items[place].sentence +=
                    "; the device's signature does not bind it: nothing that it covers decides the IV, which \(open)"
                continue
            }
            found.items[place].strength = .bound
        }
    }

    /// Where the IV comes from, if what a signature covers does not decide what the video opens to: its text and its
    /// wrapped key are covered. A tag that is covered as well fits one content under that key, whatever the IV.
    private func uncoveredIV(_ signed: DeviceSignedResult) -> String? {
        func isCovered(_ field: String) -> Bool {
            isPayloadOutermost && signed.manifest.fields.keys.contains { $0.rawValue == "$.\(field)" }
        }
        let profile = checker.profile
        let isTagCovered =
            switch profile.tag {
            case .appended, .prefixed: true
            case .field(let name): isCovered(name)
            case .none: false
            }
        if isTagCovered { return nil }
        switch profile.iv {
        case .prefix, .wrapped, .weakKey, .weakZero, .none: return nil
        case .caller: return "was given for this check"
        case .field(let name): return isCovered(name) ? nil : "stands in the field '\(name)'"
        }
    }

    // MARK: - The document

    /// The result's claim, and the positions of the payload's parts.
    private func read() throws(EvidenceError) -> (WBFaceVerifyResult?, PayloadIndex?) {
        var result: WBFaceVerifyResult?
        var tree: DocumentReader.Document?
        var fault: EvidenceError?
        // What was repaired in a result that could be read.
        var repairs: [DocumentRepair]?
        do throws(EvidenceError) {
            do throws(EvidenceError) {
                if let documentFailure { throw documentFailure }
                tree = try document.finish()
            } catch {
                if documentFailure == nil || !document.isInside { noDocument = error }
                throw error
            }
            found.document = try digester.finalize()
            if let tree {
                // Strict except for repairs allowed by name: a wrapper's spelling could name another object than the
                // one that is opened.
                let unverified = try UnverifiedFaceVerifyResult(
                    tree, checker.repairs.isEmpty ? .strict : .accepting(checker.repairs))
                result = unverified.withoutCheckingSign
                found.repairs = unverified.repairs
                repairs = unverified.repairs
            }
        } catch {
            try error.throwUnlessRefusal()
            if error.code == .undecided, let claim = tree.flatMap(claim) {
                (undecided, repairs) = (claim.withoutCheckingSign, claim.repairs)
            }
            let isRepairable = error.code == .repair && error.hint != DocumentRepair.contradictionHint
            fault = isRepairable ? error.hinting(tree.flatMap(possibleRepairs)) : error
        }
        var index: PayloadIndex?
        if tree != nil {
            do throws(EvidenceError) {
                if let payloadFailure { throw payloadFailure }
                index = try reading.finish()
            } catch {
                try error.throwUnlessRefusal()
                // What is refused is not undecided.
                if fault == nil || fault?.code == .undecided { fault = error }
            }
        }
        if let member = tree?.root.member(SignedDocument.memberName) { hasDeviceSignature = !member.isNull }
        let isUnwrapped = repairs.map { $0.contains { $0.code == .envelope } }
        if let tree {
            for field in tree.knownFields(isWrapped: isUnwrapped ?? index?.isWrapped ?? false) {
                if let digest = try field.digest(texts.reported) { found.fields.append(digest) }
                if let name = field.payloadField, paths[name] == nil { paths[name] = field.path }
            }
        }
        if let index, let isUnwrapped {
            if index.hasFields, isUnwrapped != index.isWrapped {
                fault = EvidenceError(
                    .ambiguous, "a reader that unwraps it would see a different result than one that does not")
            } else if try index.hasFieldsBesideResult() {
                // A reader of results does not look there: it would see another result than the one that is checked.
                fault = EvidenceError(.ambiguous, misplacedFields)
            }
        }
        if let fault {
            found.items.append(
                fault.code == .undecided
                    ? .unchecked(.result, "\(fault)", code: fault.code, hint: fault.hint) : .fails(.result, fault))
        } else if let result {
            found.items.append(
                result.isSuccess
                    ? .holds(.result, .wellFormed, "it claims that the person passed\(Self.oddScores(result))")
                    : .fails(.result, "it claims that the person did not pass"))
        }
        return (result, index)
    }

    /// Names the scores of a pass that are none.
    private static func oddScores(_ result: WBFaceVerifyResult) -> String {
        guard case .passed(let passed) = result.outcome else { return "" }
        let scores = [(FieldName.liveRate, passed.liveRate), (FieldName.similarity, passed.similarity)]
        return scores.map { name, score in
            guard case .unreadable = score else { return "" }
            return "; \(name) is not a score from 0 to 100"
        }.joined()
    }

    /// A result of which nobody can tell whether something contradicts it: for its order and its sign.
    private func claim(of tree: DocumentReader.Document) -> UnverifiedFaceVerifyResult? {
        guard let unverified = try? UnverifiedFaceVerifyResult(tree, .tolerant),
            unverified.repairs.allSatisfy({ $0.code == .contradiction || checker.repairs.contains($0.code) })
        else { return nil }
        return unverified
    }

    /// The repairs that would make a document readable; `nil` if none do.
    private func possibleRepairs(of tree: DocumentReader.Document) -> String? {
        guard let repairs = try? UnverifiedFaceVerifyResult(tree, .tolerant).repairs, !repairs.isEmpty,
            repairs.allSatisfy(\.code.isHarmless)
        else { return nil }
        // What is read without being asked for was refused by name.
        let asked = repairs.map(\.code).filter { !DocumentRepair.Code.documented.contains($0) }
        return asked.isEmpty ? nil : "the result can be read with \(list(asked.map(\.rawValue)))"
    }

    /// The repairs of these names and those that were asked for already, since only all of them read the result.
    private func list(_ names: [String]) -> String {
        let given = checker.repairs.subtracting(DocumentRepair.Code.documented)
        var all = DocumentRepair.Code.harmless.filter(given.contains).map(\.rawValue)
        for name in names where !all.contains(name) { all.append(name) }
        return "these repairs: \(all.joined(separator: ", "))"
    }

    /// A refusal of a field's text, with the repairs that would make it readable.
    private func naming(repairsOf refusal: EvidenceError) -> EvidenceError {
        guard !refusal.repairs.isEmpty else { return refusal }
        let repairs = "it can be read with \(list(refusal.repairs))"
        return refusal.hinting([refusal.hint, repairs].compactMap(\.self).joined(separator: "; "))
    }

    // MARK: - Its parts

    private func checkPhoto(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> StatementContext.Photo {
        guard try index.photo()?.range.isEmpty == false else {
            found.items.append(.unchecked(.photo, "the result has no photo", isPresent: false))
            return .none
        }
        let refusal = try photo.refusal(index, source, texts)
        try noteRepairs(of: photo, index)
        if let refusal {
            guard !index.isPhotoSealed else {
                found.items.append(.unchecked(.photo, refusal.description, code: refusal.code))
                return .sealed
            }
            found.items.append(.fails(.photo, naming(repairsOf: refusal)))
            return .unreadable
        }
        let (digest, media) = try photoBytes.finalize()
        found.parts.append(EvidenceReport.OpenedPart(part: .photo, content: digest, format: media.format))
        let item: CheckItem =
            switch media {
            case _ where digest.byteCount > Limits.photoBytes:
                .fails(.photo, "it has more than \(Limits.photoBytes) bytes", code: .limit)
            case .jpeg(let image): .holds(.photo, .wellFormed, describe(image, "JPEG", digest))
            case .png(let image): .holds(.photo, .wellFormed, describe(image, "PNG", digest))
            default: .fails(.photo, photoFault(media))
            }
        found.items.append(item)
        return .content(digest)
    }

    /// Adds the repairs of a field's text to the report.
    private func noteRepairs(of field: FieldExtraction, _ index: PayloadIndex) throws(EvidenceError) {
        let value = try field.name == .userImageString ? index.photo() : index.value(field.name)
        func note(_ applied: Set<TextRepair>, of name: PayloadField, at value: PayloadIndex.Value) {
            found.repairs += DocumentRepair.repairs(
                applied, at: paths[name] ?? "$", offset: value.range.lowerBound - 1)
        }
        if !field.appliedRepairs.isEmpty, let value { note(field.appliedRepairs, of: field.name, at: value) }
        if let key = try field.repairedKey(index) { note(key.applied, of: key.name, at: key.value) }
    }

    private func photoFault(_ media: MediaContent) -> EvidenceError {
        if let form = photo.form, !form.isOne(of: "jpeg", "png") {
            let error = EvidenceError(.image, "it is \(form.name)", hint: form.step)
            return form.repair.map { naming(repairsOf: error.readable(with: [$0], after: photo.madeRepairs)) } ?? error
        }
        if case .damaged(let fault) = media { return EvidenceError(.image, "\(fault)") }
        return EvidenceError(.image, "it is neither a JPEG nor a PNG")
    }

    private func describe(_ image: ImageStructure, _ format: String, _ digest: ContentDigest) -> String {
        let trailing = image.trailingByteCount > 0 ? ", \(image.trailingByteCount) of them after its end" : ""
        return "a complete \(format), \(image.width) x \(image.height), \(digest.byteCount) bytes\(trailing)"
    }

    private func checkVideo(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> StatementContext.Video {
        let isPresent = try index.value(.userVideoString).map { !$0.range.isEmpty } ?? false
        guard let video else {
            let refusal = try refusal(of: .video, index)
            let reason = refusal?.description ?? (isPresent ? "no private key for the video was given" : "it is empty")
            let hint = refusal == nil && isPresent ? checker.videoKeyHint : nil
            found.items.append(.unchecked(.video, reason, code: refusal?.code, hint: hint, isPresent: isPresent))
            return .unopened
        }
        let refusal = try video.refusal(index, source, texts)
        try noteRepairs(of: video, index)
        if let refusal {
            let fault = video.fault(insteadOf: refusal) ?? naming(repairsOf: refusal)
            found.items.append(.fails(.video, fault, isPresent: isPresent))
            return .unopened
        }
        let (digest, media) = try videoBytes.finalize()
        found.parts.append(EvidenceReport.OpenedPart(part: .video, content: digest, format: media.format))
        found.items.append(videoItem(digest, media))
        return checker.hasReconstructedHead ? .reconstructed : .content(digest)
    }

    private func videoItem(_ digest: ContentDigest, _ media: MediaContent) -> CheckItem {
        let kind =
            switch media {
            case .mp4(let brand) where brand.isAmongCompatible: "MP4 (\(brand.major))"
            case .mp4(let brand): "MP4, whose major brand (\(brand.major)) is not among its compatible brands"
            case .damaged(let fault): "\(fault)"
            default: "in no known container format"
            }
        let opens = "it opens: \(digest.byteCount) bytes, \(kind)"
        if found.profile.coversOrder { return .holds(.video, .intact, opens) }
        if found.profile.isAuthenticated {
            return .holds(.video, .intact, opens + "; its tag does not cover the order")
        }
        let unproved = opens + "; it has no tag"
        if checker.hasReconstructedHead {
            return .unchecked(.video, unproved + ", and its first bytes are reconstructed")
        }
        switch media {
        case .mp4(let brand) where brand.isAmongCompatible: return .holds(.video, .wellFormed, unproved)
        case .damaged(let fault): return .fails(.video, "it opens, without a tag, but: \(fault)")
        default:
            var item = CheckItem.unchecked(.video, unproved)
            item.hint = "the key, the IV or the profile may be wrong"
            return item
        }
    }

    /// Why a sealed field could not be opened even with a key.
    private func refusal(of field: SealedField, _ index: PayloadIndex) throws(EvidenceError) -> EvidenceError? {
        do throws(EvidenceError) {
            _ = try index.sealedContent(of: field)
            return nil
        } catch {
            try error.throwUnlessRefusal()
            return error
        }
    }

    private func checkStatement(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> IdentifyStatement? {
        let isPresent = try index.value(.identifyStr).map { !$0.range.isEmpty } ?? false
        guard let identify else {
            let refusal = try refusal(of: .identifyString, index)
            let reason =
                refusal?.description
                ?? (isPresent ? "no private key of the comparing service was given" : "it is empty")
            found.items.append(.unchecked(.statement, reason, code: refusal?.code, isPresent: isPresent))
            return nil
        }
        do throws(EvidenceError) {
            let refusal = try identify.refusal(index, source, texts)
            try noteRepairs(of: identify, index)
            if let refusal { throw refusal }
            let statement = try statementBytes.statement()
            let content = try ContentDigest(of: MemorySource(statement.json))
            found.parts.append(EvidenceReport.OpenedPart(part: .statement, content: content, format: "json"))
            found.items.append(.holds(.statement, .intact, "it opens: a statement of \(statement.capturedAt)"))
            return statement
        } catch {
            try error.throwUnlessRefusal()
            found.items.append(.fails(.statement, error, isPresent: isPresent))
            return nil
        }
    }
}

extension CheckReceiver {
    /// Checks whether a registered device signed the checked bytes.
    private func checkDevice() throws(EvidenceError) {
        guard let deviceVerifier else {
            if hasDeviceSignature { found.items.append(.unchecked(.device, "no device key was given")) }
            return
        }
        var verification: DeviceSignatureVerification
        switch try signedDocument() {
        case .success(let document):
            verification = try deviceVerifier.verification(of: document, committed: committedKeys)
            if case .signed(let signed) = verification, let path = readUnsigned(signed) {
                verification = .refused(
                    DeviceSignatureRefusal(.fields, "what was read from \(path) is not among what the device signed"))
            }
        case .failure(let error): verification = .refused(DeviceSignatureRefusal(.document, "\(error)"))
        }
        found.device = verification
        found.items.append(CheckItem(verification))
        if case .signed(let signed) = verification { bind(by: signed) }
    }

    /// Where a repair read something of the result from a member that the signature does not cover.
    private func readUnsigned(_ signed: DeviceSignedResult) -> String? {
        let elsewhere: Set<DocumentRepair.Code> = [.name, .androidKeyName, .envelope, .place]
        return found.repairs.first { repair in
            guard elsewhere.contains(repair.code) else { return false }
            // Whatever key was wrapped, evidence-v2 opens to one content.
            if repair.code == .androidKeyName, video?.isChunked == true { return false }
            return signed.uncovered.contains { repair.path == $0 || repair.path.hasPrefix("\($0).") }
        }?.path
    }

    /// The wrapped keys whose field opened as evidence-v2: it has one content whichever key it was wrapped for, so
    /// rewrapping changed nothing that was signed.
    private var committedKeys: Set<CoveredField> {
        var keys: Set<CoveredField> = []
        for part in found.parts {
            if part.part == .video, video?.isChunked == true { keys.insert(.videoEncryptAESKey) }
            if part.part == .statement, identify?.isChunked == true { keys.insert(.encryptAESKey) }
        }
        return keys
    }

    /// The document as the device's signature covers it, or why it cannot be read so.
    private func signedDocument() throws(EvidenceError) -> Result<SignedDocument, EvidenceError> {
        do throws(EvidenceError) {
            if let signedReaderFailure { throw signedReaderFailure }
            var document = try signedReader.finish()
            for (field, payloadField) in Self.digestedFields {
                if let text = texts.digests[payloadField] { document.supply(text.sha256, for: field) }
            }
            return .success(document)
        } catch {
            try error.throwUnlessRefusal()
            return .failure(error)
        }
    }
}

/// The fault if sealed fields are next to a result's own.
package let misplacedFields = "its simple-mode fields are not inside a \(FieldName.simpleModeResult)"

extension KeptParts {
    fileprivate var isAnything: Bool {
        switch self {
        case .nothing: false
        case .destinations(let destinations): !destinations.isEmpty
        case .folder: true
        }
    }
}

extension MediaContent {
    /// Its name in a report: `mp4`, `jpeg`, `png`, `damaged`, `unknown`.
    package var format: String {
        switch self {
        case .jpeg: "jpeg"
        case .png: "png"
        case .mp4: "mp4"
        case .damaged: "damaged"
        case .unknown, .empty, .notBase64: "unknown"
        }
    }
}

extension FieldExtraction {
    /// What stands there instead of a video that is not sealed, where that shows.
    fileprivate func fault(insteadOf refusal: EvidenceError) -> EvidenceError? {
        guard refusal.code == .notSealed, let form, !form.isInside,
            [.address, .placeholder, .printed].contains(form.content.family)
        else { return nil }
        return EvidenceError(.notSealed, "\(name) is \(form.name)", hint: form.step)
    }

    /// Why the field is refused; `nil` if all of it is valid.
    ///
    /// - Throws: ``EvidenceError`` if the system failed; then there is no answer.
    fileprivate func refusal(
        _ index: PayloadIndex, _ source: (any ByteSource)?, _ texts: FieldTexts
    ) throws(EvidenceError) -> EvidenceError? {
        do throws(EvidenceError) {
            _ = try finish(index, rereading: source, expecting: texts.digests[name])
            return nil
        } catch {
            let error = stop(for: error)
            try error.throwUnlessRefusal()
            return error
        }
    }
}

extension EvidenceError {
    /// A fault of the result is an answer; a failure to find one is an error.
    fileprivate func throwUnlessRefusal() throws(EvidenceError) {
        if code.isSystem { throw self }
    }
}
