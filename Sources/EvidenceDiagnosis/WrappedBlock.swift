// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import Recognition
internal import VendorTypes

/// Something that the sender's code did to a wrapped key, and that diagnosis undoes.
struct Mending {
    /// What is so, in one sentence without a full stop.
    let sentence: String
    /// What to change at the sender, likewise; `nil` where another says it.
    let advice: String?
    /// What may be missing, if what is left opens nothing.
    var doubt: Diagnosis.Possibility?
}

/// The RSA blocks in a wrapped key that is not one block of the right length.
///
/// A wrapped key is a number as long as the modulus. Code that takes it for a number drops its leading zero bytes or
/// puts one in front; other code joins several blocks, or writes something before or after one.
struct WrappedBlock {
    /// One or more, each as long as the modulus.
    let blocks: [[UInt8]]
    /// What was done to it; `nil` for a block as it is.
    let mending: Mending?

    /// How many blocks in a row are looked at: each costs an operation of the key.
    private static let blockLimit = 32
    /// How many leading zero bytes are put back. By chance a block has two once in 65,536 times.
    private static let zeroLimit = 8

    /// A block that lost so many leading zero bytes.
    private static func withLeadingZeros(_ wrapped: [UInt8], _ missing: Int, _ size: Int) -> [WrappedBlock] {
        guard missing <= zeroLimit else { return [] }
        let zeros = missing == 1 ? "a zero byte" : "\(missing) zero bytes"
        return [
            WrappedBlock(
                blocks: [[UInt8](repeating: 0, count: missing) + wrapped],
                mending: Mending(
                    sentence:
                        "it has \(wrapped.count) bytes, and unwraps with \(zeros) in front: the sender's code "
                        + "took the block for a number, which has no leading zeros",
                    advice:
                        "have the sender write all \(size) bytes of the block (Python: to_bytes(\(size), 'big'); "
                        + "Go: FillBytes; BouncyCastle: BigIntegers.asUnsignedByteArray(\(size), n)): one payload "
                        + "in 256 is like this"))
        ]
    }

    /// The ways in which bytes may be blocks for a key, likelier ones first.
    ///
    /// - Parameter size: bytes of the modulus.
    static func readings(of wrapped: [UInt8], _ size: Int) -> [WrappedBlock] {
        var found = inOrder(wrapped, size)
        // Several blocks in a row, and one with more around it, are not reversed as a whole.
        guard blockCount(wrapped, size) < 2 else { return found }
        for reading in inOrder(wrapped.reversed(), size) {
            found.append(
                WrappedBlock(
                    blocks: reading.blocks,
                    mending: Mending(
                        sentence: "its bytes are in reverse order, as little-endian code writes them (CryptoAPI of "
                            + "Windows): read from last to first, "
                            + (reading.mending?.sentence ?? "they unwrap"),
                        advice:
                            "have the sender reverse the block before encoding it (Array.Reverse): RFC 8017 has the "
                            + "most significant byte first"
                            + (reading.mending?.advice.map { "; then \($0)" } ?? ""))))
        }
        return found
    }

    /// How many blocks there may be, each perhaps with a little before it, or without its leading zero.
    private static func blockCount(_ wrapped: [UInt8], _ size: Int) -> Int {
        (wrapped.count + 1) / size
    }

    /// Several blocks, of which one lost its leading zero, or some have a sign or a length in front.
    private static func uneven(_ wrapped: [UInt8], _ size: Int) -> [WrappedBlock] {
        let count = blockCount(wrapped, size)
        let surplus = wrapped.count - count * size
        guard (2...blockLimit).contains(count), surplus != 0 else { return [] }
        func reading(_ blocks: [[UInt8]], _ sentence: String, _ advice: String) -> WrappedBlock {
            WrappedBlock(
                blocks: blocks,
                mending: Mending(sentence: "it is \(count) RSA blocks in a row, \(sentence)", advice: advice))
        }
        if surplus == -1 {
            return (0..<count).map { short in
                var rest = wrapped
                rest.insert(0, at: short * size)
                return reading(
                    stride(from: 0, to: rest.count, by: size).map { Array(rest[$0..<($0 + size)]) },
                    "and block \(short + 1) of them lost a zero byte in front: the sender's code took it for a number",
                    "have the sender write all \(size) bytes of each block")
            }
        }
        var found: [WrappedBlock] = []
        if let blocks = withoutSigns(wrapped, size, count) {
            found.append(
                reading(
                    blocks,
                    "with \(surplus == 1 ? "a zero byte" : "\(surplus) zero bytes") before them in all, the "
                        + "sign of a number (Java's BigInteger.toByteArray writes it)",
                    "have the sender use Cipher.doFinal, which returns each block itself"))
        }
        if surplus.isMultiple(of: count), surplus / count <= 16 {
            let (front, step) = (surplus / count, wrapped.count / count)
            found.append(
                reading(
                    stride(from: 0, to: wrapped.count, by: step).map { Array(wrapped[($0 + front)..<($0 + step)]) },
                    "with \(front == 1 ? "a byte" : "\(front) bytes") before each, perhaps its length",
                    "have the sender write the blocks alone"))
        }
        return found
    }

