// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import VendorTypes

/// What the tag covers, of the content of a payload.
public enum TagCoverage: String, Sendable {
    /// Order, field and content: it is the content that was sealed for the order.
    case order
    /// Only the content: it may have been sealed for any order.
    case content
    /// Nothing: there is no tag.
    case none
}

/// The outcome of opening a payload.
public struct OpenReport: Equatable, Sendable {
    /// The name of the form of ``json``.
    public static let schema = "evidence-opening-1"

    /// The order number in the payload. The toolkit's own formats tie sealed content to it; under a profile that
    /// does not, and for plain content, it is only claimed, and may be absent.
    public let orderNo: OrderNumber?
    /// How many bytes went to the destination.
    public let byteCount: UInt64
    /// What the tag covers: `none` for a photo, and for a video that was never sealed.
    public let tag: TagCoverage

    /// The report as JSON, one line: the schema ``schema`` (`docs/JSON.md`).
    public var json: String { Self.json(orderNo, byteCount, tag: tag) }

    package static func json(_ order: OrderNumber?, _ byteCount: UInt64, tag: TagCoverage) -> String {
        JSONValue.object([
            ("schema", .text(schema)), ("order", JSONValue(order?.value)), ("byteCount", .number(byteCount)),
            ("tag", .text(tag.rawValue)),
        ]).json
    }
}

/// The outcome of opening a payload under a profile.
public enum ProfileOpening: Equatable, Sendable {
    /// The tag is right: the content is what was sealed for the order in the report.
    case authenticated(OpenReport)
    /// The tag is right, but does not cover the order: the content is what was sealed, but for an unknown order.
    case authenticatedOfUnknownOrder(UnknownOrderReport)
    /// The profile has no tag: nothing proves that the content was not altered.
    case unauthenticated(UnauthenticatedReport)

    init(_ report: OpenReport, _ profile: Profile) {
        self =
            if profile.coversOrder {
                .authenticated(report)
            } else if profile.isAuthenticated {
                .authenticatedOfUnknownOrder(
                    UnknownOrderReport(claimedOrderNo: report.orderNo, byteCount: report.byteCount))
            } else {
                .unauthenticated(UnauthenticatedReport(claimedOrderNo: report.orderNo, byteCount: report.byteCount))
            }
    }

    /// The same as JSON: the schema ``OpenReport/schema``, on one line.
    public var json: String {
        switch self {
        case .authenticated(let report): report.json
        case .authenticatedOfUnknownOrder(let report):
            OpenReport.json(report.claimedOrderNo, report.byteCount, tag: .content)
        case .unauthenticated(let report): OpenReport.json(report.claimedOrderNo, report.byteCount, tag: .none)
        }
    }
}

/// The outcome for a payload whose tag does not cover the order number.
///
/// Anyone with two such payloads could have put the sealed content of one, with its wrapped key, under the order
/// number of the other. Expecting an order does not help: it was compared with unprotected text.
public struct UnknownOrderReport: Equatable, Sendable {
    /// The order number in the payload, where there is one. Nothing ties the content to it.
    public let claimedOrderNo: OrderNumber?
    /// How many bytes went to the destination.
    public let byteCount: UInt64
}

/// The outcome for a payload whose profile has no tag.
///
/// Only the key fitted and the padding at the end was right. About one wrong key in 256 gets as far, and every one
/// without padding. Anyone who handled the payload may have altered the content without knowing any key.
public struct UnauthenticatedReport: Equatable, Sendable {
    /// The order number in the payload, where there is one. Nothing ties the content to it.
    public let claimedOrderNo: OrderNumber?
    /// How many bytes went to the destination.
    public let byteCount: UInt64
}
