// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
package import Recognition
public import VendorDocuments
public import VendorTypes

/// Content of a payload that is not sealed: nothing protects it, and anyone who handled the payload may have replaced
/// it.
public enum UnsealedContent: Sendable {
    /// `userImageString`, the photo, which is never sealed.
    case photo
    /// `userVideoString` of an SDK that was given no public key. A payload whose video is sealed is refused.
    case video

    /// Extracts it from a payload in a file, in memory or from a pipe.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - source: the payload.
    ///   - destination: gets all of the content, or nothing. It is used up either way.
    ///   - threads: the maximum, including the caller's; `nil` for as many as are useful.
    ///   - repairs: the spellings that are read besides the vendor's common ones: ``PayloadOpener/repairs``.
    /// - Throws: ``EvidenceError``.
    @discardableResult
    public func extract(
        of order: OrderNumber? = nil, from source: any ByteSource, into destination: any ByteDestination,
        threads: Int? = nil, accepting repairs: Set<DocumentRepair.Code> = DocumentRepair.Code.documented
    ) throws(EvidenceError) -> OpenReport {
        var form: FieldForm?
        return try extract(
            of: order, from: source, into: destination, threads: threads, accepting: repairs, naming: &form)
    }

    /// The same, and what stands in the field where that is no photo or video.
    ///
    /// - Parameter form: gets that, also where the content is refused.
    package func extract(
        of order: OrderNumber?, from source: any ByteSource, into destination: any ByteDestination, threads: Int?,
        accepting repairs: Set<DocumentRepair.Code>, naming form: inout FieldForm?
    ) throws(EvidenceError) -> OpenReport {
        let manner = FieldExtraction.Manner(threads: threads, canReread: source.isSeekable, accepting: repairs)
        let receiver = PayloadReceiver(content, of: order, into: destination, manner)
        defer { form = receiver.form }
        return try receiver.take(source)
    }

    /// Extracts it from a payload while that arrives.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; `nil` accepts any.
    ///   - destination: gets all of the content, or nothing.
    ///   - repairs: the spellings that are read besides the vendor's common ones: ``PayloadOpener/repairs``.
    public func receiver(
        of order: OrderNumber? = nil, into destination: any ByteDestination,
        accepting repairs: Set<DocumentRepair.Code> = DocumentRepair.Code.documented
    ) -> PayloadReceiver {
        PayloadReceiver(
            content, of: order, into: destination, FieldExtraction.Manner(threads: 1, accepting: repairs))
    }

    private var content: FieldExtraction.Request {
        switch self {
        case .photo: .photo
        case .video: .plainVideo
        }
    }
}
