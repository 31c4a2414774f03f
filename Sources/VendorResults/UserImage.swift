// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
public import MediaStructure
internal import Recognition
public import VendorDocuments

/// `userImageString` and its relatives: base64 of a JPEG, or of a PNG if the backend answers with one (5.3 of the
/// vendor's query page, 655/13835).
public enum UserImage {
    /// Extracts a photo from a result, and checks that it is a complete image.
    ///
    /// A destination that withholds what it gets receives all of the image or nothing; others get it after it was
    /// checked to the end.
    ///
    /// - Parameters:
    ///   - text: the field.
    ///   - source: the source from which the result was read.
    ///   - destination: gets the photo.
    /// - Throws: ``EvidenceError`` (`.image`, `.base64`; `.limit` for more than `Limits.photoBytes`).
    public static func decode(
        _ text: FieldText, from source: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> MediaContent {
        if !destination.isWithheldUntilFinished {
            _ = try decode(text, from: source, into: DiscardingDestination())
        }
        var inspector = MediaInspector()
        do throws(EvidenceError) {
            try text.forEachDecodedRun(in: source) { bytes throws(EvidenceError) in
                inspector.append(bytes.span)
                try checkSize(inspector.byteCount)
                try destination.take(&bytes)
            }
            let content = inspector.finish()
            try checkImage(content)
            try destination.finish()
            return content
        } catch { throw error.naming("the image", try text.form(in: source), insteadOf: "jpeg", "png") }
    }

    /// Writes an image as base64, and checks that it is a complete JPEG or PNG.
    ///
    /// - Throws: ``EvidenceError`` (`.image`; `.limit` for more than `Limits.photoBytes`).
    package static func encode(
        _ image: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> MediaContent {
        let content = try write(image, into: destination)
        try destination.finish()
        return content
    }

    /// Writes an image as base64 into a longer document.
    package static func write(
        _ image: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> MediaContent {
        var inspector = MediaInspector()
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        var beginning = TextBeginning()
        try image.forEachChunk { chunk throws(EvidenceError) in
            beginning.append(chunk)
            inspector.append(chunk)
            try checkSize(inspector.byteCount)
            encoder.append(chunk, to: &text)
            try destination.take(&text)
            return true
        }
        let content = inspector.finish()
        do throws(EvidenceError) { try checkImage(content) } catch {
            throw error.naming("the image", beginning.formOfBytes, insteadOf: "jpeg", "png")
        }
        encoder.finish(to: &text)
        try destination.take(&text)
        return content
    }

    /// Whether the vendor would accept an image as the photo to compare with: original and base64 within its bounds.
    package static func fitsAsSourcePhoto(byteCount: UInt64) -> Bool {
        byteCount <= Limits.vendorSourcePhotoBytes
            && (byteCount + 2) / 3 * 4 <= Limits.vendorSourcePhotoCharacters
    }

    private static func checkSize(_ count: UInt64) throws(EvidenceError) {
        guard count <= Limits.photoBytes else {
            throw EvidenceError(.limit, "a photo of more than \(Limits.photoBytes) bytes")
        }
    }

    private static func checkImage(_ content: MediaContent) throws(EvidenceError) {
        switch content {
        case .jpeg, .png: break
        case .damaged(let fault): throw EvidenceError(.image, "\(fault)")
        default: throw EvidenceError(.image, "the image is neither a JPEG nor a PNG")
        }
    }
}

extension EvidenceError {
    /// The refusal of a photo or a video, which says what it is instead, where that shows.
    ///
    /// - Parameter wanted: the names of the forms that it should have; then only a part of it is wrong.
    func naming(_ what: String, _ form: FieldForm?, insteadOf wanted: String...) -> EvidenceError {
        let isPart = form.map {
            $0.isInside && (code == .base64 || $0.layers.count == 1 && wanted.contains($0.content.id))
        }
        guard [.image, .video, .base64].contains(code), let form, isPart == false else { return self }
        return saying("\(what) is \(form.name)", hint: form.step ?? hint)
    }
}
