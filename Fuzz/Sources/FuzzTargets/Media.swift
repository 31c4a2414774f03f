// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import MediaStructure
import TestVectorSupport
import VendorResults

extension FuzzTarget {
    /// The walks through JPEG, PNG and MP4: pieces make no difference, faults are inside, and an image without its last
    /// byte is not whole.
    static let media = FuzzTarget(name: "media") { bytes in
        var generator = SeededGenerator(of: bytes)
        let whole = inspect([bytes])
        try hold(inspect(generator.pieces(of: bytes)) == whole, "pieces make no difference")
        try hold(inspect(bytes.map { [$0] }) == whole, "single bytes make no difference")
        switch whole {
        case .damaged(let fault):
            try hold(fault.offset <= bytes.count, "a fault is inside the image")
        case .jpeg(let structure), .png(let structure):
            try hold(structure.width > 0 && structure.height > 0, "an image has a size")
            try hold(structure.trailingByteCount < bytes.count, "an image is more than what follows it")
            let end = bytes.count - Int(structure.trailingByteCount)
            guard case .damaged(let fault) = inspect([Array(bytes[..<(end - 1)])]) else {
                throw Broken("without its last byte no image is whole")
            }
            try hold(fault.code == .truncated, "without its last byte an image is cut off")
            let text = MemoryDestination()
            try hold(try UserImage.encode(MemorySource(bytes), into: text) == whole, "an image can be a photo")
        case .empty: try hold(bytes.isEmpty, "no bytes are empty")
        case .mp4(let brand):
            try hold(brand.major.utf8.count == 4, "a brand has four characters")
            try hold(brand.trailingZeroCount < bytes.count, "a video is more than what follows it")
        default: break
        }
    }

    private static func inspect(_ pieces: [[UInt8]]) -> MediaContent {
        var inspector = MediaInspector()
        for piece in pieces { inspector.append(piece.span) }
        return inspector.finish()
    }
}
