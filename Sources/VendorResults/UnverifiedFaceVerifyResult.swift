// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
public import VendorDocuments
public import VendorTypes

/// A result from a client, which may say anything.
///
/// Its claim of success is inaccessible until its sign was checked for the order that you are waiting for. A
/// failure needs no check, since nobody gains by forging one, but it is also only a claim.
///
/// An example: <doc:TrustingAResult>.
///
/// `sign` covers appId, orderNo and code alone: not the scores, the image or the risks. Ask the vendor's server for
/// those (`queryfacerecord`).
public struct UnverifiedFaceVerifyResult: Equatable, Sendable {
    private let result: WBFaceVerifyResult
    /// What was read although it deviates from the vendor's documentation.
    public let repairs: [DocumentRepair]

    init(_ result: WBFaceVerifyResult, repairs: [DocumentRepair]) {
        self.result = result
        self.repairs = repairs
    }

    /// Reads a result, leaving long strings in the document.
    ///
    /// - Throws: ``EvidenceError``.
    public init(reading source: any ByteSource, _ tolerance: Tolerance = .tolerant) throws(EvidenceError) {
        try self.init(DocumentReader.read(source), tolerance)
    }

    /// Interprets a document as a result.
    package init(_ document: DocumentReader.Document, _ tolerance: Tolerance) throws(EvidenceError) {
        self = try document.interpret(tolerance) { root, reading throws(EvidenceError) in
            let result = try reading.verifyResult(root)
            return UnverifiedFaceVerifyResult(result, repairs: reading.repairs)
        }
    }

    /// The order that it claims; `nil` if a wrapper dropped it.
    public var claimedOrderNo: OrderNumber? { result.orderNo }
    /// Whether it claims that the person passed.
    public var claimsSuccess: Bool { result.isSuccess }
    /// Why it failed; `nil` if it claims success.
    public var error: WBFaceError? { result.error }

    /// The result, if its sign is valid.
    ///
    /// - Parameters:
    ///   - orderNo: the order that you issued and are waiting for, never the one in the result.
    ///   - isValid: whether a sign matches your appId, this order and code 0.
    /// - Throws: ``EvidenceError``: `.otherOrder`, `.sign` when success is claimed without a valid sign, or
    ///   `.ambiguous` when another member of the result contradicts the pass, `.undecided` when nobody can tell
    ///   whether it does (`docs/FORMATS.md` §5.2).
    public func verified(
        for orderNo: OrderNumber, checkingSign isValid: (_ sign: String) -> Bool
    ) throws(EvidenceError) -> WBFaceVerifyResult {
        if let claimed = result.orderNo, claimed != orderNo {
            throw EvidenceError(.otherOrder, "the result is for another order")
        }
        guard case .passed(let passed) = result.outcome else { return result }
        if let other = repairs.first(where: { $0.code == .contradiction }) {
            throw EvidenceError(
                other.isUndecided ? .undecided : .ambiguous, at: other.path, offset: other.offset,
                "success is claimed, but this member "
                    + (other.isUndecided ? "may contradict it" : "contradicts it"),
                hint: "ask the vendor's server: queryfacerecord")
        }
        guard let sign = passed.sign else {
            throw EvidenceError(
                .sign, "success is claimed without a sign", hint: "ask the vendor's server: queryfacerecord")
        }
        guard isValid(sign) else {
            throw EvidenceError(
                .sign, "the sign is not valid for this order",
                hint: "the result was forged, or the ticket is too old")
        }
        return result
    }

    /// The result as it came, with its sign unchecked: for showing to a person, never for a decision.
    public var withoutCheckingSign: WBFaceVerifyResult { result }
}
