// SPDX-License-Identifier: Apache-2.0

/// A repair of a field's text that was changed in transit, or was printed instead of encoded. Applied only when
/// requested by name.
///
/// This is the table of them: ``DocumentRepair/Code`` and the repairs of a payload have them from here.
package enum TextRepair: String, CaseIterable, Sendable {
    /// Removes line breaks, tabs and blanks.
    case lineBreaks = "line-breaks"
    /// Replaces `-` and `_` with `+` and `/`, and `.` with `=`.
    case urlSafe = "url-safe"
    /// Replaces spaces with the `+` from which a form decoder made them.
    case lostPlus = "lost-plus"
    /// Decodes `%2B`, `&#43;` and their like.
    case percentEncoding = "percent-encoding"
    /// Removes a data URI's prefix, up to its comma.
    case dataURI = "data-uri"
    /// Writes as many `=` as belong there.
    case missingPadding = "missing-padding"
    /// Decodes once what was encoded twice.
    case doubleBase64 = "double-base64"
    /// Removes quotation marks, what Python or Swift prints around them, backslashes, a mark in front, a comma behind.
    case quotationMarks = "quotation-marks"
    /// Writes as base64 what was printed as numbers or digits, or stands there in another encoding (`RECOGNITION`).
    case printedBytes = "printed-bytes"

    /// Those among repairs of any kind.
    package static func named(in codes: Set<DocumentRepair.Code>) -> Set<TextRepair> { Set(codes.compactMap(\.ofText)) }

    /// How the text was read.
    var effect: String {
        switch self {
        case .lineBreaks: "read without its line breaks"
        case .urlSafe: "read as URL-safe base64"
        case .lostPlus: "read with a '+' in place of each blank"
        case .percentEncoding: "read as URL-encoded, or as HTML spells characters"
        case .dataURI: "a data URI, read without its prefix"
        case .missingPadding: "read with the padding that belongs there"
        case .doubleBase64: "base64 of base64, decoded twice"
        case .quotationMarks: "read without its quotation marks and backslashes"
        case .printedBytes: "printed bytes, or another encoding than base64, decoded"
        }
    }
}

extension DocumentRepair {
    /// What was repaired in the text of one field.
    package static func repairs(_ repairs: Set<TextRepair>, at path: String, offset: UInt64) -> [DocumentRepair] {
        TextRepair.allCases.filter(repairs.contains).compactMap {
            Code(rawValue: $0.rawValue).map { DocumentRepair(code: $0, path: path, offset: offset) }
        }
    }
}
