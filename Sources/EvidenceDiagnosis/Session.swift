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
    /// The payload with a wrapped key that profiles open; `nil` if the one that it has is right.
    private(set) var mended: SplicedSource?
    /// Whether a padding showed that what stands for the wrapped key is one.
    private var isUnwrapped = false
    /// Where the finding about the content key belongs, which the content decides.
    private var keyPlace = 0

    init(_ keys: [Diagnoser.Key], _ ivs: [IVChoice], _ labels: [[UInt8]]) {
        self.keys = keys
        self.ivs = ivs
        self.labels = labels
    }

    func note(_ subject: String, _ sentence: String) {
        findings.append(Diagnosis.Finding(subject: subject, sentence: sentence))
    }

    /// Notes which candidate the content key is, once the content showed that.
    func settle(_ candidate: KeyCandidate, _ survey: PayloadSurvey) {
        findings.insert(
            Diagnosis.Finding(subject: "content key", sentence: candidate.finding), at: min(keyPlace, findings.count))
        keyPlace += 1
        if let reading = candidate.reading { note("to change", reading.advice) }
        if candidate.needsWrapping { mended = survey.source as? SplicedSource }
    }

    func run(_ payload: any ByteSource) throws -> Diagnosis.Verdict {
        let source = try payload.seekable()
        let survey = try survey(of: source)
        try noteOthers(survey)
        do { return try open(survey, source) } catch let fault as Fault {
            throw try MisplacedText(survey, instead: fault, isUnwrapped: isUnwrapped)?.fault ?? fault
        }
    }

    private func open(_ survey: PayloadSurvey, _ source: any ByteSource) throws -> Diagnosis.Verdict {
        let pair = survey.pair
        guard pair.contentRange != nil else {
            throw try wrappingFault(source) ?? RenamedFields(source)?.fault ?? sealedFault(source)
                ?? Fault(
                    .payload,
                    "the payload has neither \(FieldName.userVideoString) nor \(FieldName.identifyStr)",
                    survey.hasDeeperContent
                        ? "one is nested deeper: pass only the object that contains it"
                        : "\(PayloadIndex.noVideoHint); if one stands in a text, take that out first")
        }
        if survey.isOfStatement {
            note(
                FieldName.userVideoString.vendor,
                "absent or null, so this is about \(FieldName.identifyStr), which is sealed for the comparing service")
        }
        guard let wrappedText = pair.wrappedKeyText else {
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
        var mendings: [Mending] = []
        // What is wrong with the text, if what it stands for does not unwrap.
        var textFault: Fault?
        var keyEncoding = content.encoding
        let wrapped: [UInt8]
        let sizes = Set(keys.map(\.key.publicKey.byteCount))
        if let text = WrappedText(wrappedText, sizes: sizes) {
            wrapped = text.bytes
            mendings.append(text.mending)
            note(pair.wrappedKey, "\(keyShape.count) characters, \(wrapped.count) bytes")
        } else {
            do {
                keyEncoding = try keyShape.judge(pair.wrappedKey, content.shape)
                do { wrapped = try TextDecoder.decode(wrappedText.span, keyEncoding) } catch {
                    throw text(pair.wrappedKey, error)
                }
                note(
                    pair.wrappedKey, "\(keyShape.count) characters of \(keyEncoding.rawValue), \(wrapped.count) bytes")
            } catch let fault as Fault {
                guard let text = WrappedText(recognising: wrappedText, sizes: sizes) else { throw fault }
                wrapped = text.bytes
                mendings.append(text.mending)
                textFault = fault
            }
            if isEncodedText(wrapped) { throw twice(pair.wrappedKey, keyEncoding, wrapped) }
        }
        // A text no longer than a line does not show whether it has lines.
        let isOneLine = content.encoding == .base64 && content.count <= 76
        let encoding = isOneLine && keyEncoding == .base64Lines ? .base64Lines : content.encoding
        let ends = content.ends
        note(pair.content, "\(content.count) characters of \(encoding.rawValue), \(ends.count) bytes")
        if let format = KnownFormat(encodedTwice: ends) {
            throw Fault(.format, "\(pair.content) is \(format.name)", format.advice)
        }
        let head = Array(ends.head.prefix(1_024))
        if isEncodedText(head) { throw twice(pair.content, encoding, head) }
        // Noise begins like a JPEG once in 2^26 times, and like the others never, but it does not end like one.
        if let kind = ContentKind(head: ends.head, isWhole: false), [.mp4, .png, .jpeg].contains(kind),
            try kind != .jpeg || walk(survey, encoding).isComplete
        {
            throw Fault(
                .notSealed,
                "\(pair.content) begins like \(kind.name) as it stands, though \(pair.wrappedKey) is present",
                "ask why it was not sealed; anyone could have put this content there"
                    + (kind == .mp4 ? "; to look at it, decode the field: it is base64 of the video" : ""))
        }

        let unwrapped: Unwrapped
        do { unwrapped = try unwrap(wrapped, survey) } catch let fault as Fault {
            throw try swapped(survey) ?? textFault ?? keyShape.droppedCharacters(pair.wrappedKey) ?? fault
        }
        mendings += unwrapped.mending.map { [$0] } ?? []
        for mending in mendings {
            note(pair.wrappedKey, mending.sentence)
            if let advice = mending.advice { note("to change", advice) }
        }
        var mendedSurvey = survey
        if let block = unwrapped.block, !mendings.isEmpty {
            let source = try spliced(survey, block, keyEncoding)
            mendedSurvey = try PayloadSurvey(source)
            mended = source
        }
        if let verdict = try chunkedContent(
            mendedSurvey, ends.count, unwrapped.key, unwrapped.unwrappings,
            encodings: [(pair.wrappedKey, keyEncoding), (pair.content, content.encoding)])
        {
            return verdict
        }
        let search = KeySearch(
            session: self, key: unwrapped.key, unwrappings: unwrapped.unwrappings, survey: mendedSurvey, ends: ends,
            encoding: encoding, keyEncoding: keyEncoding, givenIVs: ivs, doubt: mendings.last?.doubt)
        // A text of whole groups may lack characters as well.
        guard let dropped = content.shape.droppedCharacters(pair.content) else { return try search.run() }
        do {
            let verdict = try search.run()
            if case .opens = verdict { return verdict }
        } catch let fault as Fault where [.layout, .format].contains(fault.cause.code) { throw fault } catch is Fault {}
        throw dropped
    }

    /// The payload with another wrapped key.
    func spliced(_ survey: PayloadSurvey, _ wrapped: [UInt8], _ encoding: TextEncoding) throws -> SplicedSource {
        try SplicedSource(
            survey.source, survey.pair.wrappedKeyRange ?? 0..<0, with: TextEncoder.encode(wrapped.span, encoding))
    }

    /// Marks the place of the finding about the content key.
    func markKeyPlace() { keyPlace = findings.count }

    /// Notes what is known of the content key where the content settled nothing.
    func noteKey(_ sentence: String) {
        findings.insert(Diagnosis.Finding(subject: "content key", sentence: sentence), at: keyPlace)
    }

    /// Takes back what was noted since there were so many findings.
    func takeBack(to count: Int) -> [Diagnosis.Finding] {
        defer { findings.removeSubrange(count...) }
        return Array(findings[count...])
    }

    func note(_ others: [Diagnosis.Finding]) { findings += others }

    private func survey(of source: any ByteSource) throws -> PayloadSurvey {
        do throws(EvidenceError) { return try PayloadSurvey(source) } catch {
            if error.repairs.contains(PayloadRepair.trailingComma.rawValue) {
                throw Fault(
                    .payload, "the payload cannot be read: \(error), behind a comma that does not belong there",
                    "ask for the payload as the SDK returned it", repair: .trailingComma)
            }
            if error.code == .ambiguous, let renamed = try RenamedFields(source) { throw renamed.fault }
            guard error.code == .json || (300..<400).contains(error.code.number) else { throw error }
            if let fault = try wrappingFault(source) { throw fault }
            // An object in place of a field's text.
            if error.code == .type, let fault = try sealedFault(source, { "there is \($0) in place of a field's text" })
            {
                throw fault
            }
            throw error
        }
    }

    /// The fault of a document that something else sealed, or that has such a one in it.
    private func sealedFault(
        _ source: any ByteSource, _ sentence: (String) -> String = { "the payload is \($0)" }
    ) throws(EvidenceError) -> Fault? {
        var recogniser = Recogniser()
        try source.seek(to: 0)
        try source.forEachChunk { chunk throws(EvidenceError) in
            recogniser.append(chunk)
            return true
        }
        guard let form = recogniser.finish().content, form.family == .sealed else { return nil }
        return Fault(
            .format, sentence(form.name), form.step ?? "ask the sender what sealed it")
    }

    private func wrappingFault(_ source: any ByteSource) throws(EvidenceError) -> Fault? {
        guard let found = try PayloadWrapping.payload(in: source) else { return nil }
        let isDenied = PayloadWrapping.isDenied(in: source)
        return Fault(
            .payload, "the payload is nested inside \(found.around)",
            isDenied ? KnownForm.askInstead : "pass only the innermost object that has the payload's fields",
            repair: isDenied ? nil : .wrapper)
    }

    // MARK: - Text

    private func noteOthers(_ survey: PayloadSurvey) throws {
        for repair in survey.repairs { note("spelling", "\(repair)") }
        if let photo = try survey.photoForm(), !photo.isOne(of: "jpeg", "png") {
            note(FieldName.userImageString.vendor, photo.name + (photo.step.map { ": \($0)" } ?? ""))
        }
        if let order = survey.orderNo {
            let doubt = RoundedNumber.trace(in: order).map { "; perhaps rounded: it \($0), \(RoundedNumber.advice)" }
            note(FieldName.orderNo.vendor, "present, \(order.utf8.count) characters" + (doubt ?? ""))
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

    /// - Parameter inner: the encoded text that the bytes are, or its beginning.
    private func twice(_ field: String, _ encoding: TextEncoding, _ inner: [UInt8]) -> Fault {
        let isHex = encoding == .hex || encoding == .hexLines
        if let form = Recognised(inner.span).content, [.key, .publicKey].contains(form.family) {
            return Fault(.notSealed, "\(field) holds no sealed bytes: it is \(form.name), encoded", form.step ?? "")
        }
        let isOnce = Recognised(inner.span).layers.dropFirst().first?.family != .encoding
        return Fault(
            .encodedTwice,
            "\(field) was encoded twice: after decoding\(isHex ? " from hex" : ""), it is still encoded text",
            "ask the sender to encode the bytes once",
            // No repair decodes digits to digits.
            repair: isHex && (try? Hex.decode(inner.span)) != nil
                ? nil : isHex || !isOnce ? .printedBytes : .doubleBase64)
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
            let head = Array(ends.head.prefix(Limits.namedTextBytes))
            let form = kind == .text ? Recognised(head.span).content : nil
            let name = form.map { $0.family == .general ? nil : $0.name } ?? nil
            return Fault(
                .notSealed,
                "\(pair.content) was never sealed: it begins like \(name ?? kind.name), and "
                    + "\(pair.wrappedKey) is missing",
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
            "diagnose with the key of the video: \(key) is likely the comparing service's, for which \(name) is "
                + "wrapped; only if it is the video's, the sender swapped the two fields")
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

    /// A wrapped key that was unwrapped.
    private struct Unwrapped {
        let key: Diagnoser.Key
        let unwrappings: [Unwrapping]
        /// The block that unwrapped; `nil` for several.
        let block: [UInt8]?
        /// What had to be done to it.
        let mending: Mending?
    }

    private func unwrap(_ wrapped: [UInt8], _ survey: PayloadSurvey) throws -> Unwrapped {
        let fitting = keys.filter { $0.key.publicKey.byteCount == wrapped.count }
        let order = survey.orderNo.map { [Array($0.utf8)] } ?? []
        // Each key as it fits, and then each with what code does to a block.
        let ways = keys.map { key in (key, WrappedBlock.readings(of: wrapped, key.key.publicKey.byteCount)) }
        for isMended in [false, true] {
            for (key, readings) in ways {
                for reading in readings where (reading.mending != nil) == isMended {
                    guard let found = try unwrappings(reading.blocks, key, labels + order) else { continue }
                    isUnwrapped = found.first?.padding != .weakNone
                    noteOtherKeys(fitting, than: key, wrapped.count)
                    for unwrapping in found.prefix(found.first?.padding == .weakNone ? 1 : found.count) {
                        let label = unwrapping.padding.label
                        let named =
                            label.isEmpty
                            ? "" : labels.contains(label) ? " that was given" : ", which is the order number"
                        note(
                            key.name,
                            "fits: \(unwrapping.padding.name)\(named)"
                                + (unwrapping.padding.remark.map { "; \($0)" } ?? ""))
                    }
                    return Unwrapped(
                        key: key, unwrappings: found, block: reading.blocks.count == 1 ? reading.blocks[0] : nil,
                        mending: reading.mending)
                }
            }
        }
        noteOtherKeys(fitting, than: nil, wrapped.count)
        guard !fitting.isEmpty else {
            // Base64 that has its padding has its end.
            throw sizeFault(wrapped, isWhole: survey.pair.wrappedKeyText?.last == UInt8(ascii: "="))
        }
        let fingerprints = fitting.map { "\($0.name) \($0.key.publicKey)" }.joined(separator: ", ")
        if survey.isOfStatement {
            throw Fault(
                .wrapping,
                "there is no \(FieldName.userVideoString), and no key that was given unwraps the one of "
                    + "\(FieldName.identifyStr)",
                "ask why there is no video: recordVideo and returnVideo, and what the SDK returned; "
                    + "\(FieldName.identifyStr) needs the comparing service's key", possibilities(survey))
        }
        throw Fault(
            .wrapping,
            "\(fitting.map(\.name).joined(separator: ", ")) \(fitting.count == 1 ? "does" : "do") not unwrap "
                + "\(survey.pair.wrappedKey); a library that reports success for it has returned random bytes "
                + "(implicit rejection)",
            "compare the fingerprint of the public key in the app with \(fingerprints)", possibilities(survey))
    }

    /// How one block unwraps, or several together; `nil` if they do not.
    private func unwrappings(
        _ blocks: [[UInt8]], _ key: Diagnoser.Key, _ labels: [[UInt8]]
    ) throws -> [Unwrapping]? {
        var found: [[Unwrapping]] = []
        for block in blocks {
            let next = try key.key.unwrappings(of: block.span, labels: labels)
            if next.isEmpty { return nil }
            found.append(next)
        }
        return found.count == 1 ? found[0] : Unwrapping.joined(found).map { [$0] }
    }

    /// Notes why the keys that were tried before one that fits do not.
    private func noteOtherKeys(_ fitting: [Diagnoser.Key], than chosen: Diagnoser.Key?, _ count: Int) {
        for key in keys where key.key.publicKey.byteCount != count && key.name != chosen?.name {
            note(
                key.name,
                "does not fit: RSA-\(key.key.publicKey.bitCount) wraps keys to \(key.key.publicKey.byteCount) bytes, "
                    + "and this payload's wrapped key has \(count)")
        }
        for key in fitting {
            if key.name == chosen?.name { return }
            note(
                key.name,
                "this RSA-\(key.key.publicKey.bitCount) key does not unwrap it: after decryption, the block shows "
                    + "neither PKCS#1 v1.5 nor OAEP with SHA-1, SHA-256, SHA-384 or SHA-512 under a tried label")
        }
    }

    /// Possible causes if no padding was found in a wrapped key.
    private func possibilities(_ survey: PayloadSurvey) -> [Diagnosis.Possibility] {
        var found: [Diagnosis.Possibility] = []
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

    private func sizeFault(_ wrapped: [UInt8], isWhole: Bool) -> Fault {
        let sizes = Set(keys.map(\.key.publicKey.byteCount)).sorted()
        let points = [16, 32].map { 97 + $0 }
        if points.contains(wrapped.count) && wrapped.first == 4 || wrapped.isSequence {
            return Fault(
                .sm2,
                "the wrapped key is SM2, not RSA: \(wrapped.count) bytes, "
                    + (wrapped.first == 4 ? "an uncompressed point in front" : "a DER sequence"),
                "ask for the RSA variant: SM2 is not supported")
        }
        if let size = sizes.first(where: {
            wrapped.count > $0 && wrapped.count % $0 == 0 && ($0 < 256 || ![256, 384, 512].contains(wrapped.count))
        }) {
            return Fault(
                .blocks,
                "the wrapped key is \(wrapped.count / size) RSA blocks, or one block of a key of "
                    + "\(8 * wrapped.count) bits; as blocks of the given keys they do not unwrap",
                "ask for the key's size, and whether more than a key was wrapped, block by block")
        }
        if isModulus(wrapped.count) { return otherBlock(wrapped.count, sizes, isWhole: isWhole) }
        // 32 bytes are rather an AES-256 key than an AES-128 key and an IV.
        let sizesOfKey = AESKey.Size.allCases
        if let size = sizesOfKey.first(where: { wrapped.count == $0.byteCount })
            ?? sizesOfKey.first(where: { wrapped.count == $0.byteCount + 16 })
        {
            return Fault(
                .wrapping,
                "the wrapped key has \(wrapped.count) bytes, as many as an AES-\(size.rawValue) key itself"
                    + (wrapped.count > size.byteCount ? " with an IV after it" : "") + ": it was likely never wrapped",
                "have the sender encrypt it with the RSA public key: whoever has this payload may have its key")
        }
        if let fault = oneByteBeside(wrapped.count, sizes) { return fault }
        guard let size = sizes.last, wrapped.count > size else {
            let isNearly = sizes.contains { $0 > wrapped.count && $0 - wrapped.count <= 8 }
            return Fault(
                .cutOff,
                "the wrapped key has \(wrapped.count) bytes, which is the size of no usual RSA key"
                    + (isNearly ? ", and it does not unwrap with zero bytes in front either" : ""),
                "compare the number of characters at both ends: it was cut off, or encoded in another way")
        }
        return Fault(
            .wrapping,
            "the wrapped key has \(wrapped.count) bytes, more than the given keys wrap to, and no part of it unwraps",
            "ask how the block is made into text, and for which key it was wrapped",
            [
                .init("it was wrapped for another key, and bytes were added to it", "compare the fingerprints"),
                .init(
                    "it is the size of an unusual RSA key",
                    "ask which public key the app has, and compare its size and fingerprint"),
                .init(
                    "its bytes were converted from text to text on the way",
                    "ask the sender for the number of bytes that encryption returned: a key's block has 128, 256, 384 "
                        + "or 512"),
            ])
    }

    /// The fault of a block that has the size of another usual key.
    private func otherBlock(_ count: Int, _ sizes: [Int], isWhole: Bool) -> Fault {
        let isTwo = sizes.contains(count / 2)
        let larger = isWhole ? nil : sizes.first { $0 > count }
        let asking = "ask which public key the app has, and compare its size and fingerprint"
        let possibilities: [Diagnosis.Possibility]? = larger.map { size in
            [
                .init(
                    "it was cut off, perhaps by a column: a given key wraps to \(size) bytes",
                    "compare the number of characters at both ends"),
                .init("it was wrapped for another key", asking),
            ]
        }
        return Fault(
            .keySize,
            "the wrapped key has \(count) bytes, as many as one block of an RSA-\(8 * count) key"
                + (isTwo ? ", or two of an RSA-\(4 * count) key" : "") + "; none of the given keys is one"
                + (isTwo ? ", and as two blocks they do not unwrap it" : ""),
            (larger == nil ? asking : "compare the number of characters at both ends")
                + (isTwo ? "; and whether more than a key was wrapped, block by block" : ""), possibilities ?? [])
    }

    /// The fault of a block that has one byte too few or too many for a usual key.
    private func oneByteBeside(_ count: Int, _ sizes: [Int]) -> Fault? {
        guard let whole = [count - 1, count + 1].first(where: isModulus) else { return nil }
        let isLess = count < whole
        return Fault(
            .keySize,
            "the wrapped key has \(count) bytes, one byte \(isLess ? "less" : "more") than a block of RSA-\(8 * whole)"
                + (sizes.contains(whole)
                    ? ", and unwraps with none of the given keys as such a block"
                    : "; none of the given keys is one"),
            "ask which public key the app has, and compare its size and fingerprint; code that takes the block for a "
                + "number \(isLess ? "drops a zero byte" : "puts a zero byte") in front",
            [
                .init("it was wrapped for another key", "compare the fingerprints"),
                .init(
                    isLess ? "a byte at its end was lost" : "a byte was added to it",
                    "compare the number of bytes at both ends"),
            ])
    }

    private func isModulus(_ count: Int) -> Bool { [128, 192, 256, 384, 512, 768, 1_024].contains(count) }
}

extension KeyWrapping.Padding {
    var name: String {
        switch self {
        case .weakPKCS1v15: "PKCS#1 v1.5"
        case .weakNone: "RSA without padding: decrypted, the block begins with zero bytes"
        case .oaep(let oaep):
            "OAEP with \(oaep.hash.rawValue), and \(oaep.mgf1.rawValue) inside MGF1"
                + (oaep.label.isEmpty ? "" : ", and the label")
        }
    }

    /// OAEP's label.
    fileprivate var label: [UInt8] {
        if case .oaep(let oaep) = self { oaep.label } else { [] }
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