    /// The blocks without a zero byte before some of them; `nil` if the length is another one then.
    private static func withoutSigns(_ wrapped: [UInt8], _ size: Int, _ count: Int) -> [[UInt8]]? {
        var blocks: [[UInt8]] = []
        var place = 0
        for left in stride(from: count, to: 0, by: -1) {
            if wrapped.count - place > left * size, wrapped[place] == 0 { place += 1 }
            guard wrapped.count - place >= left * size else { return nil }
            blocks.append(Array(wrapped[place..<(place + size)]))
            place += size
        }
        return place == wrapped.count ? blocks : nil
    }

    /// The same of bytes from first to last.
    private static func inOrder(_ wrapped: [UInt8], _ size: Int) -> [WrappedBlock] {
        let surplus = wrapped.count - size
        if surplus == 0 { return [WrappedBlock(blocks: [wrapped], mending: nil)] }
        if surplus < 0 { return withLeadingZeros(wrapped, -surplus, size) }
        var found: [WrappedBlock] = []
        func add(
            _ blocks: [[UInt8]], _ sentence: String, _ advice: String, doubt: Diagnosis.Possibility? = nil
        ) {
            let mending = Mending(sentence: sentence, advice: advice, doubt: doubt)
            found.append(WrappedBlock(blocks: blocks, mending: mending))
        }
        let plain = wrapped.indices.filter {
            wrapped[$0] != 0x0D || $0 + 1 == wrapped.count || wrapped[$0 + 1] != 0x0A
        }
        if plain.count == size {
            add(
                [plain.map { wrapped[$0] }],
                "a carriage return stands before \(surplus == 1 ? "the line feed" : "each line feed") in it: the block "
                    + "was written as text (Windows), and unwraps without",
                "have the sender open the file in binary mode (\"wb\"), or encode the block before it is written")
        }
        let (front, back) = (wrapped.prefix(surplus), wrapped.suffix(surplus))
        if front.allSatisfy({ $0 == 0 }) {
            add(
                [Array(wrapped.suffix(size))],
                "\(surplus == 1 ? "a zero byte stands" : "\(surplus) zero bytes stand") before the block"
                    + (surplus == 1 ? ", the sign of a number (Java's BigInteger.toByteArray writes it)" : ""),
                "have the sender drop what is longer than \(size) bytes in front, or use Cipher.doFinal, which returns "
                    + "the block itself")
        }
        if back.allSatisfy({ [0x00, 0x0A, 0x0D, 0x20].contains($0) }) {
            let name =
                back.elementsEqual([0x0A])
                ? "a line feed follows"
                : back.elementsEqual([0x0D, 0x0A])
                    ? "a line break (CR LF) follows"
                    : back.allSatisfy({ $0 == 0 })
                        ? surplus == 1 ? "a zero byte follows" : "\(surplus) zero bytes follow"
                        : "white space follows"
            add(
                [Array(wrapped.prefix(size))], "\(name) the block: it was added to the bytes before they were encoded",
                "have the sender encode the block alone: a text file or a buffer of a fixed length adds such bytes")
        }
        if wrapped.count.isMultiple(of: size), wrapped.count / size <= blockLimit {
            let count = wrapped.count / size
            add(
                blocks(wrapped[...], size),
                "it is \(count) RSA blocks of \(size) bytes in a row, each of which unwraps",
                wrapAlone,
                doubt: .init("a block is missing", "compare the number of bytes at both ends"))
        }
        return found + uneven(wrapped, size) + amongOthers(wrapped, size)
    }

