// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
public import VendorDocuments
public import VendorResults
public import VendorTypes

/// What the vendor's server says of one attempt: one of three things, and the third is not a no.
public enum VerificationOutcome: Sendable, Hashable {
    /// The person passed: it is a living person, and the one it should be (or, for liveness alone, a living one).
    case passed(VerificationScores)
    /// The scan was judged, and the person not accepted (``ServerCodeClass/isVerdict``). There are no scores: those of
    /// a failed scan mean nothing.
    case refused(VendorRefusal)
    /// Nothing is known about the person: no result yet or no more, a call that was refused, trouble at the vendor's.
    /// ``VendorRefusal/codeClass`` says what to do.
    case undecided(VendorRefusal)
}

/// The scores of a pass.
public struct VerificationScores: Sendable, Hashable {
    /// The liveness score; absent for ``PhotoComparison`` alone.
    public let liveRate: FaceScore
    /// The comparison score; absent for liveness alone.
    public let similarity: FaceScore
}

/// What the answers about a verification have in common.
public struct VerificationRecord: Sendable, Hashable {
    /// The order that was asked for; an answer about another one is refused.
    public let orderNo: OrderNumber
    /// How it ended.
    public let outcome: VerificationOutcome
    /// Base64 of a JPEG or PNG: ``UserImage``. `nil` where it was not asked for, is not there yet (it comes a second or
    /// two late), or no more.
    public let photo: FieldText?
    /// Base64 of an MP4: ``UserVideo``. As ``photo``.
    public let video: FieldText?
    /// The vendor's number for the call.
    public let bizSeqNo: String?
    /// When the scan was, `yyyyMMddHHmmss`; no zone is named.
    public let occurredTime: String?
    /// The risks, where the product has them.
    public let riskInfo: WBFaceRiskInfo?

    /// What was said instead of a pass.
    public var refusal: VendorRefusal? {
        switch outcome {
        case .passed: nil
        case .refused(let refusal), .undecided(let refusal): refusal
        }
    }

    /// Whether the person passed.
    public var isPassed: Bool {
        if case .passed = outcome { true } else { false }
    }
}

/// The answer of `queryfacerecord` (655/13835, 1007/114166).
public struct FaceRecord: VendorReply, Hashable {
    /// What it says.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }
    /// The SDK's version, where versions were asked for.
    public let sdkVersion: String?
    /// "Y" for TRTC, where versions were asked for.
    public let trtcFlag: String?

    /// Reads an answer to a query for an order.
    ///
    /// - Parameters:
    ///   - orderNo: the order that was asked for, from your own records.
    ///   - appId: whose order it is.
    /// - Throws: ``EvidenceError``: `.otherAnswer`, `.otherOrder`; `.ambiguous` where a member does not agree with the
    ///   code 0 (`docs/FORMATS.md` §5.2); `.missing` where a code 0 comes without order or score; `.json` and the like.
    public init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        let answer = try RecordReading(reading: body, .faceRecord, orderNo, appId)
        verification = answer.verification
        sdkVersion = answer.record.sdkVersion
        trtcFlag = answer.record.trtcFlag
    }
}

/// The answer of the older query `api/server/sync` (1007/35880). The identity that it repeats is not kept.
public struct SyncRecord: VendorReply, Hashable {
    /// What it says.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }

    /// Reads an answer to a query for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``, as there.
    public init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        verification = try RecordReading(reading: body, .syncRecord, orderNo, appId).verification
    }
}

/// The answer of `getWillFaceResult` (1007/75899, 1007/77309): a pass if face and will are one.
public struct WillRecord: VendorReply, Hashable {
    /// What it says.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }
    /// The two codes with their messages; `nil` where the call was refused.
    public let will: WBFaceWillModeResult?
    /// Base64 of what the person said.
    public let userAudio: FieldText?
    /// Base64 of what was read to the person.
    public let readAudio: FieldText?
    /// Base64 of an image of the screen.
    public let screenshot: FieldText?
    /// Base64 of the full video; ``VerificationRecord/video`` is then the second in which the face was checked.
    public let userVideo: FieldText?
    /// What the person was asked, and what counts as yes.
    public let question: String?
    /// See ``question``.
    public let expectedAnswer: String?
    /// What the person was understood to answer.
    public let givenAnswer: String?

