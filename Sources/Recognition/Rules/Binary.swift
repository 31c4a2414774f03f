// SPDX-License-Identifier: Apache-2.0

// Bytes with a structure that no pattern at their beginning says.

extension Rule {
    func binary(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .textMode: textMode(sample)
        case .bson: found(bson(sample))
        case .grpcFrame: found(grpcFrame(sample))
        case .dicom: found(sample.head.count > 132 && sample.head[128..<132].elementsEqual("DICM".utf8))
        case .binaryMap: found(binaryMap(sample.head))
        case .namesHEIC: found(brands(sample.head).map(Self.isHEIC) ?? false)
        case .namesAVIF: found(brands(sample.head).map(Self.isAVIF) ?? false)
        case .mpegStream: found(sample.head.count > 376 && [0, 188, 376].allSatisfy { sample.head[$0] == 0x47 })
        case .tar: found(sample.head.count > 262 && sample.head[257..<262].elementsEqual("ustar".utf8))
        case .zlib: zlib(sample.head)
        case .bouncyKeystore: bouncyKeystore(sample.head)
        case .openPGP: openPGP(sample.head)
        case .fernet: fernet(sample)
        case .namesWebM: found(sample.head.prefix(64).place(of: Array("webm".utf8)) != nil)
        default: nil
        }
    }

    private func zlib(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 6, head[0] == 0x78, [0x01, 0x5E, 0x9C, 0xDA].contains(head[1]) else { return nil }
        // A dynamic block that is neither too rich nor too poor in codes, or a stored one whose lengths agree.
        switch head[2] >> 1 & 3 {
        case 0: return found(head[3] == ~head[5] || head.count > 6 && head[3] == ~head[5] && head[4] == ~head[6])
        case 1: return found(head.count < 512)
        case 2: return found(head[2] >> 3 <= 29 && head[3] & 0x1F <= 29)
        default: return nil
        }
    }

    /// The brands of a file type (ISO/IEC 14496-12 §4.3), the major one first; `nil` where there is none.
    private func brands(_ head: [UInt8]) -> [String]? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = head[..<4].reduce(0) { $0 << 8 | Int($1) }
        // A size of 1 is followed by one of 64 bits.
        let start = size == 1 ? 16 : 8
        let end = min(head.count, size == 1 ? 256 : max(size, 12))
        let places = [start] + stride(from: start + 8, through: end - 4, by: 4)
        return places.filter { $0 + 4 <= head.count }.map { String(decoding: head[$0..<($0 + 4)], as: UTF8.self) }
    }

    private static func isHEIC(_ brands: [String]) -> Bool {
        let pictures: Set = ["heic", "heix", "heiv", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        let videos: Set = ["isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "qt  "]
        guard let major = brands.first else { return false }
        return pictures.contains(major)
            || !videos.contains(where: brands.contains) && pictures.contains(where: brands.contains)
    }

    private static func isAVIF(_ brands: [String]) -> Bool {
        guard let major = brands.first else { return false }
        let own: Set = ["avif", "avis"]
        return own.contains(major) || ["mif1", "msf1", "miaf"].contains(major) && own.contains(where: brands.contains)
    }

    /// A map of up to 31 members, whose first name is letters, digits and the like. Of shorter names than these, noise
    /// has one too often.
    private func binaryMap(_ head: [UInt8]) -> Bool {
        let (length, start): (Int, Int)
        switch (head.first ?? 0, head.dropFirst().first ?? 0) {
        // MessagePack: fixmap or map 16, then fixstr.
        case (0x81...0x8F, let name) where 0xA1...0xBF ~= name: (length, start) = (Int(name & 0x1F), 2)
        case (0xDE, _) where head.count > 4 && 0xA1...0xBF ~= head[3]: (length, start) = (Int(head[3] & 0x1F), 4)
        // CBOR: a map, then a text of less than 24 bytes.
        case (0xA1...0xB7, let name) where 0x61...0x77 ~= name: (length, start) = (Int(name & 0x1F), 2)
        case (0xBF, let name) where 0x61...0x77 ~= name: (length, start) = (Int(name & 0x1F), 2)
        default: return false
        }
        return length >= 4 && head.count > start + length && head[start..<(start + 4)].allSatisfy(isLetter)
            && head[start..<(start + length)].allSatisfy {
                isLetter($0) || isDigit($0) || [0x5F, 0x2D, 0x2E].contains($0)
            }
    }

    private func bson(_ sample: Sample) -> Bool {
        let head = sample.head
        guard sample.byteCount >= 8, head.count > 6, 0x01...0x13 ~= head[4], isLetter(head[5]) || head[5] == 0x5F else {
            return false
        }
        let length = head[..<4].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length == sample.byteCount && (!sample.isWhole || head.last == 0)
    }

    private func grpcFrame(_ sample: Sample) -> Bool {
        let head = sample.head
        guard head.count > 9, head[0] <= 1 else { return false }
        return head[1..<5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == sample.byteCount - 5
    }

    private func bouncyKeystore(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 32, head.starts(with: [0, 0, 0]), head[3] == 1 || head[3] == 2,
            head[4..<8].elementsEqual([0, 0, 0, 20])
        else { return nil }
        return found(head[28] == 0 && head[29] <= 1)
    }

    private func openPGP(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 6 else { return nil }
        // Old packets with lengths of two bytes, new ones with lengths of one or two: keys, and sealed session keys.
        let (tag, start): (UInt8, Int)
        switch head[0] {
        case 0x85, 0x95, 0x99, 0x9D, 0xB9: (tag, start) = (head[0] >> 2 & 15, 3)
        case 0xC0...0xFF where head[1] < 192: (tag, start) = (head[0] & 0x3F, 2)
        case 0xC0...0xFF where head[1] < 224: (tag, start) = (head[0] & 0x3F, 3)
        default: return nil
        }
        let version = head[start]
        switch tag {
        case 1: return found(version == 3 && head.count > start + 9 && [1, 2, 16, 18].contains(head[start + 9]))
        case 3:
            return found(version == 4 && [7, 8, 9].contains(head[start + 1]) && [0, 1, 3].contains(head[start + 2]))
        case 5, 6, 7, 14:
            return found(
                version == 4 && head.count > start + 5 && [1, 2, 3, 16, 17, 18, 19, 22].contains(head[start + 5]))
        default: return nil
        }
    }

    private func fernet(_ sample: Sample) -> KnownForm.Match? {
        let head = sample.head
        guard head.count >= 73, head[0] == 0x80, head[1...4].allSatisfy({ $0 == 0 }), head[5] >= 0x38 else {
            return nil
        }
        return found(!sample.isWhole || (head.count - 57) % 16 == 0)
    }
}
