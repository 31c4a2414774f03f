// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import MediaStructure
internal import VendorDocuments
internal import VendorResults

/// Takes a result in pieces, as they arrive, and says what holds of it: ``PayloadChecker/receiver()``.
///
/// Two readers see the same bytes: that of results, and the payload's, whose long fields are looked at as they pass.
public final class CheckReceiver: ByteReceiver {
    private let checker: PayloadChecker
    private var document = DocumentReader()
    private var reading: PayloadReading
    /// Why the document cannot be read on, or the payload in it.
    private var documentFailure: EvidenceError?
    private var payloadFailure: EvidenceError?
    private let photo: FieldExtraction
    private let video: FieldExtraction?
    private let identify: FieldExtraction
    private let photoBytes: DigestingDestination
    private let videoBytes: DigestingDestination
    /// What is in `identifyStr`, where there is a key for it; else its characters.
    private let statementBytes = StatementDestination()
    private let carriedBytes: DigestingDestination
    private var items: [CheckReport.Item] = []
    private var isSpent = false

    init(_ checker: PayloadChecker, canReread: Bool = false, threads: Int?) throws(EvidenceError) {
        let order = checker.orderNo
        let manner = FieldExtraction.Manner(threads: threads, canReread: canReread, waits: true)
        self.checker = checker
        photoBytes = try DigestingDestination()
        videoBytes = try DigestingDestination()
        carriedBytes = try DigestingDestination()
        let photo = FieldExtraction(.photo, into: photoBytes, manner)
        let videoBytes = videoBytes
        let video = checker.videoKey.map {
            FieldExtraction(.sealed(.video, FieldOpening($0)), of: order, into: videoBytes, manner)
        }
        let (statementBytes, carriedBytes) = (statementBytes, carriedBytes)
        let identify =
            if let key = checker.comparingKey {
                FieldExtraction(
                    .sealed(.identifyString, FieldOpening(key)), of: order, into: statementBytes,
                    FieldExtraction.Manner(threads: 1, canReread: canReread, waits: true))
            } else {
                FieldExtraction(.carried(.identifyString), into: carriedBytes, manner)
            }
        (self.photo, self.video, self.identify) = (photo, video, identify)
        reading = PayloadReading([photo, video, identify].compactMap(\.self))
    }

