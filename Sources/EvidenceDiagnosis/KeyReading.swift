// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition

/// A way in which the sender's code had the key from bytes that it wrapped in a form that no profile has.
///
/// Each is only tried: the content shows which of them is right, if any.
struct KeyReading {
    /// The key, perhaps with an IV after it.
    let material: SecretBox
    /// How the key is had from the wrapped bytes, in a clause: `their first 32 are the key`.
    let clause: String
    /// What to change at the sender, in one sentence without a full stop.
    let advice: String
    /// Whether the bytes have the form of an encoding of a key, which chance and passphrases do not have.
    let isCertain: Bool
    /// What stands beside the key, if that may be a nonce of CTR, which no profile has there.
    let nonce: [UInt8]?
    /// What a shell makes the key with; `nil` if it takes more than one command.
    let filter: String?
}

/// What an RSA block held, as far as its bytes show that.
struct WrappedContent {
    /// What the table of forms says.
    let recognised: Recognised
    let byteCount: Int
    /// Whether it is UTF-8 without control characters.
    let isText: Bool
    /// How it shows that bytes of a key were replaced on the way and are lost, in a clause; `nil` if it does not.
    let loss: String?
    /// Whether it may have lost its highest bits: of 16 random bytes, none is above 7F once in 65,536 times, and text
    /// has no control characters. But keys that people make up are so.
    let mayBeSevenBit: Bool
    /// The ways in which it may be a key.
    let readings: [KeyReading]

    /// - Parameter bytes: what was wrapped. The looking leaves copies in memory, as nothing else does here: it is for
    ///   the holder of the key, when a payload does not open.
    init(_ bytes: Span<UInt8>) throws(EvidenceError) {
        let array = bytes.indices.map { bytes[$0] }
        recognised = Recognised(bytes)
        byteCount = bytes.count
        isDigits = array.count >= 29 && array.allSatisfy { (0x30...0x39).contains($0) }
        isOddHex = !isDigits && array.count >= 29 && !array.count.isMultiple(of: 2) && array.allSatisfy(\.isHexDigit)
        var walk = TextWalk()
        walk.append(bytes)
        isText = walk.finish()
        loss = Self.loss(array, recognised, isText: isText)
        // What is longer may hold a key in base64 beside a word.
        isWord = Self.isWord(array, recognised)
        nameOfWord = array.count < 22 && isWord ? Self.withoutContent(recognised.name) : nil
        mayBeSevenBit = !isText && recognised.layers.isEmpty && Self.isSevenBit(array)
        var collector = Collector()
        try collector.collect(array)
        readings = collector.readings
    }

    /// Whether it is a long text of digits alone.
    private let isDigits: Bool
    /// Whether it is hexadecimal digits of which one is missing.
    private let isOddHex: Bool

    /// Whether it is a word of examples, which may be a passphrase all the same.
    var isExample: Bool { recognised.content?.id == "sample" }
    /// What to add to an advice about a word.
    var ifPassphrase: String {
        isWord || isExample ? "; if it is a passphrase, ask how the key is derived from it" : ""
    }
    /// Whether it stands in place of a key, and shows no bytes of one.
    let isWord: Bool
    /// What it is called, if it is no secret: a word that stands there in place of a key, with nothing of one in it.
    let nameOfWord: String?

    /// Forms that show the bytes themselves.
    private static let showingBytes: Set = [
        "python-bytes", "hex-dump", "binary-digits", "uuencode", "ascii85", "lost-bytes", "question-marks",
    ]
    /// More digits than the two addresses of an object have.
    private static let digitsOfAddresses = 32

    private static func isWord(_ bytes: [UInt8], _ recognised: Recognised) -> Bool {
        guard recognised.isAny(.placeholder, .printed, .address),
            !recognised.layers.contains(where: { showingBytes.contains($0.id) }), !bytes.contains(UInt8(ascii: "\\"))
        else { return false }
        let words = bytes.split { !$0.isHexDigit && !(0x67...0x7A).contains($0 | 0x20) }
        let digits = words.filter { $0.drop { $0 == 0x30 || $0 | 0x20 == UInt8(ascii: "x") }.allSatisfy(\.isHexDigit) }
        // What an okio.ByteString holds may be text.
        return digits.reduce(0) { $0 + $1.count } < digitsOfAddresses
            && !(recognised.content?.id == "java-buffer" && bytes.contains(UInt8(ascii: "=")))
    }

