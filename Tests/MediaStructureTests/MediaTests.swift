// SPDX-License-Identifier: Apache-2.0
import Foundation
import MediaStructure
import TestVectorSupport
import Testing

@Suite struct MediaTests {
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2]
        + [0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 5, 1, 1, 0x11, 0]
        + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4, 0xFF, 0xFF, 0xD9]
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 5, 0, 0, 0, 3, 8, 2, 0, 0, 0, 1, 2, 3, 4]
        + [0, 0, 0, 2] + Array("IDAT".utf8) + [9, 9, 1, 2, 3, 4] + [0, 0, 0, 0] + Array("IEND".utf8) + [1, 2, 3, 4]

    private func inspect(_ bytes: [UInt8], by step: Int = .max) -> MediaContent {
        var inspector = MediaInspector()
        var start = 0
        while start < bytes.count {
            let end = step < bytes.count - start ? start + step : bytes.count
            inspector.append(Array(bytes[start..<end]).span)
            start = end
        }
        return inspector.finish()
    }

    @Test(arguments: [1, 2, 5, 13, Int.max]) func wholeImagesAreKnown(_ step: Int) throws {
        guard case .jpeg(let jpeg) = inspect(Self.jpeg, by: step), case .png(let png) = inspect(Self.png, by: step)
        else {
            Issue.record("\(inspect(Self.jpeg, by: step)), \(inspect(Self.png, by: step))")
            return
        }
        #expect((jpeg.width, jpeg.height, jpeg.trailingByteCount) == (5, 3, 0))
        #expect((png.width, png.height, png.trailingByteCount) == (5, 3, 0))
        guard case .jpeg(let longer) = inspect(Self.jpeg + [1, 2, 3], by: step),
            case .png(let longerPNG) = inspect(Self.png + [0], by: step)
        else {
            Issue.record("trailing bytes")
            return
        }
        #expect(longer.trailingByteCount == 3)
        #expect(longerPNG.trailingByteCount == 1)
    }

    @Test func recordedFilesAreKnown() throws {
        guard case .jpeg = inspect(try Vectors.bytes("media/photo.jpg")),
            case .mp4(let brand) = inspect(try Vectors.bytes("media/clip.mp4"))
        else {
            Issue.record("media")
            return
        }
        #expect(brand.major == "isom")
    }

    /// Every cut is seen.
    @Test func cutImagesAreDamaged() {
        for image in [Self.jpeg, Self.png] {
            for count in 8..<image.count {
                guard case .damaged(let fault) = inspect(Array(image[..<count])) else {
                    Issue.record("\(count) bytes")
                    continue
                }
                #expect(fault.offset <= UInt64(count))
            }
        }
    }

    @Test func structureIsChecked() {
        func changed(_ image: [UInt8], at index: Int, to byte: UInt8) -> [UInt8] {
            var image = image
            image[index] = byte
            return image
        }
        let broken: [[UInt8]] = [
            changed(Self.jpeg, at: 5, to: 1), changed(Self.jpeg, at: 8, to: 0), changed(Self.jpeg, at: 9, to: 0xC4),
            changed(Self.jpeg, at: 14, to: 0), changed(Self.jpeg, at: 11, to: 7), changed(Self.png, at: 12, to: 0x20),
            changed(Self.png, at: 11, to: 12), changed(Self.png, at: 19, to: 0), changed(Self.png, at: 16, to: 0x80),
            changed(Self.png, at: 37, to: 0x20), changed(Self.png, at: 33, to: 0xFF),
            // No scan and no data chunk.
            Array(Self.jpeg[..<21]) + [0xFF, 0xD9], Array(Self.png[..<33]) + Self.png.suffix(12),
            // Both, and nothing in them.
            Array(Self.jpeg[..<31]) + [0xFF, 0xD0, 0xFF, 0xD9], changed(Self.png, at: 36, to: 0).filter { $0 != 9 },
        ]
        for (number, image) in broken.enumerated() {
            guard case .damaged = inspect(image) else {
                Issue.record("\(number): \(inspect(image))")
                continue
            }
        }
    }

    @Test func otherBytesAreNotTakenForImages() {
        #expect(inspect([]) == .empty)
        #expect(inspect([1, 2, 3]) == .unknown)
        // Two bytes alone do not make a JPEG: sealed bytes begin with any two once in 65536 times.
        #expect(inspect([0xFF, 0xD8] + [UInt8](repeating: 1, count: 30)) == .unknown)
        #expect(inspect(Array("\0\0\0 ftypiso".utf8)) == .unknown)
    }

    private func box(_ type: String, _ content: [UInt8] = [], length: UInt32? = nil) -> [UInt8] {
        let length = length ?? UInt32(8 + content.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(type.utf8) + content
    }
    private var mp4: [UInt8] {
        box("ftyp", Array("ab\u{1B}c\0\0\0\u{1}isom".utf8)) + box("wide") + box("mdat", [1, 2, 3])
            + [0, 0, 0, 1] + Array("free".utf8) + [0, 0, 0, 0, 0, 0, 0, 18, 9, 9] + box("moov", [4])
    }

    private func expectMP4(_ bytes: [UInt8], by step: Int, zeros: Int) {
        guard case .mp4(let brand) = inspect(bytes, by: step) else {
            Issue.record("\(inspect(bytes, by: step))")
            return
        }
        #expect(brand.major == "ab?c" && brand.trailingZeroCount == UInt64(zeros))
        #expect(!brand.isAmongCompatible)
    }

    /// A major brand that its own compatible brands do not have was perhaps not there when they were written.
    @Test(arguments: [1, 3, Int.max]) func theMajorBrandIsComparedWithTheOthers(_ step: Int) {
        let brands: [(String, Bool)] = [
            ("isom\0\0\0\u{1}isom", true), ("mp42\0\0\0\u{1}isommp42", true), ("mp42\0\0\0\u{1}isomavc1", false),
            ("mp42mp42isom", false), ("mp42\0\0\0\u{1}", false), ("mp42\0\0\0\u{1}immp42om", false),
        ]
        for (text, isAmong) in brands {
            let bytes = box("ftyp", Array(text.utf8)) + box("moov", Array("....isommp42".utf8)) + box("mdat", [1])
            guard case .mp4(let brand) = inspect(bytes, by: step) else {
                Issue.record("\(text)")
                continue
            }
            #expect(brand.isAmongCompatible == isAmong, "\(text)")
        }
    }

    /// The chain of boxes must end where the file does, or with a box that has no end of its own.
    @Test(arguments: [1, 2, 5, 13, Int.max]) func boxesAreFollowedToTheEnd(_ step: Int) {
        expectMP4(mp4, by: step, zeros: 0)
        for zeros in [1, 7, 8, 15, 40] {
            expectMP4(mp4 + [UInt8](repeating: 0, count: zeros), by: step, zeros: zeros)
        }
        let open = mp4 + box("mdat", [1, 2, 3, 4, 5], length: 0)
        expectMP4(open, by: step, zeros: 0)
        for cut in 12..<mp4.count {
            guard case .damaged(let fault) = inspect(Array(mp4[..<cut]), by: step), fault.offset <= cut else {
                Issue.record("\(cut) bytes")
                continue
            }
        }
    }

    @Test func boxesAreChecked() {
        let start = box("ftyp", Array("isom\0\0\0\u{1}isom".utf8))
        for (number, broken) in [
            start + box("free"), start + box("moov") + [1], start + box("moov") + box("free", length: 7),
            start + box("moov") + box("free", length: 12), start + box("moov") + box("fr\u{1}e"),
            start + box("moov") + [0, 0, 0, 1] + Array("free".utf8) + [0, 0, 0, 0, 0, 0, 0, 15],
            start + box("moov") + [UInt8](repeating: 0, count: 20) + [1], box("ftyp", Array("isom\0\0\0".utf8)),
            box("ftyp", Array("isom".utf8), length: 12) + box("moov"), start + box("moov", [1]),
            start + box("moov", [1]) + box("mdat"),
        ].enumerated() {
            guard case .damaged(let fault) = inspect(broken), fault.format == "MP4" else {
                Issue.record("\(number): \(inspect(broken))")
                continue
            }
        }
    }

    @Test func changedImagesNeverCrash() {
        var generator = SeededGenerator(seed: 4)
        for image in [Self.jpeg, Self.png, mp4] {
            for _ in 0..<2_000 {
                var bytes = image
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                #expect(inspect(bytes) == inspect(bytes, by: 3))
            }
        }
    }
}
