// SPDX-License-Identifier: Apache-2.0
import EvidenceDiagnosis
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing

/// What a sender wrapped instead of the key's bytes: what stands for the key without doubt opens, and the rest is
/// named, never blamed on the key or the cipher.
@Suite struct KeyFormTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// A way in which code writes bytes before it wraps them.
    struct Form: Sendable, CustomStringConvertible {
        let name: String
        let write: @Sendable ([UInt8]) -> [UInt8]

        var description: String { name }

        init(_ name: String, _ write: @escaping @Sendable ([UInt8]) -> String) {
            self.name = name
            self.write = { Array(write($0).utf8) }
        }

        init(bytes name: String, _ write: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            self.name = name
            self.write = write
        }

        static func list(_ bytes: [UInt8], _ separator: String = ", ") -> String {
            bytes.map(String.init).joined(separator: separator)
        }

        static func hex(_ bytes: [UInt8], _ separator: String = "", before: String = "") -> String {
            bytes.map { before + Hex.encode([$0].span) }.joined(separator: separator)
        }

        static let all: [Form] = [
            Form("a JSON list") { "[\(list($0, ","))]" }, Form("a list without brackets") { list($0, ",") },
            Form("Java's Arrays.toString") { "[\($0.map { String(Int8(bitPattern: $0)) }.joined(separator: ", "))]" },
            Form("Elixir's binary") { "<<\(list($0))>>" }, Form("Go's slice") { "[\(list($0, " "))]" },
            Form("base64 in quotation marks") { "\"\(base64($0))\"" },
            Form("base64 and a line feed") { base64($0) + "\n" },
            Form("URL-safe base64 without padding") {
                base64($0).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            },
            Form("base64 of base64") { base64(Array(base64($0).utf8)) },
            Form("base64 in JSON") { "{\"key\":\"\(base64($0))\"}" },
            Form("base64 behind a name") { "aesKey: \(base64($0))" },
            Form("base64 and an IV behind a colon") {
                base64($0) + ":" + base64(Array($0.prefix(16)))
            },
            Form("hex with 0x") { "0x" + hex($0) }, Form("hex with blanks") { hex($0, " ") },
            Form("hex with colons") { hex($0, ":").uppercased() },
            Form("Rust's list in hex") { "[\($0.map { String($0, radix: 16) }.joined(separator: ", "))]" },
            Form("hex without zeros") { $0.map { String($0, radix: 16) }.joined() },
            Form("C's array") { "{\(hex($0, ",", before: "0x"))}" },
            Form("Python's bytes") { "b'\(hex($0, before: "\\x"))'" }, Form("SQL's hex") { "X'\(hex($0))'" },
            Form("hex of hex") { hex(Array(hex($0).utf8)) },
            Form(bytes: "Latin-1 written as UTF-8") {
                Array(String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })).utf8)
            },
            Form(bytes: "UTF-16") { $0.flatMap { [$0, 0] } },
            Form(bytes: "a line feed behind it") { $0 + [0x0A] },
            Form(bytes: "zero bytes behind it") { $0 + [0, 0, 0] },
            Form(bytes: "a zero byte in front") { [0] + $0 }, Form(bytes: "reversed") { $0.reversed() },
        ]
    }

    /// Each form opens; how the key was had is said, with what to change at the sender.
    @Test(arguments: Form.all) func aFormOfTheKeyOpens(_ form: Form) throws {
        let message = form.write(bench.contentKey)
        try #require(message.count <= 190, "too long for one block")
        let diagnosis = try bench.diagnose(wrapping: message)
        let isRead = diagnosis.opens || diagnosis.cause?.code == .layout || diagnosis.cause?.code == .keyForm
        #expect(isRead, "\(diagnosis.said)")
        #expect(diagnosis.said.contains("key"), "\(diagnosis.said)")
        for word in accusations { #expect(!diagnosis.said.contains(word), "\(form): \(diagnosis.said)") }
        // Nothing of the key is shown.
        #expect(
            !diagnosis.said.contains(base64(bench.contentKey))
                && !diagnosis.said.contains(Hex.encode(bench.contentKey.span)))
    }

    /// What stands beside the key may be used: nobody is told to leave it out.
    @Test(arguments: [8, 12, 32]) func whatStandsBesideTheKeyIsAskedAbout(_ count: Int) throws {
        let other = [UInt8](repeating: 0xA7, count: count)
        for message in [bench.contentKey + other, other + bench.contentKey] {
            let diagnosis = try bench.diagnose(wrapping: message)
            #expect(diagnosis.opens && diagnosis.said.contains("\(count) bytes"), "\(diagnosis.said)")
            #expect(diagnosis.said.contains("a nonce or the key of a MAC must stay"), "\(diagnosis.said)")
            #expect(!diagnosis.said.contains("not used") && !diagnosis.said.contains("nothing else"))
        }
    }

    /// Digits that can be cut into bytes in very many ways, none of which gives a key, end a diagnosis all the same.
    @Test func digitsThatFitInNoWayEnd() throws {
        #expect(try !bench.diagnose(wrapping: [UInt8](repeating: UInt8(ascii: "1"), count: 120)).opens)
    }

    /// What stands for nothing is named by what it is.
    @Test(arguments: [
        ("[object Object]", "JavaScript", "JSON.stringify"), ("undefined", "a word for nothing", "why"),
        ("[B@4f2410ac", "Java", "Base64"), ("System.Byte[]", ".NET", "Base64"), ("${aesKey}", "a template", "fill in"),
        ("/etc/keys/aes.key", "the path of a file", "read the file"),
        ("correct horse battery", "a text of 21 bytes", ""),
    ]) func whatIsNoKeyIsNamed(_ text: String, _ says: String, _ advises: String) throws {
        let diagnosis = try bench.diagnose(wrapping: Array(text.utf8))
        let cause = try #require(diagnosis.cause)
        #expect(cause.code == .keyForm && cause.sentence.contains(says), "\(cause.sentence)")
        #expect(advises.isEmpty || cause.advice.contains(advises), "\(cause.advice)")
        for word in accusations { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
        #expect(text == "undefined" || !diagnosis.said.contains(text))
    }

    /// A key that was taken for text is lost: that is said, and nothing else is tried to be blamed.
    @Test func aLostKeyIsSaidToBeLost() throws {
        let text = Array(String(decoding: bench.contentKey, as: UTF8.self).utf8)
        try #require(text != bench.contentKey)
        let cause = try #require(try bench.diagnose(wrapping: text).cause)
        #expect(cause.code == .keyForm && cause.sentence.contains("U+FFFD"), "\(cause.sentence)")
        #expect(cause.advice.contains("base64"))
        let ascii = (0..<32).map { $0.isMultiple(of: 2) ? 0x3F : UInt8($0 * 7 % 128) }
        let marks = try #require(try bench.diagnose(wrapping: ascii).cause)
        #expect(
            marks.sentence.contains("question marks")
                || marks.possibilities.contains { $0.sentence.contains("question") })
    }

    @Test func nothingWasWrapped() throws {
        let cause = try #require(try bench.diagnose(wrapping: []).cause)
        #expect(cause.code == .keyForm && cause.sentence.contains("unwraps to nothing"), "\(cause.sentence)")
        #expect(cause.advice.contains("why the sender had no key"))
    }

    /// Of noise in the block, nothing is said to be a form of a key.
    @Test(arguments: [1, 5, 16, 20, 24, 32, 33, 40, 64, 100]) func noiseIsNoForm(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let diagnosis = try bench.diagnose(wrapping: generator.bytes(count).map { $0 | 0x80 })
        let cause = try #require(diagnosis.cause)
        #expect([.keyForm, .cipher].contains(cause.code), "\(cause.sentence)")
        for word in ["base64", "hex", "list", "JSON", "was cut off", "was changed"] {
            #expect(!cause.sentence.contains(word), "\(cause.sentence)")
        }
    }
}