    /// What it is called, where it stands for a key; `nil` if nothing but bytes or a text is known.
    var name: String? {
        if isOddHex { return "hexadecimal digits, an odd number of them: some are missing, or are not the key's" }
        if isDigits { return "a number, or bytes that were printed in digits with nothing between them" }
        guard let form = recognised.content, form.family != .general || ["number", "blank"].contains(form.id) else {
            return nil
        }
        return Self.withoutContent(recognised.name)
    }

    /// The table speaks of content.
    private static func withoutContent(_ name: String?) -> String? {
        name?.replacing(", not the content", with: "").replacing(", not its content", with: "")
    }

    /// Whether it stands for other bytes, or says nothing of itself.
    var isEncoding: Bool { !isOddHex && recognised.isAny(.general, .encoding) && recognised.content?.id != "blank" }

    private static func loss(_ bytes: [UInt8], _ recognised: Recognised, isText: Bool) -> String? {
        let replaced = recognised.scalars.replacements
        if recognised.scalars.isValid, replaced > 0 {
            return "\(replaced) of its bytes, or more, became U+FFFD (EF BF BD)"
        }
        // U+FFFD in UTF-16; by chance, two pairs of 31 are it once in ten million times.
        let pairs = stride(from: 1, to: bytes.count, by: 2).map { Set([bytes[$0 - 1], bytes[$0]]) == [0xFD, 0xFF] }
        let lost = pairs.count { $0 }
        if bytes.count.isMultiple(of: 2), lost > 1 {
            return "\(lost) of its bytes, or more, became U+FFFD (in UTF-16)"
        }
        let marks = bytes.count { $0 == UInt8(ascii: "?") }
        let isBare = recognised.layers.isEmpty || recognised.content?.id == "question-marks"
        guard isSevenBit(bytes), !isText, isBare, marks * 5 >= bytes.count else { return nil }
        return "\(marks) of its bytes became question marks (3F), which ASCII has in place of all above 7F"
    }

    private static func isSevenBit(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 16 && bytes.allSatisfy { $0 < 0x80 }
    }
}

extension WrappedContent {
    /// In how many pieces of a text a key is looked for.
    private static let pieceLimit = 16

    /// Collects readings, each key once.
    private struct Collector {
        private(set) var readings: [KeyReading] = []

        private mutating func add(
            _ material: [UInt8], _ clause: String, _ advice: String, isCertain: Bool = false, nonce: [UInt8]? = nil,
            filter: String? = nil
        ) {
            guard !material.isEmpty, material.count <= 64 else { return }
            var material = material
            let box = SecretBox(SecretBytes(wiping: &material))
            guard !readings.contains(where: { SecretBytes.isSame($0.material.bytes, box.bytes) }) else { return }
            readings.append(
                KeyReading(
                    material: box, clause: clause, advice: advice, isCertain: isCertain, nonce: nonce, filter: filter))
        }

        mutating func collect(_ bytes: [UInt8]) throws(EvidenceError) {
            let trimmed = WrappedContent.trimmed(bytes)
            let isTrimmed = trimmed.bytes.count < bytes.count
            // White space around a text does not keep it from being recognised, and zero bytes belong to UTF-16.
            if bytes.contains(0) { texts(bytes, "") }
            texts(trimmed.bytes, trimmed.edges)
            lostPlus(bytes)
            signed(bytes, "they")
            if isTrimmed {
                add(
                    trimmed.bytes, "without \(trimmed.edges), they are the key",
                    "have the sender remove \(trimmed.edges) before wrapping")
            }
            units(bytes)
            numbers(trimmed.bytes)
            printed(trimmed.bytes)
            shortDigits(trimmed.bytes)
            asText(bytes)
            reversed(bytes, "they")
            cut(bytes)
            filled(bytes)
            try derived(bytes, "them")
            if isTrimmed { try derived(trimmed.bytes, "the text without \(trimmed.edges)") }
            // As a shell has it: echo PASSWORD | sha256sum.
            if !isTrimmed, WrappedContent.isText(bytes) {
                try derived(bytes + [0x0A], "the text with a line feed after it")
            }
            // Code that decodes first, and then cuts or derives.
            for decoding in Recognised(trimmed.bytes.span).decodings.prefix(1) {
                let what = "what they stand for as \(decoding.name)"
                reversed(decoding.bytes, what)
                signed(decoding.bytes, what)
                cut(decoding.bytes, of: what)
                try derived(decoding.bytes, what)
            }
        }