    /// One block or more, with something else before or after.
    private static func amongOthers(_ wrapped: [UInt8], _ size: Int) -> [WrappedBlock] {
        let surplus = wrapped.count - size
        var found: [WrappedBlock] = []
        func add(_ blocks: [[UInt8]], _ sentence: String, _ advice: String, doubt: Diagnosis.Possibility?) {
            found.append(
                WrappedBlock(blocks: blocks, mending: Mending(sentence: sentence, advice: advice, doubt: doubt)))
        }
        for count in (2...blockLimit).reversed() where count * size < wrapped.count {
            let rest = wrapped.count - count * size
            let doubt = Diagnosis.Possibility(
                "one of the blocks is incomplete", "compare the number of bytes at both ends, block by block")
            add(
                blocks(wrapped.prefix(count * size), size),
                "it is \(count) RSA blocks of \(size) bytes in a row, each of which unwraps, and \(rest) bytes after "
                    + "them"
                    + Self.guess(rest, size),
                wrapAlone, doubt: doubt)
            add(
                blocks(wrapped.suffix(count * size), size),
                "it is \(count) RSA blocks of \(size) bytes in a row, each of which unwraps, and \(rest) bytes before "
                    + "them" + Self.guess(rest, size),
                wrapAlone, doubt: doubt)
        }
        let doubt: Diagnosis.Possibility? =
            surplus > AESKey.Size.bits256.byteCount
            ? .init(
                "what stands beside the block is another block, or a part of one, with the rest of the key in it",
                "compare the number of bytes at both ends, and ask how many blocks there should be") : nil
        add(
            [Array(wrapped.suffix(size))],
            (surplus == 1 ? "1 byte stands" : "\(surplus) bytes stand") + " before the block"
                + (surplus <= 16 ? ", perhaps its length or a header" : Self.guess(surplus, size)),
            "have the sender encode the block alone, or drop the first \(surplus == 1 ? "byte" : "\(surplus) bytes")",
            doubt: doubt)
        add(
            [Array(wrapped.prefix(size))],
            (surplus == 1 ? "1 byte follows" : "\(surplus) bytes follow") + " the block" + Self.guess(surplus, size),
            "have the sender encode the block alone, and put what follows it into a field of its own", doubt: doubt)
        return found
    }

    private static let wrapAlone =
        "have the sender wrap the key alone: 32 bytes fit into one block, and what is longer (JSON, other fields) "
        + "belongs into the content"

    private static func blocks(_ bytes: ArraySlice<UInt8>, _ size: Int) -> [[UInt8]] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { Array(bytes[$0..<($0 + size)]) }
    }

    /// What so many bytes beside a block may be, in words after a comma.
    private static func guess(_ count: Int, _ size: Int) -> String {
        if count >= size { return ", which do not unwrap, or not all of them" }
        return count > AESKey.Size.bits256.byteCount ? ", perhaps a block that was cut off" : ""
    }
}

/// A wrapped key whose text is no encoding of bytes: a number, or several texts in a row.
struct WrappedText {
    let bytes: [UInt8]
    let mending: Mending

    /// Digits of a number of 1,024 bits, and of the largest that is converted.
    private static let digitCounts = 150...2_500

    /// - Parameter sizes: the lengths of the given keys' blocks.
    init?(_ text: [UInt8], sizes: Set<Int>) {
        let edges = Array(" \t\r\n\"'`,;".utf8)
        let inner = Array(text.drop(while: edges.contains).reversed().drop(while: edges.contains).reversed())
        if let number = Self.number(inner) {
            self = number
        } else if let joined = Self.joined(text, sizes) ?? Self.joined(text.filter { $0 != 0x0A && $0 != 0x0D }, sizes)
        {
            self = joined
        } else {
            return nil
        }
    }

    /// Of a text that is in no encoding that a field may have: what the table of forms decodes, if it is as long as a
    /// block.
    init?(recognising text: [UInt8], sizes: Set<Int>) {
        let found = Recognised(text.span).decodings.first { decoding in
            sizes.contains { (-2...2).contains(decoding.bytes.count - $0) }
        }
        guard let found else { return nil }
        self.init(
            found.bytes, "it is written as \(found.name), which stands for \(found.bytes.count) bytes",
            Recognised.withoutFile(found.step) ?? "have the sender write the block in base64")
    }

    private init(_ bytes: [UInt8], _ sentence: String, _ advice: String?) {
        self.bytes = bytes
        mending = Mending(sentence: sentence, advice: advice)
    }

    private static func number(_ text: [UInt8]) -> WrappedText? {
        // Hexadecimal digits in hexadecimal digits are decimal ones.
        guard digitCounts.contains(text.count), (try? Hex.decode(text.span)).map({ isEncodedText($0) }) != true,
            let number = PrintedNumber(text)
        else { return nil }
        return WrappedText(
            number.bytes, "it is \(number.name), of \(number.bytes.count) bytes",
            "have the sender encode the block's bytes as base64 instead of printing a number (Java: "
                + "Base64.getEncoder().encodeToString(cipher.doFinal(key)); Python: "
                + "base64.b64encode(n.to_bytes(256, 'big')))")
    }

