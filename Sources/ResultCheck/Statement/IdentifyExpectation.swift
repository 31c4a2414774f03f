// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import VendorTypes

/// What a caller expects of a statement, all from its own records, never from the checked result.
package struct IdentifyExpectation: Sendable {
    /// How far ahead a phone's clock may be.
    package static let clockTolerance = Duration.seconds(Limits.phoneClockAheadSeconds)

    /// The expected order.
    package var orderNo: OrderNumber
    /// What the clock says.
    package var now: UTCTime
    /// How old a statement may be; `nil` for any age.
    package var maximumAge: Duration?
    /// The integrator's appId; `nil` to accept any.
    package var appId: String?
    /// The user; `nil` to accept any.
    package var userId: String?

    /// The mandatory expectations; the rest is optional.
    package init(orderNo: OrderNumber, now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }
}
