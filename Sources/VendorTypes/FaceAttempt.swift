// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// The integrator, `appId` in the vendor's documents: test ones begin with TIDA, others with IDA.
public struct AppId: Hashable, Sendable, CustomStringConvertible {
    /// The appId as text.
    public let value: String

    /// An appId.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) when the text does not have the form of one.
    public init(_ text: String) throws(EvidenceError) {
        guard ValueForm.appId.accepts(text) else { throw EvidenceError(.value, "an appId \(ValueForm.appId.rule)") }
        value = text
    }

    /// The appId as text.
    public var description: String { value }
}

/// A user of the integrator: one person, one userId, in every call about that person.
///
/// The vendor takes 32 characters (1007/57614), its older Android pages 30: stay within 30.
public struct UserId: Hashable, Sendable, CustomStringConvertible {
    /// The userId as text.
    public let value: String

    /// A userId. It must not be the number of an identity document, which would then appear in every log.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) when the text does not have the form of one, or has that of an ID number
    ///   (15 digits; 17 digits and a check character).
    public init(_ text: String) throws(EvidenceError) {
        guard ValueForm.userId.accepts(text) else { throw EvidenceError(.value, "a userId \(ValueForm.userId.rule)") }
        let digits = text.utf8.prefix { ByteSet.digits.contains($0) }.count
        let last = text.utf8.last
        let isChecked = last == UInt8(ascii: "X") || last == UInt8(ascii: "x")
        guard ![15, 18].contains(text.utf8.count) || digits < text.utf8.count - (isChecked ? 1 : 0) else {
            throw EvidenceError(
                .value, "a userId must not be the number of an identity document",
                hint: "give each person a random or derived number of your own")
        }
        value = text
    }

    /// The userId as text.
    public var description: String { value }
}

/// One attempt of one user: what an integrator records before anything is sent, and what every later step is
/// compared with.
///
/// A second attempt is a second value, with an order number of its own.
public struct FaceAttempt: Hashable, Sendable {
    /// The integrator.
    public let appId: AppId
    /// Whose face it is.
    public let userId: UserId
    /// Which verification it is.
    public let orderNo: OrderNumber

    /// An attempt that was recorded earlier.
    public init(appId: AppId, userId: UserId, orderNo: OrderNumber) {
        self.appId = appId
        self.userId = userId
        self.orderNo = orderNo
    }
}
