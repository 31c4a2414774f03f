// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Recognition
import TestVectorSupport
import Testing
import VendorDocuments

extension DocumentReader {
    /// All of a text.
    static func read(_ json: String, examinesStrings: Bool = false) throws(EvidenceError) -> Document {
        try read(MemorySource(json.utf8), examinesStrings: examinesStrings)
    }
}

extension DocumentValue {
    /// Itself and all values in it, in their order.
    var all: [DocumentValue] {
        switch content {
        case .object(let members): [self] + members.flatMap(\.value.all)
        case .array(let elements): [self] + elements.flatMap(\.all)
        case .text, .number, .bool, .null: [self]
        }
    }
}

/// A document as a tree.
@Suite struct DocumentReaderTests {
    private static let sample = """
        {"orderNo": "ord1", "n":-1.50e3,"t":true , "f":false,"0":null,\
        "list":[1,"é\\u0041",{"a":[]},[ ]],"o":{"x y":{},"b":"\\"]}"}}
        """

    // MARK: - Places

    /// Each value's path, and all of its bytes.
    @Test func everyValueHasItsPathAndItsBytes() throws {
        let document = try DocumentReader.read(Self.sample)
        let bytes = Array(Self.sample.utf8)
        let found = document.root.all.dropFirst().map { value in
            let range = Int(value.range.lowerBound)..<Int(value.range.upperBound)
            return "\(value.path) \(String(decoding: bytes[range], as: UTF8.self))"
        }
        #expect(
            found == [
                #"$.orderNo "ord1""#, "$.n -1.50e3", "$.t true", "$.f false", "$.0 null",
                #"$.list [1,"é\u0041",{"a":[]},[ ]]"#, "$.list[0] 1", #"$.list[1] "é\u0041""#, #"$.list[2] {"a":[]}"#,
                "$.list[2].a []", "$.list[3] [ ]", #"$.o {"x y":{},"b":"\"]}"}"#, "$.o[?] {}", #"$.o.b "\"]}""#,
            ])
        #expect(document.root.path == "$" && document.root.range == 0..<UInt64(bytes.count))
        #expect(document.byteCount == UInt64(bytes.count) && document.trailingCommas.isEmpty)
    }

    @Test func chunksMayEndAnywhere() throws {
        let whole = String(describing: try DocumentReader.read(Self.sample).root)
        for pieces in everySplit(of: Array(Self.sample.utf8)) {
            var reader = DocumentReader()
            for piece in pieces { try reader.append(piece.span) }
            #expect(try String(describing: reader.finish().root) == whole)
        }
    }

    /// Inside from the first brace to the last: only a fault there is one of the document itself.
    @Test func aReaderKnowsWhetherItIsInside() throws {
        var reader = DocumentReader()
        for (piece, isInside) in [
            (" ", false), ("{", true), (#""a":"}"#, true), (#"""#, true), ("}", false), (" ", false),
        ] {
            try reader.append(Array(piece.utf8).span)
            #expect(reader.isInside == isInside, "\(piece)")
        }
    }

    /// A fault is placed at the value in which it stands.
    @Test(
        arguments: [
            (#"{"a":[1,{"b":x}]}"#, "$.a[1].b", 13), (#"{"a":[1,2"#, "$.a[1]", nil), (#"{"a":1,"a":2}"#, "$", 9),
            (#"{"a":{"b c":}}"#, "$.a[?]", 12), (#"{"a":"\q"}"#, "$.a", 7), (#"{"a":1} 2"#, nil, 8),
        ] as [(String, String?, UInt64?)]) func aFaultHasItsPlace(_ json: String, _ path: String?, _ offset: UInt64?)
    {
        let error = #expect(throws: EvidenceError.self) { try DocumentReader.read(json) }
        #expect(error?.code == .json)
        #expect(path == nil || error?.path == path, "\(json): \(error?.path ?? "")")
        #expect(offset == nil || error?.offset == offset, "\(json): \(error?.offset ?? 0)")
    }

    @Test(arguments: [
        ("[{}]", "found a list", "use only the object in it"),
        (#""{}""#, "another kind of value", "remove the quotation marks"),
        ("17", "another kind of value", nil), ("null", "another kind of value", nil),
        (" ", "nothing but white space", nil),
    ]) func aRootThatIsNoObjectIsRefused(_ json: String, _ says: String, _ hint: String?) {
        let error = #expect(throws: EvidenceError.self) { try DocumentReader.read(json) }
        #expect(
            error?.code == .json && error?.description.contains(says) == true, "\(json): \(error?.description ?? "")")
        #expect(hint == nil || error?.hint?.contains(hint ?? "") == true, "\(json): \(error?.hint ?? "")")
    }

    // MARK: - Strings

    /// What is held of a string is bounded, in bytes after unescaping; a longer one stays where it is.
    @Test(arguments: [(4_096, true), (4_097, false)]) func aLongStringStaysInTheSource(_ count: Int, _ isHeld: Bool)
        throws
    {
        let written = #"é\n"# + String(repeating: "A", count: count - 3)
        let json = #"{"a":"\#(written)"}"#
        let root = try DocumentReader.read(json).root
        guard case .text(let text)? = root.member("a")?.content else {
            Issue.record("no text")
            return
        }
        #expect((text.text != nil) == isHeld && text.byteCount == UInt64(count))
        #expect(text.range == (isHeld ? nil : 6..<UInt64(6 + written.utf8.count)))
        var bytes: [UInt8] = []
        try text.forEachRun(in: MemorySource(json.utf8)) { run in for i in run.indices { bytes.append(run[i]) } }
        #expect(String(decoding: bytes, as: UTF8.self) == written.replacing(#"\n"#, with: "\n"))
    }

    /// Of a secret, no copy is made, however short it is; its place is known.
    @Test func aSecretIsLeftWhereItIs() throws {
        let json = #"{"key":"s3cret","list":[{"key":"other"}],"name":"held"}"#
        var reader = DocumentReader(examinesStrings: true, leaving: ["key"])
        try reader.append(Array(json.utf8).span)
        let root = try reader.finish().root
        #expect(root.member("key")?.text == nil && root.member("name")?.text == "held")
        let texts = root.all.compactMap { if case .text(let text) = $0.content { text } else { nil } }
        #expect(texts.map(\.range) == [8..<14, 32..<37, nil])
        #expect(root.all.filter { $0.bytes != nil }.map(\.path) == ["$.name"])
        var shown = ""
        dump(root, to: &shown)
        #expect(!shown.contains("s3cret") && !shown.contains("other"))
    }

    /// What a string encodes is examined only where that was asked for.
    @Test func stringsAreExaminedOnRequest() throws {
        for isAsked in [false, true] {
            let root = try DocumentReader.read(#"{"a":"/9j/4AAQSkZJRg==","b":1}"#, examinesStrings: isAsked).root
            #expect(root.all.map { $0.bytes != nil } == [false, isAsked, false])
        }
    }

    /// JSON in a string, and in a string of that: each value continues the path of its string, and has its place.
    @Test func whatIsInAStringIsRead() throws {
        let json = #"{"a":1,"data":"see {\"b\":\"[{\\\"c\\\":2}]\"} and [3]"}"#
        let data = try #require(try DocumentReader.read(json).root.member("data"))
        #expect(data.inside.map(\.path) == ["$.data", "$.data"])
        let inner = try #require(data.inside.first?.member("b"))
        #expect(inner.path == "$.data.b")
        let deeper = try #require(inner.inside.first)
        #expect(deeper.all.map(\.path) == ["$.data.b", "$.data.b[0]", "$.data.b[0].c"])
        #expect((data.inside + deeper.all).allSatisfy { $0.range == data.range })
        // What is in a bracket only looks like JSON.
        #expect(try DocumentReader.read(#"{"a":"[ ] {b} [x]"}"#).root.member("a")?.inside.isEmpty == true)
    }

    // MARK: - Bounds

    /// As many values as the limit says, the root among them, and not one more.
    @Test func valuesAreCounted() throws {
        func json(_ count: Int) -> String { "{\"a\":[\(Array(repeating: "0", count: count).joined(separator: ","))]}" }
        #expect(try DocumentReader.read(json(16_382)).root.all.count == 16_384)
        let error = #expect(throws: EvidenceError.self) { try DocumentReader.read(json(16_383)) }
        #expect(error?.code == .limit && error?.path == "$")
    }

    @Test func whatIsHeldIsBounded() {
        let strings = Array(repeating: "\"" + String(repeating: "A", count: 4_096) + "\"", count: 257)
        let error = #expect(throws: EvidenceError.self) {
            try DocumentReader.read("{\"a\":[" + strings.joined(separator: ",") + "]}")
        }
        #expect(error?.code == .limit && error?.path?.hasPrefix("$.a[25") == true)
    }

    /// Little text may make many long paths: they are bounded, too.
    @Test func pathsAreBounded() {
        let name = "\"" + String(repeating: "a", count: 64) + "\":"
        let values = Array(repeating: "0", count: 2_000).joined(separator: ",")
        let error = #expect(throws: EvidenceError.self) {
            try DocumentReader.read(
                String(repeating: "{" + name, count: 60) + "[" + values + "]" + String(repeating: "}", count: 60))
        }
        #expect(error?.code == .limit)
    }

    @Test func aNumberIsBounded() throws {
        func json(_ count: Int) -> String { "{\"a\":\(String(repeating: "7", count: count))}" }
        #expect(try DocumentReader.read(json(64)).root.member("a")?.written?.utf8.count == 64)
        let error = #expect(throws: EvidenceError.self) { try DocumentReader.read(json(65)) }
        #expect(error?.code == .limit && error?.path == "$.a")
    }

    // MARK: - Commas

    @Test func commasAtTheEndAreReported() throws {
        let json = #"{"isSuccess":false,"a":[1 , ],"b":[[],],}"#
        let commas = try DocumentReader.read(json).trailingCommas
        #expect(commas.map(\.path) == ["$.a", "$.b", "$"])
        #expect(commas.allSatisfy { Array(json.utf8)[Int($0.offset)] == UInt8(ascii: ",") })
        #expect(Set(commas.map(\.offset)).count == 3)
    }

    @Test(arguments: [
        "{,}", #"{"a":false,,}"#, #"{"a":[,]}"#, #"{"a":[1,,]}"#, #"{"a":false},"#, #"{"a":,}"#, #"{"a",}"#,
        #"{"a":[1,}"#,
        #"{"a":false,]"#,
    ]) func otherCommasAreRefused(_ json: String) {
        let error = #expect(throws: EvidenceError.self) { try DocumentReader.read(json) }
        #expect(error?.code == .json)
    }
}

/// The text of a field, held or left in its document.
@Suite struct FieldTextTests {
    private static let photo = SeededGenerator.noise(6_000)

    private func field(_ encoded: String, in json: inout String) throws -> FieldText {
        json = #"{"before":[1],"photo":"\#(encoded)","after":{}}"#
        let value = try #require(DocumentReader.read(json).root.member("photo"))
        guard case .text(let text) = value.content else { throw CancellationError() }
        return text
    }

    /// Held or not, escaped or not, the same bytes come out, from a source and from memory.
    @Test(arguments: [30, 6_000]) func theBytesComeOut(_ count: Int) throws {
        let bytes = Array(Self.photo.prefix(count))
        let encoded = base64(bytes)
        var json = ""
        for written in [encoded, encoded.replacing("/", with: #"\/"#), encoded.replacing("A", with: #"\u0041"#)] {
            let text = try field(written, in: &json)
            let out = MemoryDestination()
            #expect(try text.decodeBase64(from: MemorySource(json.utf8), into: out) == UInt64(count))
            #expect(out.bytes == bytes && text.byteCount == UInt64(encoded.utf8.count))
            guard text.text == nil else { continue }
            var characters: [UInt8] = []
            try text.forEachRun(in: Array(json.utf8).span) { run in for i in run.indices { characters.append(run[i]) } }
            #expect(String(decoding: characters, as: UTF8.self) == encoded)
        }
    }

    @Test func whatIsNoBase64IsPlaced() throws {
        var json = ""
        var encoded = base64(Self.photo)
        encoded.replaceSubrange(encoded.index(encoded.startIndex, offsetBy: 5_000)..., with: "!")
        let text = try field(encoded, in: &json)
        let error = #expect(throws: EvidenceError.self) {
            try text.decodeBase64(from: MemorySource(json.utf8), into: MemoryDestination())
        }
        #expect(error?.code == .base64 && error?.offset == 5_000)
    }

    @Test func aDocumentThatChangedIsNoticed() throws {
        var json = ""
        let encoded = base64(Self.photo)
        let text = try field(encoded, in: &json)
        for changed in [json.replacing(encoded, with: encoded.dropFirst(4)), String(json.prefix(5_000)), ""] {
            let error = #expect(throws: EvidenceError.self) {
                try text.decodeBase64(from: MemorySource(changed.utf8), into: MemoryDestination())
            }
            #expect(error?.code == .changed)
        }
        let error = #expect(throws: EvidenceError.self) { try text.forEachRun(in: Array("{}".utf8).span) { _ in } }
        #expect(error?.code == .changed)
    }

    /// A short text was held, so that it does not need its document any more.
    @Test func aLongTextCannotBeReadFromAPipeAgain() throws {
        var json = ""
        let short = try field(base64([1, 2, 3]), in: &json)
        #expect(try short.decodeBase64(from: Pipe(), into: MemoryDestination()) == 3)
        let long = try field(base64(Self.photo), in: &json)
        let error = #expect(throws: EvidenceError.self) { try long.forEachRun(in: Pipe()) { _ in } }
        #expect(error?.code == .cannotRead && error?.hint?.contains("save the result to a file") == true)
    }

    /// What stands in place of base64 is named by its beginning.
    @Test func anotherFormIsNamed() throws {
        #expect(try FieldText("/tmp/face.mp4").form(in: Pipe())?.name.contains("the path of a file") == true)
        #expect(try FieldText(base64(Self.photo)).form(in: Pipe()) == nil)
        #expect(try FieldText("undefined").beginning(in: Pipe()).count == 9)
    }

    private final class Pipe: ByteSource {
        let isSeekable = false
        let size: UInt64? = nil
        func read(_ count: Int, to buffer: inout [UInt8]) -> Int { 0 }
        func seek(to offset: UInt64) {}
    }
}

extension SeededGenerator {
    static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 20)
        return generator.bytes(count)
    }
}
