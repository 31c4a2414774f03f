// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams
internal import VendorTypes

/// A repair of a change in transit. Applied only when requested by name.
///
/// A repaired payload is not the payload that was sent: keep the original.
public enum PayloadRepair: String, CaseIterable, Sendable {
    /// Removes line breaks, tabs and blanks.
    case lineBreaks = "line-breaks"
    /// Replaces `-` and `_` with `+` and `/`.
    case urlSafe = "url-safe"
    /// Replaces spaces with the `+` from which a form decoder made them.
    case lostPlus = "lost-plus"
    /// Decodes `%2B` and its like.
    case percentEncoding = "percent-encoding"
    /// Removes a data URI's prefix, up to its comma.
    case dataURI = "data-uri"
    /// Adds missing `=`.
    case missingPadding = "missing-padding"
    /// Decodes once what was encoded twice.
    case doubleBase64 = "double-base64"
    /// Removes quotation marks, what Python or Swift prints around them, backslashes, and a byte-order mark.
    case quotationMarks = "quotation-marks"
    /// Writes as base64 what was printed as decimal numbers or hexadecimal digits.
    case printedBytes = "printed-bytes"
    /// Unwraps the payload from what an app's bridge put around it: further objects, or JSON encoded as a string.
    case wrapper
    /// Writes the wrapped key as one RSA block of the content key, for the same RSA key, where the sender wrapped the
    /// key in a form that no profile has, or changed the block. Only ``Diagnoser/diagnose(_:repairing:into:)`` does it,
    /// which has the private key.
    case wrappedKey = "wrapped-key"

    /// Writes a payload with its wrapped key, content and photo repaired; every other byte is kept. ``wrappedKey`` does
    /// nothing here.
    ///
    /// - Throws: ``EvidenceError`` if it cannot be read as a payload.
    public static func apply(
        _ repairs: Set<PayloadRepair>, to payload: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) {
        var source = payload
        if repairs.contains(.wrapper) {
            source = try payload.seekable()
            source = try PayloadWrapping.payload(in: source)?.source ?? source
        }
        let ofText = Set(repairs.compactMap { TextRepair(rawValue: $0.rawValue) })
        try PayloadSurvey(source).copy(into: destination) {
            let cleaner = TextCleaner(ofText)
            return { text, result in
                var cleaned: [UInt8] = []
                if let text { cleaner.append(text, to: &cleaned) } else { cleaner.finish(to: &cleaned) }
                TextCleaner.write(cleaned, asJSONTo: &result)
            }
        }
    }
}