    /// Takes the next bytes of the result.
    ///
    /// - Throws: ``EvidenceError`` where the system failed and there will be no answer; `.spent` after that.
    public func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try checkNotSpent()
        guard documentFailure == nil else { return }
        do throws(EvidenceError) { try document.append(bytes) } catch { documentFailure = error }
        guard payloadFailure == nil else { return }
        do throws(EvidenceError) { try reading.append(bytes) } catch { payloadFailure = error }
    }

    /// After the last byte: what holds, but for the nonce, which is asked for with
    /// ``CheckReport/claimingNonce(in:)``.
    ///
    /// - Throws: ``EvidenceError`` where the system failed and there is no answer. Whatever is wrong with the result
    ///   itself is in the report.
    public func finish() throws(EvidenceError) -> CheckReport { try finish(rereading: nil) }

    /// Gives up.
    public func abandon() { isSpent = true }

    /// Takes all that a source has, parts of it twice where the order of its fields demands it.
    func take(_ source: any ByteSource) throws(EvidenceError) -> CheckReport {
        if source.isSeekable { try source.seek(to: 0) }
        var chunk: [UInt8] = []
        while documentFailure == nil, try source.readChunk(&chunk) { try append(chunk.span) }
        return try finish(rereading: source)
    }

    private func checkNotSpent() throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, "the receiver is for one result and has had it") }
    }

    private func finish(rereading source: (any ByteSource)?) throws(EvidenceError) -> CheckReport {
        try checkNotSpent()
        isSpent = true
        let (result, index) = try read()
        if let result {
            items += [checker.orderItem(result.orderNo), try checker.signItem(result)]
        } else {
            skip(["order", "sign"], "the result is refused")
        }
        var statement: IdentifyStatement?
        if let index {
            let photo = try checkPhoto(index, source)
            let video = try checkVideo(index, source)
            statement = try checkStatement(index, source)
            if let statement {
                let comparison = StatementComparison(
                    statement: statement, expectation: checker.expectation,
                    company: StatementCompany(photo: photo, video: video, result: result))
                items += comparison.findings().map(CheckReport.Item.init)
            }
        } else {
            skip(["photo", "video", "identifyStr"], "the result could not be read")
        }
        return CheckReport(items, statement)
    }

    private func skip(_ names: [String], _ reason: String) {
        items += names.map { CheckReport.Item($0, .unchecked, reason) }
    }

    // MARK: - The document

    /// What the result claims, and where the payload's parts are.
    private func read() throws(EvidenceError) -> (WBFaceVerifyResult?, PayloadIndex?) {
        var result: WBFaceVerifyResult?
        do throws(EvidenceError) {
            if let documentFailure { throw documentFailure }
            // Strict: a wrapper's spelling could name another object than the one that is opened.
            result = try UnverifiedFaceVerifyResult(document.finish(), .strict).withoutCheckingSign
        } catch {
            try error.throwUnlessRefusal()
            items.append(CheckReport.Item("result", .fails, "\(error)"))
            // Then it was not read to its end.
            if error.code == .json || error.code == .limit { return (nil, nil) }
        }
        var index: PayloadIndex?
        do throws(EvidenceError) {
            if let payloadFailure { throw payloadFailure }
            index = try reading.finish()
        } catch {
            try error.throwUnlessRefusal()
            if items.isEmpty { items.append(CheckReport.Item("result", .fails, "\(error)")) }
        }
        // A reader of results does not look there: it would see another result than the one that is checked here.
        if items.isEmpty, let index, try index.hasFieldsBesideResult() {
            items.append(CheckReport.Item("result", .fails, CheckReport.misplacedFields))
        }
        if let result, items.isEmpty {
            items.append(
                result.isSuccess
                    ? CheckReport.Item("result", .holds, "it claims that the person passed")
                    : CheckReport.Item("result", .fails, "it claims that the person did not pass"))
        }
        return (result, index)
    }

    // MARK: - Its parts

    private func checkPhoto(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> StatementCompany.Photo {
        guard try index.photo()?.range.isEmpty == false else {
            skip(["photo"], "there is none")
            return .none
        }
        if let refusal = try photo.refusal(index, source) {
            items.append(CheckReport.Item("photo", .fails, refusal))
            return .unreadable
        }
        let (digest, media) = try photoBytes.finalize()
        let item =
            switch media {
            case _ where digest.byteCount > Limits.photoBytes:
                CheckReport.Item("photo", .fails, "it has more than \(Limits.photoBytes) bytes")
            case .jpeg(let image): CheckReport.Item("photo", .holds, describe(image, "JPEG", digest))
            case .png(let image): CheckReport.Item("photo", .holds, describe(image, "PNG", digest))
            case .damaged(let fault): CheckReport.Item("photo", .fails, "\(fault)")
            default: CheckReport.Item("photo", .fails, "it is neither a JPEG nor a PNG")
            }
        items.append(item)
        return .content(digest)
    }

    private func describe(_ image: ImageStructure, _ format: String, _ digest: ContentDigest) -> String {
        let trailing = image.trailingByteCount > 0 ? ", \(image.trailingByteCount) of them after its end" : ""
        return "a whole \(format), \(image.width) x \(image.height), \(digest.byteCount) bytes\(trailing)"
    }

    private func checkVideo(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> ContentDigest? {
        guard let video else {
            skip(["video"], try reason(.video, index) ?? "no private key was given")
            return nil
        }
        if let refusal = try video.refusal(index, source) {
            items.append(CheckReport.Item("video", .fails, refusal))
            return nil
        }
        let (digest, media) = try videoBytes.finalize()
        let kind =
            switch media {
            case .mp4(let brand): "MP4 (\(brand.major))"
            case .damaged(let fault): "\(fault)"
            default: "of no container known here"
            }
        items.append(CheckReport.Item("video", .holds, "it opens: \(digest.byteCount) bytes, \(kind)"))
        return digest
    }

    /// Why a sealed field could not be opened even with a key.
    private func reason(_ field: SealedField, _ index: PayloadIndex) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            _ = try index.sealedContent(of: field)
            return nil
        } catch {
            try error.throwUnlessRefusal()
            return "\(error)"
        }
    }

    private func checkStatement(
        _ index: PayloadIndex, _ source: (any ByteSource)?
    ) throws(EvidenceError) -> IdentifyStatement? {
        guard checker.comparingKey != nil else {
            let missing = try reason(.identifyString, index)
            let digest = try carriedBytes.finalize().digest
            skip(
                ["identifyStr"],
                missing
                    ?? "no private key was given; its \(digest.byteCount) characters have the SHA-256 \(digest.hex)")
            return nil
        }
        do throws(EvidenceError) {
            if let refusal = try identify.refusal(index, source) {
                items.append(CheckReport.Item("identifyStr", .fails, refusal))
                return nil
            }
            let statement = try statementBytes.statement()
            items.append(
                CheckReport.Item("identifyStr", .holds, "it opens: a statement of \(statement.capturedAt)"))
            return statement
        } catch {
            try error.throwUnlessRefusal()
            items.append(CheckReport.Item("identifyStr", .fails, "\(error)"))
            return nil
        }
    }
}

extension FieldExtraction {
    /// Why the field is refused; `nil` where all of it is right.
    ///
    /// - Throws: ``EvidenceError`` where the system failed: then the question was not answered.
    fileprivate func refusal(_ index: PayloadIndex, _ source: (any ByteSource)?) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            _ = try finish(index, rereading: source)
            return nil
        } catch {
            let error = stop(for: error)
            try error.throwUnlessRefusal()
            return "\(error)"
        }
    }
}

extension EvidenceError {
    /// What is wrong with the result is an answer; what kept us from finding one is an error.
    fileprivate func throwUnlessRefusal() throws(EvidenceError) {
        if code.isSystem { throw self }
    }
}
