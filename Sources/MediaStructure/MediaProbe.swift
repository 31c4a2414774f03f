// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
package import EvidenceErrors
package import Recognition

/// Examines the bytes that a text encodes while it passes: each encoding is tried until it
/// is ruled out.
package struct MediaProbe {
    /// What was found.
    package struct Outcome {
        /// How the text encodes bytes; `nil` if it does not.
        package let encoding: TextEncoding?
        /// What the bytes are.
        package let media: MediaContent
        /// How many there are.
        package let byteCount: UInt64
        /// The beginning of the text.
        package var beginning = TextBeginning()
        /// Why the text is no base64 without line breaks; `nil` if it is.
        package var refusal: EvidenceError?

        /// What it is, where no structure of a medium says so.
        package var form: FieldForm? {
            let form = beginning.form(insteadOf: encoding ?? .base64)
            // Then it is the text that is wrong.
            if encoding == nil, form?.isInside == true { return nil }
            switch media {
            case .jpeg, .png: return nil
            // A picture or a sound in the boxes of MP4.
            case .mp4, .damaged: return form?.isOne(of: "heic", "avif", "canon-raw", "m4a") == true ? form : nil
            case .unknown, .empty, .notBase64: return form
            }
        }
    }

    // Base64 rules the two others out within a few characters: it does not take long for a '+' or a 'z' to come.
    private var hex = TextReading(.hex)
    private var base64 = TextReading(.base64)
    private var base64URL = TextReading(.base64URL)
    private var beginning = TextBeginning()

    /// A probe at the start of a text.
    package init() {}

    package mutating func append(_ text: Span<UInt8>) {
        beginning.append(text)
        hex.append(text)
        base64.append(text)
        base64URL.append(text)
    }

    /// What it was.
    package mutating func finish() -> Outcome {
        // Hex is also valid base64 if its length allows it, so it is checked first. Base64 of zeros is all A.
        let isDigits = beginning.hasDigit && hex.fault == nil
        var finding =
            (isDigits ? hex.finish() : nil) ?? base64.finish()
            // Half a byte of hex is none of base64.
            ?? (isDigits ? nil : base64URL.finish())
            ?? Outcome(encoding: nil, media: .notBase64(at: base64.fault?.offset ?? 0), byteCount: 0)
        finding.beginning = beginning
        finding.refusal = base64.refusal
        return finding
    }
}

/// A text read in one way.
private struct TextReading {
    private(set) var fault: EvidenceError?
    /// The fault, or the line break that another reading passes over.
    private(set) var refusal: EvidenceError?
    private var encoding: TextEncoding
    private var decoder: TextDecoder
    private var inspector = MediaInspector()
    private var bytes: [UInt8] = []

    init(_ encoding: TextEncoding) {
        self.encoding = encoding
        decoder = TextDecoder(encoding)
    }

    mutating func append(_ text: Span<UInt8>) {
        guard fault == nil else { return }
        if encoding == .base64Lines { return appendLines(text) }
        let before = decoder
        do throws(EvidenceError) { try decoder.append(text, to: &bytes) } catch {
            bytes.removeAll(keepingCapacity: true)
            refusal = error
            guard encoding == .base64, error.found == 0x0A || error.found == 0x0D else { return fault = error }
            // Up to here, base64 in lines is read in the same way.
            encoding = .base64Lines
            decoder = before
            return appendLines(text)
        }
        inspect()
    }

    private mutating func appendLines(_ text: Span<UInt8>) {
        var characters: [UInt8] = []
        for i in text.indices where text[i] != 0x0A && text[i] != 0x0D { characters.append(text[i]) }
        do throws(EvidenceError) { try decoder.append(characters.span, to: &bytes) } catch { return fault = error }
        inspect()
    }

    /// The result; `nil` if the text does not use this encoding.
    mutating func finish() -> MediaProbe.Outcome? {
        if fault == nil {
            do throws(EvidenceError) { try decoder.finish(to: &bytes) } catch {
                fault = error
                refusal = refusal ?? error
            }
            inspect()
        }
        guard fault == nil else { return nil }
        return MediaProbe.Outcome(encoding: encoding, media: inspector.finish(), byteCount: inspector.byteCount)
    }

    private mutating func inspect() {
        // Moved out while it is read.
        var bytes = exchange(&self.bytes, with: [])
        inspector.append(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        self.bytes = bytes
    }
}
