// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import VendorTypes

/// What a caller expects of a statement, all from its own records, never from the checked result.
public struct IdentifyExpectation: Sendable {
    /// How far ahead a phone's clock may be.
    public static let clockTolerance = Duration.seconds(Limits.phoneClockAheadSeconds)

    /// The expected order.
    public var orderNo: OrderNumber
    /// What the clock says.
    public var now: UTCTime
    /// How old a statement may be; `nil` for any age.
    public var maximumAge: Duration?
    /// The integrator's appId; `nil` to accept any.
    public var appId: String?
    /// The user; `nil` to accept any.
    public var userId: String?

    /// The mandatory expectations; the rest is optional.
    public init(orderNo: OrderNumber, now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }
}
