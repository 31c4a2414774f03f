// SPDX-License-Identifier: Apache-2.0
/// Follows a PNG's chunks from IHDR to IEND (W3C PNG §5.3): lengths must fit, the first chunk is the header.
struct PNGWalk: Sendable {
    private enum State {
        case signature(Int)
        /// Length and type of a chunk: eight bytes.
        case chunkHead
        /// Content and checksum, to skip.
        case chunk(left: UInt64)
        case end
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let maximumSide = 0x7FFF_FFFF

    private var state = State.signature(0)
    private var head: [UInt8] = []
    private var header: [UInt8] = []
    private var type: [UInt8] = []
    private var size: (width: Int, height: Int)?
    private var hasData = false
    private var offset: UInt64 = 0
    private var trailing: UInt64 = 0

    mutating func append(_ bytes: Span<UInt8>) throws(MediaFault) {
        var i = 0
        while i < bytes.count {
            switch state {
            case .end:
                trailing += UInt64(bytes.count - i)
                return
            case .chunk(let left) where size != nil:
                let step = min(left, UInt64(bytes.count - i))
                i += Int(step)
                offset += step
                if left == step { endChunk() } else { state = .chunk(left: left - step) }
            default:
                try take(bytes[i])
                i += 1
                offset += 1
            }
        }
    }

    func finish() throws(MediaFault) -> ImageStructure {
        guard case .end = state, let size else {
            throw MediaFault(.truncated, "PNG", at: offset, "it ends before the end chunk")
        }
        return ImageStructure(width: size.width, height: size.height, trailingByteCount: trailing)
    }

    private mutating func take(_ byte: UInt8) throws(MediaFault) {
        switch state {
        case .signature(let index):
            guard byte == Self.signature[index] else { throw fault("the signature is incomplete") }
            state = index == 7 ? .chunkHead : .signature(index + 1)
        case .chunkHead:
            head.append(byte)
            guard head.count == 8 else { return }
            let length = Self.number(head[..<4])
            type = Array(head[4...])
            head.removeAll()
            guard length <= Self.maximumSide else { throw fault("a chunk's length is out of range") }
            if size == nil {
                guard type.elementsEqual("IHDR".utf8), length == 13 else {
                    throw fault("the first chunk is not the header")
                }
            } else if type.elementsEqual("IEND".utf8) {
                guard length == 0, hasData else { throw fault("the end chunk is not allowed here") }
            }
            if type.elementsEqual("IDAT".utf8), length > 0 { hasData = true }
            state = .chunk(left: UInt64(length) + 4)
        case .chunk(let left):
            header.append(byte)
            if header.count == 8 {
                let (width, height) = (Self.number(header[..<4]), Self.number(header[4...]))
                guard width > 0, height > 0, width <= Self.maximumSide, height <= Self.maximumSide else {
                    throw MediaFault(.dimensions, "PNG", at: offset, "width or height is out of range")
                }
                size = (width, height)
            }
            state = .chunk(left: left - 1)
        case .end: break
        }
    }

    private mutating func endChunk() {
        state = type.elementsEqual("IEND".utf8) ? .end : .chunkHead
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 + Int($1) } }

    private func fault(_ reason: String) -> MediaFault { MediaFault(.structure, "PNG", at: offset, reason) }
}
