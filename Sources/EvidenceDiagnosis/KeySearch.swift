// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import Recognition

/// Finds out which key unwrapped bytes are, by opening the content: first as profiles say, then as code may have made
/// them, and says what the bytes are if nothing opens.
struct KeySearch {
    let session: Session
    let key: Diagnoser.Key
    let unwrappings: [Unwrapping]
    /// The payload, with its wrapped key as it should be.
    let survey: PayloadSurvey
    let ends: ContentEnds
    /// The encoding of the content.
    let encoding: TextEncoding
    /// The encoding of the wrapped key.
    let keyEncoding: TextEncoding
    let givenIVs: [IVChoice]
    /// What may be missing of the wrapped key, if nothing opens.
    let doubt: Diagnosis.Possibility?

    /// What a search for the content led to.
    private enum Outcome {
        case verdict(Diagnosis.Verdict)
        /// A fault or a guess that says nothing about the key, and what was noted on the way.
        case nothing(Result<Diagnosis.Verdict, Fault>, [Diagnosis.Finding])
    }

    func run() throws -> Diagnosis.Verdict {
        session.markKeyPlace()
        try openSalted()
        let exact = exactCandidates()
        var first: Outcome?
        if !exact.isEmpty {
            first = try search(exact)
            if case .verdict(let verdict) = first {
                noteNoSecret(unwrappings[0].nameOfPattern)
                return verdict
            }
        }
        let contents = try unwrappings.map { unwrapping throws(EvidenceError) in try unwrapping.content() }
        let others = candidates(contents)
        var second: Outcome?
        if !others.isEmpty {
            second = try search(others)
            if case .verdict(let verdict) = second {
                noteNoSecret(contents[0].nameOfWord ?? unwrappings[0].nameOfPattern)
                return verdict
            }
        }
        return try blame(first, second, contents[0], exact)
    }

    private func noteNoSecret(_ name: String?) {
        guard let name else { return }
        session.note(
            "no secret",
            "what was wrapped is \(name): whoever thinks of it opens every payload that was sealed so; have the "
                + "sender make a random key for each payload, and wrap that")
    }

    /// - Throws: ``Fault`` for what is known of the content itself.
    private func search(_ candidates: [KeyCandidate]) throws -> Outcome {
        let count = session.findings.count
        let search = ContentSearch(
            session: session, survey: survey, ends: ends, encoding: encoding, keyEncoding: keyEncoding, key: key,
            candidates: candidates, givenIVs: givenIVs)
        do {
            let verdict = try search.run()
            if case .unproven(let guess) = verdict, guess.isByChance {
                return .nothing(.success(verdict), session.takeBack(to: count))
            }
            return .verdict(verdict)
        } catch let fault as Fault where fault.cause.code == .cipher {
            return .nothing(.failure(fault), session.takeBack(to: count))
        }
    }

    // MARK: - Candidates

    /// Keys in the forms of profiles, without an IV after them, and of their whole length.
    private func exactCandidates() -> [KeyCandidate] {
        unwrappings.filter { !$0.isJoined }.flatMap { candidates(of: $0) }.filter { !$0.isGuess }
    }

    /// All others: encodings of keys first.
    private func candidates(_ contents: [WrappedContent]) -> [KeyCandidate] {
        var found: [KeyCandidate] = []
        for (unwrapping, content) in zip(unwrappings, contents) {
            let own = candidates(of: unwrapping)
            found += unwrapping.isJoined ? own : own.filter(\.isGuess)
            for reading in content.readings {
                for size in AESKey.Size.allCases {
                    for ivByteCount in [0, 12, 16] {
                        let wrapping = KeyWrapping(unwrapping.padding, .raw, ivByteCount: ivByteCount)
                        let key = reading.material.bytes.withExposedBytes { wrapping.key(in: $0, size) }
                        guard let key else { continue }
                        found.append(KeyCandidate(key, wrapping, unwrapping, reading))
                    }
                }
            }
        }
        return (0...4).flatMap { boldness in found.filter { $0.boldness == boldness } }
    }

    /// Keys in the forms of profiles.
    private func candidates(of unwrapping: Unwrapping) -> [KeyCandidate] {
        var candidates: [KeyCandidate] = []
        for size in AESKey.Size.allCases {
            for form in [KeyWrapping.Form.hex, .base64, unwrapping.isLettersAndDigits ? .ascii : .raw] {
                func add(weakKeyByteCount: Int? = nil, ivByteCount: Int = 0) {
                    let wrapping = KeyWrapping(
                        unwrapping.padding, form, weakKeyByteCount: weakKeyByteCount, ivByteCount: ivByteCount)
                    guard let key = unwrapping.key(wrapping, size) else { return }
                    candidates.append(KeyCandidate(key, wrapping, unwrapping))
                }
                for ivByteCount in [0, 12, 16] {
                    add(ivByteCount: ivByteCount)
                    for count in form.keyByteCounts(unwrapping.byteCount).map({ $0 - ivByteCount })
                    where (1..<size.byteCount).contains(count) {
                        add(weakKeyByteCount: count, ivByteCount: ivByteCount)
                    }
                }
            }
        }
        return candidates
    }