        // MARK: Encodings

        /// Base64 that a form decoder read: it has the length of a key, whatever is at its ends.
        private mutating func lostPlus(_ bytes: [UInt8]) {
            let restored = bytes.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
            guard restored != bytes, [24, 32, 44].contains(bytes.count),
                let key = try? TextDecoder.decode(restored.span, .base64)
            else { return }
            add(
                key, "the key as base64 in which every + became a blank", WrappedContent.wrapTheKey(nil),
                isCertain: true)
        }

        private mutating func texts(_ bytes: [UInt8], _ edges: String) {
            let edges = edges.isEmpty ? "" : " with \(edges)"
            let recognised = Recognised(bytes.span)
            for decoding in recognised.decodings {
                add(
                    decoding.bytes, "the key as \(decoding.name)\(edges)", WrappedContent.wrapTheKey(decoding.step),
                    isCertain: true)
            }
            let outer = recognised.form.flatMap { $0.family == .general ? nil : $0.name } ?? "a text"
            let step = recognised.form?.step
            var values: [[UInt8]] = []
            // What stands in a text that stands in a text as well.
            let inner = WrappedContent.isText(bytes) ? Self.unescaped(bytes).map(WrappedContent.pieces) ?? [] : []
            let whole = WrappedContent.pieces(of: bytes) + inner
            for (place, piece) in (whole + WrappedContent.digits(in: bytes)).enumerated() {
                for decoding in Recognised(piece.span).decodings {
                    add(
                        decoding.bytes, "\(outer), with the key as \(decoding.name) in it",
                        WrappedContent.wrapTheKey(step), isCertain: place < whole.count)
                    values.append(decoding.bytes)
                }
                if let plain = Self.unescaped(piece) {
                    add(
                        plain, "\(outer), with the key in escapes (\\x9c, \\u009c, \\234) in it",
                        WrappedContent.wrapTheKey(step), isCertain: true)
                    for decoding in Recognised(plain.span).decodings {
                        add(
                            decoding.bytes, "\(outer), with the key as \(decoding.name) and in escapes in it",
                            WrappedContent.wrapTheKey(step), isCertain: true)
                        values.append(decoding.bytes)
                    }
                }
                if [16, 24, 32].contains(piece.count), piece.count < bytes.count {
                    add(piece, "\(outer), with the key's characters in it", WrappedContent.wrapTheKey(step))
                    values.append(piece)
                }
            }
            for key in values where [16, 24, 32].contains(key.count) {
                for iv in values where [12, 16].contains(iv.count) && iv != key {
                    add(
                        key + iv, "\(outer), with the key and the IV in it",
                        "have the sender wrap the key's bytes alone, and put the IV before the content")
                }
            }
        }

        /// The bytes for which the escapes of a string stand; `nil` without one.
        private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
            guard text.contains(UInt8(ascii: "\\")), let string = String(validating: text, as: UTF8.self) else {
                return nil
            }
            var scalars = Array(string.unicodeScalars)[...]
            var bytes: [UInt8] = []
            func digits(_ count: Int, _ radix: Int) -> UInt8? {
                let word = scalars.prefix(count).prefix { $0.properties.numericType != nil || $0.properties.isHexDigit }
                let found = String(String.UnicodeScalarView(word))
                guard !found.isEmpty, let value = Int(found, radix: radix), value < 256 else { return nil }
                scalars = scalars.dropFirst(word.count)
                return UInt8(value)
            }
            while let scalar = scalars.popFirst() {
                guard scalar == "\\" else {
                    guard scalar.value < 256 else { return nil }
                    bytes.append(UInt8(scalar.value))
                    continue
                }
                guard let mark = scalars.first else { return nil }
                if !("0"..."7").contains(mark) { scalars.removeFirst() }
                switch mark {
                case "x":
                    guard let byte = digits(2, 16) else { return nil }
                    bytes.append(byte)
                case "u":
                    guard let byte = digits(4, 16) else { return nil }
                    bytes.append(byte)
                case "0"..."7":
                    guard let byte = digits(3, 8) else { return nil }
                    bytes.append(byte)
                default:
                    let controls: [Unicode.Scalar: UInt8] = [
                        "a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27, "s": 32,
                    ]
                    bytes.append(controls[mark] ?? UInt8(truncatingIfNeeded: mark.value))
                }
            }
            return bytes
        }

