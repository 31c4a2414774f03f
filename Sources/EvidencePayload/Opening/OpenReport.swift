// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import VendorDocuments
public import VendorTypes

/// What the tag covers, of the content of a payload.
public enum TagCoverage: String, Sendable, Comparable {
    /// Order, field and content: it is the content that was sealed for the order.
    case order
    /// Only the content. Anyone with two such payloads could have put the sealed content of one, with its wrapped key,
    /// under the order number of the other.
    case content
    /// Nothing: there is no tag, or nothing was sealed. Of what was sealed, only the key fitted and the padding at the
    /// end was right: about one wrong key in 256 gets as far, and every one without padding. Anyone who handled the
    /// payload may have altered the content without knowing any key.
    case none

    /// Ordered by how much is covered.
    public static func < (left: TagCoverage, right: TagCoverage) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .content: 1
        case .order: 2
        }
    }
}

/// The outcome of opening a payload.
public struct OpenReport: Equatable, Sendable {
    /// The name of the form of ``json``.
    package static let schema = "evidence-opening-1"

    /// The order number in the payload. Unless ``tag`` is ``TagCoverage/order``, it is only claimed, and may be absent:
    /// an order that you expected was compared with unprotected text.
    public let orderNo: OrderNumber?
    /// How many bytes went to the destination.
    public let byteCount: UInt64
    /// What the tag covers: `none` for a photo, and for a video that was never sealed.
    public let tag: TagCoverage
    /// What was read although it is not the vendor's common spelling; of each kind, the first.
    public let repairs: [DocumentRepair]

    /// The report as JSON, one line: the schema `evidence-opening-1` (`docs/JSON.md`).
    public var json: String { Self.json(orderNo, byteCount, tag: tag, repairs) }

    package static func json(
        _ order: OrderNumber?, _ byteCount: UInt64, tag: TagCoverage, _ repairs: [DocumentRepair] = []
    ) -> String {
        JSONValue.object([
            ("schema", .text(schema)), ("order", JSONValue(order?.value)), ("byteCount", .number(byteCount)),
            ("tag", .text(tag.rawValue)), ("repairs", .list(repairs.map(\.value))),
        ]).json
    }
}
