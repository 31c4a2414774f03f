// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams

extension Session {
    /// The verdict on content of `evidence-v2`; `nil` if its label does not come before the wrapped key.
    func chunkedContent(
        _ survey: PayloadSurvey, _ byteCount: UInt64, _ key: Diagnoser.Key, _ unwrappings: [Unwrapping],
        encodings: [(field: String, encoding: TextEncoding)]
    ) throws -> Diagnosis.Verdict? {
        let isLabelled = unwrappings.contains { $0.key(Profile.evidenceV2.wrapping, .bits256) != nil }
        guard isLabelled else { return nil }
        note("content key", "44 bytes: an AES-256 key after the label of evidence-v2")
        for (field, encoding) in encodings {
            switch encoding {
            case .base64: break
            case .base64Lines:
                throw Fault(
                    .text, "\(field) has line breaks, which evidence-v2 does not allow",
                    "ask where in transit the text was wrapped", repair: .lineBreaks)
            case .base64URL:
                throw Fault(
                    .text, "\(field) has the URL-safe alphabet, which evidence-v2 does not allow",
                    "ask where in transit it was converted", repair: .urlSafe)
            case .hex, .hexLines:
                throw Fault(
                    .text, "\(field) is in hexadecimal digits, and evidence-v2 has base64",
                    "ask where in transit it was converted", repair: .printedBytes)
            }
        }
        guard survey.orderNo != nil else {
            throw Fault(
                .payload, "the order number is missing, and evidence-v2 is tied to one",
                "ask for the whole object that was sealed")
        }
        try refuseOtherForms(survey, byteCount, unwrappings)
        guard try survey.commits(to: key.key) else {
            throw Fault(
                .tag, "the key is one for evidence-v2, but \(survey.pair.content) does not commit to it",
                "compare the order number, and both fields, with those of the payload as it was sealed",
                Diagnosis.Possibility.rounded(survey.orderNo) + [
                    .init(
                        "the order number was changed, or belongs to another payload", "ask which order it belongs to"),
                    .init(
                        "\(survey.pair.content) and \(survey.pair.wrappedKey) belong to different payloads, "
                            + "or to different fields",
                        "compare both with the payload as it was sealed"),
                    .init("\(survey.pair.content) was changed at its beginning", "compare its first 76 characters"),
                ])
        }
        let walk = ContentWalk()
        let counter = CountingDestination(walk)
        guard try survey.opens(with: key.key, sealedAs: .evidenceV2, iv: nil, into: counter) else {
            throw Fault(
                .tag,
                counter.byteCount == 0
                    ? "the key is the right one, but not even the first chunk of \(survey.pair.content) opens"
                    : "the key is the right one, but \(survey.pair.content) opens only up to byte "
                        + "\(counter.byteCount) of its content",
                "the field was changed or cut off from there on: compare it with the payload as it was sealed")
        }
        let content = walk.content()
        note("evidence-v2", "\(content.name)" + (content.fault.map { ", but \($0)" } ?? ""))
        if let wayOut = content.wayOut { note("inside", wayOut) }
        return .opens(
            Diagnosis.Match(
                profile: .evidenceV2, key: key.name, iv: nil, ivBytes: nil, isIVOfPayload: false, proof: .tag,
                isText: content.kind == .text))
    }

    /// Refuses what no reader of evidence-v2 reads: that is no commitment that fails.
    private func refuseOtherForms(
        _ survey: PayloadSurvey, _ byteCount: UInt64, _ unwrappings: [Unwrapping]
    ) throws(Fault) {
        let padding = Profile.evidenceV2.wrapping.padding
        guard unwrappings.contains(where: { $0.padding == padding }) else {
            throw Fault(
                .wrapping,
                "the key is one for evidence-v2, but it was wrapped with \(unwrappings[0].padding.name); "
                    + "evidence-v2 has \(padding.name)",
                "have the sender wrap it so (in Java: an OAEPParameterSpec with SHA-256 in MGF1ParameterSpec as well)")
        }
        guard SealedChunks.contentByteCount(ofSealed: byteCount) != nil else {
            throw Fault(
                .cutOff,
                "\(survey.pair.content) has \(byteCount) bytes, a length that evidence-v2 never has",
                "compare the number of characters at both ends: it was cut off, or something was added")
        }
    }
}

/// Counts bytes.
private final class CountingDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private(set) var byteCount: UInt64 = 0
    private let destination: any ByteDestination

    init(_ destination: any ByteDestination) { self.destination = destination }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        byteCount += UInt64(bytes.count)
        try destination.write(bytes)
    }

    func finish() throws(EvidenceError) { try destination.finish() }

    func abandon() { destination.abandon() }
}
