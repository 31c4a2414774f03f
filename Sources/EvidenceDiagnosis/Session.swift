internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import SimpleMode

/// One diagnosis under way.
final class Session {
    private let keys: [Diagnoser.Key]
    private let ivs: [Trial.IV]
    private(set) var findings: [Diagnosis.Finding] = []

    init(_ keys: [Diagnoser.Key], _ ivs: [Trial.IV]) {
        self.keys = keys
        self.ivs = ivs
    }

    func note(_ subject: String, _ sentence: String) {
        findings.append(Diagnosis.Finding(subject: subject, sentence: sentence))
    }

    func run(_ source: any ByteSource) throws -> Diagnosis.Verdict {
        let survey = try PayloadSurvey(source)
        let pair = survey.pair
        noteOthers(survey)
        guard pair.contentRange != nil else {
            throw Fault(
                .payload, "there is neither userVideoString nor identifyStr in the payload",
                survey.hasDeeperContent
                    ? "there is one deeper inside: hand over the object around it alone"
                    : "the SDK returns a video only in simple mode with recordVideo and returnVideo on")
        }
        var contentShape = TextShape()
        try survey.readContent { text throws(EvidenceError) in contentShape.append(text) }
        guard let wrappedText = pair.wrappedKeyText else {
            if survey.extras["userEncryptKey"] != nil {
                throw Fault(
                    .payload,
                    "the wrapped key stands in userEncryptKey, which is Android's name for \(pair.wrappedKey)",
                    "give the field the name \(pair.wrappedKey) before the payload is opened",
                    repair: survey.hasAndroidKey ? .androidKeyName : nil)
            }
            throw try plain(survey, contentShape)
        }
        var keyShape = TextShape()
        keyShape.append(wrappedText.span)
        let encoding = try common(
            pair, keyShape.judge(pair.wrappedKey, contentShape), contentShape.judge(pair.content, keyShape))

        let wrapped: [UInt8]
        do { wrapped = try TextDecoder.decode(wrappedText.span, encoding) } catch { throw text(pair.wrappedKey, error) }
        note(pair.wrappedKey, "\(keyShape.count) characters of \(encoding.rawValue), \(wrapped.count) bytes")
        if isEncodedText(wrapped) { throw twice(pair.wrappedKey) }
        let ends = try ends(survey, encoding)
        note(pair.content, "\(contentShape.count) characters of \(encoding.rawValue), \(ends.count) bytes")
        if isEncodedText(Array(ends.head.prefix(1_024))) { throw twice(pair.content) }

        let (key, unwrappings) = try unwrap(wrapped)
        let candidates = try candidates(unwrappings)
        return .opens(try probe(survey, ends, encoding, key, candidates))
    }

    // MARK: - Text

    private func noteOthers(_ survey: PayloadSurvey) {
        if let order = survey.orderNo {
            note("orderNo", "there, \(order.utf8.count) characters")
        } else {
            note("orderNo", "absent: evidence-v1 needs it, others do not")
        }
        guard let sign = survey.sign else { return }
        if sign.count == 40, (try? Hex.decode(sign.span)) != nil {
            note(
                "sign",
                sign.contains { (0x61...0x66).contains($0) }
                    ? "40 hex digits in lower case, where the vendor writes upper case: compare decoded, never as text"
                    : "40 hex digits, as the recipes make them")
        } else {
            note("sign", "not the 40 hex digits that the recipes make")
        }
    }

    private func text(_ field: String, _ error: EvidenceError) -> Fault {
        // Of the text no more than the one byte that is wrong is in the error.
        Fault(.text, "\(field): \(error)", "ask for the field as the SDK returned it")
    }

    private func twice(_ field: String) -> Fault {
        Fault(
            .encodedTwice, "\(field) was encoded twice: decoded, it is text once more",
            "ask the sender to encode the bytes once", repair: .doubleBase64)
    }

    /// How both fields are written, if a profile can say so.
    private func common(
        _ pair: PayloadSurvey.Pair, _ key: TextEncoding, _ content: TextEncoding
    ) throws -> TextEncoding {
        if key == content { return key }
        if Set([key, content]) == [.base64, .base64Lines] { return .base64Lines }
        throw Fault(
            .text, "\(pair.wrappedKey) is \(key.rawValue), \(pair.content) is \(content.rawValue)",
            "ask where on the way one of the two was converted", repair: key == .hex || content == .hex ? nil : .urlSafe
        )
    }

