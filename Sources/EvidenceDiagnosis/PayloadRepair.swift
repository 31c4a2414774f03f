// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams
internal import Recognition
internal import VendorDocuments
internal import VendorTypes

/// A repair of a change in transit. Applied only when requested by name, which is its raw value: `line-breaks`.
///
/// A repaired payload is not the payload that was sent: keep the original.
@nonexhaustive public enum PayloadRepair: String, CaseIterable, Sendable {
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
    /// Leaves out commas before `}` and `]`.
    case trailingComma = "trailing-comma"
    /// Unwraps the payload from what an app's bridge put around it: further objects, or JSON encoded as a string.
    case wrapper
    /// Writes the wrapped key as one RSA block of the content key, for the same RSA key, where the sender wrapped the
    /// key in a form that no profile has, or changed the block. Only ``Diagnoser/diagnose(_:repairing:into:)`` does it,
    /// which has the private key.
    case wrappedKey = "wrapped-key"

    /// The repair that has the name of a repair of a text, as each of those has one.
    init?(_ repair: TextRepair) { self.init(rawValue: repair.rawValue) }

    /// Writes a payload with its wrapped key, content and photo repaired; every other byte is kept. ``wrappedKey`` does
    /// nothing here.
    ///
    /// - Throws: ``EvidenceError`` if it cannot be read as a payload.
    public static func apply(
        _ repairs: Set<PayloadRepair>, to payload: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) {
        var source = payload
        if repairs.contains(.trailingComma) { source = try withoutTrailingCommas(payload.seekable()) }
        if repairs.contains(.wrapper) {
            source = try source.seekable()
            if PayloadWrapping.isDenied(in: source) {
                throw EvidenceError(
                    .undecided, "the payload is not taken out of what is around it", hint: KnownForm.askInstead)
            }
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

    /// A copy without the commas before `}` and `]`.
    private static func withoutTrailingCommas(_ source: any ByteSource) throws(EvidenceError) -> any ByteSource {
        var scanner = JSONScanner(allowsTrailingCommas: true)
        var commas: [UInt64] = []
        try source.seek(to: 0)
        try source.forEachChunk { chunk throws(EvidenceError) in
            var position = 0
            while case let token = try scanner.next(in: chunk, at: &position), token != .needsInput {
                guard [.endObject, .endArray].contains(token), let comma = scanner.trailingComma else { continue }
                commas.append(comma)
            }
            return commas.count <= commaLimit
        }
        let copy = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        var (offset, next) = (UInt64(0), commas.makeIterator())
        var comma = next.next()
        try source.seek(to: 0)
        try source.forEachChunk { chunk throws(EvidenceError) in
            var start = 0
            while let place = comma, place < offset + UInt64(chunk.count) {
                let end = Int(place - offset)
                try copy.write(chunk.extracting(start..<end))
                start = end + 1
                comma = next.next()
            }
            try copy.write(chunk.extracting(start...))
            offset += UInt64(chunk.count)
            return true
        }
        try copy.finish()
        return copy
    }

    /// How many commas are left out; what has more of them is not read.
    private static let commaLimit = 1_024
}
