// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import ResultCheck
internal import VendorDocuments

/// The parts of a report that the page shows: `evidence-report-1`, read from its JSON.
struct CheckedReport {
    struct Item {
        let name: String
        let state: String
        let strength: String?
        let sentence: String
    }

    struct Requirement {
        let item: String
        let strength: String?
        let isIfPresent: Bool
        let isMet: Bool
    }

    struct Part {
        let name: String
        let format: String
        let sha256: String
        let byteCount: String
    }

    let verdict: String
    let order: String
    let items: [Item]
    let requirements: [Requirement]
    /// The opened parts.
    let parts: [Part]
    /// The result itself.
    let document: Part?
    let isForKeyHolderAlone: Bool
    /// Whether the video's first bytes are a guess.
    let hasReconstructedHead: Bool
    /// The further lines: labels and values.
    let facts: [EvidencePage.Fact]

    /// - Throws: ``EvidenceError`` (`.json`, `.missing`, `.type`, `.unknownDocument`).
    init(json: Span<UInt8>) throws(EvidenceError) {
        var reader = DocumentReader()
        try reader.append(json)
        let root = try reader.finish().root
        guard try root.wanted("schema") == EvidenceReport.schema else {
            throw EvidenceError(.unknownDocument, "a page shows a report, \(EvidenceReport.schema)")
        }
        verdict = try root.wanted("verdict", of: ReportWords.verdicts.keys)
        order = try root.wanted("order")
        items = try root.list("items").map { item throws(EvidenceError) in
            Item(
                name: try item.wanted("name"), state: try item.wanted("state", of: ReportWords.states.keys),
                strength: item.member("strength")?.text, sentence: try item.wanted("sentence"))
        }
        requirements = try root.list("requirements").map { requirement throws(EvidenceError) in
            Requirement(
                item: try requirement.wanted("item"), strength: requirement.member("strength")?.text,
                isIfPresent: requirement.isTrue("ifPresent"), isMet: requirement.isTrue("met"))
        }
        parts = try root.list("parts").map { part throws(EvidenceError) in
            try Part(part, name: try part.wanted("name"), format: try part.wanted("format"))
        }
        document = try root.object("document").map { part throws(EvidenceError) in
            try Part(part, name: "result", format: "json")
        }
        isForKeyHolderAlone = root.member("audience")?.text != "operator"
        hasReconstructedHead = root.isTrue("reconstructedHead")

        var facts: [EvidencePage.Fact] = [
            .init(.init("Checked at (our clock)", "检查时间（本机时钟）"), try root.wanted("checkedAt")),
            .init(.init("Age judged as of", "时效判断基准时间"), try root.wanted("asOf")),
        ]
        for key in try root.list("keys") {
            facts.append(
                .init(
                    .init("Private key for", "私钥用途"), "\(try key.wanted("part")), SHA-256 \(try key.wanted("sha256"))"))
        }
        if let profile = root.object("profile") {
            facts.append(.init(.init("Video sealed as", "视频加密格式"), try profile.wanted("name")))
        }
        if let device = root.object("device") {
            facts.append(.init(.init("Device's signature", "设备签名"), try device.wanted("outcome")))
            if let key = device.member("key")?.text { facts.append(.init(.init("Device key", "设备公钥指纹"), key)) }
            for name in try device.list("covered") where name.text?.hasPrefix("$.") == true {
                facts.append(.init(.init("Also covered by the device", "设备签名另外覆盖"), name.text ?? ""))
            }
            for path in try device.list("uncovered") {
                facts.append(.init(.init("Not covered by the device", "设备签名未覆盖"), path.text ?? ""))
            }
        }
        for repair in try root.list("repairs") {
            facts.append(
                .init(.init("Read differently from the documentation", "按修正方式读取"), try repair.wanted("sentence")))
        }
        if let versions = root.object("versions") {
            facts.append(.init(.init("EvidenceKit", "EvidenceKit 版本"), try versions.wanted("evidenceKit")))
            facts.append(.init(.init("OpenSSL", "OpenSSL 版本"), try versions.wanted("openSSL")))
        }
        self.facts = facts
    }
}

extension CheckedReport.Part {
    fileprivate init(_ value: DocumentValue, name: String, format: String) throws(EvidenceError) {
        guard let count = value.member("byteCount"), case .number(let byteCount) = count.content else {
            throw value.fault(.type, "byteCount must be a number")
        }
        let sha256 = try value.wanted("sha256")
        guard (try? Hex.decode(Array(sha256.utf8).span))?.count == 32 else {
            throw value.fault(.type, "sha256 must be 64 hexadecimal digits")
        }
        self.init(name: name, format: format, sha256: sha256.lowercased(), byteCount: byteCount)
    }
}

extension DocumentValue {
    /// The text of a required member.
    fileprivate func wanted(_ name: String) throws(EvidenceError) -> String {
        guard let member = member(name) else { throw fault(.missing, "\(name) is absent") }
        guard let text = member.text else { throw member.fault(.type, "\(name) must be a short string") }
        return text
    }

    /// The same with a fixed set of values.
    fileprivate func wanted(_ name: String, of words: some Collection<String>) throws(EvidenceError) -> String {
        let text = try wanted(name)
        guard words.contains(text) else { throw fault(.type, "\(name) is unknown") }
        return text
    }

    fileprivate func list(_ name: String) throws(EvidenceError) -> [DocumentValue] {
        guard let member = member(name) else { throw fault(.missing, "\(name) is absent") }
        guard case .array(let values) = member.content else { throw member.fault(.type, "\(name) must be an array") }
        return values
    }

    fileprivate func object(_ name: String) -> DocumentValue? {
        guard let member = member(name), member.isObject else { return nil }
        return member
    }

    fileprivate func isTrue(_ name: String) -> Bool {
        if case .bool(true) = member(name)?.content { true } else { false }
    }
}