    // MARK: - Passphrases

    /// Content in OpenSSL's format for passphrases, which CryptoJS writes too.
    ///
    /// - Throws: ``Fault`` that says so.
    private func openSalted() throws {
        guard let format = KnownFormat(sealed: ends.head), ends.head.starts(with: Self.salted) else { return }
        let salt = Array(ends.head[Self.salted.count...].prefix(8))
        session.noteKey(
            "\(unwrappings[0].byteCount) bytes: likely a passphrase, since the content is in a format for one")
        for (unwrapping, edges) in try unwrappings.flatMap({ try $0.passphrases() }) {
            for digest in Self.digests {
                guard let chain = try unwrapping.derivedKey(salt: salt, digest) else { continue }
                for size in AESKey.Size.allCases.reversed() {
                    let wrapping = KeyWrapping(unwrapping.padding, .raw, ivByteCount: 16)
                    let key = chain.withExposedBytes { wrapping.key(in: $0.extracting(..<(size.byteCount + 16)), size) }
                    guard let key,
                        let trial = try Trial(
                            KeyCandidate(key, wrapping, unwrapping), .unauthenticatedAESCBC(size),
                            IVChoice(.wrapped, front: 16), .none, on: ends),
                        trial.isPadded, let kind = trial.kind
                    else { continue }
                    let command =
                        unwrapping.isOneLine
                        ? "then openssl enc -d -aes-\(size.rawValue)-cbc -md \(digest.option) -pass file:PASS "
                            + "-in CONTENT -out COPY, where WRAPPED is the wrapped key decoded from "
                            + "\(keyEncoding.rawValue), and CONTENT the content decoded from \(encoding.rawValue)"
                        : "and decrypt in code of your own (EVP_BytesToKey with \(digest.name) and one round, "
                            + "AES-\(size.rawValue)-CBC), since openssl enc reads a passphrase only up to a line feed "
                            + "or a zero byte, and this one has one; WRAPPED is the wrapped key decoded from "
                            + "\(keyEncoding.rawValue)"
                    throw Fault(
                        .format,
                        "\(survey.pair.content) is in the format of OpenSSL and CryptoJS for passphrases (Salted__), "
                            + "and the wrapped key is the passphrase\(edges): with \(digest.name) it begins like "
                            + kind.name,
                        "open it: unwrap the passphrase (openssl pkeyutl -decrypt -inkey KEY"
                            + "\(unwrapping.padding.optionsOfOpenSSL) -in WRAPPED -out PASS), "
                            + (edges.isEmpty || edges.contains("at the end")
                                ? "" : "change PASS to hold the passphrase alone, ")
                            + command + "; or have the sender wrap a random key of \(size.byteCount) bytes")
                }
            }
        }
        throw Fault(
            .format, "\(survey.pair.content) is \(format.name)", format.advice,
            [
                .init(
                    "the key is derived by PBKDF2 (openssl enc -pbkdf2), or in several rounds; MD5, SHA-1, SHA-256 "
                        + "and SHA-512 in one round were tried", "ask for the function and the number of rounds"),
                .init("the passphrase is another text", "ask which text is the passphrase"), .changedContent,
            ])
    }

    private static let salted = Array("Salted__".utf8)
    /// MD5 in CryptoJS and OpenSSL before 1.1.0, SHA-256 in later ones.
    private static let digests: [PassphraseDigest] = [.md5, .other(.sha256), .other(.sha1), .other(.sha512)]

    // MARK: - What is left to say

