// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
internal import ResultCheck
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
        /// The additions and reductions that have packs of their own.
        let others: [RecordID]
        /// The parts that are not shown.
        let withheld: [String]
        let destroyed: [String]
    }

    private var page: EvidencePage

    init(report: Span<UInt8>, at place: Place) throws(EvidenceError) {
        page = try EvidencePage(report: report)
        let digest = try DigestAlgorithm.sha256.digest(of: place.tagManifest.span)
        let manifest = Hex.encode(digest.span)
        page.files.append(
            .init(name: "bag/\(Layout.tagManifest)", sha256: manifest, byteCount: UInt64(place.tagManifest.count)))
        var facts: [EvidencePage.Fact] = [
            .init(.init("Record", "记录"), "\(place.record)"), .init(.init("Archive", "归档"), place.origin),
            .init(.init("Bag", "包（bag）"), "\(place.bag)"),
            .init(.init("SHA-256 of the bag's \(Layout.tagManifest)", "该包 \(Layout.tagManifest) 的 SHA-256"), manifest),
        ]
        if let after = place.after {
            facts.append(.init(.init("Bag closed after", "封存时间晚于"), "\(after)"))
        }
        if let before = place.before {
            facts.append(.init(.init("Bag closed before", "封存时间早于"), "\(before)"))
        }
        var paragraphs = [
            PageText(
                "Compare the digest of the bag with a head line that was deposited elsewhere at the time.",
                "请将该包的摘要与当时另行存放的 head 行比对。")
        ]
        if place.before == nil {
            paragraphs.append(.init("The bag has no time stamp yet.", "该包尚未加盖时间戳。"))
        }
        if !place.others.isEmpty {
            facts += place.others.map { .init(.init("Addition or reduction", "补充或销毁人脸的记录"), "\($0)") }
            paragraphs.append(
                .init(
                    "An addition came later, and nothing shows who added it. It has a pack of its own.",
                    "补充记录是后来加入的，且无法证明由谁加入；每条补充记录都有自己的证明包。"))
        }
        if !place.withheld.isEmpty {
            facts.append(.init(.init("Withheld", "未提供"), place.withheld.joined(separator: ", ")))
        }
        if !place.destroyed.isEmpty {
            facts.append(.init(.init("Destroyed", "已销毁"), place.destroyed.joined(separator: ", ")))
        }
        let certificates = PackScript.arguments(hasTimes: place.after != nil || place.before != nil)
        page.sections = [
            .init(.init("Its place in the archive", "在归档中的位置"), paragraphs: paragraphs, facts: facts),
            .init(
                .init("To verify signature and times", "验证签名和时间"),
                paragraphs: [
                    .init(
                        "In the folder of the pack, with certificates from elsewhere, by their whole paths:",
                        "在证明包目录中执行，并使用从其他渠道取得的证书（完整路径）：")
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

/// The page that names the packs of one export. It certifies nothing.
struct PackCover {
    let html: String

    /// - Parameter statements: of the records, the exported one first.
    init(origin: String, _ statements: [RecordStatement]) {
        // All of it is ASCII that needs no escape: ids, kinds, and an origin.
        let rows = statements.map { statement in
            "<tr><td><a href=\"\(statement.record)/README.txt\">\(statement.record)</a></td>"
                + "<td>\(statement.kind)</td></tr>"
        }
        html = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Proof packs of \(origin)</title>
            <h1>Proof packs · 证明包</h1>
            <p>From the archive \(origin). Each folder is a pack of its own: read its README.txt, then run its
            verify.sh. This page certifies nothing, and no pack shows what it lacks: other additions, holds or
            reductions.</p>
            <p lang="zh">来自归档 \(origin)。每个文件夹是一个独立的证明包：先阅读其中的 README.txt，再运行 verify.sh。
            本页不作任何证明；证明包也不能证明没有其他补充、保全或销毁人脸的记录。</p>
            <table>
            \(rows.joined(separator: "\n"))
            </table>
            </html>

            """
    }
}
