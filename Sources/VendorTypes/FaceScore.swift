// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// A score of a verification, `liveRate` or `similarity`: 0 to 100, sent as text.
///
/// The vendor sends the text `分数为空` where there is no score (iOS result header). Objective-C's `floatValue` makes
/// 0 of it; here it is never a number.
public enum FaceScore: Hashable, Sendable, Codable {
    /// A number from 0 to 100, with the text it was sent as: `96.30` and `96.3` are not the same bytes.
    case number(Double, text: String)
    /// The field was absent or empty: liveness alone gives no similarity.
    case absent
    /// The vendor reported that there is no score.
    case empty
    /// Anything else.
    case unreadable(text: String)

    /// What the vendor sends for "no score".
    package static let emptyText = "分数为空"

    /// The meaning of a text. A number is written in ASCII digits with at most one point between them.
    package init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isDecimal =
            (1...2).contains(parts.count) && text.utf8.count <= Limits.scoreCharacters
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
        if text.isEmpty {
            self = .absent
        } else if text.unicodeScalars.elementsEqual(Self.emptyText.unicodeScalars) {
            self = .empty
        } else if isDecimal, let value = Double(text), value <= Limits.highestScore {
            self = .number(value, text: text)
        } else {
            self = .unreadable(text: text)
        }
    }

    /// The number, where there is one.
    public var value: Double? {
        if case .number(let value, _) = self { value } else { nil }
    }

    /// The text as it was sent; `nil` if the field was absent.
    public var text: String? {
        switch self {
        case .number(_, let text), .unreadable(let text): text
        case .empty: Self.emptyText
        case .absent: nil
        }
    }

    /// Reads the text, or null.
    ///
    /// - Throws: whatever the decoder throws where it holds something else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .absent : FaceScore(try container.decode(String.self))
    }

    /// Writes the text, or null.
    ///
    /// - Throws: whatever the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
