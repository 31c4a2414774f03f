// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import VendorTypes

/// What a caller expects of a statement: all of it from its own records, never from the result that is checked.
public struct IdentifyExpectation: Sendable {
    /// How far ahead of the clock a phone's clock may be.
    public static let clockTolerance = Duration.seconds(Limits.phoneClockAheadSeconds)

    /// The order that is waited for.
    public var orderNo: OrderNumber
    /// What the clock says.
    public var now: UTCTime
    /// How old a statement may be; `nil` for any age.
    public var maximumAge: Duration?
    /// The integrator's appId; `nil` to take any.
    public var appId: String?
    /// The user; `nil` to take any.
    public var userId: String?

    /// What is compared always; the rest is set as far as it is known.
    public init(orderNo: OrderNumber, now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }
}
