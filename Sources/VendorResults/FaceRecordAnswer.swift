// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
public import VendorDocuments
package import VendorTypes

/// The answer of `queryfacerecord` and its relatives (`getWillFaceResult`, the older sync query, `queryphotoinfo`).
///
/// Trust it because your backend fetched it from the vendor itself; it has no sign. `success` next to the code means
/// nothing (655/32419) and is not read. The vendor may add fields, which are ignored. Sources: 655/13835, 655/32052,
/// 1007/114166, 1007/114181, 1007/77309.
public struct FaceRecordAnswer: Equatable, Sendable {
    /// "0" for a pass; the codes of ``FaceCodeFamily/server`` otherwise.
    package let code: String
    /// The message.
    package let msg: String?
    /// The vendor's number for the call.
    package let bizSeqNo: String?
    /// When the call was made, `yyyyMMddHHmmss`; the vendor names no time zone.
    package let transactionTime: String?
    /// The integrator's appId.
    package let appId: String?
    /// The order.
    package let orderNo: OrderNumber?
    /// The liveness score.
    package let liveRate: FaceScore
    /// The comparison score.
    package let similarity: FaceScore
    /// When the verification took place, in the form of ``transactionTime``.
    package let occurredTime: String?
    /// Base64 of a JPEG or PNG. Files arrive a second or two after the result, and are kept for a short time only.
    package let photo: FieldText?
    /// Base64 of an MP4; arrives and expires like ``photo``.
    package let video: FieldText?
    /// The photos of `queryphotoinfo`: one to three.
    package let photoList: [FieldText]
    /// Only with queryVersion 1.0.
    package let sdkVersion: String?
    /// "Y" for TRTC, only with queryVersion 1.0.
    package let trtcFlag: String?
    /// The additions of the enhanced products.
    package let riskInfo: WBFaceRiskInfo?
    /// The additions of `getWillFaceResult`.
    package let willModeResult: WBFaceWillModeResult?
    /// What was read although it deviates from the vendor's documentation.
    package let repairs: [DocumentRepair]

    /// Whether it reports a verification: then it has a score from 0 to 100, and nothing else in
    /// a score's place. Answers with a token, a ticket, a face id or photos also say "0", but mean that the
    /// call succeeded.
    package let isVerification: Bool

    /// Whether the person passed and is the expected person.
    ///
    /// - Parameter order: the order that you asked for, from your own records. An answer about another order, about
    ///   none, or about no verification is not a pass, and neither is one in which another member, or its look-alike,
    ///   says otherwise (`docs/FORMATS.md` §5.2), or that has only one of the two codes of an intent check.
    package func isPass(of order: OrderNumber) -> Bool {
        code == "0" && isVerification && orderNo == order && !isContradicted && willModeResult?.isPassed ?? true
    }

    /// Whether something in it contradicts its own "0", or another reader would take a name in it for another
    /// field. One that could be taken for a verdict is judged by what it says: the older query has `order_no` as well.
    package var isContradicted: Bool { repairs.contains(where: \.speaksAgainstPass) }

    /// Where it has a verdict against the person, as a JSON path, whatever its own code: an envelope has another one.
    package let denial: String?

    /// What the code means to the server or the gateway; nothing for the "0" of an answer to something
    /// other than a verification.
    package var meanings: [FaceErrorMeaning] {
        guard isVerification || code != "0" else { return [] }
        return FaceErrorMeaning.all(of: code, in: .server) + FaceErrorMeaning.all(of: code, in: .gateway)
    }

    /// Reads an answer, leaving long strings in the document.
    ///
    /// - Throws: ``EvidenceError``.
    public init(reading source: any ByteSource, _ tolerance: Tolerance = .tolerant) throws(EvidenceError) {
        self = try DocumentReader.read(source).interpret(tolerance) { root, reading throws(EvidenceError) in
            try FaceRecordAnswer(root, &reading)
        }
    }

