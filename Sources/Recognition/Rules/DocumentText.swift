// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

// JSON, what stands around it, and other text with names and values.

extension Rule {
    func json(_ sample: Sample) -> KnownForm.Match? {
        guard let first = sample.text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return nil
        }
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: sample.text.span, at: &position) != .needsInput {}
            if sample.isWhole { _ = try scanner.finish() }
            return .init()
        } catch { return nil }
    }

    func jsonMembers(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.first == UInt8(ascii: "\"") else { return nil }
        // A name's end, unlike that of a text with a colon in it.
        let afterName = sample.text.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst().drop(while: isWhite)
        guard afterName.first == UInt8(ascii: ":") else { return nil }
        return json(Sample([0x7B] + sample.text + (sample.isWhole ? [0x7D] : []), isWhole: sample.isWhole))
    }

    /// Whether it is JSON but for line breaks inside its texts, as where lines were wrapped.
    func jsonBrokenLines(_ sample: Sample) -> Bool {
        guard sample.has("\n") || sample.has("\r"), json(sample) == nil else { return false }
        var lines = sample.text.split { $0 == 0x0A || $0 == 0x0D }
        for place in lines.indices.dropFirst() { lines[place] = lines[place].drop { $0 == 0x20 || $0 == 0x09 } }
        return json(Sample(Array(lines.joined()), isWhole: sample.isWhole)) != nil
    }

    /// Whether it is JSON but for the encoding of its texts.
    func jsonOtherEncoding(_ sample: Sample) -> Bool {
        guard !sample.scalars.isValid, sample.beginsAsText, sample.controlCount == 0 else { return false }
        var (ascii, place) = ([UInt8](), 0)
        let text = sample.text
        while place < text.count {
            // The second byte of a character of GBK or Big5 may be one of ASCII, but no quotation mark.
            let isPair = text[place] >= 0x81 && place + 1 < text.count && text[place + 1] >= 0x40
            ascii.append(text[place] < 0x80 ? text[place] : UInt8(ascii: "?"))
            place += isPair ? 2 : 1
        }
        return json(Sample(ascii, isWhole: sample.isWhole)) != nil
    }

    /// Whether it is JSON but for characters that are not seen.
    func jsonHidden(_ sample: Sample) -> Bool {
        guard sample.scalars.isValid, sample.scalars.latin + sample.scalars.others > 0, json(sample) == nil else {
            return false
        }
        let hidden: Set<UInt32> = [0xA0, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0x3000, 0xFEFF]
        let seen = String(decoding: sample.text, as: UTF8.self).unicodeScalars.filter { !hidden.contains($0.value) }
        return json(Sample(Array(String(String.UnicodeScalarView(seen)).utf8), isWhole: sample.isWhole)) != nil
    }

    /// Whether its lines have as many cells, in whatever language.
    func table(_ sample: Sample) -> Bool {
        guard sample.isText, let first = sample.text.first, first != 0x7B, first != 0x5B else { return false }
        // Digits in lines stand for bytes.
        guard spacedHex(sample) == nil, dataURI(sample) == nil else { return false }
        let lines = sample.text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(3)
        guard lines.count > 1 else { return false }
        // Sentences have commas, too, and blanks.
        let fewest = sample.text.contains(0x20) ? 2 : 1
        return [(UInt8(0x09), 1), (0x7C, 1), (0x2C, fewest), (0x3B, fewest)].contains { separator, least in
            let counts = Set((sample.isWhole ? lines : lines.dropLast()).map { line in line.count { $0 == separator } })
            return counts.count == 1 && (counts.first ?? 0) >= least
        }
    }

    /// Whether it is JSON without its beginning, which was cut inside a text or outside one, or without a piece in
    /// which a bracket was opened.
    func partOfJSON(_ sample: Sample) -> Bool {
        guard !sample.isField, sample.has("\"") else { return false }
        return isRest(sample, insideText: true) || isRest(sample, insideText: false)
    }

    private func isRest(_ sample: Sample, insideText: Bool) -> Bool {
        var (isText, isEscaped) = (insideText, false)
        var (depth, lowest, memberCount) = (0, 0, 0)
        // The sign before, outside texts: a quotation mark that ended one, or a zero for a number or a word.
        var last: UInt8?
        for byte in sample.text {
            if isText {
                if byte < 0x20 { return false }
                if byte == UInt8(ascii: "\""), !isEscaped { (isText, last) = (false, byte) }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            if isWhite(byte) { continue }
            let isBehindValue = last.map { "\"}]\0".utf8.contains($0) } ?? true
            switch byte {
            case UInt8(ascii: ":"):
                guard last == UInt8(ascii: "\"") || last == nil else { return false }
                if depth == lowest { memberCount += 1 }
            case UInt8(ascii: ","): guard isBehindValue else { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard isBehindValue || last == UInt8(ascii: "{") || last == UInt8(ascii: "[") else { return false }
                depth -= 1
                lowest = min(lowest, depth)
            case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
                guard last.map({ "{[,:".utf8.contains($0) }) ?? true else { return false }
                if byte == UInt8(ascii: "\"") { isText = true } else { depth += 1 }
            default:
                guard last.map({ "[,:\0".utf8.contains($0) }) ?? true, "truefalsnE0123456789+-.".utf8.contains(byte)
                else { return false }
            }
            last = "{}[],:\"".utf8.contains(byte) ? byte : 0
        }
        if insideText, memberCount > 0 { return true }
        if sample.isWhole { return !isText && lowest < 0 && depth == lowest }
        // What begins with a name may have lost no more than its bracket.
        return memberCount > 0 && (lowest < 0 || sample.text.first != UInt8(ascii: "\""))
    }

    func severalJSON(_ sample: Sample) -> KnownForm.Match? {
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: sample.text.span, at: &position) != .needsInput {}
            return nil
        } catch {
            return found(scanner.depth == 0 && !scanner.isUnfinished)
        }
    }

    func jsonLines(_ sample: Sample) -> KnownForm.Match? {
        let line = Array(sample.text.prefix { $0 != 0x0A })
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        while let token = try? scanner.next(in: line.span, at: &position) {
            if token == .needsInput { return found(line.count < sample.text.count && (try? scanner.finish()) != nil) }
        }
        return nil
    }

    /// The numbers in the first array after a name.
    func numbers(_ sample: Sample, after name: String) -> [Int]? {
        guard let place = sample.text.place(of: Array(name.utf8)),
            let start = sample.text[place.upperBound...].firstIndex(of: UInt8(ascii: "["))
        else { return nil }
        let end = sample.text[start...].firstIndex(of: UInt8(ascii: "]"))
        guard end != nil || !sample.isWhole else { return nil }
        var words = sample.text[(start + 1)..<(end ?? sample.text.endIndex)].split(separator: UInt8(ascii: ","))
        if end == nil { words = words.dropLast() }
        let numbers = words.compactMap { Int(String(decoding: $0.filter { !isWhite($0) }, as: UTF8.self)) }
        return numbers.count == words.count ? numbers : nil
    }

    func wordArray(_ sample: Sample) -> KnownForm.Match? {
        guard let words = numbers(sample, after: "\"words\"") else { return nil }
        let bytes = words.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        guard let place = sample.text.place(of: Array("\"sigBytes\"".utf8)) else {
            return sample.isWhole || words.count < 4 ? nil : .init(bytes: bytes)
        }
        let digits = sample.text[place.upperBound...].drop { !isDigit($0) }.prefix(while: isDigit)
        guard let count = Int(String(decoding: digits, as: UTF8.self)), count <= bytes.count else { return nil }
        return .init(bytes: Array(bytes.prefix(count)))
    }

    func numberedBytes(_ sample: Sample) -> KnownForm.Match? {
        var members = sample.text.dropFirst().split(separator: UInt8(ascii: ","))
        if !sample.isWhole { members = members.dropLast() }
        var bytes: [UInt8] = []
        for (number, member) in members.enumerated() {
            let parts = member.split(separator: UInt8(ascii: ":")).map { part in
                part.filter { isDigit($0) || $0 == UInt8(ascii: "-") }
            }
            guard parts.count == 2, Int(String(decoding: parts[0], as: UTF8.self)) == number,
                let value = Int(String(decoding: parts[1], as: UTF8.self)), -128...255 ~= value
            else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: value))
        }
        return bytes.isEmpty ? nil : .init(bytes: bytes)
    }

    /// JSON in which each quotation mark became something else.
    func quotesRewritten(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .doubledQuotes: doubledQuotes(sample)
        case .escapedInHex: escapedInHex(sample)
        default: escapedJSON(sample)
        }
    }

    private func escapedJSON(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.starts(with: #"{\""#.utf8) || sample.text.starts(with: #"[{\""#.utf8) else { return nil }
        return .init(bytes: unescaped(sample.text[...]))
    }

    private func doubledQuotes(_ sample: Sample) -> KnownForm.Match? {
        let begins = ["\"{\"\"", "\"[{\"\""].contains { sample.text.starts(with: $0.utf8) }
        guard begins, !sample.isWhole || sample.text.last == 0x22 else { return nil }
        let inner = sample.isWhole ? sample.text.dropFirst().dropLast() : sample.text.dropFirst()
        return .init(bytes: inner.exchanging([0x22, 0x22], for: [0x22]))
    }

    private func escapedInHex(_ sample: Sample) -> KnownForm.Match? {
        for mark in [#"\x22"#, #"\u0022"#] {
            guard ["{\(mark)", "[{\(mark)"].contains(where: { sample.text.starts(with: $0.utf8) }) else { continue }
            return .init(bytes: sample.text.exchanging(Array(mark.utf8), for: [0x22]))
        }
        return nil
    }

    func form(_ sample: Sample, severalNames: Bool) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isText, !text.contains(where: { $0 < 0x20 }) else { return nil }
        let start = text.first == UInt8(ascii: "?") ? 1 : 0
        let pairs = text[start...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        guard severalNames ? pairs.count > 1 : pairs.count == 1 else { return nil }
        if !severalNames, let value = labelled(text) { return .init(bytes: Array(value)) }
        var values: [ArraySlice<UInt8>] = []
        for pair in pairs {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > pair.startIndex else { return nil }
            let name = pair[..<equals]
            let value = pair[(equals + 1)...]
            let isName = name.allSatisfy {
                isLetter($0) || isDigit($0) || [0x5F, 0x2E, 0x2D, 0x5B, 0x5D, 0x25].contains($0)
            }
            // Base64 ends in equals signs.
            guard isName, name.count <= 64, severalNames || value.first != 0x3D && !value.isEmpty else { return nil }
            values.append(value)
        }
        return .init(bytes: severalNames ? nil : values.first.map { Array($0) })
    }

    /// The value behind a name and a colon, or a sign of equality of Chinese typography.
    private func labelled(_ text: [UInt8]) -> ArraySlice<UInt8>? {
        let signs = [": ", "：", "＝"].compactMap { text.prefix(64).place(of: Array($0.utf8)) }
        guard let sign = signs.min(by: { $0.lowerBound < $1.lowerBound }), 1...48 ~= sign.lowerBound else { return nil }
        let value = text[sign.upperBound...].drop(while: isWhite)
        let name = text[..<sign.lowerBound]
        // Not the first member of JSON.
        let isName = !name.contains { isWhite($0) || [0x3D, 0x7B, 0x5B, 0x22].contains($0) }
        return isName && value.count >= 16 && !value.contains(where: isWhite) ? value : nil
    }

    /// Whether there is plain JSON in a text, so that it can be cut out.
    static func hasJSONInside(_ sample: Sample) -> Bool { Rule.jsonInside.jsonInside(sample) != nil }

    /// Whether it has the query of a callback, in whatever address, request or command.
    func callback(_ sample: Sample) -> Bool {
        guard sample.isText, sample.text.count <= 4_096, !sample.has("{") else { return false }
        let folded = sample.text.map { isUpper($0) ? $0 | 0x20 : $0 }
        guard ["newsign", "h5faceid"].contains(where: { folded.place(of: Array($0.utf8)) != nil }) else { return false }
        var text = String(decoding: folded, as: UTF8.self)
        for (escape, sign) in [("%3d", "="), ("%26", "&"), ("%3f", "&"), ("?", "&"), ("&amp;", "&")] {
            text = text.replacing(escape, with: sign)
        }
        // A launch has the app's id, an upload a photo or a video.
        if text.contains("appid=") || text.contains("string=") { return false }
        return text.contains("&newsignature=") || text.contains("&newsign=")
            || text.contains("h5faceid=") && text.contains("code=")
    }

    /// JSON that other text surrounds: a log line, a chat, an error message before or after it.
    func jsonInside(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        for (open, name) in zip(text.indices, text.indices.dropFirst()) where text[open] == 0x7B || text[open] == 0x5B {
            // An object, or a list of some.
            let wanted: UInt8 = text[open] == 0x7B ? 0x22 : 0x7B
            guard text[name...].first(where: { !isWhite($0) }) == wanted else { continue }
            var scanner = JSONScanner(allowsRepeatedNames: true)
            var position = 0
            let rest = Array(text[open...])
            do {
                while try scanner.next(in: rest.span, at: &position) != .needsInput {}
                guard open > 0, !sample.isWhole || (try? scanner.finish()) != nil else { return nil }
                return .init()
            } catch {
                guard scanner.depth == 0, !scanner.isUnfinished else { return nil }
                return .init()
            }
        }
        return nil
    }

    func jsonInCall(_ sample: Sample) -> KnownForm.Match? {
        guard let open = sample.text.prefix(128).firstIndex(of: 0x28) else { return nil }
        let inner = Array(sample.text[(open + 1)...])
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: inner.span, at: &position) != .needsInput {}
            return found(!sample.isWhole)
        } catch { return found(scanner.depth == 0 && !scanner.isUnfinished) }
    }
}
