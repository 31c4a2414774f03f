// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

/// The options that several verbs share, and what they are read as.
enum ArchiveOption {
    static let archiveKey = Option("--key", "KEY", "the archive's private key, a file or a pkcs11: URI")
    static let expectedKey = Option(
        "--public", "KEY", "the public key that the archive must have, from a copy kept elsewhere")
    static let record = Option("--record", "RECORD", isRequired: true, "the record's id")
    static let orderNo = Option("--order-no", "N", "the expected order, from your own records")
    static let answer = Option(
        "--answer", "FILE", "what the vendor's server answered when you asked it about the order")
    static let attachment = Option(
        "--attach", "NAME=FILE", isRepeatable: true,
        "a file to keep under that name, which shows no face: consent.pdf=FILE")
    static let face = Option(
        "--attach-face", "NAME=FILE", isRepeatable: true, "a picture of a face, which goes with a reduction")
    static let until = Option(
        "--until", "DAY", "the first day on which the record may be erased, YYYY-MM-DD (UTC)")
    static let faceUntil = Option("--face-until", "DAY", "the first day on which its face may be destroyed")
    static let expectedSigner = Option(
        "--signer", "KEY", isRepeatable: true,
        "a key that is expected to sign, by its certificate or the SHA-256 that archive.txt names")
    static let signerCA = Option(
        "--signer-ca", "FILE", "trusted CA certificates, to which the signer's certificate must chain")
    static let authorityCA = Option(
        "--tsa-ca", "FILE", "trusted CA certificates, to which the time-stamping authority's must chain")
    static let retired = Option(
        "--tsa-until", "TIME=FILE", isRepeatable: true,
        "certificates of time stamping that are trusted no longer from that time on, whatever --tsa-ca has")
    static let parts = Option("--parts", "LIST", "these parts alone, separated by commas")
    static let note = Option("--note", "FILE", "a note to keep sealed: who, why, for whom")
    static let by = Option("--by", "WHO", "who did it, kept sealed")
    static let reason = Option("--reason", "TEXT", "why, kept sealed")
    static let label = Option("--label", "WORD", isRepeatable: true, "a word to find it by, kept sealed")

    /// What is sealed in the record about an act.
    static let about = [note, by, reason, label]
    /// What is sealed in a record of evidence besides.
    static let enclosures = [answer, attachment, face, by, reason, label]

    static let folder = Operand("ARCHIVE", isRequired: true, candidates: .folder, "the archive's folder")
}

extension Arguments {
    /// The archive's folder.
    var archive: String { operands.first ?? "" }

    /// The record that `--record` names.
    func record() throws -> RecordID {
        guard let id = RecordID(try required(ArchiveOption.record)) else {
            throw CommandError(
                .usage,
                "\(ArchiveOption.record.name) needs the id of a record: 32 lower-case hexadecimal digits")
        }
        return id
    }

    /// The day that an option names.
    func day(_ option: Option) throws -> ArchiveDay? {
        guard let text = self[option] else { return nil }
        guard let day = ArchiveDay(text) else {
            throw CommandError(.usage, "\(option.name) needs a day that exists: YYYY-MM-DD")
        }
        return day
    }

    /// A name and a path, of an option's value.
    static func named(_ text: String, _ option: Option) throws -> (name: String, path: String) {
        let words = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, !words[0].isEmpty, !words[1].isEmpty else {
            throw CommandError(
                .usage, "\(option.name) needs a name, an equals sign and a path: \(option.spelling)",
                hint: "NAME is what the archive calls the file: \(option.name) consent.pdf=FILE")
        }
        return (words[0], words[1])
    }

    /// Who, why, and words to find it by.
    var about: RecordAbout {
        var about = RecordAbout()
        about.by = self[ArchiveOption.by]
        about.reason = self[ArchiveOption.reason]
        about.labels = all(ArchiveOption.label)
        return about
    }

    /// The parts that `--parts` names; `nil` for all.
    var parts: Set<String>? {
        self[ArchiveOption.parts].map { list in
            Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
    }
}

extension Files {
    /// The file after `--note`.
    mutating func note(_ arguments: Arguments) throws -> [UInt8]? {
        try arguments[ArchiveOption.note].map { try small($0, as: "the note") }
    }

    /// Reads a small file.
    mutating func small(_ path: String, as what: String) throws -> [UInt8] {
        try input(path, as: what).readAll(limit: Limits.signatureFileBytes, name: path)
    }

    /// What goes into a record besides, and what is said about it.
    mutating func enclosures(_ arguments: Arguments) throws -> RecordEnclosures {
        var enclosed = RecordEnclosures()
        for (option, showsFace) in [(ArchiveOption.attachment, false), (ArchiveOption.face, true)] {
            for text in arguments.all(option) {
                let (name, path) = try Arguments.named(text, option)
                let source = try input(path, as: "the attachment")
                enclosed.attachments.append(.init(source, named: name, showingFace: showsFace))
            }
        }
        enclosed.answer = try arguments[ArchiveOption.answer].map { try input($0, as: "the answer") }
        enclosed.about = arguments.about
        return enclosed
    }