    /// Reads an answer from a document; its repairs are those of the reading so far.
    package init(_ root: DocumentValue, _ reading: inout Interpretation) throws(EvidenceError) {
        guard let code = try reading.code(.code, of: root) else {
            throw root.fault(.missing, "code is missing: it is not an answer of the vendor's server")
        }
        self.code = code
        msg = try reading.text(.msg, of: root)
        transactionTime = try reading.text(.transactionTime, of: root)
        let result = try reading.object(.result, of: root)
        let fields = result ?? root
        for level in result.map({ [root, $0] }) ?? [root] {
            try reading.noteLookAlikes(of: .answer, in: level)
        }
        // These are at the top level, inside, or in both places.
        let (outerNumber, innerNumber) = (
            try reading.text(.bizSeqNo, of: root), try reading.text(.bizSeqNo, of: fields)
        )
        bizSeqNo = outerNumber ?? innerNumber
        let (outerApp, innerApp) = (try reading.text(.appId, of: root), try reading.text(.appId, of: fields))
        appId = outerApp ?? innerApp
        orderNo = try reading.orderNo(of: fields)
        liveRate = try reading.score(.liveRate, of: fields)
        similarity = try reading.score(.similarity, of: fields)
        occurredTime = try reading.text(.occurredTime, of: fields)
        photo = try reading.longText(.photo, of: fields)
        video = try reading.longText(.video, of: fields)
        sdkVersion = try reading.text(.sdkVersion, of: fields)
        trtcFlag = try reading.text(.trtcFlag, of: fields)
        riskInfo = try reading.riskInfo(of: fields)
        photoList = try reading.texts(.photoList, of: fields)
        let will = WBFaceWillModeResult(
            faceCode: try reading.code(.faceCode, of: fields), faceMsg: try reading.text(.faceMsg, of: fields),
            willCode: try reading.code(.willCode, of: fields), willMsg: try reading.text(.willMsg, of: fields))
        willModeResult = will.faceCode == nil && will.willCode == nil ? nil : will
        let isOther = [root, fields].contains { $0.hasLoosely(Self.marksOfOthers) }
        isVerification = !isOther && Self.areScores(liveRate, similarity)
        if code == "0" {
            try reading.noteContradictions(
                in: root,
                beside: [
                    (.orderNo, orderNo?.value), (.liveRate, liveRate.text), (.similarity, similarity.text),
                ] + (riskInfo?.members ?? []), besides: "success")
        }
        repairs = reading.repairs
        denial =
            root.any { name, value in
                if let code = value.written?.refusalCode, ServerCodeClass.of(String(code)).isVerdict { return true }
                guard name.isClaim else { return false }
                return if case .bool(let isSuccess) = value.content { !isSuccess } else { value.text == "false" }
            }?.path
    }

    private static let marksOfOthers = LooseNames(FieldName.ofOtherAnswers.map { ($0, true) })

    /// Whether one of two is a number, and the other a number or absent.
    private static func areScores(_ scores: FaceScore...) -> Bool {
        let isNonsense = scores.contains { if case .unreadable = $0 { true } else { false } }
        return !isNonsense && scores.contains { $0.value != nil }
    }
}

extension DocumentRepair {
    /// Whether, next to a claimed pass, it shows that another reader could read something else. A look-alike of a field
    /// that could be taken for a verdict is judged by what it says.
    package var speaksAgainstPass: Bool {
        code == .contradiction
            || code == .lookAlike && !FieldName.verdicts.contains { $0.name == vendorName }
    }
}

extension Interpretation {
    /// A list of strings; empty where it is absent or null.
    fileprivate mutating func texts(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> [FieldText] {
        guard let value = try value(field, of: object) else { return [] }
        guard case .array(let elements) = value.content else { throw value.wrongType("it must be a list") }
        var texts: [FieldText] = []
        for element in elements {
            guard case .text(let text) = element.content else { throw element.wrongType("it must be a string") }
            texts.append(text)
        }
        return texts
    }
}
