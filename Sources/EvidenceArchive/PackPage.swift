// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
internal import SimpleMode
internal import VendorTypes

/// The page of a proof pack: the record's report, its place in the archive, and the times of its bag.
struct PackPage {
    /// Where a record stands.
    struct Place {
        let record: RecordID
        let origin: String
        let bag: Int
        /// The bag's `tagmanifest-sha256.txt`.
        let tagManifest: [UInt8]
        /// The times of the tokens: of the earlier bag's, and of its own.
        let after: TimeStampReply.Time?
        let before: TimeStampReply.Time?
    }

    private var page: EvidencePage

    init(report: Span<UInt8>, at place: Place) throws(EvidenceError) {
        page = try EvidencePage(report: report)
        let digest = try DigestAlgorithm.sha256.digest(of: place.tagManifest.span)
        let manifest = Hex.encode(digest.span)
        page.files.append(
            .init(name: "bag/\(Layout.tagManifest)", sha256: manifest, byteCount: UInt64(place.tagManifest.count)))
        var facts: [EvidencePage.Fact] = [
            .init(.init("Record", "记录"), "\(place.record)"), .init(.init("Archive", "档案"), place.origin),
            .init(.init("Bag", "归档包"), "\(place.bag)"),
            .init(.init("SHA-256 of the bag's \(Layout.tagManifest)", "该包 \(Layout.tagManifest) 的 SHA-256"), manifest),
        ]
        if let after = place.after {
            facts.append(.init(.init("Bag closed after", "封包时间晚于"), "\(after)"))
        }
        if let before = place.before {
            facts.append(.init(.init("Bag closed before", "封包时间早于"), "\(before)"))
        }
        var paragraphs = [
            PageText(
                "Compare the digest of the bag with a head line that was deposited elsewhere at the time.",
                "请将该包的摘要与当时另行存放的 head 行比对。")
        ]
        if place.before == nil {
            paragraphs.append(.init("The bag has no time stamp yet.", "该包尚未加盖时间戳。"))
        }
        let certificates = PackScript.arguments(hasTimes: place.after != nil || place.before != nil)
        page.sections = [
            .init(.init("Its place in the archive", "在档案中的位置"), paragraphs: paragraphs, facts: facts),
            .init(
                .init("To verify signature and times", "验证签名和时间"),
                paragraphs: [
                    .init(
                        "In the folder of the pack, with certificates from elsewhere, by their whole paths:",
                        "在证据包目录中执行，并使用从其他渠道取得的证书（完整路径）：")
                ], commands: ["sh verify.sh \(certificates)"]),
        ]
    }

    /// Writes it.
    func write(
        to destination: any ByteDestination, showing shown: [CheckPart: EmbeddedPart]
    ) throws(EvidenceError) {
        try page.write(to: destination, showing: shown)
        try destination.finish()
    }
}

/// A time in whole seconds since 1970: `2026-11-22T08:00:00Z`.
func timeText(_ seconds: Int64) -> String {
    UTCTime(millisecondsSince1970: 1_000 * seconds).map { String("\($0)".prefix(19)) + "Z" } ?? "\(seconds)"
}
