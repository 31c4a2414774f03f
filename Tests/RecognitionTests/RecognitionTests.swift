// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import Recognition
import TestVectorSupport
import Testing

/// What is said of what people hand over, against vectors that independent Python made.
@Suite struct RecognitionTests {
    private struct Case: Decodable {
        let name: String
        let form: String?
        let text: String?
        let base64: String?
        let says: String
        let denies: [String]

        var bytes: [UInt8] { text.map { Array($0.utf8) } ?? Array(Data(base64Encoded: base64 ?? "") ?? Data()) }
    }

    private let cases: [Case]

    init() throws {
        cases = try Vectors.bytes("recognition.ndjson").split(separator: 0x0A).map {
            try JSONDecoder().decode(Case.self, from: Data($0))
        }
    }

    @Test func everyKindIsCalledWhatItIs() {
        for one in cases {
            let found = Recognised(one.bytes.span)
            let name = found.name ?? ""
            #expect(found.content?.id == one.form, "\(one.name): \(name)")
            #expect(one.says.isEmpty || name.contains(one.says), "\(one.name): \(name)")
            for denied in one.denies { #expect(!name.contains(denied), "\(one.name): \(name)") }
        }
        let kinds = Dictionary(grouping: cases, by: \.form)
        #expect(kinds.count > 150 && kinds.values.allSatisfy { $0.count >= 10 })
    }

    /// What only has the words of a key or of a JWE in it is neither.
    @Test(arguments: [
        "age-plugin-yubikey must be installed\n", "sops_age_key_file not found", "age1.example", "age18",
        "# created: by Bob\n# public key: see wiki\n", "age-secret-key-1 is what a key begins with",
        #"{"recipients":["a@example.com"],"ciphertext":"hello"}"#, #"{"protected":"is a word","ciphertext":"another"}"#,
    ]) func wordsAloneAreNoSecret(_ text: String) {
        let id = Recognised(Array(text.utf8).span).content?.id ?? ""
        #expect(!["age-key", "age-recipient", "jwe-json"].contains(id), "\(id)")
    }

    /// A file that may hold a key is called the same without what the key consists of, whatever saved it.
    @Test func concealedFilesAreCalledTheSame() {
        let keys = cases.filter { ["pem-certificate", "pem-pkcs8", "pem-spki", "der-pkcs12"].contains($0.form) }
        #expect(keys.count > 100)
        for one in keys {
            #expect(Recognised(concealing: one.bytes.span).layers == Recognised(one.bytes.span).layers, "\(one.name)")
        }
    }

    /// However the bytes arrive, the same is said.
    @Test func piecesMakeNoDifference() {
        var generator = SeededGenerator(seed: 43)
        for one in cases.shuffled(using: &generator).prefix(300) {
            var recogniser = Recogniser()
            for piece in generator.pieces(of: one.bytes) { recogniser.append(piece.span) }
            let found = recogniser.finish()
            #expect(found.layers == Recognised(one.bytes.span).layers, "\(one.name)")
        }
    }

    /// Noise is called nothing, and encodings of noise are called encodings: of 10,000 mixtures, none is taken for a
    /// picture, a key, an address or anything else that it is not.
    @Test func noiseIsAccusedOfNothing() {
        var generator = SeededGenerator(seed: 10_000)
        for _ in 0..<2_500 {
            let bytes = generator.bytes(Int.random(in: 24...400, using: &generator))
            #expect(Recognised(bytes.span).layers.isEmpty, "\(Hex.encode(bytes.span))")
            for (encoding, form) in [(TextEncoding.base64, "base64"), (.base64URL, "base64"), (.hex, "hex")] {
                let text = TextEncoder.encode(bytes.span, encoding)
                let found = Recognised(text.span).layers.map { $0.id.hasPrefix("base64-") ? "base64" : $0.id }
                #expect(found == [form], "\(String(decoding: text, as: UTF8.self))")
            }
        }
    }

    /// The rest of a long content changes nothing, and takes no room.
    @Test func theBeginningDecides() {
        var recogniser = Recogniser()
        recogniser.append(([0, 0, 0, 24] + Array("ftypheic".utf8)).span)
        let block = [UInt8](repeating: 0x5A, count: 1 << 16)
        for _ in 0..<64 { recogniser.append(block.span) }
        let found = recogniser.finish()
        #expect(found.content?.id == "heic")
        #expect(found.byteCount == 12 + 64 << 16)
    }

    @Test(arguments: [
        ("a\r\nb\r\n", "CR LF"), ("a\rb\r", "CR alone"), ("a\nb\r\n", "some in LF, some in CR LF or CR"), ("a\n", nil),
    ]) func lineEndsAreNamed(_ text: String, _ name: String?) {
        #expect(Recognised(text).lineEnds.name == name)
    }

    @Test func whatIsLostIsCounted() {
        let found = Recognised([0xEF, 0xBF, 0xBD, 0x00, 0x41, 0xEF, 0xBF, 0xBD, 0x07].span)
        #expect(found.scalars.replacements == 2)
        #expect(found.content?.id == "lost-bytes")
        #expect(Recognised([0xEF, 0xBB, 0xBF, 0x7B, 0x7D].span).byteOrderMark == "a byte-order mark of UTF-8")
    }

    @Test(arguments: [
        (".DS_Store", "macOS"), ("._face.mp4", "macOS"), ("Thumbs.db", "Windows"), ("desktop.ini", "Windows"),
        ("$RECYCLE.BIN", "Windows"), ("__MACOSX", "macOS"), ("~$report.docx", "Microsoft Office"),
        (".~lock.a.ods#", "LibreOffice"), (".nfs000000001", "Linux"), ("lost+found", "Linux"), ("a.json.swp", nil),
        (".a.json.swp", "an editor"), ("@eaDir", "a network drive"),
        (".stfolder", "a program that synchronises folders"), ("found.000", "Windows"), (".snapshots", "Linux"),
        (".~tmp~", "an editor"), (".statement.Ab12Cd", "a program that synchronises folders"),
        ("x.sync-conflict-20261128-100000-ABCDEFG.json", "a program that synchronises folders"),
        (".Spotlight-V100", "macOS"), ("statement - 副本.txt", "a file manager"), ("bag (1)", "a file manager"),
        ("statement - Copy (2).txt", "a file manager"), ("bagit copy.txt", "a file manager"),
        ("新建文本文档.txt", "a file manager"), ("statement (冲突副本).txt", "a program that synchronises folders"),
        ("statement_conflict-20261128.txt", "a program that synchronises folders"),
        (".gitmodules", "a version control system"), ("CACHEDIR.TAG", "a backup program"),
        ("bag.zip", "a program that packs files"),
        ("copy", nil), ("(1)", nil), ("statement(1)", nil), ("副本", nil), (".zip", nil),
        ("manifest-sha256.txt", nil), ("face.mp4", nil), ("", nil), ("bag-000001", nil),
    ]) func systemFilesHaveAMaker(_ name: String, _ maker: String?) {
        #expect(SystemFile.entry(of: name)?.maker == maker)
    }

    // MARK: - The commands

    /// A key's text, and what editors, mails, programs and forms make of it.
    private static let changes: [@Sendable (String) -> String] = [
        { $0 }, { "\u{FEFF}" + $0 }, { $0.replacing("\n", with: " \n") }, { $0.replacing("\n", with: " ") },
        { $0.replacing("\n", with: "") }, { $0.replacing("\n", with: "\n\n") }, { $0.replacing("\n", with: "\r") },
        { $0.replacing("\n", with: "\r\n") }, { $0.replacing("\n", with: #"\n"#) },
        { $0.replacing("\n", with: #"\\n"#) },
        { $0.replacing("\n", with: #"\u000a"#) }, { $0.replacing("\n", with: ";") }, { $0.replacing("\n", with: ",") },
        { $0.replacing("\n", with: "\\\n") }, { $0.replacing("\n", with: "^M$\n") },
        { $0.replacing("/", with: #"\/"#) },
        { $0.replacing("\n", with: "\n\u{A0}") }, { lines($0) { "> " + $0 } }, { lines($0) { "\t" + $0 } },
        { lines($0) { "// " + $0 } }, { lines($0) { "- " + $0 } }, { lines($0) { "12: " + $0 } },
        { lines($0) { "\"\($0)\\n\" +" } }, { "key = '\($0)';" }, { "\"" + $0.replacing("\n", with: #"\r\n"#) + "\"" },
        { $0.replacing("-----BEGIN RSA", with: "----- BEGIN  RSA").replacing("KEY-----", with: "KEY -----") },
        { $0.replacing("RSA PRIVATE KEY", with: "rsa private key") }, { $0.replacing("KEY-----\n", with: "KEY-----") },
    ]

    private static func lines(_ text: String, _ change: (Substring) -> String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { change($0) + "\n" }.joined()
    }

    /// One command restores a key from each of them, and the header lines of an encrypted one.
    @Test(arguments: changes.indices) func aKeyIsWrittenAnew(_ change: Int) throws {
        var generator = SeededGenerator(seed: 16)
        let base64 = Array(Data(generator.bytes(599)).base64EncodedString())
        let folded = stride(from: 0, to: base64.count, by: 64)
            .map { String(base64[$0..<min($0 + 64, base64.count)]) + "\n" }.joined()
        let iv = "0123456789ABCDEF"
        for headers in ["", "DES-EDE3-CBC,\(iv)", "AES-256-CBC,\(iv)\(iv)"] {
            let header = headers.isEmpty ? "" : "Proc-Type: 4,ENCRYPTED\nDEK-Info: \(headers)\n\n"
            let key = "-----BEGIN RSA PRIVATE KEY-----\n\(header)\(folded)-----END RSA PRIVATE KEY-----\n"
            let written = try run(KnownForm.named("pem-in-code")?.step, on: Self.changes[change](key))
            #expect(written == key, "\(headers)")
        }
    }

    /// What stands before each line of a key is removed, whatever it is.
    @Test(arguments: [
        "  ", "\t", "> ", "// ", "- ", "-", "* ", "│ ", "[INFO] ", "12:", "12: ", "config/key.pem:12:", "app_1  | ",
        "2026-11-26 12:00:00.123  INFO 1 --- [main] c.x.Y : ", "第1行 ", "(1) ",
    ]) func whatIsBeforeEachLineIsRemoved(_ mark: String) throws {
        var generator = SeededGenerator(seed: 17)
        // The header of a sequence, and an integer.
        let base64 = Array(
            Data([0x30, 0x82, 0x02, 0x57, 0x02, 0x01, 0x00] + generator.bytes(596)).base64EncodedString())
        let folded = stride(from: 0, to: base64.count, by: 64)
            .map { String(base64[$0..<min($0 + 64, base64.count)]) + "\n" }.joined()
        for header in ["", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n\n"] {
            let key = "-----BEGIN RSA PRIVATE KEY-----\n\(header)\(folded)-----END RSA PRIVATE KEY-----\n"
            let marked = Self.lines(key) { mark + $0 }
            #expect(Recognised(marked).form?.id == "pem-indented", "\(marked.prefix(80))")
            #expect(try run(KnownForm.named("pem-indented")?.step, on: marked) == key)
        }
    }

    @Test func aCommandOfLogsTakesWholeObjects() throws {
        let document = #"{"a":"\"}{","b":{"c":[{"d":1}]}}"#
        let command = KnownForm.named("json-inside")?.step
        #expect(try run(command, on: "1 INFO \(document)\n2 INFO done {ok}\n") == document + "\n")
        #expect(try run(command, on: "1 {\"e\":1}\n2 \(document) 3") == "{\"e\":1}\n\(document)\n")
        // What lacks a brace could lose what it says.
        #expect(try run(command, on: "\"x\":0,\"a\":\(document)}") == "")
        #expect(try run(command, on: "{\"x\":0,\"a\":\(document)") == "")
    }

    /// What the command behind the first colon of a step writes.
    private func run(_ step: String?, on text: String) throws -> String {
        let command = try #require(step?.split(separator: ": ", maxSplits: 1).last)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appending(path: "FILE"))
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", String(command)]
        shell.currentDirectoryURL = folder
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        return String(decoding: try Data(contentsOf: folder.appending(path: "COPY")), as: UTF8.self)
    }

    // MARK: - The page

    /// `docs/RECOGNITION.md` shows the table. To write it anew: `EVIDENCE_WRITE=1 swift test --filter thePageShows`.
    @Test func thePageShowsTheTable() throws {
        let place = Vectors.folder.deletingLastPathComponent().appending(path: "docs/RECOGNITION.md")
        let page = String(decoding: try Data(contentsOf: place), as: UTF8.self)
        let start = try #require(page.range(of: "<!-- the table -->\n"))
        let wanted = page[..<start.upperBound] + Self.table
        if ProcessInfo.processInfo.environment["EVIDENCE_WRITE"] != nil { try Data(wanted.utf8).write(to: place) }
        let isCurrent = page == wanted
        #expect(isCurrent, "write it anew, as above")
        #expect(Set(KnownForm.all.map(\.id)).count == KnownForm.all.count)
    }

    private static var table: String {
        var text = ""
        for family in KnownForm.Family.allCases {
            text += "\n### \(family.rawValue)\n\n| form | is called | signs | next step |\n| --- | --- | --- | --- |\n"
            for form in KnownForm.all where form.family == family {
                text +=
                    "| `\(form.id)` | \(cell(form.name)) | \(cell(form.signsInWords)) | \(cell(form.step ?? "–")) |\n"
            }
        }
        text += "\n### Names of system files\n\n| made by | names |\n| --- | --- |\n"
        for entry in SystemFile.makers {
            text += "| \(entry.maker) | \(cell(entry.names.map { "`\($0)`" }.joined(separator: ", "))) |\n"
        }
        return text
    }

    /// A cell of a table: one line, without what ends one.
    private static func cell(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "|": shown += "\\|"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case "\u{1B}": shown += "ESC"
            case "<" where !text.contains("`"): shown += "&lt;"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
