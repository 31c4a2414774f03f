// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import Recognition
internal import VendorDocuments

/// A text that stands in place of the sealed bytes or of the wrapped key, found once nothing opened.
struct MisplacedText {
    let fault: Fault

    /// What has so few bytes.
    private static let digests = [
        12: "an identifier of MongoDB", 16: "an MD5 digest, a UUID or a key", 20: "a SHA-1 digest",
        32: "a SHA-256 or SM3 digest, or a key",
        64: "a SHA-512 digest",
    ]
    /// Fewer characters than any sealed content or wrapped key has.
    private static let shortestText = 22

    /// - Parameters:
    ///   - other: the fault that was found; it stays where it says more.
    ///   - isUnwrapped: whether the wrapped key is one: then its bytes look like something else only by chance.
    init?(_ survey: PayloadSurvey, instead other: Fault, isUnwrapped: Bool) throws {
        let known: [Diagnosis.Cause.Code] = [.notSealed, .encodedTwice, .swapped, .sm2, .blocks]
        guard survey.pair.contentRange != nil, !known.contains(other.cause.code) else { return nil }
        var content = TextBeginning()
        try survey.readContent { text throws(EvidenceError) in content.append(text) }
        var key = TextBeginning()
        let keyText = survey.pair.wrappedKeyText ?? []
        if !isUnwrapped { key.append(keyText.span) }
        for (field, text) in [(survey.pair.wrappedKey, key), (survey.pair.content, content)] where !text.isEmpty {
            if let fault = Self.fault(field, text, other, of: survey.pair.content, isAlone: keyText.isEmpty) {
                self.fault = fault
                return
            }
        }
        return nil
    }

    private static func fault(
        _ field: String, _ text: TextBeginning, _ other: Fault, of contentField: String, isAlone: Bool
    ) -> Fault? {
        guard let form = text.form(insteadOf: .base64, .base64URL, .hex) else {
            guard text.count >= shortestText else {
                return Fault(
                    .text, "\(field) has \(text.count) characters, which is too few for sealed bytes",
                    "look at what the sender put there: a word, a number or a name, instead of the bytes in base64")
            }
            let nothingOpened: [Diagnosis.Cause.Code] = [.cipher, .keyForm]
            guard let count = text.byteCount(in: .hex, .base64, .base64URL),
                // No cipher makes less of anything, but for the key of a text in base64.
                text.byteCount(in: .hex).map({ $0 < 16 }) ?? false
                    || nothingOpened.contains(other.cause.code) && digests[count] != nil
            else { return nil }
            return Fault(
                .text,
                "\(field) stands for \(count) bytes, which opens as nothing: it is too short for a photo or a video, "
                    + "and "
                    + (digests[count].map { "as long as \($0)" } ?? "looks like an identifier or a part of a digest"),
                "look at what the sender put there: a digest, an identifier or a key, instead of the sealed bytes")
        }
        let fitting = form.isInside && !form.isDecodable ? [] : TextRepair.fitting(form, found: nil, at: nil)
        // One that does all of it stands for several.
        let repair = (fitting.count > 1 && form.isDecodable ? .printedBytes : fitting.first).flatMap {
            PayloadRepair($0)
        }
        let advice = form.step ?? "have the sender put the bytes there, in base64"
        guard form.isInside else {
            if form.content.id == "parts", other.cause.code == .format { return nil }
            // What is only encoded in another way was said already, where a repair for it was named.
            if let repair, repair == other.cause.repair, repair != .quotationMarks { return nil }
            // The search says what may be among its members.
            if form.content.id == "json" { return nil }
            // Why a digit may be missing was said already.
            if form.content.id == "hex-odd", other.cause.code == .text { return nil }
            return Fault(.text, "\(field) is \(form.name)", advice, repair: repair)
        }
        switch form.content.family {
        // The search says better how a content was sealed in another way.
        case .sealed where field == contentField: return nil
        case .sealed: return Fault(.format, "\(field) is \(form.name), not an RSA block", advice)
        case _ where other.cause.code == .format: return nil
        case .media where isAlone:
            let sentence = "\(field) was never sealed: it is \(form.name), and its key is missing"
            // What is known of the whole text is not lost in what its beginning shows.
            guard other.cause.code == .cutOff else { return Fault(.notSealed, sentence, advice) }
            let cut = other.cause
            return Fault(.cutOff, "\(sentence); \(cut.sentence)", cut.advice, cut.possibilities)
        case .encoding: return Fault(.text, "\(field) is \(form.name), encoded once more", advice, repair: repair)
        // The sealed bytes may be in it.
        case .compressed:
            let isUnpacked = ["gzip", "bzip2", "xz", "zstd"].contains(form.content.id)
            let command =
                "unpack it, and put back what was in it: jq -r '..|objects|.\(field)? // empty' FILE | base64 -d "
                + "| \(form.content.id) -d | base64 -w0 | jq -R . "
                + "| jq -s '.[1] as $v|.[0]|(..|objects|select(.\(field)?)).\(field)|=$v' FILE - > COPY"
            return Fault(
                .format, "\(field) is \(form.name), encoded; what is in it is not looked at",
                isUnpacked ? command : advice)
        default: return Fault(.notSealed, "\(field) holds no sealed bytes: it is \(form.name), encoded", advice)
        }
    }
}