        /// Bytes that became characters of 16 bits, or digits of one bit.
        private mutating func units(_ bytes: [UInt8]) {
            for place in 0...1 where bytes.count >= 32 && bytes.count.isMultiple(of: 2) {
                let zeros = stride(from: place, to: bytes.count, by: 2).allSatisfy { bytes[$0] == 0 }
                guard zeros else { continue }
                let others = stride(from: 1 - place, to: bytes.count, by: 2).map { bytes[$0] }
                add(
                    others, "every second of them is zero, as in UTF-16, and the others are the key",
                    "have the sender wrap the bytes themselves, not the characters of a string", isCertain: true)
            }
            guard bytes.count >= 128, bytes.count.isMultiple(of: 8), bytes.allSatisfy({ $0 == 0x30 || $0 == 0x31 })
            else {
                return
            }
            let packed = stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 & 1) }
            }
            add(packed, "the key as binary digits", WrappedContent.wrapTheKey(nil), isCertain: true)
        }

        /// A key that was printed as a number.
        private mutating func numbers(_ text: [UInt8]) {
            guard (25...160).contains(text.count), let number = PrintedNumber(text) else { return }
            for size in [16, 24, 32] where (0...2).contains(size - number.bytes.count) {
                let zeros = [UInt8](repeating: 0, count: size - number.bytes.count)
                add(
                    zeros + number.bytes, "the key as \(number.name)",
                    "have the sender wrap all \(size) bytes of the key, not a number", isCertain: true)
            }
        }

        /// Numbers that are printed with their places, as maps and arrays of PHP are, or in hexadecimal or binary
        /// digits that lack zeros in front.
        private mutating func printed(_ text: [UInt8]) {
            guard (32...1_024).contains(text.count), WrappedContent.isText(text) else { return }
            let words = text.split { !Self.isWordPart($0) }
                .map { String(decoding: $0, as: UTF8.self) }
            func add(_ bytes: [UInt8]?, _ how: String) {
                guard let bytes, [16, 24, 32].contains(bytes.count) else { return }
                self.add(bytes, "the key as \(how)", WrappedContent.wrapTheKey(nil), isCertain: true)
            }
            func values(_ radix: Int, _ lengths: ClosedRange<Int>) -> [UInt8]? {
                let values = words.compactMap { lengths.contains($0.count) ? UInt8($0, radix: radix) : nil }
                return values.count == words.count ? values : nil
            }
            add(values(2, 8...8), "binary digits with something between the bytes")
            add(values(16, 1...2), "hexadecimal digits with something between the bytes")
            var numbers = words.compactMap { Int($0) }
            let isOfWords =
                numbers.count == words.count && numbers.contains { !(-128...255).contains($0) }
                && numbers.allSatisfy { (Int(Int32.min)...Int(UInt32.max)).contains($0) }
            for (places, order) in [([24, 16, 8, 0], "first"), ([0, 8, 16, 24], "last")] where isOfWords {
                let bytes = numbers.flatMap { word in places.map { UInt8(truncatingIfNeeded: word >> $0) } }
                add(bytes, "numbers of 32 bits, the highest byte \(order)")
            }
            // How many there are comes first in PHP.
            if !numbers.count.isMultiple(of: 2), numbers.first == numbers.count / 2 { numbers.removeFirst() }
            let places = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] }
            let bytes = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
            guard places == Array(0..<bytes.count), bytes.allSatisfy({ (-128...255).contains($0) }) else { return }
            add(bytes.map { UInt8(truncatingIfNeeded: $0) }, "numbers that were printed with their places")
        }

        /// Hexadecimal digits of single bytes, joined without the zeros in front, with or without the sign that Java
        /// shows (`ffffff8a`). A few texts of that kind can be cut in so many ways that none of them is tried.
        private mutating func shortDigits(_ text: [UInt8]) {
            guard text.allSatisfy(\.isHexDigit), (28...256).contains(text.count) else { return }
            for size in [16, 24, 32] where text.count != 2 * size {
                for isSigned in [false, true] {
                    var (found, steps): ([[UInt8]], Int) = ([], Self.cutSteps)
                    Self.cut(text[...], into: size, isSigned, after: [], &found, &steps)
                    guard found.count <= Self.cutLimit, steps > 0 else { continue }
                    for key in found {
                        self.add(
                            key,
                            "the key as hexadecimal digits, without the zero before those of a byte below 10"
                                + (isSigned ? " and with the sign of the others (ffffff8a)" : ""),
                            "have the sender write two digits for each byte (%02x; HexFormat, not "
                                + "Integer.toHexString), or wrap the key's bytes themselves")
                    }
                }
            }
        }

        private static let cutLimit = 600
        /// Most ways end before all digits are used, and are counted, too.
        private static let cutSteps = 100_000

        private static func isWordPart(_ byte: UInt8) -> Bool {
            byte.isHexDigit || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
        }

        private static func cut(
            _ text: ArraySlice<UInt8>, into count: Int, _ isSigned: Bool, after bytes: [UInt8],
            _ found: inout [[UInt8]], _ steps: inout Int
        ) {
            steps -= 1
            guard steps > 0, found.count <= cutLimit, text.count >= count, text.count <= count * (isSigned ? 8 : 2)
            else { return }
            guard count > 0, let first = text.first.flatMap({ UInt8(String(decoding: [$0], as: UTF8.self), radix: 16) })
            else { return found.append(bytes) }
            func go(_ length: Int, _ byte: UInt8) {
                cut(text.dropFirst(length), into: count - 1, isSigned, after: bytes + [byte], &found, &steps)
            }
            if isSigned, text.count >= 8, text.prefix(6).allSatisfy({ $0 | 0x20 == UInt8(ascii: "f") }),
                let byte = UInt8(String(decoding: text.prefix(8).suffix(2), as: UTF8.self), radix: 16), byte >= 0x80
            {
                return go(8, byte)
            }
            go(1, first)
            if text.count > 1, let byte = UInt8(String(decoding: text.prefix(2), as: UTF8.self), radix: 16),
                byte >= 0x10, !isSigned || byte < 0x80
            {
                go(2, byte)
            }
        }

        /// The cipher was given a text that was made of the bytes (PHP's bin2hex, CryptoJS's toString).
        private mutating func asText(_ bytes: [UInt8]) {
            let hex = Hex.encode(bytes.span)
            let base64 = Base64.encode(bytes.span)
            for (text, what) in [
                (Array(hex.utf8), "hexadecimal digits"),
                (Array(hex.uppercased().utf8), "upper-case hexadecimal digits"),
                (base64, "base64"),
            ] {
                for size in [32, 24, 16] where text.count == size || text.count > size && size == 32 {
                    add(
                        Array(text.prefix(size)),
                        "their \(what), as a text\(text.count > size ? " cut to \(size) characters" : ""), are the key",
                        "have the sender give its cipher the bytes themselves")
                }
            }
        }

        private mutating func reversed(_ bytes: [UInt8], _ what: String) {
            guard [16, 24, 32].contains(bytes.count) else { return }
            add(
                bytes.reversed(), "in reverse order, \(what) are the key",
                "have the sender wrap the key's bytes in the order in which the cipher takes them")
        }

        // MARK: Lengths

        /// A number's sign, and leading zeros that a number does not have.
        private mutating func signed(_ bytes: [UInt8], _ what: String) {
            if bytes.first == 0, [17, 25, 33].contains(bytes.count) {
                add(
                    Array(bytes.dropFirst()),
                    "without the zero byte in front, the sign of a number, \(what) are the key",
                    "have the sender wrap the key's bytes, not BigInteger.toByteArray()", isCertain: true)
            }
            for size in [16, 24, 32] where (1...2).contains(size - bytes.count) {
                add(
                    [UInt8](repeating: 0, count: size - bytes.count) + bytes,
                    "with the zeros in front that a number does not have, \(what) are the key",
                    "have the sender wrap all \(size) bytes of the key, not a number")
            }
        }

        private mutating func cut(_ bytes: [UInt8], of what: String = "") {
            // A UUID is cut without its hyphens as well.
            if what.isEmpty, bytes.count == 36, bytes.contains(UInt8(ascii: "-")) {
                cut(bytes.filter { $0 != UInt8(ascii: "-") }, of: "the text without its hyphens")
            }
            let whose = what.isEmpty ? "their" : "the"
            let owner = what.isEmpty ? "" : " of \(what)"
            for size in [32, 24, 16] where bytes.count > size {
                let count = bytes.count - size
                let mayBeNonce = what.isEmpty && [8, 12].contains(count)
                let others = count == 1 ? "1 byte" : "\(count) bytes"
                func advice(_ place: String) -> String {
                    "ask what the sender uses the \(others) \(place) the key for: a nonce or the key of a MAC must "
                        + "stay; only if nothing uses them, have the sender wrap the \(size) bytes alone (of a longer "
                        + "key, a library takes the first without a word)"
                }
                if [12, 16].contains(count) {
                    add(
                        Array(bytes.suffix(size) + bytes.prefix(count)),
                        "\(whose) last \(size)\(owner) are the key, and the \(count) before them the IV",
                        "have the sender wrap the key first and the IV after it, or put the IV in front of the content")
                }
                if count > 16 {
                    for (iv, place) in [
                        (bytes[size...].prefix(16), "the 16 behind them"), (bytes.suffix(16), "the last 16"),
                    ] {
                        add(
                            Array(bytes.prefix(size) + iv),
                            "\(whose) first \(size)\(owner) are the key, and \(place) the IV", advice("after"))
                    }
                }
                add(
                    Array(bytes.prefix(size)),
                    "\(whose) first \(size)\(owner) are the key, and \(others) \(count == 1 ? "follows" : "follow")",
                    advice("after"), nonce: mayBeNonce ? Array(bytes.dropFirst(size)) : nil,
                    filter: what.isEmpty ? "head -c \(size)" : nil)
                add(
                    Array(bytes.suffix(size)),
                    "\(whose) last \(size)\(owner) are the key, and \(others) \(count == 1 ? "comes" : "come") first",
                    advice("before"), nonce: mayBeNonce ? Array(bytes.dropLast(size)) : nil,
                    filter: what.isEmpty ? "tail -c \(size)" : nil)
            }
        }

        /// Short texts that were made longer by something else than zero bytes, which profiles know.
        private mutating func filled(_ bytes: [UInt8]) {
            for size in [16, 24, 32] where bytes.count < size && bytes.count > 0 {
                let missing = size - bytes.count
                for (fill, name) in [
                    (UInt8(ascii: "0"), "the digit 0"), (0x20, "blanks"),
                    (UInt8(missing), "the number of missing bytes (PKCS#7)"),
                ] {
                    let filling = [UInt8](repeating: fill, count: missing)
                    let advice = "have the sender wrap the \(size) bytes that it gives to the cipher"
                    add(bytes + filling, "filled with \(name) up to \(size), they are the key", advice)
                    if fill == UInt8(ascii: "0") {
                        add(filling + bytes, "filled with \(name) in front up to \(size), they are the key", advice)
                    }
                }
                let repeated = (0..<size).map { bytes[$0 % bytes.count] }
                add(
                    repeated, "repeated up to \(size), they are the key",
                    "have the sender wrap the \(size) bytes that it gives to the cipher")
            }
        }

        // MARK: Derived keys

        /// What code makes of a passphrase without a salt.
        private mutating func derived(_ bytes: [UInt8], _ what: String) throws(EvidenceError) {
            var walk = TextWalk()
            walk.append(bytes.span)
            // Code that digests random bytes has a key in mind, not a passphrase.
            let isText = walk.finish()
            let wrapIt =
                "have the sender wrap the derived key itself"
                + (isText ? "; a fast digest of a password can be guessed" : "")
            func clause(_ name: String) -> String { "\(name) of \(what) is the key" }
            for algorithm in PassphraseDigest.all {
                guard let digest = try algorithm.digest(of: bytes) else { continue }
                let name = algorithm.name
                // Longer than a key, or with an IV after it.
                for size in [32, 16] where digest.count >= size {
                    let part = digest.count == size ? "the" : "the first \(size) bytes of the"
                    add(Array(digest.prefix(size)), clause("\(part) \(name)"), wrapIt)
                }
                if digest.count >= 48 {
                    add(Array(digest.prefix(48)), clause("the beginning of the \(name), with the IV after it,"), wrapIt)
                }
                guard isText else { continue }
                let hex = Hex.encode(digest.span)
                for (text, writing) in [
                    (hex, "in hexadecimal digits"), (hex.uppercased(), "in upper-case hexadecimal digits"),
                    (
                        Base64.encode(digest.span).reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) },
                        "in base64"
                    ),
                ] {
                    let characters = Array(text.utf8)
                    for size in [32, 24, 16] where characters.count >= size {
                        let part = characters.count == size ? "the" : "the first \(size) characters of the"
                        add(Array(characters.prefix(size)), clause("\(part) \(name) \(writing)"), wrapIt)
                    }
                    if name == "MD5", characters.count == 32 {
                        add(
                            Array(characters[8..<24]),
                            clause("the 16 characters in the middle of the \(name) \(writing)"),
                            wrapIt)
                    }
                }
            }
            guard isText else { return }
            let sha1 = try DigestAlgorithm.sha1.digest(of: bytes.span)
            add(
                Array(try DigestAlgorithm.sha1.digest(of: sha1.span).prefix(16)),
                clause("what Java's SHA1PRNG makes first (the SHA-1 of the SHA-1)"), wrapIt)
            let chain = try PassphraseDigest.md5.chain(bytes, salt: []) ?? []
            for count in [48, 32] {
                add(
                    Array(chain.prefix(count)),
                    clause("what OpenSSL derives without a salt (Node's createCipher), with the IV after it,"), wrapIt)
            }
            // As PHP code has it: md5(md5($password)).
            if let md5 = try PassphraseDigest.md5.digest(of: bytes),
                let again = try PassphraseDigest.md5.digest(of: Array(Hex.encode(md5.span).utf8))
            {
                add(again, clause("the MD5 of the hexadecimal digits of the MD5"), wrapIt)
                add(
                    Array(Hex.encode(again.span).utf8),
                    clause("the MD5 of the hexadecimal digits of the MD5, in hexadecimal digits,"), wrapIt)
            }
            if bytes.count > 16 {
                var folded = [UInt8](repeating: 0, count: 16)
                for (place, byte) in bytes.enumerated() { folded[place % 16] ^= byte }
                add(folded, clause("what MySQL's AES_ENCRYPT folds"), wrapIt)
            }
        }
    }

    /// What to change where the bytes of a key were written as text before they were wrapped.
    fileprivate static func wrapTheKey(_ step: String?) -> String {
        let other = Recognised.withoutFile(step)?.replacing("have the sender ", with: "")
        return "have the sender wrap the key's bytes themselves" + (other.map { ", or else \($0)" } ?? "")
    }

    /// The bytes without zero bytes behind them, and without white space around them where they are text; and what that
    /// was, in words.
    fileprivate static func trimmed(_ bytes: [UInt8]) -> (bytes: [UInt8], edges: String) {
        func isWhite(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }
        var rest = bytes[...]
        while let last = rest.last, isWhite(last) || last == 0 { rest = rest.dropLast() }
        let back = bytes[rest.endIndex...]
        let hasMark = rest.starts(with: [0xEF, 0xBB, 0xBF])
        if hasMark { rest = rest.dropFirst(3) }
        let start = rest.startIndex
        while let first = rest.first, isWhite(first) { rest = rest.dropFirst() }
        var names: [String] = []
        if hasMark { names.append("the byte-order mark in front") }
        if rest.startIndex > start { names.append("the white space in front") }
        if !back.isEmpty {
            names.append(
                back.elementsEqual([0x0A])
                    ? "the line feed at the end"
                    : back.elementsEqual([0x0D, 0x0A])
                        ? "the line break at the end"
                        : back.allSatisfy { $0 == 0 }
                            ? back.count == 1 ? "the zero byte at the end" : "the zero bytes at the end"
                            : "the white space at the end")
        }
        return (Array(rest), names.joined(separator: " and "))
    }

    /// Other texts that a passphrase may be, and how each is had, in words that follow "the passphrase".
    static func passphrases(in bytes: Span<UInt8>) -> [([UInt8], String)] {
        let (text, edges) = trimmed(bytes.indices.map { bytes[$0] })
        return (edges.isEmpty ? [] : [(text, " without \(edges)")])
            + Recognised(text.span).decodings.map { ($0.bytes, ", written as \($0.name)") }
    }

    /// Whether it is UTF-8 without control characters.
    fileprivate static func isText(_ bytes: [UInt8]) -> Bool {
        var walk = TextWalk()
        walk.append(bytes.span)
        return walk.finish()
    }

    /// The hexadecimal digits of a key that other letters and digits stand before or after, and the characters of an
    /// identifier without its dashes.
    fileprivate static func digits(in text: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        for run in text.split(whereSeparator: { !$0.isHexDigit }) where run.count < text.count {
            for count in [64, 48, 32] where (count...count + 8).contains(run.count) {
                pieces += [Array(run.suffix(count)), Array(run.prefix(count))]
            }
        }
        let plain = text.filter { $0 != UInt8(ascii: "-") }
        if plain.count < text.count, plain.count == 32, plain.allSatisfy(\.isHexDigit) { pieces.append(plain) }
        return pieces
    }

    /// The pieces of a text that quotation marks, brackets, colons and the like set off: the values in it.
    fileprivate static func pieces(of text: [UInt8]) -> [[UInt8]] {
        guard !text.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) else { return [] }
        var pieces: [[UInt8]] = []
        func add(_ piece: ArraySlice<UInt8>) {
            let piece = trimmed(Array(piece)).bytes
            if piece.count >= 16, !pieces.contains(piece), pieces.count < pieceLimit {
                pieces.append(piece)
            }
        }
        // What the outermost brackets hold: `<Buffer 0a 1b>`, `Uint8Array(32) [1, 2]`.
        for (open, close) in [(0x5B, 0x5D), (0x7B, 0x7D), (0x3C, 0x3E), (0x28, 0x29)] as [(UInt8, UInt8)] {
            guard let start = text.firstIndex(of: open), let end = text.lastIndex(of: close), start < end else {
                continue
            }
            let inner = text[(start + 1)..<end]
            add(inner)
            // Behind the name of a type.
            if let blank = inner.firstIndex(of: 0x20) { add(inner[(blank + 1)...]) }
        }
        let marks = Array("\"'`".utf8)
        // From the first quotation mark to the last: quotation marks in escapes stay.
        if let start = text.firstIndex(where: marks.contains), let end = text.lastIndex(where: marks.contains),
            start < end
        {
            add(text[(start + 1)..<end])
        }
        for part in text.split(whereSeparator: { marks.contains($0) }) { add(part) }
        // After the first `=` or `:`; base64 ends in the others.
        if let sign = text.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) {
            add(text[(sign + 1)...])
        }
        let separators = Array(" \t\r\n\"'`.,;:|&<>(){}[]@#$".utf8)
        for part in text.split(whereSeparator: { separators.contains($0) }) {
            add(part)
            // Base64 ends in its padding: another may follow.
            var start = part.startIndex
            for place in part.indices.dropLast() where part[place] == 0x3D && part[place + 1] != 0x3D {
                add(part[start...place])
                start = place + 1
            }
            if start > part.startIndex { add(part[start...]) }
            if let sign = part.firstIndex(of: UInt8(ascii: "=")) { add(part[(sign + 1)...]) }
        }
        return pieces
    }
}

