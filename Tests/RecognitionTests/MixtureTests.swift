// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import Recognition
import TestVectorSupport
import Testing

/// What is said of mixtures whose making is known: their content is named, and nothing that did not happen.
@Suite struct MixtureTests {
    /// Words for what nobody did to these mixtures.
    private static let accusations = ["cut", "lost", "changed", "altered", "damaged", "shortened", "another key"]

    /// Under one or two writings, with white space and a byte-order mark around them, a content keeps its name.
    @Test(arguments: Content.binary) func aContentKeepsItsName(_ content: Content) {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let bytes = content.bytes(Int.random(in: 64...300, using: &generator), &generator)
            #expect(Recognised(bytes.span).layers.map(\.id) == [content.form])
            let count = Int.random(in: 1...2, using: &generator)
            // Hex of text may have no letters, as a number has none.
            let writings = (0..<count).map { place in
                (place + 1 == count ? Writing.all : Writing.ofText).randomElement(using: &generator) ?? Writing.all[0]
            }
            var text = writings.reversed().reduce(bytes) { $1.write($0) }
            let isPlain = writings.first?.form != "utf16"
            if isPlain, Bool.random(using: &generator) { text = Array("\r\n  ".utf8) + text + Array("\n".utf8) }
            if isPlain, Bool.random(using: &generator) { text = [0xEF, 0xBB, 0xBF] + text }
            let found = Recognised(text.span)
            let made = "\(writings.map(\.form)) of \(content.form): \(found.name ?? "nothing")"
            #expect(found.content?.id == content.form, "\(made)")
            let outermost = found.layers.first?.id.replacing("base64-escaped", with: "base64-newlines")
                .replacing("base64-unpadded", with: "base64")
            #expect(outermost == writings.first?.form, "\(made)")
            for word in Self.accusations { #expect(found.name?.contains(word) != true, "\(made)") }
        }
    }

    /// Where a content was cut does not change what it is called, and no cut makes something else of it.
    @Test(arguments: Content.binary) func aCutMakesNothingElse(_ content: Content) {
        var generator = SeededGenerator(seed: 2)
        let bytes = content.bytes(60, &generator)
        for count in max(content.head.count, 12)..<bytes.count {
            #expect(Recognised(Array(bytes.prefix(count)).span).content?.id == content.form, "\(count) bytes")
        }
        for writing in Writing.all where writing.form != "utf16" {
            let text = writing.write(bytes)
            let whole = Set(Recognised(text.span).layers.map(\.id))
            // A head that is cut itself may be of a wider kind: of HEIC, the beginning of any MP4 is left.
            for count in stride(from: writing.write(content.head).count + 8, to: text.count, by: 11) {
                for form in Recognised(Array(text.prefix(count)).span).layers {
                    // Of few characters, less is known; never more.
                    let isLess = form.family == .general || form.family == .encoding || form.isWeak
                    #expect(isLess || whole.contains(form.id), "\(count) of \(writing.form): \(form.id)")
                }
            }
        }
    }

    /// A head that is not at the beginning is none: bytes before it make it a part of something unknown.
    @Test(arguments: Content.binary) func aHeadInTheMiddleIsNone(_ content: Content) {
        var generator = SeededGenerator(seed: 3)
        for offset in stride(from: 1, through: 61, by: 6) {
            var bytes = generator.bytes(offset) + content.head + generator.bytes(100)
            bytes[0] = 0xAA
            let found = Recognised(bytes.span)
            let isNothing = found.layers.allSatisfy { $0.isWeak }
            #expect(isNothing, "at \(offset): \(found.name ?? "")")
        }
    }

    /// A value that a writing stands for comes out as it went in.
    @Test(arguments: Writing.all) func whatAWritingStandsForComesOut(_ writing: Writing) {
        var generator = SeededGenerator(seed: 4)
        for count in [32, 48, 100, 255] {
            let bytes = generator.bytes(count)
            let decodings = Recognised(writing.write(bytes).span).decodings
            #expect(decodings.contains { $0.bytes == bytes }, "\(writing.form) of \(count) bytes")
        }
    }

    /// The command that a writing's next step prints gives the bytes back.
    @Test(arguments: Writing.all) func theNextStepOfAWritingWorks(_ writing: Writing) throws {
        var generator = SeededGenerator(seed: 5)
        let bytes = Content.binary[0].bytes(200, &generator)
        let found = Recognised(writing.write(bytes).span)
        guard let step = found.step, step.contains("FILE") else { return }
        let folder = try TemporaryFolder()
        try Data(writing.write(bytes)).write(to: folder.url.appending(path: "FILE"))
        // Text in UTF-16 is saved anew, by an editor.
        let commands = step.split(separator: "; then ").compactMap { part in
            part.firstRange(of: /(perl -|python3 -c|tr -|base64 -d|xxd -r|cut -d|tail -c).*/).map { String(part[$0]) }
        }
        guard writing.form != "utf16" else { return }
        #expect(!commands.isEmpty, "\(step)")
        for command in commands {
            let (_, errors, status) = try Shell.run(command, in: folder.url, with: [])
            #expect(status == 0, "\(command): \(errors)")
        }
        let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("COPY") }
        let last = try #require(copies.max(), "\(step)")
        #expect(try Data(contentsOf: folder.url.appending(path: last)) == Data(bytes), "\(step)")
    }

    // MARK: - Bytes that went through a text type

    /// As many U+FFFD as were written are counted, and the content is called lost, never something that it was.
    @Test(arguments: Content.binary) func lossIsSaidAndCounted(_ content: Content) {
        var generator = SeededGenerator(seed: 6)
        let bytes = content.bytes(200, &generator)
        let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
        let lost = String(decoding: bytes, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
        let found = Recognised(text.span)
        #expect(found.content?.id == "lost-bytes" && found.scalars.replacements == UInt64(lost))
        #expect(found.step?.contains("cannot be had back") == true)
        // What no byte was lost of can be had back.
        let latin1 = Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
        let kept = Recognised(latin1.span)
        #expect(kept.layers.map(\.id) == ["latin1", content.form] && kept.decodings.first?.bytes == bytes)
    }

    /// Text in any language is text: no sentence is taken for a code, a path or a key.
    @Test(arguments: [
        "The person passed the check.", "人脸核身已通过。", "Überprüfung bestanden – alles gut", "本人確認が完了しました",
        "Проверка пройдена успешно", "Verificación correcta: ¡enhorabuena!", "얼굴 인증에 성공했습니다", "check it, please",
    ]) func aSentenceIsText(_ sentence: String) {
        #expect(Recognised(sentence).layers.map(\.id) == ["text"])
        #expect(Recognised(Array(sentence.utf8).span).step == nil)
    }
}
