// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
public import EvidenceStreams
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

/// What goes into a record from elsewhere, sealed with it.
public struct RecordEnclosures {
    /// A file of any kind.
    public struct Attachment {
        /// Its bytes.
        package var source: any ByteSource
        /// What it is called; `nil` for nothing.
        package var name: String?
        /// Whether it is a picture that shows a face, and goes when the record is reduced. Only what is added to
        /// evidence may.
        package var showsFace: Bool

        /// One that shows no face, unless said.
        public init(_ source: any ByteSource, named name: String? = nil, showingFace showsFace: Bool = false) {
            self.source = source
            self.name = name
            self.showsFace = showsFace
        }
    }

    /// Up to 16 that show a face, and up to 16 others.
    public var attachments: [Attachment] = []
    /// What the vendor's server answered when you asked it about the order; for evidence and what is added to it alone.
    public var answer: (any ByteSource)?
    /// Who, why, and whose.
    public var about = RecordAbout()

    /// Nothing.
    public init() {}

    /// Refuses what only evidence and what is added to it may have.
    func requireNoFace() throws(EvidenceError) {
        guard answer == nil, !attachments.contains(where: \.showsFace) else {
            throw EvidenceError(.value, "only what is added to evidence may show a face")
        }
    }
}

extension RecordBuilder {
    /// Seals what is enclosed.
    ///
    /// - Parameter order: the order that the answer must be about; `nil` where the record can have none.
    /// - Returns: the vendor's answer, if there is one.
    /// - Throws: ``EvidenceError``: `.value` for what the record cannot have, `.tooLarge` for too many attachments,
    ///   `.unknownDocument` and others for what is no answer, `.otherOrder`, or where something cannot be read or
    ///   written.
    @discardableResult
    func add(
        _ enclosed: RecordEnclosures, toEvidenceOf order: OrderNumber? = nil
    ) throws(EvidenceError) -> FaceRecordAnswer? {
        var answer: FaceRecordAnswer?
        var about = enclosed.about
        var (faces, others) = (RecordPart.facePictures[...], RecordPart.attachments[...])
        for attachment in enclosed.attachments {
            guard let part = attachment.showsFace ? faces.popFirst() : others.popFirst() else {
                throw EvidenceError(
                    .tooLarge, "a record has at most \(Limits.archiveAttachments) attachments of each kind")
            }
            let sealer = try self.part(part)
            if attachment.source.isSeekable { try attachment.source.seek(to: 0) }
            try attachment.source.forEachChunk { chunk throws(EvidenceError) in
                try sealer.write(chunk)
                return true
            }
            try sealer.finish()
            if let name = attachment.name { about.names[part] = name }
        }
        if let source = enclosed.answer {
            guard let order else {
                throw EvidenceError(.value, "an answer is about an order, and none was given")
            }
            answer = try add(answer: source, about: order)
        }
        if !about.isEmpty { try add(RecordPart.about, about.json) }
        return answer
    }

    /// Seals the vendor's answer, once it is known to be one about the order. What it says of the person is not judged.
    func add(
        answer source: any ByteSource, about order: OrderNumber
    ) throws(EvidenceError) -> FaceRecordAnswer {
        let sealer = try part(RecordPart.answer)
        var reader = DocumentReader()
        var outline = DocumentOutline()
        if source.isSeekable { try source.seek(to: 0) }
        try source.forEachChunk { chunk throws(EvidenceError) in
            try sealer.write(chunk)
            try reader.append(chunk)
            try outline.append(chunk)
            return true
        }
        let answer = try reader.finish().interpret(.tolerant) { root, reading throws(EvidenceError) in
            try FaceRecordAnswer(root, &reading)
        }
        guard answer.orderNo == order else {
            throw EvidenceError(.otherOrder, "the vendor's answer is about another order than the given one")
        }
        try sealer.finish()
        if let outline = try outline.finish() { try add(RecordPart.answerOutline, outline) }
        return answer
    }
}
