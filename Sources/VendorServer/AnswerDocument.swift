// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
internal import VendorDocuments
public import VendorResults
internal import VendorTypes

/// The outcome of a call that is either accepted or refused.
public enum VendorAnswer<Value: Sendable>: VendorReply {
    /// The vendor accepted the call.
    case accepted(Value)
    /// The vendor refused the call, with a reason.
    case refused(VendorRefusal)

    /// See ``VendorReply/refusal``.
    public var refusal: VendorRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    /// The value of an accepted call.
    ///
    /// - Throws: ``EvidenceError`` (`.refused`) with the code and what it means.
    public func value() throws(EvidenceError) -> Value {
        switch self {
        case .accepted(let value): return value
        case .refused(let refusal):
            throw EvidenceError(.refused, "\(refusal)", hint: refusal.codeClass.advice)
        }
    }
}

/// A code other than 0, with the fields next to it.
public struct VendorRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The code. It is the vendor's text, a number according to the vendor's pages.
    public let code: String
    /// The vendor's message. It was reworded more than once, so rely on the code.
    public let msg: String?
    /// The vendor's number for the call, which its support asks for.
    public let bizSeqNo: String?
    /// When the vendor answered, `yyyyMMddHHmmss`; the vendor names no time zone.
    public let transactionTime: String?

    /// What the code means for the caller.
    public var codeClass: ServerCodeClass { .of(code) }

    /// What the vendor's pages say about the code.
    public var meanings: [FaceErrorMeaning] {
        FaceErrorMeaning.all(of: code, in: .server) + FaceErrorMeaning.all(of: code, in: .gateway)
    }

    /// The code and its meaning in our words, since the message is untrusted text.
    public var description: String {
        let shown = ValueForm.code.accepts(code) ? code : "a code that is not a number"
        let meaning = meanings.first.map { ": \($0.meaning.english)" } ?? ""
        return "the vendor's server refused with \(shown)\(meaning)"
    }
}

/// The kinds of answer, and what marks each: `"code": "0"` is in all of them, so an answer with a mark of another call
/// is refused.
enum AnswerKind: CaseIterable {
    case accessToken, ticket, faceId, h5FaceId, faceRecord, syncRecord, intentRecord, photos, photoComparison

    /// The call, for messages.
    var name: String {
        switch self {
        case .accessToken: "access_token"
        case .ticket: "api_ticket"
        case .faceId: "getfaceid, getAdvFaceId, getPlusFaceId or getWillFaceId"
        case .h5FaceId: "geth5faceid"
        case .faceRecord: "queryfacerecord"
        case .syncRecord: "sync"
        case .intentRecord: "getWillFaceResult"
        case .photos: "queryphotoinfo"
        case .photoComparison: "easyface"
        }
    }

    /// The members that only this answer has.
    private var marks: [String] {
        switch self {
        case .accessToken: ["access_token"]
        case .ticket: ["tickets", "ticket"]
        case .faceId: [FieldName.faceId.vendor]
        case .h5FaceId: [FieldName.h5faceId.vendor]
        case .faceRecord: [FieldName.liveRate.vendor]
        case .syncRecord: ["app_id", "order_no", "idType"]
        case .intentRecord: [FieldName.faceCode.vendor, FieldName.willCode.vendor]
        case .photos: [FieldName.photoList.vendor]
        // Any record may also have it.
        case .photoComparison: [FieldName.similarity.vendor]
        }
    }

    /// Whether a member of another answer may be in this one: the older sync and the will answer are face records with
    /// something more, and each has what a comparison has.
    private func includes(_ other: AnswerKind) -> Bool {
        switch self {
        case .syncRecord, .intentRecord: other == self || other == .faceRecord || other == .photoComparison
        case .faceRecord: other == self || other == .photoComparison
        default: other == self
        }
    }

    /// The mark of another kind of answer in an object, in any spelling that a reader would accept.
    func foreignKind(in levels: [DocumentValue]) -> AnswerKind? {
        Self.allCases.first { kind in !includes(kind) && levels.contains { kind.isMarked($0) } }
    }

    /// Whether an object has one of this answer's marks.
    func isMarked(_ object: DocumentValue) -> Bool {
        // `app_id` and `order_no` are, except for an underscore, names that every answer may have.
        self == .syncRecord
            ? marks.contains(where: object.has) : Self.looseMarks[self].map(object.hasLoosely) ?? false
    }

    /// Each kind's own: a name that could be a mark of two is one of both.
    private static let looseMarks = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in (kind, LooseNames(kind.marks.map { ($0, true) })) })
}

/// The common part of all answers.
struct AnswerDocument {
    let root: DocumentValue
    /// The object that the answer's own members are in: `result`, or the outermost object where there is none.
    let fields: DocumentValue
    var reading: Interpretation
    /// `nil` for the code 0.
    let refusal: VendorRefusal?

    /// Interprets a document as the answer to a call.
    ///
    /// - Throws: ``EvidenceError``: `.otherAnswer` if it has a mark of another kind of answer; `.missing`, `.type`.
    init(_ document: DocumentReader.Document, answering kind: AnswerKind) throws(EvidenceError) {
        if let comma = document.trailingCommas.first {
            throw EvidenceError(.json, at: comma.path, offset: comma.offset, "a trailing comma")
        }
        var reading = Interpretation(.tolerant)
        root = document.root
        let result = try reading.object(.result, of: root)
        fields = result ?? root
        if let other = kind.foreignKind(in: [root] + (result.map { [$0] } ?? [])) {
            throw root.fault(.otherAnswer, "this is the answer to \(other.name), not to \(kind.name)")
        }
        guard root.has(FieldName.code.vendor), let code = try reading.code(.code, of: root) else {
            throw root.fault(.missing, "code is missing: nothing says how the call ended")
        }
        refusal =
            code == "0"
            ? nil
            : VendorRefusal(
                code: code, msg: try reading.text(.msg, of: root),
                bizSeqNo: try reading.lenientText(.bizSeqNo, of: root),
                transactionTime: try reading.lenientText(.transactionTime, of: root))
        self.reading = reading
    }

    /// - Throws: ``EvidenceError``, also if it cannot be read.
    init(reading body: any ByteSource, answering kind: AnswerKind) throws(EvidenceError) {
        try self.init(DocumentReader.read(body), answering: kind)
    }

    /// Checks that the answer's order is the expected one; an answer without an order belongs to the call.
    mutating func requireOrder(_ order: OrderNumber) throws(EvidenceError) {
        guard let named = try reading.orderNo(of: fields), named != order else { return }
        throw fields.fault(.otherOrder, "the answer is for another order")
    }
}

extension Interpretation {
    /// A text that may also be a number: a time, a number of digits. `nil` if it is absent, null or empty.
    mutating func lenientText(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> String? {
        guard let value = try value(field, of: object) else { return nil }
        if case .number(let number) = value.content { return number }
        return try text(of: value)
    }

    /// A number of seconds, as number or text; `nil` where it is absent or null.
    mutating func seconds(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> Duration? {
        guard let value = try value(field, of: object), let text = try lenientText(field, of: object) else {
            return nil
        }
        guard let seconds = Int64(text), Limits.credentialSeconds.contains(seconds) else {
            throw value.fault(.type, "it must be a number of seconds")
        }
        return .seconds(seconds)
    }
}
