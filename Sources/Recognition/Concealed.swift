// SPDX-License-Identifier: Apache-2.0

/// A copy of a file without what a private key in it consists of, but of the same shape: in every long run of letters
/// and digits, each is replaced by one of its kind.
struct Concealed {
    private(set) var bytes: [UInt8] = []

    /// The shortest run that is concealed. No word of a PEM line, and no name in a configuration, is as long.
    private static let runBytes = 24
    /// How much of the first run is shown. A long one begins with the header of an RSA key; in a short one, the number
    /// of an elliptic curve begins after seven bytes.
    private static func shown(of byteCount: Int) -> Int { byteCount > 400 ? 40 : 8 }
    private static let binaryShown = 16

    init(_ file: Span<UInt8>) {
        guard Self.isText(file) else {
            bytes = [UInt8](repeating: 0, count: file.count)
            for i in 0..<min(Self.binaryShown, file.count) { bytes[i] = file[i] }
            return
        }
        bytes.reserveCapacity(file.count)
        var shown = Self.shown(of: file.count)
        var at = 0
        while at < file.count {
            let start = at
            while at < file.count, Self.isOfRun(file[at]) { at += 1 }
            let isLong = at - start >= Self.runBytes
            for i in start..<at {
                // The letter of an escaped line end is not part of the key.
                let isEscape = i == start && i > 0 && file[i - 1] == UInt8(ascii: "\\")
                if isLong, !isEscape, shown > 0 { shown -= 1 }
                bytes.append(!isLong || isEscape || shown > 0 ? file[i] : Self.concealed(file[i]))
            }
            if at < file.count {
                bytes.append(file[at])
                at += 1
            }
        }
    }

    private static func concealed(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(ascii: "a")
        default: byte
        }
    }

    /// Of base64, base64url or hexadecimal digits, also in UTF-16.
    private static func isOfRun(_ byte: UInt8) -> Bool {
        concealed(byte) != byte || [0x00, 0x30, 0x41, 0x61].contains(byte) || "+/-_=".utf8.contains(byte)
    }

    /// Whether there are no control characters, but for white space and the zero bytes of UTF-16.
    private static func isText(_ file: Span<UInt8>) -> Bool {
        for i in file.indices where file[i] < 0x20 && ![0x00, 0x09, 0x0A, 0x0C, 0x0D].contains(file[i]) { return false }
        return true
    }
}
