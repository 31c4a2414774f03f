// SPDX-License-Identifier: Apache-2.0
/// Follows a JPEG's markers from SOI to EOI (ITU-T T.81 §B.1): lengths must fit, the frame header must be present. The
/// contents of segments are not decoded.
struct JPEGWalk: Sendable {
    private enum State {
        case startOfImage(Int)
        /// A marker is expected: 0xFF, any number of fill bytes, then its code.
        case markerPrefix, markerCode
        case length(first: UInt8?)
        /// Bytes of a segment to skip.
        case segment(left: Int)
        /// Entropy-coded data, in which only 0xFF means something.
        case scan, scanAfterFF
        case end
    }

    private var state = State.startOfImage(0)
    private var marker: UInt8 = 0
    private var frame: [UInt8] = []
    private var size: (width: Int, height: Int)?
    /// Whether a scan has any data.
    private var hasScan = false
    private var offset: UInt64 = 0
    private var trailing: UInt64 = 0

    mutating func append(_ bytes: Span<UInt8>) throws(MediaFault) {
        var i = 0
        while i < bytes.count {
            if case .segment(let left) = state, !isFrameHeader {
                let step = min(left, bytes.count - i)
                i += step
                offset += UInt64(step)
                state = left == step ? .markerPrefix : .segment(left: left - step)
                if left == step && marker == 0xDA { state = .scan }
                continue
            }
            if case .scan = state {
                let start = i
                while i < bytes.count && bytes[i] != 0xFF { i += 1 }
                offset += UInt64(i - start)
                if i > start { hasScan = true }
                if i == bytes.count { return }
            }
            if case .end = state {
                trailing += UInt64(bytes.count - i)
                return
            }
            try take(bytes[i])
            i += 1
            offset += 1
        }
    }

    func finish() throws(MediaFault) -> ImageStructure {
        guard case .end = state else {
            throw MediaFault(.truncated, "JPEG", at: offset, "it ends before its end-of-image marker")
        }
        guard let size else { throw fault("there is no frame header") }
        return ImageStructure(width: size.width, height: size.height, trailingByteCount: trailing)
    }

    /// The frame headers: SOF0 to SOF15 without DHT, JPG and DAC, which are in the same range.
    private var isFrameHeader: Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    private mutating func take(_ byte: UInt8) throws(MediaFault) {
        switch state {
        case .startOfImage(let index):
            guard byte == (index == 0 ? 0xFF : 0xD8) else { throw fault("no start-of-image marker") }
            state = index == 0 ? .startOfImage(1) : .markerPrefix
        case .markerPrefix:
            guard byte == 0xFF else { throw fault("expected a marker") }
            state = .markerCode
        case .markerCode: try startSegment(byte)
        case .length(nil): state = .length(first: byte)
        case .length(let first?):
            let left = Int(first) << 8 + Int(byte) - 2
            guard left >= 0 else { throw fault("a segment's length is less than 2") }
            guard !isFrameHeader || left >= 6 else { throw fault("the frame header is too short") }
            frame.removeAll()
            state = left == 0 ? .markerPrefix : .segment(left: left)
        case .segment(let left):
            if frame.count < 5 {
                frame.append(byte)
                if frame.count == 5 { try readFrame() }
            }
            state = left == 1 ? .markerPrefix : .segment(left: left - 1)
        case .scan: if byte == 0xFF { state = .scanAfterFF }
        case .scanAfterFF:
            switch byte {
            // A stuffed zero, which is data, or a restart marker: the scan continues. Fill bytes wait for the code.
            case 0x00: (state, hasScan) = (.scan, true)
            case 0xD0...0xD7: state = .scan
            case 0xFF: break
            default: try startSegment(byte)
            }
        case .end: break
        }
    }

    private mutating func startSegment(_ code: UInt8) throws(MediaFault) {
        switch code {
        case 0xFF: return
        case 0xD9:
            guard hasScan else { throw fault("the image ends without a scan") }
            state = .end
        case 0x00, 0x01, 0xD0...0xD8: throw fault("this marker is not allowed here")
        default:
            marker = code
            if code == 0xDA {
                guard size != nil else { throw fault("a scan before the frame header") }
            }
            state = .length(first: nil)
        }
    }

    private mutating func readFrame() throws(MediaFault) {
        let height = Int(frame[1]) << 8 + Int(frame[2])
        let width = Int(frame[3]) << 8 + Int(frame[4])
        guard width > 0 && height > 0 else {
            throw MediaFault(.dimensions, "JPEG", at: offset, "width or height is 0")
        }
        guard size == nil else { throw fault("a second frame header") }
        size = (width, height)
    }

    private func fault(_ reason: String) -> MediaFault { MediaFault(.structure, "JPEG", at: offset, reason) }
}