    /// The keys that `--signer` names; `nil` without it.
    mutating func expectedSigners(_ arguments: Arguments) throws -> Set<String>? {
        let named = arguments.all(ArchiveOption.expectedSigner)
        var keys: Set<String> = []
        for operand in named { try keys.formUnion(keyIDs(operand)) }
        return named.isEmpty ? nil : keys
    }

    /// The keys of an operand: a SHA-256 in hexadecimal digits, or those of a file of certificates.
    private mutating func keyIDs(_ operand: String) throws -> [String] {
        let option = ArchiveOption.expectedSigner
        if let digits = sha256Digits(operand) { return [digits] }
        if operand.lowercased().contains("fingerprint") {
            throw CommandError(
                .usage, "\(option.name): this is the fingerprint of a certificate, not the SHA-256 of its key",
                hint: "give the certificate's file, or: openssl x509 -in FILE -noout -pubkey | openssl pkey -pubin "
                    + "-outform DER | sha256sum")
        }
        let digits = operand.filter { !": -".contains($0) }
        if digits.utf8.count > 15, digits.utf8.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }) {
            throw CommandError(
                .usage, "\(option.name): a SHA-256 has 64 hexadecimal digits, not \(digits.utf8.count)",
                hint: digits.utf8.count == 40 ? "this is as long as a SHA-1" : "copy all of it")
        }
        do { return try Array(ArchiveVerifier.keyIDs(of: certificates(operand)).prefix(1)) } catch {
            // The path may be a secret: that is for the caller.
            if let error = error as? EvidenceError, error.code == .cannotRead {
                let found = sha256Digits(within: operand)
                guard found.count < 2 else {
                    throw CommandError(
                        .usage, "\(option.name) takes one SHA-256, and this has \(found.count)",
                        hint: "give \(option.name) once for each")
                }
                if let digits = found.first { return [digits] }
                throw error
            }
            // The digits may be in the file.
            if let lines = try? lines(operand, as: "the key", limit: Limits.signatureFileBytes) {
                if lines.count == 1, let digits = sha256Digits(lines[0]) { return [digits] }
                let found = sha256Digits(within: lines.joined(separator: "\n"))
                if found.count == 1 { return found }
            }
            let error = CommandError(error)
            guard error.message.contains("public key") else { throw error }
            throw CommandError(
                error.status, error.message,
                hint: "give its SHA-256: openssl pkey -pubin -in FILE -outform DER | sha256sum", code: error.code)
        }
    }

    /// The authorities that `--tsa-until` names.
    mutating func retiredAuthorities(_ arguments: Arguments) throws -> [RetiredAuthority] {
        try arguments.all(ArchiveOption.retired).map { text in
            let words = text.split(separator: "=", maxSplits: 1)
            guard words.count == 2, let time = UTCTime(String(words[0])) else {
                throw CommandError(
                    .usage,
                    "\(ArchiveOption.retired.name): expected a time and a file, such as "
                        + "2026-11-22T08:00:00.000Z=FILE")
            }
            return RetiredAuthority(try certificates(String(words[1])), until: time)
        }
    }

    private static let writeHead =
        "the line is what this wrote, when it was deposited: evidence-archive head ARCHIVE > FILE"

    /// An archive's line, as `head` printed it.
    mutating func head(_ path: String, of option: Option) throws -> ArchiveHead {
        guard !path.hasPrefix("evidence-head ") else {
            throw CommandError(
                .usage, "\(option.name) takes a file with the line, not the line itself",
                hint: "\(Self.writeHead), or - and the line on standard input")
        }
        let lines = try lines(path, as: "the line", limit: Limits.signatureFileBytes)
        guard let line = lines.first else {
            throw CommandError(
                .usage, "the file of \(option.name) is empty", hint: Self.writeHead)
        }
        guard lines.count == 1 else {
            throw CommandError(
                .usage, "the file of \(option.name) has more than one line",
                hint: "give the line that was deposited last, alone")
        }
        // It names itself and has no quotation marks, commas or brackets: what has them was put around it.
        let words = line.split { $0.isWhitespace || "\u{200B}\u{FEFF}".contains($0) }.joined(separator: " ")
        let inner = words.trimming { "\"'`,;“”{}[]()<>|".contains($0) }
        let start = inner.firstRange(of: "evidence-head 1 ")?.lowerBound ?? inner.startIndex
        do throws(EvidenceError) { return try ArchiveHead(String(inner[start...])) } catch {
            throw CommandError(.usage, "\(option.name): \(error)", hint: Self.writeHead)
        }
    }
}

extension CommandError {
    /// What the library calls the trusted certificates.
    static let trusted = "the file of trusted CA certificates"
}

extension ArchiveWriter {
    /// Refuses an archive whose public key is not the one that the caller has from elsewhere.
    func require(_ expected: RSAPublicKey?) throws {
        guard let expected, try archive.currentKey() != expected else { return }
        throw CommandError(
            .rejected,
            "the archive's public key is not the one given with \(ArchiveOption.expectedKey.name): "
                + "the wrong file was given, or one of the two keys was replaced")
    }
}
