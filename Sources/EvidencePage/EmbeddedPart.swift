// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams

/// Keeps a part of a check until it is known whether the page may show it.
///
/// Nothing beyond `Limits.embeddedPartBytes` is kept, since browsers limit the size of data in a page.
package final class EmbeddedPart: ByteDestination {
    /// Only ``EvidencePage/write(to:showing:)``, which checks the verdict, can see what is kept.
    package let isWithheldUntilFinished = true
    /// Whether it was too large for a page.
    package private(set) var isTooLarge = false
    private let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
    private var byteCount: UInt64 = 0

    package init() {}

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        byteCount += UInt64(bytes.count)
        if byteCount > Limits.embeddedPartBytes { isTooLarge = true }
        guard !isTooLarge else { return spool.abandon() }
        try spool.write(bytes)
    }

    package func finish() {}

    package func abandon() { spool.abandon() }

    /// All of it as base64, in pieces.
    func writeBase64(to destination: any ByteDestination) throws(EvidenceError) {
        try spool.finish()
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        try spool.forEachChunk { chunk throws(EvidenceError) in
            encoder.append(chunk, to: &text)
            try destination.take(&text)
            return true
        }
        encoder.finish(to: &text)
        try destination.take(&text)
    }
}
