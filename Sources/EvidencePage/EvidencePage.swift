// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import ResultCheck

/// One page that a person can open in a browser, years later and without a network: what a check found, in plain words
/// and two languages, with an area for dropping the files that belong to it (`docs/REPORT.md`).
///
/// The page certifies nothing, least of all itself: it says whether a file matches the page.
package struct EvidencePage {
    /// A line of a list: its label and its value, which may be untrusted text.
    package struct Fact: Sendable {
        let label: PageText
        let value: String

        package init(_ label: PageText, _ value: String) {
            self.label = label
            self.value = value
        }
    }

    /// Further content of the page: the position in an archive, an interval of time, commands.
    package struct Section: Sendable {
        let heading: PageText
        let paragraphs: [PageText]
        let facts: [Fact]
        /// Commands to type, one text for each block.
        let commands: [String]

        package init(
            _ heading: PageText, paragraphs: [PageText] = [], facts: [Fact] = [], commands: [String] = []
        ) {
            self.heading = heading
            self.paragraphs = paragraphs
            self.facts = facts
            self.commands = commands
        }
    }

    /// A file that can be dropped on the page.
    package struct ListedFile: Sendable {
        package let name: String
        let sha256: String
        let byteCount: String

        /// - Parameter sha256: 64 hexadecimal digits.
        package init(name: String, sha256: String, byteCount: UInt64) {
            self.init(name: name, sha256: sha256.lowercased(), size: "\(byteCount)")
        }

        fileprivate init(name: String, sha256: String, size: String) {
            (self.name, self.sha256, byteCount) = (name, sha256, size)
        }
    }

    /// The section between the checks and the further lines.
    package var sections: [Section] = []
    /// The files that can be dropped: initially the opened parts, the result and the report.
    package var files: [ListedFile]
    private let report: CheckedReport

    /// A page about a report.
    ///
    /// - Parameter report: `evidence-report-1`, the JSON of ``EvidenceReport/json``.
    /// - Throws: ``EvidenceError`` (`.json`, `.missing`, `.type`, `.unknownDocument`) if it is not a report.
    package init(report: Span<UInt8>) throws(EvidenceError) {
        self.report = try CheckedReport(json: report)
        let digest = try DigestAlgorithm.sha256.digest(of: report)
        files = (self.report.parts + [self.report.document].compactMap { $0 }).map { part in
            ListedFile(
                name: CheckPart(rawValue: part.name)?.fileName ?? part.name, sha256: part.sha256, size: part.byteCount)
        }
        files.append(
            ListedFile(
                name: CheckPart.report.fileName, sha256: Hex.encode(digest.span), byteCount: UInt64(report.count)))
    }

    /// Writes the page.
    ///
    /// - Parameter shown: photo and video, if the page should show them. Each is shown only if all requirements hold,
    ///   it holds itself, and browsers can show content of its kind and size.
    /// - Returns: which of them it does not show, and why.
    /// - Throws: ``EvidenceError``: what the destination throws.
    @discardableResult
    package func write(
        to destination: any ByteDestination, showing shown: [CheckPart: EmbeddedPart] = [:]
    ) throws(EvidenceError) -> [(part: CheckPart, reason: PageText)] {
        let script = String(decoding: PackageResources.page_js, as: UTF8.self)
        let style = String(decoding: PackageResources.page_css, as: UTF8.self)
        var page = Writer(destination)
        page +=
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            script-src '\(try Self.hash(script))'; style-src '\(try Self.hash(style))'; img-src data:; \
            media-src data:; base-uri 'none'; form-action 'none'">
            <meta name="referrer" content="no-referrer">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Evidence report 检查报告 \(escaped(report.order))</title>
            <style>\(style)</style>
            </head>
            <body>
            <input type="radio" name="language" id="english" checked>
            <input type="radio" name="language" id="chinese">
            <label for="english" lang="en">English</label>
            <label for="chinese" lang="zh-CN">中文</label>
            <main>

            """
        writeHead(to: &page)
        try page.flush()
        var notShown: [(part: CheckPart, reason: PageText)] = []
        for part in [CheckPart.photo, .video] {
            guard let content = shown[part] else { continue }
            if let reason = try write(content, as: part, to: &page) { notShown.append((part, reason)) }
        }
        writeChecks(to: &page)
        writeFiles(to: &page)
        for section in sections { write(section, to: &page) }
        write(
            Section(
                .init("About this check", "本次检查"),
                paragraphs: [
                    .init(
                        "The clock and the versions are those of the machine that checked.", "时间和版本均来自执行检查的机器。")
                ], facts: report.facts), to: &page)
        page += "</main>\n<script>\(script)</script>\n</body>\n</html>\n"
        try page.flush()
        return notShown
    }

    /// The hash by which the policy allows the only script and the only style.
    private static func hash(_ text: String) throws(EvidenceError) -> String {
        let digest = try DigestAlgorithm.sha256.digest(of: Array(text.utf8).span)
        return "sha256-" + String(decoding: Base64.encode(digest.span), as: UTF8.self)
    }

    // MARK: - Parts of the page

    private func writeHead(to page: inout Writer) {
        page += "<h1>\(PageText("Evidence report", "检查报告").html)</h1>\n"
        page += "<p>\(PageText("Order", "订单").html) <code>\(foreign(report.order))</code></p>\n"
        let verdict = ReportWords.verdicts[report.verdict]?.html ?? ""
        page += "<p class=\"verdict \(escaped(report.verdict))\">\(verdict)</p>\n<div class=\"note\">\n"
        for text in Self.limits { page += "<p>\(text.html)</p>\n" }
        if report.isForKeyHolderAlone {
            page +=
                "<p><strong>"
                + PageText(
                    "This report is for the holder of the private key, never for the sender of the result.",
                    "本报告仅供私钥持有者查看，不得提供给结果的提交方。"
                ).html + "</strong></p>\n"
        }
        if report.hasReconstructedHead {
            page +=
                "<p><strong>"
                + PageText(
                    "The first 16 bytes of the video are reconstructed: its digest is not the original's.",
                    "视频的前 16 个字节是推算得出的：其摘要并非原始视频的摘要。"
                ).html + "</strong></p>\n"
        }
        page += "</div>\n"
    }

    /// What a page can prove, and what it cannot.
    private static let limits: [PageText] = [
        .init(
            """
            This page repeats the findings of a check. It proves nothing about itself: anyone can write such a page. A \
            file that is dropped below can match this page; that does not make the page right.
            """,
            "本页转述一次检查的结果，不能证明自身：任何人都能写出这样的网页。下方拖入的文件可以与本页相符，但这并不说明本页属实。"),
        .init(
            """
            Compare the digests with those that were deposited elsewhere at the time. Signatures and times are \
            verified by the commands, not by this page.
            """,
            "请将摘要与当时另行存放的摘要比对。签名和时间须用命令验证，本页不作验证。"),
        .init(
            "Nothing here shows what was in front of the camera, or that it was a living person.",
            "本页的任何内容都不能说明镜头前是什么，也不能说明镜头前是真人。"),
    ]

    /// Writes a part, or writes and returns why it is not shown.
    private func write(
        _ content: EmbeddedPart, as part: CheckPart, to page: inout Writer
    ) throws(EvidenceError) -> PageText? {
        let heading = part == .photo ? PageText("Photo", "照片") : PageText("Video", "视频")
        page += "<h2>\(heading.html)</h2>\n"
        let found = report.parts.first { $0.name == part.rawValue }
        let types = ["jpeg": "image/jpeg", "png": "image/png", "mp4": "video/mp4"]
        let holds = report.items.contains { $0.name == part.rawValue && $0.state == "holds" }
        let reason: PageText
        if report.verdict != "holds" || !holds || report.hasReconstructedHead {
            reason = .init("not all requirements hold", "所要求的各项未全部成立")
        } else if content.isTooLarge {
            reason = .init("it is too large for a page; open the file", "文件过大，无法在页面中显示，请直接打开文件")
        } else if let found, let type = types[found.format] {
            let opening =
                part == .photo
                ? "<img alt=\"\(escaped(heading.english)) \(escaped(heading.chinese))\" src=\"data:\(type);base64,"
                : "<video controls preload=\"metadata\" src=\"data:\(type);base64,"
            page += "<figure>" + opening
            try page.flush()
            try content.writeBase64(to: page.destination)
            page += part == .photo ? "\">" : "\"></video>"
            page += "<figcaption><code>SHA-256 \(escaped(found.sha256))</code></figcaption></figure>\n"
            return nil
        } else {
            reason = .init("it is not a JPEG, PNG or MP4", "不是 JPEG、PNG 或 MP4")
        }
        page += "<p>\(PageText("Not shown:", "未显示：").html) \(reason.html)</p>\n"
        return reason
    }

    private func writeChecks(to page: inout Writer) {
        page += "<h2>\(PageText("What was checked", "检查内容").html)</h2>\n<div class=\"wide\"><table>\n<thead><tr>"
        for heading in [
            PageText("What", "项目"), .init("Found", "结论"), .init("Strength", "强度"), .init("In words", "说明"),
        ] { page += "<th scope=\"col\">\(heading.html)</th>" }
        page += "</tr></thead>\n<tbody>\n"
        for item in report.items {
            let words = ReportWords.items[item.name]
            let strength = item.strength.map { ReportWords.strength($0)?.html ?? foreign($0) } ?? "–"
            page += "<tr><th scope=\"row\">\(words?.name.html ?? foreign(item.name))</th>"
            page += "<td class=\"state \(escaped(item.state))\">\(ReportWords.states[item.state]?.html ?? "")</td>"
            page += "<td>\(strength)</td><td>"
            if item.state == "holds", let words { page += words.meaning.html }
            page += "<span class=\"detail\">\(foreign(item.sentence))</span></td></tr>\n"
        }
        page += "</tbody></table></div>\n<dl>\n"
        for strength in ReportWords.strengths {
            page += "<dt>\(strength.word.html)</dt><dd>\(strength.meaning.html)</dd>\n"
        }
        page += "</dl>\n<h2>\(PageText("What was required", "要求的项目").html)</h2>\n<ul>\n"
        for requirement in report.requirements {
            page += "<li>\(ReportWords.items[requirement.item]?.name.html ?? foreign(requirement.item))"
            if let strength = requirement.strength {
                page += " · " + (ReportWords.strength(strength)?.html ?? foreign(strength))
            }
            if requirement.isIfPresent { page += " " + PageText("(if there is one)", "（如果有）").html }
            page += ": " + (requirement.isMet ? PageText("met", "已满足") : .init("not met", "未满足")).html + "</li>\n"
        }
        page += "</ul>\n"
    }

    private func writeFiles(to page: inout Writer) {
        let about = PageText(
            "The digests of the checked content. Each file has the name under which it is exported, if at all.",
            "所检查内容的摘要。各文件以导出时使用的名称列出（如已导出）。")
        page +=
            "<h2>\(PageText("Files", "文件").html)</h2>\n<p>\(about.html)</p>\n<div class=\"wide\"><table>\n<thead><tr>"
        for heading in [PageText("File", "文件"), .init("Bytes", "字节数"), .init("SHA-256", "SHA-256")] {
            page += "<th scope=\"col\">\(heading.html)</th>"
        }
        page += "</tr></thead>\n<tbody>\n"
        for file in files {
            page += "<tr data-sha256=\"\(escaped(file.sha256))\" data-name=\"\(escaped(file.name))\">"
            page += "<th scope=\"row\">\(foreign(file.name))</th><td>\(escaped(file.byteCount))</td>"
            page += "<td><code>\(escaped(file.sha256))</code></td></tr>\n"
        }
        let drop = PageText(
            "Drop files here, or choose them: the browser computes their SHA-256. They do not leave this computer.",
            "将文件拖到此处或点击选择：由浏览器计算其 SHA-256，文件不会离开本机。")
        page += "</tbody></table></div>\n<div class=\"drop\" id=\"drop\"><label for=\"files\">\(drop.html)</label><br>"
        page += "<input type=\"file\" id=\"files\" multiple></div>\n<ul id=\"results\" aria-live=\"polite\"></ul>\n"
        let name = "<code><bdi class=\"file\"></bdi></code>", digest = "<br><code class=\"digest\"></code>"
        for (answer, state, text, rest) in Self.answers {
            page += "<template id=\"answer-\(answer)\">\(name): <span class=\"\(state)\">\(text.html)</span>"
            page +=
                rest == "listed" ? " <code><bdi class=\"listed\"></bdi></code>\(digest)" : rest.isEmpty ? "" : digest
            page += "</template>\n"
        }
        page += "<noscript><p>"
        page += PageText("Without scripts, use the commands below.", "浏览器已禁用脚本，请使用下面的命令。").html
        page += "</p></noscript>\n"
        let lines = files.filter { $0.name.utf8.allSatisfy(isPlainNameByte) }.map { "\($0.sha256)  \($0.name)" }
        if !lines.isEmpty {
            page +=
                "<p>\(PageText("The same by command, in the folder of the files:", "在文件所在目录用命令完成同样的检查：").html)</p>\n"
            page += "<pre>sha256sum -c - &lt;&lt;'END'\n\(lines.map(escaped).joined(separator: "\n"))\nEND</pre>\n"
            page +=
                "<p>"
                + PageText("On Windows, for each file:", "Windows 下逐个文件执行：").html
                + " <code>certutil -hashfile FILE SHA256</code></p>\n"
        }
    }

    /// The page's answers about a dropped file: the id, its colour, the words, and further details.
    private static let answers: [(id: String, state: String, text: PageText, rest: String)] = [
        ("working", "unchecked", .init("being read …", "正在读取……"), ""),
        ("matches", "holds", .init("matches this page:", "与本页相符："), "listed"),
        (
            "unlisted", "fails",
            .init(
                "matches nothing on this page. It is another file, or it was changed.", "与本页所列的任何文件都不符：它是别的文件，或已被改动。"),
            "digest"
        ),
        (
            "too-large", "unchecked",
            .init(
                "this browser cannot compute it (over 2 GiB?). Use the command below.", "浏览器无法计算（文件超过 2 GiB？），请使用下面的命令。"
            ),
            ""
        ),
        ("failed", "unchecked", .init("could not be read", "无法读取"), ""),
    ]

    private func write(_ section: Section, to page: inout Writer) {
        page += "<h2>\(section.heading.html)</h2>\n"
        for paragraph in section.paragraphs { page += "<p>\(paragraph.html)</p>\n" }
        if !section.facts.isEmpty {
            page += "<dl>\n"
            for fact in section.facts { page += "<dt>\(fact.label.html)</dt><dd>\(foreign(fact.value))</dd>\n" }
            page += "</dl>\n"
        }
        for command in section.commands {
            let lines = command.split(separator: "\n", omittingEmptySubsequences: false)
            page += "<pre>\(lines.map { escaped(String($0)) }.joined(separator: "\n"))</pre>\n"
        }
    }
}

/// Collects text, and writes it out before a part, to keep the bytes in order.
private struct Writer {
    let destination: any ByteDestination
    private var bytes: [UInt8] = []

    init(_ destination: any ByteDestination) { self.destination = destination }

    static func += (writer: inout Writer, text: String) { writer.bytes += Array(text.utf8) }

    mutating func flush() throws(EvidenceError) { try destination.take(&bytes) }
}

/// Whether a name needs no quotation in a list of `sha256sum`.
private func isPlainNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}