    private func ends(_ survey: PayloadSurvey, _ encoding: TextEncoding) throws -> ContentEnds {
        var ends = ContentEnds(encoding)
        var failure: EvidenceError?
        try survey.readContent { piece throws(EvidenceError) in
            if failure != nil { return }
            do throws(EvidenceError) { try ends.append(piece) } catch { failure = error }
        }
        if failure == nil { do throws(EvidenceError) { try ends.finish() } catch { failure = error } }
        if let failure { throw text(survey.pair.content, failure) }
        return ends
    }

    /// What is to be said of content without a wrapped key.
    private func plain(_ survey: PayloadSurvey, _ shape: TextShape) throws -> Fault {
        let pair = survey.pair
        let ends = try ends(survey, shape.judge(pair.content, shape))
        let media = Media(head: ends.head, isWhole: ends.isWhole)
        return Fault(
            .notSealed,
            media.map { "\(pair.content) was never sealed: it is \($0.rawValue), and there is no \(pair.wrappedKey)" }
                ?? "there is no \(pair.wrappedKey), without which \(pair.content) cannot be opened",
            media == nil
                ? "ask for the whole object that the SDK returned"
                : "ask whether the app's configuration has a publicKey; anyone could have put this content there")
    }

    // MARK: - The wrapped key

    private func unwrap(_ wrapped: [UInt8]) throws -> (Diagnoser.Key, [Unwrapping]) {
        let fitting = keys.filter { $0.key.publicKey.byteCount == wrapped.count }
        for key in keys where key.key.publicKey.byteCount != wrapped.count {
            note(
                key.name,
                "RSA-\(key.key.publicKey.bitCount): makes \(key.key.publicKey.byteCount) bytes, so it is not this one")
        }
        guard !fitting.isEmpty else { throw sizeFault(wrapped) }
        for key in fitting {
            let found = try key.key.unwrappings(of: wrapped.span)
            if found.isEmpty {
                note(
                    key.name, "RSA-\(key.key.publicKey.bitCount): undone with it, neither PKCS#1 v1.5 nor OAEP is there"
                )
                continue
            }
            for unwrapping in found {
                note(key.name, "fits: \(unwrapping.padding.name)" + (unwrapping.padding.remark.map { "; \($0)" } ?? ""))
            }
            return (key, found)
        }
        let fingerprints = fitting.map { "\($0.name) \($0.key.publicKey)" }.joined(separator: ", ")
        throw Fault(
            .wrongKey,
            "the content key was wrapped for another key: no padding comes out right, and a library that returned "
                + "bytes all the same made them up",
            "compare the fingerprint of the public key in the app with \(fingerprints)")
    }

    private func sizeFault(_ wrapped: [UInt8]) -> Fault {
        let sizes = Set(keys.map(\.key.publicKey.byteCount)).sorted()
        let points = [16, 32].map { 97 + $0 }
        if points.contains(wrapped.count) && wrapped.first == 4 || wrapped.isSequence {
            return Fault(
                .sm2,
                "the wrapped key is SM2, not RSA: \(wrapped.count) bytes, "
                    + (wrapped.first == 4 ? "an uncompressed point in front" : "a DER sequence"),
                "ask for the RSA variant: SM2 is not read here")
        }
        if let size = sizes.first(where: { wrapped.count > $0 && wrapped.count % $0 == 0 && $0 < 256 })
            ?? sizes.first(where: {
                wrapped.count > $0 && wrapped.count % $0 == 0 && ![256, 384, 512].contains(wrapped.count)
            })
        {
            return Fault(
                .blocks,
                "the wrapped key is \(wrapped.count / size) RSA blocks, or of a key of \(8 * wrapped.count) bits",
                "ask whether more than a key was wrapped, block by block, and for the key's size")
        }
        if isModulus(wrapped.count) {
            return Fault(
                .keySize, "the wrapped key belongs to an RSA-\(8 * wrapped.count) key, and none was given",
                "ask which public key the app has, and compare its size and fingerprint")
        }
        return Fault(
            .cutOff, "the wrapped key has \(wrapped.count) bytes, which no RSA key makes",
            "compare the number of characters at both ends: it was cut off, or encoded in another way")
    }

    private func isModulus(_ count: Int) -> Bool { [128, 192, 256, 384, 512, 768, 1_024].contains(count) }

