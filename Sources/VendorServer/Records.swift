// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
package import EvidenceStreams
public import VendorDocuments
public import VendorResults
public import VendorTypes

// What reads the photo and the video of an answer.
@_exported public import enum VendorResults.UserImage
@_exported public import enum VendorResults.UserVideo

/// What the vendor's server says about an attempt: one of three outcomes, the third of which is not a rejection.
public enum VerificationOutcome: Sendable, Hashable {
    /// The person passed: a living person, and the expected one (or, for liveness alone, a living one).
    case passed(VerificationScores)
    /// The scan was judged, and the person rejected (``ServerCodeClass/notThisPerson``,
    /// ``ServerCodeClass/scanFailed``). There are no scores: those of a failed scan mean nothing.
    case refused(VendorRefusal)
    /// Nothing is known about the person: no result yet or any more, a refused call, a failure at the vendor.
    /// ``VendorRefusal/codeClass`` says what to do next.
    case undecided(VendorRefusal)
}

/// The scores of a pass.
public struct VerificationScores: Sendable, Hashable {
    /// The liveness score; absent only for ``PhotoComparison``.
    public let liveRate: FaceScore
    /// The comparison score; absent for liveness alone.
    public let similarity: FaceScore
}

/// The common part of the answers about a verification.
public struct VerificationRecord: Sendable, Hashable {
    /// The queried order; an answer for another one is refused.
    public let orderNo: OrderNumber
    /// The outcome.
    public let outcome: VerificationOutcome
    /// Base64 of a JPEG or PNG: ``UserImage``. `nil` if it was not requested, is not available yet (it comes a second
    /// or two late), or no longer.
    public let photo: FieldText?
    /// Base64 of an MP4: ``UserVideo``. Available like ``photo``.
    public let video: FieldText?
    /// The vendor's number for the call.
    package let bizSeqNo: String?
    /// When the scan took place, `yyyyMMddHHmmss`; the vendor names no time zone.
    public let occurredTime: String?
    /// The risks, if the product has them.
    public let riskInfo: WBFaceRiskInfo?

    /// The refusal, if it is not a pass.
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
    /// The common part.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }
    /// The SDK's version, if versions were requested.
    public let sdkVersion: String?
    /// "Y" for TRTC, if versions were requested.
    package let trtcFlag: String?

    /// Reads an answer to a query for an order.
    ///
    /// - Parameters:
    ///   - body: the body of the answer.
    ///   - orderNo: the queried order, from your own records.
    ///   - appId: the integrator's.
    /// - Throws: ``EvidenceError``; see ``FaceRecordCall/read(_:sent:)``.
    package init(
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
    /// The common part.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }

    /// Reads an answer to a query for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``, as there.
    package init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        verification = try RecordReading(reading: body, .syncRecord, orderNo, appId).verification
    }
}

/// The answer of `getWillFaceResult` (1007/75899, 1007/77309): a pass if face and intent both passed.
public struct IntentRecord: VendorReply, Hashable {
    /// The common part.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }
    /// The two codes with their messages; `nil` if the call was refused.
    public let intent: WBFaceWillModeResult?
    /// Base64 of a recording of the person.
    public let userAudio: FieldText?
    /// Base64 of a recording of what was read to the person.
    public let readAudio: FieldText?
    /// Base64 of an image of the screen.
    public let screenshot: FieldText?
    /// Base64 of the full video; ``VerificationRecord/video`` is then the second in which the face was checked.
    public let userVideo: FieldText?
    /// The question, and the answers that count as yes.
    public let question: String?
    /// See ``question``.
    public let expectedAnswer: String?
    /// The recognised answer.
    public let givenAnswer: String?

    /// Reads an answer to a query for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``; see ``IntentRecordCall/read(_:sent:)``.
    package init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        var answer = try RecordReading(reading: body, .intentRecord, orderNo, appId)
        verification = answer.verification
        intent = answer.record.willModeResult
        guard !verification.isPassed || intent != nil else {
            throw answer.head.fields.fault(
                .missing, "the code is 0 (passed), but the codes of face and intent are missing")
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

/// The answer of `queryphotoinfo` (655/32419): photos, without a statement about a pass.
public struct PhotoRecord: Sendable, Hashable {
    /// The queried order.
    public let orderNo: OrderNumber
    /// When the scan took place, `yyyyMMddHHmmss`; the vendor names no time zone.
    public let occurredTime: String?
    /// Base64 of up to three images: ``UserImage``.
    public let photos: [FieldText]

    /// Reads an answer to a query for an order.
    ///
    /// - Throws: ``EvidenceError``: `.otherAnswer`, `.otherOrder`, `.json` and the like.
    package static func read(
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

/// The answer of `easyface` (655/17455): whether a photo matches a person. It does not show liveness.
public struct PhotoComparison: VendorReply, Hashable {
    /// The common part: the scores of a pass have only a similarity.
    public let verification: VerificationRecord
    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? { verification.refusal }

    /// Reads an answer to a comparison for an order; see ``FaceRecord/init(reading:expecting:of:)``.
    ///
    /// - Throws: ``EvidenceError``, as there.
    package init(
        reading body: any ByteSource, expecting orderNo: OrderNumber, of appId: AppId
    ) throws(EvidenceError) {
        verification = try RecordReading(reading: body, .photoComparison, orderNo, appId).verification
    }
}

/// The shared reading of answers about a person.
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
            // A wrapper's name for a field is not one of the vendor's server, except for the older query's.
            let isSpelt = record.repairs.allSatisfy { $0.code != .name || $0.vendorName == FieldName.appId.vendor }
            guard !record.isContradicted, isSpelt else {
                let other = record.repairs.first { [.contradiction, .lookAlike, .name].contains($0.code) }
                throw EvidenceError(
                    .ambiguous, at: other?.path, offset: other?.offset,
                    "the code is 0 (passed), but another reader could find something else in this member")
            }
            guard record.willModeResult?.isPassed ?? true else {
                throw head.fields.fault(.missing, "the code is 0 (passed), but faceCode or willCode is not")
            }
            guard record.isPass(of: orderNo) else {
                throw head.fields.fault(
                    .missing,
                    record.orderNo == nil ? "a pass that names no order" : "a pass without a score")
            }
            // A compared photo does not show liveness.
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
