internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import MediaStructure
internal import VendorDocuments
internal import VendorResults

/// One check at work: the result is read once, and every part of it is looked at as it passes.
final class RunningCheck {
    private let checker: PayloadChecker
    private let scan: SharedScan
    private let photo: FieldCheck
    private let video: FieldCheck?
    private let identify: IdentifyTap
    private let photoBytes: DigestingDestination
    private let videoBytes: DigestingDestination
    private let statementBytes = StatementDestination()
    private var items: [CheckReport.Item] = []

    init(_ checker: PayloadChecker, _ source: any ByteSource) throws(EvidenceError) {
        let order = checker.orderNo
        let photoBytes = try DigestingDestination()
        let videoBytes = try DigestingDestination()
        self.checker = checker
        (self.photoBytes, self.videoBytes) = (photoBytes, videoBytes)
        photo = FieldCheck(FieldExtraction(.photo, from: source, into: photoBytes, threads: checker.threads))
        video = checker.videoKey.map {
            FieldCheck(
                FieldExtraction(
                    .sealed(.video, FieldOpening($0)), order: order, from: source, into: videoBytes,
                    threads: checker.threads))
        }
        let statementBytes = statementBytes
        identify =
            if let key = checker.comparingKey {
                .opened(
                    FieldCheck(
                        FieldExtraction(
                            .sealed(.identifyString, FieldOpening(key)), order: order, from: source,
                            into: statementBytes, threads: 1)))
            } else {
                .carried(try CarriedField(.identifyStr))
            }
        let taps: [(any FieldTap)?] = [photo, video, identify.tap]
        scan = SharedScan(source, taps: taps.compactMap(\.self))
        if source.isSeekable { try source.move(to: 0) }
    }

    func run() throws(EvidenceError) -> CheckReport {
        let (result, index) = try read()
        if let result {
            items += [checker.orderItem(result.orderNo), try checker.signItem(result)]
        } else {
            skip(["order", "sign"], "the result is refused")
        }
        var statement: IdentifyStatement?
        if let index {
            let photo = try checkPhoto(index)
            let company = StatementCompany(photo: photo, video: try checkVideo(index), result: result)
            statement = try checkStatement(index)
            if let statement {
                var expectation = checker.expectation
                // What is refused must not use a nonce up.
                if items.contains(where: { $0.outcome == .fails }) { expectation.nonces = nil }
                let comparison = StatementComparison(statement: statement, expectation: expectation, company: company)
                items += comparison.findings().map {
                    CheckReport.Item("identifyStr.\($0.binding)", $0.outcome, $0.detail)
                }
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

    /// Reads all of it: what the result claims, and where the payload's parts are.
    private func read() throws(EvidenceError) -> (WBFaceVerifyResult?, PayloadIndex?) {
        var result: WBFaceVerifyResult?
        do throws(EvidenceError) {
            // Strict: a wrapper's spelling could name another object than the one that is opened.
            result = try UnverifiedFaceVerifyResult(reading: scan, .strict).withoutCheckingSign
        } catch {
            try error.throwUnlessRefusal()
            items.append(CheckReport.Item("result", .fails, "\(error)"))
            // Then it was not read to its end.
            if error.code == .json || error.code == .limit { return (nil, nil) }
        }
        var index: PayloadIndex?
        do throws(EvidenceError) { index = try scan.finish() } catch {
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

    private func checkPhoto(_ index: PayloadIndex) throws(EvidenceError) -> StatementCompany.Photo {
        guard try index.photo()?.range.isEmpty == false else {
            skip(["photo"], "there is none")
            return .none
        }
        if let refusal = try photo.refusal(index) {
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

    private func checkVideo(_ index: PayloadIndex) throws(EvidenceError) -> ContentDigest? {
        guard let video else {
            skip(["video"], try reason(.video, index) ?? "no private key was given")
            return nil
        }
        if let refusal = try video.refusal(index) {
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

    private func checkStatement(_ index: PayloadIndex) throws(EvidenceError) -> IdentifyStatement? {
        let opened: FieldCheck
        switch identify {
        case .carried(let field):
            let digest = try field.finalize()
            let missing = try reason(.identifyString, index)
            skip(
                ["identifyStr"],
                missing
                    ?? "no private key was given; its \(digest.byteCount) characters have the SHA-256 \(digest.hex)")
            return nil
        case .opened(let field): opened = field
        }
        do throws(EvidenceError) {
            if let refusal = try opened.refusal(index) {
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

/// The result's bytes on their way to the reader of results, with the payload's scan listening.
private final class SharedScan: ByteSource {
    private let source: any ByteSource
    private var scan: PayloadScan
    private var failure: EvidenceError?

    init(_ source: any ByteSource, taps: [any FieldTap]) {
        self.source = source
        scan = PayloadScan(taps: taps)
    }

    let isSeekable = false
    var size: UInt64? { source.size }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let start = buffer.count
        let got = try source.read(count, to: &buffer)
        guard failure == nil else { return got }
        let chunk = buffer.span.extracting(start...)
        do throws(EvidenceError) { try scan.read(chunk) } catch { failure = error }
        return got
    }

    func seek(to offset: UInt64) throws(EvidenceError) { try source.seek(to: offset) }

    /// What the scan found, if the payload keeps the rules.
    func finish() throws(EvidenceError) -> PayloadIndex {
        if let failure { throw failure }
        let index = try scan.finish()
        try index.check()
        return index
    }
}

/// One field being extracted while others are, too: what is wrong with it waits until it is asked for.
private final class FieldCheck: FieldTap {
    private let extraction: FieldExtraction
    private var failure: EvidenceError?

    init(_ extraction: FieldExtraction) { self.extraction = extraction }

    /// The result may turn out unreadable while this is at work.
    deinit { _ = extraction.stop(for: .cannotOpen) }

    var field: PayloadField { extraction.field }

    func begin(_ index: PayloadIndex) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) { return try extraction.begin(index) } catch {
            failure = extraction.stop(for: error)
            return false
        }
    }

    func append(_ text: Span<UInt8>) {
        guard failure == nil else { return }
        do throws(EvidenceError) { try extraction.append(text) } catch {
            failure = extraction.stop(for: error)
        }
    }

    /// Why the field is refused; `nil` where all of it is right.
    ///
    /// - Throws: ``EvidenceError`` where the system failed: then the question was not answered.
    func refusal(_ index: PayloadIndex) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            if let failure { throw failure }
            _ = try extraction.finish(index)
            return nil
        } catch {
            let error = extraction.stop(for: error)
            try error.throwUnlessRefusal()
            return "\(error)"
        }
    }
}

/// What becomes of `identifyStr`: a key opens it, or it is carried as it is.
private enum IdentifyTap {
    case opened(FieldCheck)
    case carried(CarriedField)

    var tap: any FieldTap {
        switch self {
        case .opened(let field): field
        case .carried(let field): field
        }
    }
}

/// A field that nothing opens: it is hashed as it is carried.
private final class CarriedField: FieldTap {
    let field: PayloadField
    private var digester: ContentDigester

    init(_ field: PayloadField) throws(EvidenceError) {
        self.field = field
        digester = try ContentDigester()
    }

    func begin(_ index: PayloadIndex) -> Bool { true }

    func append(_ text: Span<UInt8>) { digester.append(text) }

    func finalize() throws(EvidenceError) -> ContentDigest {
        try digester.finalizeAndRestart()
    }
}

extension EvidenceError {
    /// What is wrong with the result is an answer; what kept us from finding one is an error.
    fileprivate func throwUnlessRefusal() throws(EvidenceError) {
        if code.isSystem { throw self }
    }
}
