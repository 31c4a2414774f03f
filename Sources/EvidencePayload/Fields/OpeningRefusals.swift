// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// Why opening would be refused, for each kind of content; `nil` if nothing prevents it as far as it shows without
/// keys.
package struct OpeningRefusals {
    /// Opening the video, if it is sealed as one of the toolkit's own formats.
    package let sealedVideo: EvidenceError?
    /// Extracting a video that was never sealed.
    package let plainVideo: EvidenceError?
    /// Extracting the photo.
    package let photo: EvidenceError?
    /// The beginning of the fingerprint of the key for which the video is said to be sealed.
    package let keyHint: String?
}

/// Finds out, without a key, how far opening would get, while a document is read for another purpose.
package final class OpeningRefusalScan {
    private var reading = PayloadReading()
    private var refusal: EvidenceError?

    /// A scan at the start of a document.
    package init() {}

    /// The next bytes of the document.
    package func append(_ chunk: Span<UInt8>) {
        guard refusal == nil else { return }
        do throws(EvidenceError) { try reading.append(chunk) } catch { refusal = error }
    }

    /// The result. No more bytes may come.
    package func finish() -> OpeningRefusals {
        OpeningRefusals(
            sealedVideo: refusal { index throws(EvidenceError) in
                _ = try index.sealedContent(of: .video)
                _ = try Envelope.evidenceV2.context(.video, index.orderNumber())
            },
            plainVideo: refusal { index throws(EvidenceError) in _ = try index.plainVideo() },
            photo: refusal { index throws(EvidenceError) in _ = try index.plainPhoto() },
            keyHint: refusal == nil ? try? reading.finish().keyHint() : nil)
    }

    private func refusal(of request: (PayloadIndex) throws(EvidenceError) -> Void) -> EvidenceError? {
        if let refusal { return refusal }
        do throws(EvidenceError) {
            try request(reading.finish())
            return nil
        } catch { return error }
    }
}
