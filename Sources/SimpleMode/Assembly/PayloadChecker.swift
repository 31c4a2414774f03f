// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import VendorResults
public import VendorSigning
public import VendorTypes

/// Checks a whole result: everything that the keys and tickets at hand allow, in constant memory, and in one pass where
/// the wrapped keys come before the fields they open.
///
/// ```swift
/// guard let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970) else { … }
/// var checker = PayloadChecker(expecting: order, at: now)
/// checker.videoKey = ourKey
/// checker.comparingKey = theirKey
/// checker.appId = appId
/// checker.tickets = tickets
/// let report = try checker.check(FileSource(path: "result.json"))
/// ```
///
/// Nothing of the content comes out. What was found is *consistent* at best, never authentic:
/// ``CheckReport/isOriginProven``.
public struct PayloadChecker: Sendable {
    /// The private key for `userVideoString`; `nil` leaves the video unopened.
    public var videoKey: (any DecryptionKey)?
    /// The comparing service's private key for `identifyStr`; `nil` leaves it unopened.
    public var comparingKey: (any DecryptionKey)?
    /// The integrator's appId: part of the sign, and of the statement.
    public var appId: String?
    /// The user the order was given to; `nil` to take any.
    public var userId: String?
    /// The SIGN tickets, the current one first; none leaves the sign unchecked.
    public var tickets: [Ticket] = []
    /// How old the statement may be; `nil` for any age.
    public var maximumAge: Duration?
    /// At most so many threads are at work, the caller's included; `nil` for as many as help.
    public var threads: Int?

    let orderNo: OrderNumber
    private let now: UTCTime

    /// - Parameters:
    ///   - orderNo: the order you gave out and are waiting for, never the one that stands in the result.
    ///   - now: what the clock says.
    public init(expecting orderNo: OrderNumber, at now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }

    /// Reads a result to its end and says what holds.
    ///
    /// - Throws: ``EvidenceError``: where the system failed and there is no answer, or (`.weakKey`) where a key that
    ///   was given opens nothing that is sealed as it should be. Whatever is wrong with the result itself is in the
    ///   report.
    public func check(_ source: any ByteSource) throws(EvidenceError) -> CheckReport {
        try requireKeys()
        return try CheckReceiver(self, canReread: source.isSeekable, threads: threads).take(source)
    }

    /// Checks a result that arrives in pieces.
    ///
    /// - Throws: ``EvidenceError`` (`.weakKey`, `.openSSL`).
    public func receiver() throws(EvidenceError) -> CheckReceiver {
        try requireKeys()
        return try CheckReceiver(self, threads: threads ?? 1)
    }

    /// A key that is too weak is the caller's mistake, and says nothing about the result.
    private func requireKeys() throws(EvidenceError) {
        for key in [videoKey, comparingKey] {
            if let key { try Profile.evidenceV1.wrapping.requireStrength(of: key.publicKey) }
        }
    }

    /// What the statement is compared with, as far as the caller said it.
    var expectation: IdentifyExpectation {
        var expectation = IdentifyExpectation(orderNo: orderNo, now: now)
        expectation.maximumAge = maximumAge
        expectation.appId = appId
        expectation.userId = userId
        return expectation
    }

    func orderItem(_ claimed: OrderNumber?) -> CheckReport.Item {
        switch claimed {
        case orderNo?: CheckReport.Item("order", .holds, "\(orderNo) is the expected one")
        case nil: CheckReport.Item("order", .fails, "the result names no order")
        default: CheckReport.Item("order", .fails, "it is another order than \(orderNo)")
        }
    }

    func signItem(_ result: WBFaceVerifyResult) throws(EvidenceError) -> CheckReport.Item {
        guard !tickets.isEmpty else { return CheckReport.Item("sign", .unchecked, "no ticket was given") }
        guard let appId else { return CheckReport.Item("sign", .unchecked, "no appId was given") }
        guard case .passed(let passed) = result.outcome, let sign = passed.sign else {
            return CheckReport.Item("sign", .fails, "there is none")
        }
        let verification: SignVerification
        do throws(EvidenceError) {
            verification = try SignRecipe.frontEndResult(appId: appId, orderNo: orderNo.value, code: "0")
                .verify(sign, with: tickets)
        } catch { throw EvidenceError(.openSSL, "\(error)") }
        switch verification {
        case .valid(let acceptance):
            let notes = acceptance.warnings.map { "; \($0)" }.joined()
            return CheckReport.Item("sign", .holds, "it is the server's for this order and code 0" + notes)
        case .invalid(let rejection):
            return CheckReport.Item("sign", .fails, rejection.reasons.map(\.description).joined(separator: "; "))
        }
    }
}
