// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import Recognition
internal import VendorTypes

/// One running diagnosis.
final class Session {
    private let keys: [Diagnoser.Key]
    private let ivs: [IVChoice]
    private let labels: [[UInt8]]
    private(set) var findings: [Diagnosis.Finding] = []

    init(_ keys: [Diagnoser.Key], _ ivs: [IVChoice], _ labels: [[UInt8]]) {
        self.keys = keys
        self.ivs = ivs
        self.labels = labels
    }

    func note(_ subject: String, _ sentence: String) {
        findings.append(Diagnosis.Finding(subject: subject, sentence: sentence))
    }

    func run(_ payload: any ByteSource) throws -> Diagnosis.Verdict {
        let source = try payload.seekable()
        let survey = try survey(of: source)
        try noteOthers(survey)
        do { return try open(survey, source) } catch let fault as Fault {
            throw try MisplacedText(survey, instead: fault)?.fault ?? fault
        }
    }

    private func open(_ survey: PayloadSurvey, _ source: any ByteSource) throws -> Diagnosis.Verdict {
        let pair = survey.pair
        guard pair.contentRange != nil else {
            throw try wrappingFault(source)
                ?? Fault(
                    .payload,
                    "the payload has neither \(FieldName.userVideoString) nor \(FieldName.identifyStr)",
                    survey.hasDeeperContent
                        ? "one is nested deeper: pass only the object that contains it"
                        : "the SDK returns a video only in simple mode with recordVideo and returnVideo on")
        }
        if survey.isOfStatement {
            note(
                FieldName.userVideoString.vendor,
                "absent or null, so this is about \(FieldName.identifyStr), which is sealed for the comparing service")
        }
        guard let wrappedText = pair.wrappedKeyText else {
            if survey.extras[FieldName.androidKey] != nil {
                throw Fault(
                    .payload,
                    "the wrapped key is in \(FieldName.androidKey), which is Android's name for \(pair.wrappedKey)",
                    "give the field the name \(pair.wrappedKey) before the payload is opened",
                    repair: survey.hasAndroidKey ? .androidKeyName : nil)
            }
            throw try plain(survey)
        }
        if survey.isKeyOverlong {
            throw try swapped(survey)
                ?? Fault(
                    .payload, "\(pair.wrappedKey) is too long for a wrapped key",
                    "ask for the payload as the SDK returned it, before anything rewrote it")
        }
        var keyShape = TextShape()
        keyShape.append(wrappedText.span)
        let content = try content(survey, beside: keyShape)
        let keyEncoding = try keyShape.judge(pair.wrappedKey, content.shape)
        // A text no longer than a line does not show whether it has lines.
        let isOneLine = content.encoding == .base64 && content.count <= 76
        let encoding = isOneLine && keyEncoding == .base64Lines ? .base64Lines : content.encoding

        let wrapped: [UInt8]
        do { wrapped = try TextDecoder.decode(wrappedText.span, keyEncoding) } catch {
            throw text(pair.wrappedKey, error)
        }
        note(pair.wrappedKey, "\(keyShape.count) characters of \(keyEncoding.rawValue), \(wrapped.count) bytes")
        if isEncodedText(wrapped) { throw twice(pair.wrappedKey) }
        let ends = content.ends
        note(pair.content, "\(content.count) characters of \(encoding.rawValue), \(ends.count) bytes")
        if let format = KnownFormat(encodedTwice: ends) {
            throw Fault(.format, "\(pair.content) is \(format.name)", format.advice)
        }
        if isEncodedText(Array(ends.head.prefix(1_024))) { throw twice(pair.content) }
        // Noise begins like a JPEG once in 2^26 times, and like the others never, but it does not end like one.
        if let kind = ContentKind(head: ends.head, isWhole: false), [.mp4, .png, .jpeg].contains(kind),
            try kind != .jpeg || walk(survey, encoding).isComplete
        {
            throw Fault(
                .notSealed,
                "\(pair.content) begins like \(kind.name) as it stands, though \(pair.wrappedKey) is present",
                "ask why it was not sealed; anyone could have put this content there")
        }

        let key: Diagnoser.Key
        let unwrappings: [Unwrapping]
        do { (key, unwrappings) = try unwrap(wrapped, survey) } catch let fault as Fault {
            throw try swapped(survey) ?? fault
        }
        if let verdict = try chunkedContent(
            survey, key, unwrappings,
            encodings: [(pair.wrappedKey, keyEncoding), (pair.content, content.encoding)])
        {
            return verdict
        }
        let candidates = try candidates(unwrappings)
        let search = ContentSearch(
            session: self, survey: survey, ends: ends, encoding: encoding, keyEncoding: keyEncoding, key: key,
            candidates: candidates, givenIVs: ivs)
        let isGuess = candidates.allSatisfy(\.isGuess)
        do { return try search.run() } catch let fault as Fault where isGuess && fault.cause.code != .layout {
            throw keyFormFault(unwrappings, ": neither as a key, nor as a short one, nor with an IV after it")
        }
    }

