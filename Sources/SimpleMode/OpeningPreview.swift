/// Finds out, without a key, how far opening would get with a document that is being read for another purpose.
package final class OpeningPreview {
    /// What opening would say, each for itself; `nil` where nothing is in its way as far as can be seen from outside.
    package struct Outlook {
        /// Opening the video as `evidence-v1` does.
        package let sealedVideo: SimpleModeError?
        /// Taking out a video that was never sealed.
        package let plainVideo: SimpleModeError?
        /// Taking out the photo.
        package let photo: SimpleModeError?
    }

    private var scan: PayloadScan? = PayloadScan()
    private var refusal: SimpleModeError?

    /// A preview at the start of a document.
    package init() {}

    /// The next bytes of the document.
    package func append(_ chunk: Span<UInt8>) {
        guard refusal == nil else { return }
        do throws(SimpleModeError) { try scan?.read(chunk) } catch { refusal = error }
    }

    /// What came of it. No more bytes may come.
    package func finish() -> Outlook {
        let index = index()
        func refusal(of request: (PayloadIndex) throws(SimpleModeError) -> Void) -> SimpleModeError? {
            guard let index else { return self.refusal }
            do throws(SimpleModeError) { try request(index) } catch { return error }
            return nil
        }
        return Outlook(
            sealedVideo: refusal { index throws(SimpleModeError) in
                _ = try index.sealedContent(of: .video)
                _ = try Envelope.evidenceV1.aad(.video, index.orderNumber())
            },
            plainVideo: refusal { index throws(SimpleModeError) in _ = try index.plainVideo() },
            photo: refusal { index throws(SimpleModeError) in _ = try index.plainPhoto() })
    }

    /// What is in the document, if that can be a payload; else the refusal is noted.
    private func index() -> PayloadIndex? {
        guard refusal == nil, let scan = scan.take() else { return nil }
        do throws(SimpleModeError) {
            let index = try scan.finish()
            try index.check()
            return index
        } catch {
            refusal = error
            return nil
        }
    }
}