    /// Reads an answer to a query for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``, as there; `.missing` also where a code 0 comes without the codes of face and will.
    public init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        var answer = try RecordReading(reading: body, .willRecord, orderNo, appId)
        verification = answer.verification
        will = answer.record.willModeResult
        guard !verification.isPassed || will != nil else {
            throw answer.head.fields.fault(.missing, "a pass without the codes of face and will")
        }
        let fields = answer.head.fields
        userAudio = try answer.head.reading.longText(.willUserAudio, of: fields)
        readAudio = try answer.head.reading.longText(.willReadAudio, of: fields)
        screenshot = try answer.head.reading.longText(.willScreenshot, of: fields)
        userVideo = try answer.head.reading.longText(.willUserVideo, of: fields)
        question = try answer.head.reading.text(.willStandText, of: fields)
        expectedAnswer = try answer.head.reading.text(.willStandAnswer, of: fields)
        givenAnswer = try answer.head.reading.text(.willUserAnswer, of: fields)
    }
}

/// The answer of `queryphotoinfo` (655/32419): photos, and no word about whether the person passed.
public struct PhotoRecord: Sendable, Hashable {
    /// The order that was asked for.
    public let orderNo: OrderNumber
    /// When the scan was, `yyyyMMddHHmmss`; no zone is named.
    public let occurredTime: String?
    /// Base64 of one to three images; none where there are none: ``UserImage``.
    public let photos: [FieldText]

    /// Reads an answer to a query for an order.
    ///
    /// - Throws: ``EvidenceError``: `.otherAnswer`, `.otherOrder`, `.json` and the like.
    public static func read(
        _ body: any ByteSource, expecting orderNo: OrderNumber
    ) throws(EvidenceError) -> VendorAnswer<PhotoRecord> {
        var head = try AnswerDocument(reading: body, answering: .photos)
        if let refusal = head.refusal { return .refused(refusal) }
        guard head.fields.has(FieldName.photoList.vendor) else {
            throw head.fields.fault(.otherAnswer, "photoList is missing: this is the answer to another call")
        }
        try head.requireOrder(orderNo)
        let record = try FaceRecordAnswer(head.root, &head.reading)
        return .accepted(
            PhotoRecord(orderNo: orderNo, occurredTime: record.occurredTime, photos: record.photoList))
    }
}

/// The answer of `easyface` (655/17455): whether a photo is that of a person. Nobody was seen alive.
public struct PhotoComparison: VendorReply, Hashable {
    /// What it says: the scores of a pass have a similarity alone.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }

    /// Reads an answer to a comparison for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``, as there.
    public init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        verification = try RecordReading(reading: body, .photoComparison, orderNo, appId).verification
    }
}

/// What the answers about a person share in reading.
private struct RecordReading {
    var head: AnswerDocument
    let record: FaceRecordAnswer
    let verification: VerificationRecord

    init(
        reading body: any ByteSource, _ kind: AnswerKind, _ orderNo: OrderNumber, _ appId: AppId
    ) throws(EvidenceError) {
        head = try AnswerDocument(reading: body, answering: kind)
        try head.requireOrder(orderNo)
        record = try FaceRecordAnswer(head.root, &head.reading)
        if let named = record.appId, named != appId.value {
            throw head.root.fault(.otherAnswer, "the answer is for another appId")
        }
        let outcome: VerificationOutcome
        if let refusal = head.refusal {
            outcome = refusal.codeClass.isVerdict ? .refused(refusal) : .undecided(refusal)
        } else {
            guard kind.isMarked(head.root) || kind.isMarked(head.fields) else {
                throw head.root.fault(.otherAnswer, "this is not an answer to \(kind.name)")
            }
            // A wrapper's name for a field is none of the vendor's server, but for that of the older query.
            let isSpelt = record.repairs.allSatisfy { $0.code != .name || $0.vendorName == FieldName.appId.vendor }
            guard !record.isContradicted, isSpelt else {
                let other = record.repairs.first { [.contradiction, .lookAlike, .name].contains($0.code) }
                throw EvidenceError(
                    .ambiguous, at: other?.path, offset: other?.offset,
                    "the code is that of a pass, and another reader could find something else in this member")
            }
            guard record.willModeResult?.isPassed ?? true else {
                throw head.fields.fault(.missing, "a pass without the code 0 of both face and will")
            }
            guard record.isPass(of: orderNo) else {
                throw head.fields.fault(
                    .missing,
                    record.orderNo == nil ? "a pass that names no order" : "a pass without a score")
            }
            // A photo that was compared shows nobody alive.
            guard kind == .photoComparison || record.liveRate.value != nil else {
                throw head.fields.fault(.missing, "a pass without a liveness score")
            }
            outcome = .passed(VerificationScores(liveRate: record.liveRate, similarity: record.similarity))
        }
        verification = VerificationRecord(
            orderNo: orderNo, outcome: outcome, photo: record.photo, video: record.video, bizSeqNo: record.bizSeqNo,
            occurredTime: record.occurredTime, riskInfo: record.riskInfo)
    }
}