    private func survey(of source: any ByteSource) throws -> PayloadSurvey {
        do throws(EvidenceError) { return try PayloadSurvey(source) } catch {
            guard error.code == .json || (300..<400).contains(error.code.number), let fault = try wrappingFault(source)
            else {
                throw error
            }
            throw fault
        }
    }

    private func wrappingFault(_ source: any ByteSource) throws(EvidenceError) -> Fault? {
        try PayloadWrapping.payload(in: source).map { found in
            Fault(
                .payload, "the payload is nested inside \(found.around)",
                "pass only the innermost object that has the payload's fields", repair: .wrapper)
        }
    }

    // MARK: - Text

    private func noteOthers(_ survey: PayloadSurvey) throws {
        if let photo = try survey.photoForm(), !photo.isOne(of: "jpeg", "png") {
            note(FieldName.userImageString.vendor, photo.name + (photo.step.map { ": \($0)" } ?? ""))
        }
        if let order = survey.orderNo {
            note(FieldName.orderNo.vendor, "present, \(order.utf8.count) characters")
        } else {
            note(
                FieldName.orderNo.vendor,
                "absent: profiles whose tag covers it, such as evidence-v2, need it; others do not")
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
        // The error contains no more of the text than the one wrong byte.
        Fault(.text, "\(field): \(error)", "ask for the field as the SDK returned it")
    }

    private func twice(_ field: String) -> Fault {
        Fault(
            .encodedTwice, "\(field) was encoded twice: after decoding, it is still encoded text",
            "ask the sender to encode the bytes once", repair: .doubleBase64)
    }

    /// The content's characters.
    private struct Content {
        let encoding: TextEncoding
        let ends: ContentEnds
        let count: UInt64
        /// The shape of its beginning, at least.
        let shape: TextShape
    }

    /// Reads the content once if its characters are valid, and otherwise until the fault is known.
    private func content(_ survey: PayloadSurvey, beside key: TextShape) throws -> Content {
        var beginning = TextShape()
        var ends: ContentEnds?
        var encoding: TextEncoding?
        var count: UInt64 = 0
        try survey.readContent { text throws(EvidenceError) in
            if count == 0 {
                beginning.append(text)
                encoding = beginning.likelyEncoding
                ends = encoding.map { ContentEnds($0) }
            }
            count += UInt64(text.count)
            do { try ends?.append(text) } catch { ends = nil }
        }
        do { try ends?.finish() } catch { ends = nil }
        if let encoding, let ends { return Content(encoding: encoding, ends: ends, count: count, shape: beginning) }
        var shape = TextShape()
        try survey.readContent { text throws(EvidenceError) in shape.append(text) }
        let judged = try shape.judge(survey.pair.content, key)
        return Content(encoding: judged, ends: try self.ends(survey, judged), count: shape.count, shape: shape)
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

    /// Follows the content to its end as it is, as if it were not sealed.
    private func walk(_ survey: PayloadSurvey, _ encoding: TextEncoding) throws -> WalkedContent {
        let walk = ContentWalk()
        var decoder = TextDecoder(encoding)
        var bytes: [UInt8] = []
        try survey.readContent { text throws(EvidenceError) in
            do { try decoder.append(text, to: &bytes) } catch { throw EvidenceError(.openSSL, "\(error)") }
            walk.write(bytes.span)
            bytes.removeAll(keepingCapacity: true)
        }
        walk.finish()
        return walk.content()
    }

    /// The fault of content without a wrapped key.
    private func plain(_ survey: PayloadSurvey) throws -> Fault {
        let pair = survey.pair
        let walk = ContentWalk()
        try survey.readContent { text throws(EvidenceError) in walk.write(text) }
        walk.finish()
        let written = walk.content()
        if written.kind == .dataURI {
            return Fault(
                .notSealed,
                "\(pair.content) was never sealed: it is \(written.name), and \(pair.wrappedKey) is missing",
                "ask whether the app's configuration has a publicKey; anyone could have put this content there")
        }
        let ends = try content(survey, beside: TextShape()).ends
        let kind = ContentKind(head: ends.head, isWhole: ends.count == UInt64(ends.head.count))
        if let kind {
            return Fault(
                .notSealed,
                "\(pair.content) was never sealed: it begins like \(kind.name), and \(pair.wrappedKey) is missing",
                "ask whether the app's configuration has a publicKey; anyone could have put this content there")
        }
        if let format = try KnownFormat(sealed: ends.head) ?? rsaFormat(in: ends, keys) {
            return Fault(.format, "\(pair.content) is \(format.name)", format.advice)
        }
        return Fault(
            .payload, "\(pair.wrappedKey) is missing, without which \(pair.content) cannot be opened",
            "ask for the whole object that the SDK returned")
    }

    // MARK: - The wrapped key

    /// The fault if the wrapped key is in another field.
    private func swapped(_ survey: PayloadSurvey) throws -> Fault? {
        let pair = survey.pair
        var content: [UInt8] = []
        try survey.readContent { text throws(EvidenceError) in
            for i in text.indices where content.count <= Limits.diagnosedFieldCharacters { content.append(text[i]) }
        }
        if content.count <= Limits.diagnosedFieldCharacters, let key = try keyThatUnwraps(content) {
            return Fault(
                .swapped, "\(pair.content) unwraps with \(key), and \(pair.wrappedKey) does not",
                "the two are likely swapped: swap their names back")
        }
        // Next to a statement alone, the video's key is where it belongs.
        guard !survey.isOfStatement, let other = survey.otherWrappedKeyText else { return nil }
        let name = FieldName.encryptAESKey.vendor
        if other == pair.wrappedKeyText {
            return Fault(
                .swapped, "\(pair.wrappedKey) unwraps with none of the keys, and \(name) is the same text",
                "both are the same, but each field has a key of its own: ask for what the SDK returned in "
                    + pair.wrappedKey)
        }
        guard let key = try keyThatUnwraps(other) else { return nil }
        return Fault(
            .swapped, "\(name) unwraps with \(key), and \(pair.wrappedKey) does not",
            "\(name) is the vendor's part: the two keys are likely swapped")
    }

    /// The key that unwraps the given bytes.
    private func keyThatUnwraps(_ text: [UInt8]) throws -> String? {
        for encoding in TextEncoding.allCases {
            guard let wrapped = try? TextDecoder.decode(text.span, encoding) else { continue }
            for key in keys where key.key.publicKey.byteCount == wrapped.count {
                if try !key.key.unwrappings(of: wrapped.span).isEmpty { return key.name }
            }
        }
        return nil
    }

    private func unwrap(_ wrapped: [UInt8], _ survey: PayloadSurvey) throws -> (Diagnoser.Key, [Unwrapping]) {
        let fitting = keys.filter { $0.key.publicKey.byteCount == wrapped.count }
        for key in keys where key.key.publicKey.byteCount != wrapped.count {
            note(
                key.name,
                "does not fit: RSA-\(key.key.publicKey.bitCount) wraps keys to \(key.key.publicKey.byteCount) bytes, "
                    + "and this payload's wrapped key has \(wrapped.count)"
            )
        }
        guard !fitting.isEmpty else { throw sizeFault(wrapped) }
        for key in fitting {
            let order = survey.orderNo.map { [Array($0.utf8)] } ?? []
            let found = try key.key.unwrappings(of: wrapped.span, labels: labels + order)
            if found.isEmpty {
                note(
                    key.name,
                    "this RSA-\(key.key.publicKey.bitCount) key does not unwrap it: after decryption, the block shows "
                        + "neither PKCS#1 v1.5 nor OAEP with SHA-1, SHA-256, SHA-384 or SHA-512 under a tried label")
                continue
            }
            for unwrapping in found.prefix(found.first?.padding == .weakNone ? 1 : found.count) {
                note(key.name, "fits: \(unwrapping.padding.name)" + (unwrapping.padding.remark.map { "; \($0)" } ?? ""))
            }
            return (key, found)
        }
        let fingerprints = fitting.map { "\($0.name) \($0.key.publicKey)" }.joined(separator: ", ")
        throw Fault(
            .wrapping,
            "\(fitting.map(\.name).joined(separator: ", ")) \(fitting.count == 1 ? "does" : "do") not unwrap "
                + "\(survey.pair.wrappedKey); a library that reports success for it has returned random bytes "
                + "(implicit rejection)",
            "compare the fingerprint of the public key in the app with \(fingerprints)",
            try possibilities(wrapped, fitting, survey))
    }

    /// Possible causes if no padding was found in a wrapped key.
    private func possibilities(
        _ wrapped: [UInt8], _ keys: [Diagnoser.Key], _ survey: PayloadSurvey
    ) throws -> [Diagnosis.Possibility] {
        var found: [Diagnosis.Possibility] = []
        for key in keys {
            if try !key.key.unwrappings(of: Array(wrapped.reversed()).span).isEmpty {
                found.append(
                    .init(
                        "its bytes are in reverse order: \(key.name) unwraps them when read from last to first, as "
                            + "little-endian code writes them",
                        "ask the sender to write the block as RFC 8017 does, the most significant byte first"))
            }
        }
        guard found.isEmpty else { return found }
        if survey.isOfStatement {
            found.append(
                .init(
                    "it was wrapped for the comparing service, as intended: "
                        + "\(FieldName.identifyStr) is not sealed for you",
                    "ask why there is no video: recordVideo and returnVideo, and what the SDK returned"))
        }
        return found + [
            .init("it was wrapped for another key", "compare the fingerprints; diagnose again with other keys"),
            .init(
                "one or more of its characters were changed in transit",
                "compare the field with the one that the SDK returned"),
            .init(
                "OAEP was used with a label, or with an unknown hash",
                "ask for OAEP's parameters, and diagnose again with the label"),
        ]
    }

    private func sizeFault(_ wrapped: [UInt8]) -> Fault {
        let sizes = Set(keys.map(\.key.publicKey.byteCount)).sorted()
        let points = [16, 32].map { 97 + $0 }
        if points.contains(wrapped.count) && wrapped.first == 4 || wrapped.isSequence {
            return Fault(
                .sm2,
                "the wrapped key is SM2, not RSA: \(wrapped.count) bytes, "
                    + (wrapped.first == 4 ? "an uncompressed point in front" : "a DER sequence"),
                "ask for the RSA variant: SM2 is not supported")
        }
        if let size = sizes.first(where: { wrapped.count > $0 && wrapped.count % $0 == 0 && $0 < 256 })
            ?? sizes.first(where: {
                wrapped.count > $0 && wrapped.count % $0 == 0 && ![256, 384, 512].contains(wrapped.count)
            })
        {
            return Fault(
                .blocks,
                "the wrapped key is \(wrapped.count / size) RSA blocks, or one block of a key of "
                    + "\(8 * wrapped.count) bits",
                "ask for the key's size, and whether more than a key was wrapped, block by block")
        }
        if isModulus(wrapped.count) {
            return Fault(
                .keySize,
                "the wrapped key has \(wrapped.count) bytes, so it was wrapped for an RSA-\(8 * wrapped.count) "
                    + "key; none of the given keys is one",
                "ask which public key the app has, and compare its size and fingerprint")
        }
        return Fault(
            .cutOff, "the wrapped key has \(wrapped.count) bytes, which is the size of no usual RSA key",
            "compare the number of characters at both ends: it was cut off, or encoded in another way")
    }

    private func isModulus(_ count: Int) -> Bool { [128, 192, 256, 384, 512, 768, 1_024].contains(count) }

    private func candidates(_ unwrappings: [Unwrapping]) throws -> [KeyCandidate] {
        var candidates: [KeyCandidate] = []
        for unwrapping in unwrappings {
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
        }
        candidates = (0...3).flatMap { boldness in candidates.filter { $0.boldness == boldness } }
        guard !candidates.isEmpty else { throw keyFormFault(unwrappings) }
        let counts = Set(unwrappings.map(\.byteCount)).sorted().map { "\($0)" }.joined(separator: " or ")
        let names = candidates.filter { !$0.isGuess || candidates.allSatisfy(\.isGuess) }.map(\.name)
        note(
            "content key",
            "\(counts) bytes: \(names.joined(separator: ", or "))"
                + (names.count > 1 ? "; trying to open the content shows which" : ""))
        return candidates
    }

    private func keyFormFault(_ unwrappings: [Unwrapping], _ tried: String = "") -> Fault {
        let counts = unwrappings.map { "\($0.byteCount)" }.joined(separator: " or ")
        return Fault(
            .keyForm, "the wrapped key unwraps to \(counts) bytes, which open nothing in any known form\(tried)",
            "ask what exactly is wrapped, and how the opening code uses it")
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

extension KeyWrapping.Padding {
    fileprivate var name: String {
        switch self {
        case .weakPKCS1v15: "PKCS#1 v1.5"
        case .weakNone: "RSA without padding: decrypted, the block begins with zero bytes"
        case .oaep(let oaep):
            "OAEP with \(oaep.hash.rawValue), and \(oaep.mgf1.rawValue) inside MGF1"
                + (oaep.label.isEmpty ? "" : ", and a label")
        }
    }

    /// Common mistakes.
    fileprivate var remark: String? {
        switch self {
        case .weakPKCS1v15: "code that expects OAEP reports a padding error"
        case .weakNone: "in old Android and BouncyCastle \"RSA\" alone means that"
        case .oaep(let oaep):
            switch (oaep.hash, oaep.mgf1) {
            case (.sha256, .sha1): "what Java calls OAEPWithSHA-256AndMGF1Padding; others use SHA-256 for both"
            case (.sha1, .sha1): "the default of many libraries; evidence-v2 has SHA-256 for both"
            default: nil
            }
        }
    }
}

extension [UInt8] {
    /// Whether it is exactly one DER sequence with the length of an SM2 ciphertext.
    fileprivate var isSequence: Bool {
        guard count > 100, count < 250, self[0] == 0x30 else { return false }
        return self[1] < 0x80 ? Int(self[1]) == count - 2 : self[1] == 0x81 && Int(self[2]) == count - 3
    }
}
