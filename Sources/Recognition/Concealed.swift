// SPDX-License-Identifier: Apache-2.0

/// A copy of a file without what a private key in it consists of, but of the same shape: where base64 or hexadecimal
/// digits stand, each character is replaced by one of its kind.
struct Concealed {
    private(set) var bytes: [UInt8]

    private static let binaryShown = 16

    init(_ file: Span<UInt8>) {
        guard Self.isText(file) else {
            bytes = [UInt8](repeating: 0, count: file.count)
            // PKCS#12 says what it is in its first 32, which hold nothing secret.
            let version = file.count > 8 && file[1] == 0x82 ? 4 : 3
            let isStore = file.count > 8 && file[0] == 0x30 && file[version] == 2 && file[version + 2] == 3
            for i in 0..<min(isStore ? 32 : Self.binaryShown, file.count) { bytes[i] = file[i] }
            return
        }
        bytes = []
        bytes.reserveCapacity(file.count)
        var left: Int?
        var (before, run) = (Run(), Run())
        Run.next(in: file, &run)
        while run.start < file.count {
            var after = run
            Run.next(in: file, &after)
            while bytes.count < run.start { bytes.append(file[bytes.count]) }
            // What stands before a long run names it, as in "ecdsa-sha2-nistp256 AAAA…".
            // What stands behind a bracket of XML is a name.
            let isTag = run.start > 0 && "</".utf8.contains(file[run.start - 1]) && !run.isLong
            let isCode =
                run.isLong
                || !isTag && !run.isEntity(in: file) && !run.isName(in: file) && run.isDense
                    && (before.isDense || after.isDense && !after.isLong)
            var shown = isCode ? left ?? run.shown(in: file) : run.end - run.start
            for i in run.start..<run.end {
                // In 0x41, x is no digit.
                let isMark = file[i] | 0x20 == UInt8(ascii: "x") && run.count <= 4 && i > 0 && file[i - 1] == 0x30
                bytes.append(shown > 0 || isMark ? file[i] : Self.concealed(file[i]))
                if shown > 0 { shown -= 1 }
            }
            if isCode { left = shown }
            (before, run) = (run, after)
        }
        while bytes.count < file.count { bytes.append(file[bytes.count]) }
    }

    private static func concealed(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(ascii: "a")
        default: byte
        }
    }

    /// Whether there are no control characters, but for white space, a terminal's escape and the zero bytes of UTF-16.
    private static func isText(_ file: Span<UInt8>) -> Bool {
        for i in file.indices where file[i] < 0x20 && ![0x00, 0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains(file[i]) {
            return false
        }
        return true
    }
}

/// Characters in a row that base64, base64url or hexadecimal digits may have, also in UTF-16.
private struct Run {
    private(set) var start = 0
    private(set) var end = 0
    /// Whether it has a digit, or letters of both cases, but for a capital at its start, or could be two hexadecimal
    /// digits: few words are so, and in keys that are written in short pieces, nearly all pieces.
    private(set) var isDense = false
    /// The zero bytes of UTF-16 and UTF-32 among them.
    private var zeros = 0

    var count: Int { end - start - zeros }
    /// No word of a PEM line, and no name in a configuration, is as long.
    var isLong: Bool { count >= 24 }

    /// Goes to the next run; to the end of the file if there is none.
    static func next(in file: Span<UInt8>, _ run: inout Run) {
        var start = run.end
        while start < file.count, !isPart(file, start) { start += 1 }
        run = Run()
        (run.start, run.end) = (start, start)
        var (hasDigit, hasCapital, hasSmall, isHex) = (false, false, false, true)
        while run.end < file.count, isPart(file, run.end) {
            switch file[run.end] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): hasCapital = hasCapital || run.end > start
            case UInt8(ascii: "a")...UInt8(ascii: "z"): hasSmall = true
            case 0x00: run.zeros += 1
            default: break
            }
            isHex = isHex && "\00123456789abcdefABCDEF".utf8.contains(file[run.end])
            run.end += 1
        }
        run.isDense = hasDigit || hasCapital && hasSmall || isHex && run.count == 2
    }

    private static func isPart(_ file: Span<UInt8>, _ place: Int) -> Bool {
        switch file[place] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            // The letter of an escaped line end is not part of a key.
            place == 0 || file[place - 1] != UInt8(ascii: "\\")
        case 0x00: true
        // The dashes of a PEM line are not of the code beside them.
        case UInt8(ascii: "-"):
            (place == 0 || file[place - 1] != file[place])
                && (place + 1 == file.count || file[place + 1] != file[place])
        // Padding, not what stands between a name and its value.
        case UInt8(ascii: "="):
            place + 1 == file.count || file[place + 1] == file[place] || !isBase64Digit(file[place + 1])
        default: "+/_".utf8.contains(file[place])
        }
    }

    /// Whether it is the name or the number of a character in HTML (`&sol;`, `&#x2b;`).
    func isEntity(in file: Span<UInt8>) -> Bool {
        guard count <= 6, end < file.count, file[end] == UInt8(ascii: ";"), start > 0 else { return false }
        let isNumber = start > 1 && file[start - 1] == UInt8(ascii: "#")
        return file[start - (isNumber ? 2 : 1)] == UInt8(ascii: "&")
    }

    /// Whether it is a name before a colon, as in "Private-Key: (2048 bit)". No digits and no base64 stand there.
    func isName(in file: Span<UInt8>) -> Bool {
        guard !isLong, end < file.count, file[end] == UInt8(ascii: ":") else { return false }
        for i in start..<end where (UInt8(ascii: "g")...UInt8(ascii: "z")).contains(file[i] | 0x20) { return true }
        return false
    }

    /// How much of it may be seen if it is the first that is concealed: the header of an RSA key, of a certificate or
    /// of a public key; of all else little, as a number in SEC 1 begins after seven bytes.
    func shown(in file: Span<UInt8>) -> Int {
        guard isLong else { return 8 }
        var head: [UInt8] = []
        for i in start..<end where file[i] != 0 && head.count < 20 { head.append(file[i]) }
        // 30 82 is the head of what has 256 bytes or more. SEC 1 with its parameters written out can have as many: its
        // version is 1.
        let isBase64 =
            head.starts(with: "MII".utf8)
            && !(head[8] == UInt8(ascii: "A") && (UInt8(ascii: "Q")...UInt8(ascii: "f")).contains(head[9]))
        let isHex = head.starts(with: "3082".utf8) && !head[8..<14].elementsEqual("020101".utf8)
        // An OpenSSH public key says what it is in its first 16.
        let isPublic = [UInt8](head.prefix(8)) == Array("AAAAB3Nz".utf8) || head.starts(with: "AAAAE2Vj".utf8)
        // Names alone: of OpenSSH's format, the first member of a JWK, the first element of .NET's XML, age's keys.
        let names = [
            "b3BlbnNzaC1rZXktdjEA", "eyJrdHkiOi", "PFJTQUtleVZhbHVl", "AGE-SECRET-KEY-", "age-secret-key-",
            "AGE-PLUGIN-",
        ]
        let name = names.first { head.starts(with: $0.utf8) }
        let shown = isBase64 ? 40 : isHex ? 64 : isPublic ? 16 : name?.utf8.count ?? 8
        return shown * ((end - start) / count)
    }
}