/// A digest from which code makes a key.
enum PassphraseDigest {
    case md5
    case other(DigestAlgorithm)

    static var all: [Self] { [.md5] + DigestAlgorithm.allCases.map { .other($0) } }

    var name: String {
        switch self {
        case .md5: "MD5"
        case .other(let algorithm): algorithm.rawValue
        }
    }

    /// Its name in OpenSSL's command.
    var option: String { name.lowercased().filter { $0 != "-" } }

    /// - Returns: `nil` for MD5 where OpenSSL does not provide it, as in FIPS mode.
    func digest(of bytes: [UInt8]) throws(EvidenceError) -> [UInt8]? {
        switch self {
        case .md5: try? WeakMD5.digest(of: bytes.span)
        case .other(let algorithm): try algorithm.digest(of: bytes.span)
        }
    }

    /// OpenSSL's EVP_BytesToKey with one round: 48 bytes, for a key and its IV.
    ///
    /// - Returns: `nil` as for ``digest(of:)``.
    func chain(_ passphrase: [UInt8], salt: [UInt8]) throws(EvidenceError) -> [UInt8]? {
        var (last, all) = ([UInt8](), [UInt8]())
        while all.count < 48 {
            guard let next = try digest(of: last + passphrase + salt) else { return nil }
            last = next
            all += last
        }
        return Array(all.prefix(48))
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self | 0x20) }
}