    private func candidates(_ unwrappings: [Unwrapping]) throws -> [KeyCandidate] {
        var candidates: [KeyCandidate] = []
        for unwrapping in unwrappings {
            for size in AESKey.Size.allCases {
                for form in [KeyPacking.Form.hex, .base64, unwrapping.isLettersAndDigits ? .ascii : .raw] {
                    guard let key = unwrapping.key(form, size) else { continue }
                    candidates.append(KeyCandidate(key, KeyPacking(unwrapping.padding, form, size)))
                }
            }
        }
        let counts = unwrappings.map { "\($0.byteCount)" }.joined(separator: " or ")
        guard !candidates.isEmpty else {
            throw Fault(
                .keyForm, "the wrapped key unwraps to \(counts) bytes, which are no AES key in any form known here",
                "ask what exactly is wrapped; 48 bytes are often a key and an IV together")
        }
        let names = candidates.map { "\($0.packing.form.rawValue) of AES-\($0.packing.size.rawValue)" }
        note(
            "content key",
            "\(counts) bytes: \(names.joined(separator: ", or "))" + (names.count > 1 ? "; settled by trial" : ""))
        return candidates
    }

    // MARK: - The content

    private func probe(
        _ survey: PayloadSurvey, _ ends: ContentEnds, _ encoding: TextEncoding, _ key: Diagnoser.Key,
        _ candidates: [KeyCandidate]
    ) throws -> Diagnosis.Match {
        let trials = try trials(survey, ends, encoding, candidates)
        func profile(_ trial: Trial, _ aad: Profile.AADRule, _ proof: Diagnosis.Proof) -> Profile {
            let isWeak = !key.key.publicKey.hasSealingStrength
            func profile(likePreset preset: Profile?) -> Profile {
                Profile(
                    name: preset?.name ?? "found", about: preset?.about, source: preset?.source,
                    // What a preset leaves open was settled here, as far as it can be.
                    unconfirmed: proof == .tag
                        ? nil : "it is what diagnosis found on one payload, and without a tag nothing proves it",
                    packing: trial.candidate.packing, mode: trial.mode, iv: trial.iv.source, tag: trial.tag, aad: aad,
                    encoding: encoding, allowsWeakKeys: isWeak)
            }
            let found = profile(likePreset: nil)
            return profile(
                likePreset: Profile.presets.first { $0.sealsLike(found) && (!isWeak || $0.allowsWeakKeys) })
        }
        func match(_ trial: Trial, _ aad: Profile.AADRule, _ proof: Diagnosis.Proof) throws -> Diagnosis.Match? {
            let profile = profile(trial, aad, proof)
            let iv = trial.iv.source == .caller ? trial.iv.bytes : nil
            guard try survey.opens(with: key.key, sealedAs: profile, iv: iv) else { return nil }
            note("content", trial.name + (trial.media.map { ": \($0.rawValue)" } ?? ""))
            return Diagnosis.Match(profile: profile, key: key.name, iv: trial.iv.name, proof: proof)
        }
        let isBound = survey.orderNo != nil && key.key.publicKey.hasSealingStrength
        let rules: [Profile.AADRule] = isBound ? [.evidenceV1, .none] : [.none]

        // What begins like a known file is tried first; where nothing does, a tag can still prove a guess.
        // Plain text comes last, and an IV in front after others: the rest of a text is text as well.
        let known = trials.filter { $0.media != nil }
        let rank = { (trial: Trial) in
            (trial.media == .text ? 4 : 0) + (trial.goesOn ? 0 : 2) + (trial.iv.source == .prefix ? 1 : 0)
        }
        let recognized = (0...7).flatMap { wanted in known.filter { rank($0) == wanted } }
        func proved(_ trials: [Trial]) throws -> Diagnosis.Match? {
            for trial in trials where trial.mode == .gcm {
                for rule in rules {
                    if let match = try match(trial, rule, .tag) { return match }
                }
            }
            return nil
        }
        if let match = try proved(recognized.isEmpty ? trials : recognized) { return match }
        for trial in recognized where trial.isPadded && trial.mode != .gcm {
            if let match = try match(trial, .none, .structure) { return match }
        }
        if let trial = recognized.first, let media = trial.media {
            let so = "the key fits and the content begins like \(media.rawValue) under \(trial.name), but "
            guard trial.mode != .gcm else {
                // It began like that by chance: text with what is no text in the place of a tag.
                if let match = try proved(trials.filter { $0.media == nil }) { return match }
                throw Fault(
                    .altered, so + "the tag is wrong",
                    "compare the number of characters at both ends; if they agree, ask where the tag is and what else "
                        + "it covers (AAD, order number)")
            }
            throw Fault(
                trial.hasWholeBlocks ? .altered : .cutOff,
                so + "it does not end as it should: it was \(trial.hasWholeBlocks ? "altered" : "cut off")",
                "compare the number of characters at both ends")
        }
        if let trial = trials.first(where: { $0.hasOnlyWrongIV && $0.isPadded }) {
            let bits = trial.candidate.packing.size.rawValue
            throw Fault(
                .iv, "all but the first 16 bytes opens under AES-\(bits)-CBC: the IV is another",
                ivs.isEmpty
                    ? "ask for the IV in the app's configuration (aesIV), and give it with --iv"
                    : "ask how the text of the IV becomes bytes: as it is, base64 or hex, and for which build it was")
        }
        for trial in trials where trial.isPadded && trial.mode != .gcm {
            if let match = try match(trial, .none, .padding) { return match }
        }
        throw Fault(
            .cipher, "the key fits, but the content opens under no cipher, IV and tag known here",
            "ask for mode, key length, IV and tag"
                + (ivs.isEmpty ? ", and give the IV of the app's configuration with --iv" : ""))
    }

