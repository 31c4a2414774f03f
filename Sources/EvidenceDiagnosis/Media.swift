internal import EvidenceEncoding

/// What opened content is taken for: the kinds of file a payload carries. A random beginning passes for one of them
/// less than once in 2^24 times.
enum Media: String {
    case mp4 = "an MP4 video"
    case jpeg = "a JPEG picture"
    case png = "a PNG picture"
    case json = "JSON"
    case text = "plain text"

    /// - Parameter isWhole: whether `head` is all there is.
    init?(head: [UInt8], isWhole: Bool) {
        if head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8), head[0] == 0, head[1] == 0 {
            self = .mp4
        } else if head.count >= 4, head[0] == 0xFF, head[1] == 0xD8, head[2] == 0xFF, head[3] >= 0xC0 {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if Self.isJSON(head, isWhole) {
            self = .json
        } else if Self.isText(head, isWhole) {
            self = .text
        } else {
            return nil
        }
    }

    private static func isJSON(_ head: [UInt8], _ isWhole: Bool) -> Bool {
        guard head.count >= 8, head[0] == UInt8(ascii: "{") || head[0] == UInt8(ascii: "[") else { return false }
        var scanner = JSONScanner()
        var position = 0
        do {
            while try scanner.next(in: head.span, at: &position) != .needsInput {}
            if isWhole { try scanner.finish() }
            return true
        } catch { return false }
    }

    private static func isText(_ head: [UInt8], _ isWhole: Bool) -> Bool {
        guard head.count >= 12, isWhole, let text = String(validating: head, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || "\n\r\t".contains($0.description)
        }
    }
}