    /// The verdict where nothing opened: what the wrapped bytes are comes before what the cipher may be.
    private func blame(
        _ first: Outcome?, _ second: Outcome?, _ content: WrappedContent, _ exact: [KeyCandidate]
    ) throws -> Diagnosis.Verdict {
        let lengths = Set(unwrappings.map(\.byteCount)).sorted()
        let counts = lengths.map { "\($0)" }.joined(separator: " or ") + (lengths == [1] ? " byte" : " bytes")
        if let loss = content.loss {
            session.noteKey(counts)
            throw Fault(
                .keyForm,
                "the wrapped key holds a key that was taken for text before it was wrapped: \(loss), and nothing opens "
                    + "this payload",
                "have the sender wrap the bytes themselves, or base64 of them, never a string that was made of them "
                    + "(new String(key), bytes.toString('utf8'), String(decoding:as:)), and send it again")
        }
        if let name = content.name, !content.isEncoding {
            session.noteKey(counts)
            // Words stand in place of the key, which nothing gives back.
            let isLost = content.isWord && !content.isExample
            let step = Recognised.withoutFile(isLost ? content.recognised.content?.step : content.recognised.step)
            throw Fault(
                .keyForm,
                "the wrapped key holds \(counts) that look like \(name), and open nothing as a key"
                    + (isLost ? ": unless it is a passphrase, the key itself is not in this payload" : ""),
                (step ?? "ask what exactly is wrapped") + content.ifPassphrase, doubts)
        }
        let whole = content.isText ? "a text of \(counts)" : counts
        let stands = content.recognised.decodings.last.map { ", standing for \($0.bytes.count) bytes" } ?? ""
        let form = content.name.map { " that look like \($0)\(stands)" } ?? ""
        let isKey = content.readings.contains { $0.isCertain && [16, 24, 32].contains($0.material.bytes.count) }
        // The key is known well enough, and the cipher is not.
        if case .nothing(let result, let findings)? = exact.isEmpty && isKey ? second : first {
            let names = exact.map(\.name)
            session.noteKey(
                exact.isEmpty
                    ? counts + form
                    : "\(whole), as long as \(names.joined(separator: ", or "))"
                        + (names.count > 1 ? "; trying to open the content did not show which" : ""))
            session.note(findings)
            guard case .failure(let fault) = result else { return try result.get() }
            throw Fault(
                fault.cause.code, fault.cause.sentence, fault.cause.advice,
                (unwrappings[0].isZero ? [wiped] : []) + doubts + (content.isText && !isKey ? [passphrase] : [])
                    + fault.cause.possibilities
                    + (content.mayBeSevenBit ? [sevenBit] : []))
        }
        session.noteKey(counts)
        if content.byteCount == 0 {
            throw Fault(
                .keyForm, "the wrapped key unwraps to nothing: 0 bytes were wrapped",
                "find out why the sender had no key")
        }
        guard content.isText else {
            throw Fault(
                .keyForm,
                "the wrapped key unwraps to \(counts)\(form), which \(lengths == [1] ? "opens" : "open") nothing "
                    + "in any known form: neither as a "
                    + "key, nor as a short or cut one, nor with an IV after it",
                Recognised.withoutFile(content.recognised.step)
                    ?? "ask what exactly is wrapped, and how the opening code uses it",
                doubts + (content.mayBeSevenBit ? [sevenBit] : []))
        }
        throw Fault(
            .keyForm,
            "the wrapped key holds \(whole), which opens nothing as a key"
                + (form.isEmpty
                    ? ": perhaps a passphrase from which the key is derived"
                    : "; its bytes look like \(content.name ?? "")"),
            "ask what exactly is wrapped, and how the key is made of it",
            doubts + [
                passphrase,
                .init("it is the name or number of a key that is kept elsewhere", "ask what the text is"),
                .init("it is the key, and the content is not what it seems", "ask for mode, IV and tag"),
            ])
    }

    private var doubts: [Diagnosis.Possibility] { doubt.map { [$0] } ?? [] }

    private var wiped: Diagnosis.Possibility {
        .init(
            "the key was never filled, or was wiped before it was wrapped: all that was wrapped is zero bytes, and the "
                + "content was sealed under another key", "log the key's digest at the sender before it is wrapped")
    }

    private var sevenBit: Diagnosis.Possibility {
        .init(
            "the key lost the highest bit of each byte, since none is above 7F",
            "log the key's bytes at the sender before they are wrapped")
    }

    private var passphrase: Diagnosis.Possibility {
        .init(
            "it is a passphrase, and the key is derived from it with a salt (PBKDF2, scrypt); MD5, SHA-1, SHA-256, "
                + "SHA-384 and SHA-512 of it, and parts of them, were tried",
            "ask for the function, the salt, the number of rounds and the key's length")
    }
}

extension KeyCandidate {
    /// How the wrapped bytes are a key, in a finding.
    var finding: String {
        let count = "\(unwrapping.byteCount) bytes"
        guard let reading else { return "\(count): \(name)" }
        return "\(count): \(reading.clause) (AES-\(size.rawValue)"
            + (wrapping.ivByteCount > 0 && !reading.clause.hasSuffix("the IV") ? ", with an IV after it)" : ")")
    }
}

extension KeyWrapping.Padding {
    /// What `openssl pkeyutl` must be told of it, which takes PKCS#1 v1.5 without being told.
    var optionsOfOpenSSL: String {
        switch self {
        case .weakPKCS1v15: ""
        case .weakNone: " -pkeyopt rsa_padding_mode:none"
        case .oaep(let oaep):
            " -pkeyopt rsa_padding_mode:oaep"
                + " -pkeyopt rsa_oaep_md:\(PassphraseDigest.other(oaep.hash).option)"
                + " -pkeyopt rsa_mgf1_md:\(PassphraseDigest.other(oaep.mgf1).option)"
                + (oaep.label.isEmpty ? "" : " -pkeyopt rsa_oaep_label:\(Hex.encode(oaep.label.span))")
        }
    }
}

extension KeyWrapping.Form {
    /// How many bytes so many characters may encode.
    fileprivate func keyByteCounts(_ count: Int) -> [Int] {
        switch self {
        case .raw, .ascii: [count]
        case .hex: count % 2 == 0 ? [count / 2] : []
        case .base64: count % 4 == 0 ? [0, 1, 2].map { count / 4 * 3 - $0 } : []
        // Its key is always complete.
        case .evidenceV2: []
        }
    }
}