    private func trials(
        _ survey: PayloadSurvey, _ ends: ContentEnds, _ encoding: TextEncoding, _ candidates: [KeyCandidate]
    ) throws -> [Trial] {
        // Strings beside the content that are as long as an IV or a tag.
        var fields: [(name: String, bytes: [UInt8])] = []
        for (name, text) in survey.extras.sorted(by: { $0.key < $1.key })
        where text.count <= 64 && name.utf8.count <= 64
            && name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        {
            if let bytes = try? TextDecoder.decode(text.span, encoding), [12, 16].contains(bytes.count) {
                fields.append((name, bytes))
            }
        }
        var ivs = self.ivs
        ivs += fields.map { Trial.IV(source: .field($0.name), name: nil, bytes: $0.bytes) }
        ivs.append(Trial.IV(source: .prefix, name: nil, bytes: nil))
        let tags = [Profile.TagPlace.appended] + fields.filter { $0.bytes.count == 16 }.map { .field($0.name) }
        var trials: [Trial] = []
        for candidate in candidates {
            for mode in Profile.Mode.allCases {
                var own = mode == .ecb ? [] : ivs
                let zeros = [UInt8](repeating: 0, count: mode.ivByteCount)
                own.append(Trial.IV(source: mode == .ecb ? .none : .zero, name: nil, bytes: zeros))
                for iv in own {
                    for tag in mode == .gcm ? tags : [.none] where tag.fieldName == nil || tag.fieldName != iv.fieldName
                    {
                        if let trial = try Trial(candidate, mode, iv, tag, on: ends) { trials.append(trial) }
                    }
                }
            }
        }
        return trials
    }
}

extension Profile.TagPlace {
    fileprivate var fieldName: String? { if case .field(let name) = self { name } else { nil } }
}

extension Trial.IV {
    fileprivate var fieldName: String? { if case .field(let name) = source { name } else { nil } }
}

extension KeyPacking.Padding {
    fileprivate var name: String {
        switch self {
        case .pkcs1v15: "PKCS#1 v1.5"
        case .oaep(let oaep): "OAEP with \(oaep.hash.rawValue), and \(oaep.mgf1.rawValue) inside MGF1"
        }
    }

    /// What people trip over.
    fileprivate var remark: String? {
        switch self {
        case .pkcs1v15: "code that expects OAEP reports a padding error"
        case .oaep(let oaep):
            switch (oaep.hash, oaep.mgf1) {
            case (.sha256, .sha1): "that is what Java's name for OAEP with SHA-256 means; others take SHA-256 for both"
            case (.sha1, .sha1): "the default of many libraries; evidence-v1 needs SHA-256 for both"
            default: nil
            }
        }
    }
}

extension [UInt8] {
    /// Whether it is one DER sequence, to its end, as long as an SM2 ciphertext.
    fileprivate var isSequence: Bool {
        guard count > 100, count < 250, self[0] == 0x30 else { return false }
        return self[1] < 0x80 ? Int(self[1]) == count - 2 : self[1] == 0x81 && Int(self[2]) == count - 3
    }
}