    /// The texts in a row of blocks in base64 without padding, which nothing else separates; one, if there is only one.
    private static func unpadded(_ text: [UInt8], _ sizes: Set<Int>) -> [[UInt8]] {
        for size in sizes.sorted(by: >) {
            let step = (8 * size + 5) / 6
            guard step % 4 > 0, text.count > step, text.count.isMultiple(of: step) else { continue }
            let pieces = stride(from: 0, to: text.count, by: step).map { Array(text[$0..<($0 + step)]) }
            // In each, the last character has bits that are zero.
            if pieces.allSatisfy({ (try? TextDecoder.decode($0.span, .base64URL).count) == size }) { return pieces }
            let padded = pieces.map { $0 + [UInt8](repeating: UInt8(ascii: "="), count: 4 - step % 4) }
            if padded.allSatisfy({ (try? TextDecoder.decode($0.span, .base64).count) == size }) { return padded }
        }
        return [text]
    }

    /// Several texts, each of one block, in a row or with something between them.
    private static func joined(_ text: [UInt8], _ sizes: Set<Int>) -> WrappedText? {
        var pieces: [[UInt8]] = [[]]
        let known = ByteSet.lettersAndDigits.union("+/-_=")
        for (place, character) in text.enumerated() {
            let isPadding = character == UInt8(ascii: "=")
            guard known.contains(character) else {
                pieces.append([])
                continue
            }
            // Base64 ends in its padding.
            if !isPadding, place > 0, text[place - 1] == UInt8(ascii: "=") { pieces.append([]) }
            pieces[pieces.count - 1].append(character)
        }
        pieces.removeAll(where: \.isEmpty)
        if pieces.count == 1 { pieces = unpadded(pieces[0], sizes) }
        guard (2...8).contains(pieces.count) else { return nil }
        var bytes: [UInt8] = []
        var isShort = false
        for (place, piece) in pieces.enumerated() {
            let readings = [TextEncoding.base64, .base64URL, .hex].compactMap {
                try? TextDecoder.decode(piece.span, $0)
            }
            if let block = readings.first(where: { sizes.contains($0.count) || sizes.contains($0.count + 1) }) {
                // A block that was taken for a number lost its leading zero.
                bytes += (sizes.contains(block.count) ? [] : [0]) + block
            } else if place > 0, place == pieces.count - 1, let rest = readings.first {
                bytes += rest
                isShort = true
            } else {
                return nil
            }
        }
        return WrappedText(
            bytes,
            "it is \(pieces.count) texts in a row, "
                + (isShort ? "the last of which is shorter than an RSA block" : "each of one RSA block"), nil)
    }
}

/// A number in decimal or hexadecimal digits, perhaps negative, as languages print bytes that they take for one.
struct PrintedNumber {
    /// The most significant first, without leading zeros.
    let bytes: [UInt8]
    /// In words, with an article.
    let name: String

    init?(_ text: [UInt8]) {
        // Between groups of digits, languages and people write marks.
        let marks = Array("_, ".utf8)
        let isGrouped = text.contains(where: marks.contains) && text.allSatisfy { isDigit($0) || marks.contains($0) }
        var digits = isGrouped ? text.filter { isDigit($0) }[...] : text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        let isPrefixed = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
        if isPrefixed { digits = digits.dropFirst(2) }
        // What Python 2 and JavaScript write after a long number.
        if let last = digits.last, last == UInt8(ascii: "L") || last == UInt8(ascii: "n") { digits = digits.dropLast() }
        guard !digits.isEmpty else { return nil }
        let isDecimal = !isPrefixed && digits.allSatisfy { isDigit($0) }
        // Of an even number of digits, without a sign, each two are a byte.
        guard isDecimal || isPrefixed || isNegative || !digits.count.isMultiple(of: 2) else { return nil }
        var number: [UInt8]
        if isDecimal {
            number = Self.bytes(ofDecimal: digits)
        } else {
            let even = (digits.count.isMultiple(of: 2) ? [] : [UInt8(ascii: "0")]) + digits
            guard let decoded = try? Hex.decode(even.span) else { return nil }
            number = Array(decoded.drop { $0 == 0 })
        }
        if isNegative { number = Self.twosComplement(number) }
        bytes = number
        name =
            "a number in \(isDecimal ? "decimal" : "hexadecimal") digits"
            + (isNegative ? ", a negative one, since its highest bit was taken for a sign" : "")
    }

    private static func bytes(ofDecimal digits: ArraySlice<UInt8>) -> [UInt8] {
        // The least significant first.
        var bytes: [UInt8] = []
        for digit in digits {
            var carry = Int(digit - 0x30)
            for i in bytes.indices {
                carry += Int(bytes[i]) * 10
                bytes[i] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { bytes.append(UInt8(truncatingIfNeeded: carry)) }
        }
        return bytes.reversed()
    }

    private static func twosComplement(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes.map { ~$0 }
        for i in result.indices.reversed() {
            result[i] &+= 1
            if result[i] != 0 { break }
        }
        return result
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
