internal import EvidenceEncoding

/// Looks at what the base64 of a text stands for, while the text passes.
struct MediaProbe {
    private var decoder = Base64Decoder()
    private var inspector = MediaInspector()
    private var bytes: [UInt8] = []
    private var fault: TextError?

    mutating func append(_ text: Span<UInt8>) {
        guard fault == nil else { return }
        do throws(TextError) { try decoder.append(text, to: &bytes) } catch {
            fault = error
            return
        }
        // Moved out while it is read.
        var bytes = exchange(&self.bytes, with: [])
        inspector.append(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        self.bytes = bytes
    }

    /// What it was, and how many bytes.
    mutating func finish() -> (media: MediaContent, byteCount: UInt64) {
        if fault == nil {
            do throws(TextError) { try decoder.finish() } catch { fault = error }
        }
        if let fault { return (.notBase64(at: fault.offset), 0) }
        return (inspector.finish(), inspector.byteCount)
    }
}
