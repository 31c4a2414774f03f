internal import EvidenceEncoding
internal import MediaStructure

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
        switch MediaFormat(head: head) {
        case .mp4: self = .mp4
        case .jpeg: self = .jpeg
        case .png: self = .png
        case nil where Self.isJSON(head, isWhole): self = .json
        case nil where Self.isText(head, isWhole): self = .text
        case nil: return nil
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
