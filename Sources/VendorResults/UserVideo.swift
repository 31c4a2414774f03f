// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
public import MediaStructure
public import VendorDocuments

/// The `video` of an answer: base64 of an MP4 (655/13835).
public enum UserVideo {
    /// Extracts a video from an answer, in constant memory, and checks that it is a complete MP4.
    ///
    /// A destination that withholds what it gets receives all of the video or nothing; others get it after it was
    /// checked to the end.
    ///
    /// - Parameters:
    ///   - text: the field.
    ///   - source: the source from which the answer was read.
    ///   - destination: gets the video.
    /// - Throws: ``EvidenceError`` (`.video`, `.base64`).
    @discardableResult
    public static func decode(
        _ text: FieldText, from source: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> MediaContent {
        if !destination.isWithheldUntilFinished {
            try decode(text, from: source, into: DiscardingDestination())
        }
        var inspector = MediaInspector()
        do throws(EvidenceError) {
            try text.forEachDecodedRun(in: source) { bytes throws(EvidenceError) in
                inspector.append(bytes.span)
                try destination.take(&bytes)
            }
            let content = inspector.finish()
            switch content {
            case .mp4: break
            case .damaged(let fault): throw EvidenceError(.video, "\(fault)")
            default: throw EvidenceError(.video, "the video is not an MP4")
            }
            try destination.finish()
            return content
        } catch { throw error.naming("the video", try text.form(in: source), insteadOf: "mp4", "quicktime", "3gp") }
    }
}
