// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// The strict JSON reader: what it reads, what it refuses and where, and that neither depends on how its input is cut.
@Suite struct JSONScannerTests {
    // MARK: - What it reads

    @Test(arguments: [
        (#"{}"#, [Event.beginObject, .endObject]),
        ("\t[ \r\n]\n", [.beginArray, .endArray]),
        (#"{"a":"b"}"#, [.beginObject, .name("a"), .string("b"), .endObject]),
        (#"{"":""}"#, [.beginObject, .name(""), .string(""), .endObject]),
        (
            #" { "a" : [ true , false , null ] , "b" : { } } "#,
            [
                .beginObject, .name("a"), .beginArray, .bool(true), .bool(false), .null, .endArray,
                .name("b"), .beginObject, .endObject, .endObject,
            ]
        ),
        (#"[0,-0,1,-12,3.5,1e9,1E+9,2.50e-10,10]"#, [.beginArray] + Array(repeating: .number, count: 9) + [.endArray]),
        (#"["\"\\\/\b\f\n\r\t"]"#, [.beginArray, .string("\"\\/\u{8}\u{C}\n\r\t"), .endArray]),
        (
            #"["\u0041\u00e9\u20AC\uD83D\uDE00\u0000"]"#,
            [.beginArray, .string("A\u{E9}\u{20AC}\u{1F600}\u{0}"), .endArray]
        ),
        (
            #"["é€😀 plain, longer than a machine word é"]"#,
            [
                .beginArray, .string("é€😀 plain, longer than a machine word é"), .endArray,
            ]
        ),
        (#"{"\u0061\/\u00e9\uD83D\uDE00é":1}"#, [.beginObject, .name("a/é😀é"), .number, .endObject]),
        ("\"\u{7F}\"", [.string("\u{7F}")]),
        (#""top""#, [.string("top")]),
        ("true", [.bool(true)]),
    ])
    func aDocumentGivesItsTokensHoweverItIsCut(document: String, expected: [Event]) {
        let bytes = Array(document.utf8)
        for pieces in everySplit(of: bytes) {
            let result = scan(pieces)
            #expect(result.refusal == nil, "\(document) as \(pieces.map(\.count))")
            #expect(result.events == expected, "\(document) as \(pieces.map(\.count))")
        }
    }

    @Test(arguments: ["0", "-1", "12", "1.5", "1e5", "-0.0E-1"])
    func aBareNumberIsADocument(document: String) {
        for pieces in everySplit(of: Array(document.utf8)) {
            let result = scan(pieces)
            #expect(result.refusal == nil, "\(document) as \(pieces.map(\.count))")
            #expect(result.events == [.number], "\(document) as \(pieces.map(\.count))")
        }
    }

    @Test func repeatedNamesComeOutWhereTheyAreAllowed() throws {
        let document = Array(#"{"a":1,"a":{"b":2,"b":3}}"#.utf8)
        #expect(scan([document]).refusal != nil)
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var (position, names) = (0, [String]())
        while true {
            let token = try scanner.next(in: document.span, at: &position)
            if token == .needsInput { break }
            if case .name(let name) = token { names.append(String(decoding: name, as: UTF8.self)) }
        }
        #expect(try scanner.finish() == .needsInput && names == ["a", "a", "b", "b"])
    }

    @Test func unescapedTextComesOutInRunsThatPointIntoTheChunk() throws {
        let chunk = Array(#"{"k":"0123456789abcdef\/xyz"}"#.utf8)
        var scanner = JSONScanner()
        var position = 0
        var tokens: [JSONToken] = []
        while tokens.last != .stringEnd { tokens.append(try scanner.next(in: chunk.span, at: &position)) }
        #expect(
            tokens == [
                .beginObject, .name(Array("k".utf8)), .beginString, .text(6..<22), .byte(UInt8(ascii: "/")),
                .text(24..<27), .stringEnd,
            ])
        #expect(scanner.offset == 28)
        #expect(scanner.depth == 1)
    }

    @Test func aScannerMayStartInsideAString() throws {
        let document = Array(#"{"k":"ab\ncd", "l":1}"#.utf8)
        let rest = Array(document[6...])
        var scanner = JSONScanner(insideStringAt: 6)
        var position = 0
        var tokens: [JSONToken] = []
        while tokens.last != .stringEnd { tokens.append(try scanner.next(in: rest.span, at: &position)) }
        #expect(tokens == [.text(0..<2), .byte(0x0A), .text(4..<6), .stringEnd])
        #expect(scanner.offset == 13)
        #expect(document[Int(scanner.offset)] == UInt8(ascii: ","))
    }

    // MARK: - What it refuses, and where

    @Test(arguments: [
        ("", 0), ("   ", 3), ("{", 1), ("[1", 2), (#"{"a":1"#, 6), (#"["abc"#, 5), ("tru", 3), ("-", 1), ("1.", 2),
        ("1e+", 3),
        ("{}{}", 2), ("{} x", 3), ("1 2", 2), ("[1,]", 3), (#"{"a":1,}"#, 7), ("[,1]", 1), ("{,}", 1), ("[1 2]", 3),
        ("[1:2]", 2),
        (#"{"a" 1}"#, 5), (#"{"a":}"#, 5), (#"{"a":1 "b":2}"#, 7), ("{1:2}", 1), ("{a:1}", 1), ("{'a':1}", 1),
        ("[1}", 2),
        (#"{"a":1]"#, 6), ("]", 0), ("}", 0), ("[01]", 2), ("[-]", 2), ("[-01]", 3), ("[1.]", 3), ("[.5]", 1),
        ("[1.e5]", 3),
        ("[1e]", 3), ("[1e+]", 4), ("[+1]", 1), ("[0x10]", 2), ("[NaN]", 1), ("[Infinity]", 1), ("[-Infinity]", 2),
        ("[1_000]", 2),
        ("[tRue]", 2), ("[truE]", 4), ("[nul]", 4), ("[undefined]", 1), ("// c\n{}", 0), ("{}//", 2), ("[/**/]", 1),
        ("{}\u{0}", 2),
        (#"["\x41"]"#, 3), (#"["\u12G4"]"#, 6), (#"["\U0041"]"#, 3), (#"["\'"]"#, 3), (#"["\u+123"]"#, 4),
        (#"["\uD800"]"#, 8), (#"["\uD800x"]"#, 8), (#"["\uD800\n"]"#, 9), (#"["\uDC00"]"#, 7),
        (#"["\uD800\uD800"]"#, 13),
        (#"["\uD800\u0041"]"#, 13), (#"{"\uDFFF":1}"#, 7),
        ("[\"a\nb\"]", 3), ("[\"\u{0}\"]", 2), ("[\"\u{1F}\"]", 2), ("[\"\t\"]", 2), ("{\"a\u{1}\":1}", 3),
        ("\u{FEFF}{}", 0), ("\u{A0}{}", 0), ("{}\u{2028}", 2), ("{\u{C}}", 1),
        (#"{"a":1,"a":2}"#, 9), (#"{"a":1,"\u0061":2}"#, 14), (#"[{"a":{"b":1,"b":1}}]"#, 15), (#"{"":1,"":2}"#, 7),
    ])
    func aFaultIsFoundAtItsByteHoweverTheTextIsCut(document: String, offset: Int) {
        let bytes = Array(document.utf8)
        for pieces in everySplit(of: bytes) {
            let refusal = scan(pieces).refusal
            #expect(refusal?.code == .json, "\(document) as \(pieces.map(\.count))")
            #expect(refusal?.offset == UInt64(offset), "\(document) as \(pieces.map(\.count))")
            if let found = refusal?.found { #expect(found == bytes[offset], "\(document)") }
        }
    }

    @Test(
        arguments: [
            ([0x80], 2), ([0xC0, 0xAF], 2), ([0xC1, 0xBF], 2), ([0xC3], 3), ([0xC3, 0x28], 3), ([0xE0, 0x9F, 0xBF], 3),
            ([0xED, 0xA0, 0x80], 3), ([0xE2, 0x82], 4), ([0xE2, 0x28, 0xA1], 3), ([0xF0, 0x8F, 0xBF, 0xBF], 3),
            ([0xF4, 0x90, 0x80, 0x80], 3), ([0xF5, 0x80, 0x80, 0x80], 2), ([0xF0, 0x9F, 0x98], 5), ([0xFE], 2),
            ([0xFF], 2),
        ] as [([UInt8], Int)])
    func textThatIsNotUTF8IsRefused(content: [UInt8], offset: Int) {
        for (before, after) in [("[\"", "\"]"), ("{\"", "\":1}")] {
            let bytes = Array(before.utf8) + content + Array(after.utf8)
            for pieces in everySplit(of: bytes) {
                let refusal = scan(pieces).refusal
                #expect(refusal?.code == .json, "\(content) as \(pieces.map(\.count))")
                #expect(refusal?.offset == UInt64(offset), "\(content) as \(pieces.map(\.count))")
            }
        }
    }

    @Test func namesAreComparedByteForByte() {
        // The Kelvin sign and K, é in two normal forms, upper and lower case: Swift's `String` takes some for equal.
        for document in [
            "{\"\u{212A}\":1,\"K\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}", #"{"a":1,"A":2}"#, #"{"a":1,"a ":2}"#,
            #"{"a":1,"b":{"a":1}}"#,
            #"[{"a":1},{"a":1}]"#,
        ] {
            #expect(scan([Array(document.utf8)]).refusal == nil, "\(document)")
        }
        #expect(scan([Array("{\"\u{212A}\":1}".utf8)]).events[1] == .name("\u{212A}"))
        #expect(scan([Array("{\"\u{212A}\":1}".utf8)]).events[1] != .name("K"))
    }

    @Test func aByteOrderMarkIsNamed() {
        #expect(scan([[0xEF, 0xBB, 0xBF, 0x7B, 0x7D]]).refusal?.description.contains("byte-order mark") == true)
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x7B, 0], "UTF-16"), ([0xFE, 0xFF, 0, 0x7B], "UTF-16"),
            ([0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0], "UTF-32"),
            ([0, 0, 0, 0x20] + Array("moov".utf8), "expected a value, found the byte 0x00"),
            ([0], "expected a value, found the byte 0x00"),
            ([0xFF, 0xD8, 0xFF], "expected a value, found the byte 0xff"),
        ]) func aMarkIsNamedHoweverItIsSplit(bytes: [UInt8], name: String)
    {
        for chunks in [[bytes], bytes.map { [$0] }] {
            let refusal = scan(chunks).refusal
            #expect(refusal?.description.contains(name) == true, "\(bytes)")
            #expect(refusal?.offset == 0)
        }
    }

    @Test func noMessageCarriesMoreOfTheTextThanOnePrintableByte() {
        for byte in UInt8.min ... .max {
            for before in ["", "[", "[\"\\", "{", "{\"a\"", "[1", "[t", "{}"] {
                guard let refusal = scan([Array(before.utf8) + [byte, 0x1B]]).refusal else { continue }
                #expect(
                    refusal.description.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) },
                    "\(before) \(byte)")
            }
        }
    }

    // MARK: - Limits

    @Test func nestingIsBounded() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inside = open == "[" ? "" : "1"
            func document(_ depth: Int) -> [UInt8] {
                Array((String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)).utf8)
            }
            #expect(scan([document(Limits.jsonDepth)]).refusal == nil)
            for pieces in [[document(Limits.jsonDepth + 1)], document(Limits.jsonDepth + 1).map { [$0] }] {
                let refusal = scan(pieces).refusal
                #expect(refusal?.code == .limit)
                #expect(refusal?.offset == UInt64(open.utf8.count * Limits.jsonDepth))
            }
        }
    }

    @Test func namesInOneObjectAreBounded() {
        func document(_ count: Int) -> [UInt8] {
            Array("{\((0..<count).map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
        }
        #expect(scan([document(Limits.jsonMembers)]).refusal == nil)
        #expect(scan([document(Limits.jsonMembers + 1)]).refusal?.code == .limit)
    }

    @Test func theLengthOfANameIsBoundedAfterUnescaping() {
        let full = String(repeating: "a", count: Limits.jsonNameBytes)
        #expect(scan([Array("{\"\(full)\":1}".utf8)]).refusal == nil)
        #expect(
            scan([Array("{\"\(String(repeating: #"\u0061"#, count: Limits.jsonNameBytes))\":1}".utf8)]).refusal == nil)
        let bytes = Array("{\"\(full)abcdefghij\":1}".utf8)
        // The first byte too many is the same one however the name was cut.
        let tooLong = [[bytes], bytes.map { [$0] }, [Array(bytes[..<700]), Array(bytes[700...])]]
        for pieces in tooLong {
            let refusal = scan(pieces).refusal
            #expect(refusal?.code == .limit)
            #expect(refusal?.offset == UInt64(2 + Limits.jsonNameBytes), "\(pieces.count) pieces")
        }
        #expect(scan([Array("{\"\(full)\\u00e9\":1}".utf8)]).refusal?.code == .limit)
        // Values are not bounded here.
        #expect(scan([Array("[\"\(full)\(full)\(full)\(full)\(full)\"]".utf8)]).refusal == nil)
    }

    @Test func namesHeldInOpenObjectsAreBoundedAndForgottenWithTheirObject() {
        // 1,024 names of 1,024 bytes are just the bound; one more, in an inner object, is over it.
        let names = (0..<Limits.jsonHeldNameBytes / Limits.jsonNameBytes).map { number in
            let digits = String(number)
            return "\"" + String(repeating: "n", count: Limits.jsonNameBytes - digits.utf8.count) + digits + "\""
        }
        let full = names.map { $0 + ":0" }.joined(separator: ",")
        #expect(scan([Array("{\(full)}".utf8)]).refusal == nil)
        #expect(scan([Array("[{\(full)},{\(full)}]".utf8)]).refusal == nil)
        #expect(scan([Array("{\(full),\"\":{}}".utf8)]).refusal == nil)
        #expect(scan([Array("{\(full),\"\":{\"x\":0}}".utf8)]).refusal?.code == .limit)
    }

    // MARK: - Against another reader

    /// What we accept, Foundation accepts: nothing is let through that another reader would call no JSON.
    @Test func whateverIsAcceptedFoundationAcceptsToo() {
        let seeds = [
            #"{"orderNo":"A1","userVideoString":"AAAA","n":[1,-2.5,3e2,{}],"t":true,"f":false,"z":null}"#,
            #"{"a\u0062":"\uD83D\uDE00\/\n","é":"é€😀","":[[],{"x":0}]}"#,
            #" [ 1 , "two" , { "three" : 3.0E+0 } , [ ] ] "#,
        ].map { Array($0.utf8) }
        let alphabet =
            Array("{}[]\",:\\/u0123456789abcdefDE.+-truefalsn \n".utf8) + [
                0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF,
            ]
        var random = SeededGenerator(seed: 4)
        var accepted = 0
        for _ in 0..<20_000 {
            var document = seeds[Int.random(in: seeds.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: document.indices, using: &random)
                let byte = alphabet[Int.random(in: alphabet.indices, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: document[place] = byte
                case 1: document.insert(byte, at: place)
                case 2: document.remove(at: place)
                default: document.swapAt(place, Int.random(in: document.indices, using: &random))
                }
            }
            let whole = scan([document])
            #expect(scan(random.pieces(of: document, upTo: 9)) == whole)
            guard whole.refusal == nil else { continue }
            accepted += 1
            let text = String(decoding: document, as: UTF8.self)
            // A number of any size is well-formed; Foundation also wants it to be a `Double`.
            if text.contains(/[eE][+-]?[0-9]{3}/) { continue }
            #expect(foundationAccepts(document), "\(text)")
        }
        // The mutations are mild enough for the comparison to mean something.
        #expect(accepted > 1_000)
    }

    /// Where we are stricter than Foundation, on purpose: two readers that take such a text in two ways could
    /// be played off against each other.
    @Test(arguments: [
        ("a name twice", #"{"a":1,"a":2}"#),
        ("depth", String(repeating: "[", count: 65) + String(repeating: "]", count: 65)),
        ("a byte-order mark", "\u{FEFF}{}"),
    ])
    func stricterThanFoundation(what: String, document: String) {
        #expect(foundationAccepts(Array(document.utf8)), "\(what)")
        #expect(scan([Array(document.utf8)]).refusal != nil, "\(what)")
    }

    @Test func aNumberMayBeOfAnySize() {
        #expect(scan([Array("[1e999, -\(String(repeating: "9", count: 5_000)).5E-999]".utf8)]).refusal == nil)
    }

    /// Faults on which readers differ with their version; here they are faults whatever Foundation says.
    @Test(arguments: [#"[1,]"#, #"{"a":1,}"#, #"["\uD800"]"#, #"["\uDC00\uD800"]"#])
    func refusedWhateverFoundationSays(document: String) {
        #expect(scan([Array(document.utf8)]).refusal?.code == .json)
    }

    private func foundationAccepts(_ document: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)) != nil
    }

    // MARK: - The fast path

    /// The word-at-a-time search for the end of plain text against a loop that looks at one byte after the other.
    @Test func plainTextEndsWhereANaiveLoopSaysAtEveryAlignment() {
        let interesting: [UInt8] = [
            0x00, 0x01, 0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x61, 0x7E, 0x7F, 0x80, 0x81, 0xA2, 0xDC,
            0xFF,
        ]
        var random = SeededGenerator(seed: 5)
        for round in 0..<4_000 {
            let isDense = round % 2 == 0
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                isDense || Int.random(in: 0..<12, using: &random) == 0
                    ? interesting[Int.random(in: interesting.indices, using: &random)] : UInt8(ascii: "a")
            }
            let plain = text.prefix { $0 != 0x22 && $0 != 0x5C && $0 >= 0x20 && $0 < 0x80 }.count
            for start in 0..<8 {
                let chunk = [UInt8](repeating: 0x22, count: start) + text
                var scanner = JSONScanner(insideStringAt: UInt64(start))
                var position = start
                let token = try? scanner.next(in: chunk.span, at: &position)
                if plain > 0 {
                    #expect(token == .text(start..<start + plain), "\(text) at \(start)")
                    #expect(scanner.offset == UInt64(start + plain))
                } else if case .text = token {
                    Issue.record("\(text) at \(start): \(String(describing: token))")
                }
            }
        }
    }

    // MARK: - Scanning

    /// A token with its content put together.
    enum Event: Equatable, Sendable {
        case beginObject, endObject, beginArray, endArray, number, null
        case bool(Bool)
        case name([UInt8])
        case string([UInt8])

        static func name(_ text: String) -> Event { .name(Array(text.utf8)) }
        static func string(_ text: String) -> Event { .string(Array(text.utf8)) }
    }

    private struct Scan: Equatable {
        var events: [Event] = []
        var refusal: EvidenceError?

        static func == (left: Scan, right: Scan) -> Bool {
            left.events == right.events && left.refusal?.description == right.refusal?.description
                && left.refusal?.offset == right.refusal?.offset && left.refusal?.found == right.refusal?.found
        }
    }

    private func scan(_ pieces: [[UInt8]]) -> Scan {
        var scan = Scan()
        var scanner = JSONScanner()
        var content: [UInt8] = []
        do {
            for piece in pieces {
                var position = 0
                var token: JSONToken
                repeat {
                    token = try scanner.next(in: piece.span, at: &position)
                    switch token {
                    case .needsInput: #expect(position == piece.count)
                    case .beginObject: scan.events.append(.beginObject)
                    case .endObject: scan.events.append(.endObject)
                    case .beginArray: scan.events.append(.beginArray)
                    case .endArray: scan.events.append(.endArray)
                    case .name(let name): scan.events.append(.name(name))
                    case .beginString: content = []
                    case .stringEnd: scan.events.append(.string(content))
                    case .text(let range): content += piece[range]
                    case .byte(let byte): content.append(byte)
                    case .scalar(let scalar): content += Array(String(scalar).utf8)
                    case .number: scan.events.append(.number)
                    case .bool(let value): scan.events.append(.bool(value))
                    case .null: scan.events.append(.null)
                    }
                } while token != .needsInput
            }
            let last = try scanner.finish()
            if last != .needsInput {
                #expect(last == .number)
                scan.events.append(.number)
            }
            #expect(scanner.offset == UInt64(pieces.reduce(0) { $0 + $1.count }))
        } catch {
            scan.refusal = error
        }
        return scan
    }
}
