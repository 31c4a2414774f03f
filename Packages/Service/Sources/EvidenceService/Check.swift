// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import EvidenceStreams
internal import MediaStructure
internal import ResultCheck
internal import VendorDocuments
internal import VendorTypes

extension EvidenceService {
    /// A check: its report and, if everything required holds, the requested parts.
    func check(_ head: CheckedHead, _ query: inout Query, _ keys: Keys) throws -> any Operation {
        var checker = ResultChecker(expecting: try order(&query), at: try now())
        (checker.comparingKeys, checker.tickets) = (keys.comparing, try tickets(keys))
        checker.appId = configuration.appId
        checker.threads = 1
        let required = try policy(&checker, &query)
        let named = try profile(&query, keys)
        (checker.profile, checker.iv, checker.videoKeys) = (named ?? .evidenceV2, try iv(head), keys.video(named))
        if checker.iv != nil, named == nil {
            throw Problem(400, "bad-query", "Evidence-IV needs a profile parameter: evidence-v2 takes no IV")
        }
        // The vendor seals its statement for a service of its own, whose key is not this one.
        if !checker.profile.sealsLike(.evidenceV2), let required, Self.leavesStatementOut(required),
            checker.maximumAge == nil, checker.userId == nil || checker.device != nil
        {
            checker.comparingKeys = []
        }
        if checker.videoKeys.isEmpty { checker.videoKeyHint = keys.otherKeys }
        if let required { try requireMeans(for: checker, required, keys.noKey(of: named)) }
        let isOracle = checker.profile.isOracle
        let wanted = try query.take("parts", form: "a list of video, photo, statement, each once", Self.parts) ?? []
        let folder = try query.take(
            "extract", form: "1 to 128 letters, digits, '.', '-' or '_', not beginning with '.'", Self.folderName)
        guard wanted.isEmpty || folder == nil else {
            throw Problem(
                400, "bad-query", "give parts or extract: the parts come in the response or in a folder")
        }
        if let folder {
            guard let root = configuration.extractFolder else {
                throw Self.notEnabled("extract needs a service that was started with --extract-folder")
            }
            // If the report would be an oracle, only the receipt is returned. Whether the name can be used again must
            // not show what was found either: a file beside the folder takes it for good.
            let reservation = isOracle ? try NameOnce(path: "\(root)/.\(folder).asked") : nil
            let receiver = try checker.receiver(keeping: .folder("\(root)/\(folder)"))
            return Checking(receiver, reserving: reservation) { try Self.answer($0) }
        }
        if wanted.isEmpty { return Checking(try checker.receiver()) { try Self.answer($0) } }
        guard try Self.accepts("multipart/mixed", head.fields.elements("Accept")) else {
            throw Problem(400, "bad-head", "a request with parts needs the header Accept: multipart/mixed")
        }
        guard !isOracle else {
            throw Self.notEnabled("under this profile a check returns only a receipt, never parts")
        }
        var held: [CheckPart: HeldContent] = [:]
        for part in wanted { held[part] = try HeldContent(memoryLimit: limits.heldBytes) }
        return Checking(try checker.receiver(keeping: .destinations(held))) { answer in
            guard case .report(let report) = answer else { return try Self.answer(answer) }
            return try Self.multipart(report, wanted.compactMap { part in held[part].map { (part, $0) } })
        }
    }

    /// The report, or under a profile that makes an oracle of it only the receipt.
    private static func answer(_ answer: CheckAnswer) throws -> Answer {
        switch answer {
        case .report(let report): try Answer(json: report.json)
        case .forKeyHolderAlone: try Answer(json: answer.receipt.json)
        }
    }

    /// Refuses a requirement that no result could meet, by its name.
    ///
    /// - Parameters:
    ///   - list: the requirements, as the request names them.
    ///   - noKey: the refusal where the service's keys for videos are for other profiles.
    private func requireMeans(
        for checker: ResultChecker, _ list: String, _ noKey: @autoclosure () -> Problem
    ) throws(Problem) {
        func requires(_ item: CheckItem.Name) -> Bool { checker.requirements.list.contains { $0.item == item } }
        let lacksKey = requires(.video) && checker.videoKeys.isEmpty
        if lacksKey, checker.videoKeyHint != nil { throw noKey() }
        // In the list default, a statement is required only where there is one.
        let isStatementNamed = list.split(separator: ",").contains { $0.hasPrefix("statement") }
        let missing: [(item: String, isMissing: Bool, option: String)] = [
            ("sign", requires(.sign) && !configuration.hasTickets, "--app-id ID --ticket-folder DIR"),
            ("video", lacksKey, "--key FILE, for a profile --key NAME=FILE"),
            ("statement", isStatementNamed && checker.comparingKeys.isEmpty, "--compare-key FILE"),
            ("device", requires(.device) && configuration.deviceKeyFolder == nil, "--device-keys DIR --app-id ID"),
        ]
        if let (item, _, option) = missing.first(where: \.isMissing) {
            throw Problem(
                403, "not-enabled", "require=\(list) names \(item), which this service was not started to check",
                hint: "start it with \(option), or require something else")
        }
        guard !requires(.answer) else {
            throw Problem(
                400, "bad-query", "require=\(list) names answer, and the service has no answer of the vendor's",
                hint: "evidence-tool check --answer compares one")
        }
    }

    /// Whether a list is for results of the vendor's SDK, and needs nothing of the statement.
    private static func leavesStatementOut(_ list: String) -> Bool {
        let words = list.split(separator: ",")
        return words.contains("vendor")
            && !words.contains { $0 == "default" || $0.hasPrefix("statement") || $0.hasSuffix(":bound") }
    }

    /// - Returns: the requirements, as the request names them; `nil` for none.
    private func policy(_ checker: inout ResultChecker, _ query: inout Query) throws -> String? {
        checker.userId = try query.take("userId") { try UserId($0).value }
        checker.maximumAge = try query.take("maxAge", form: "a number of seconds, up to 31536000") { text in
            guard !text.hasPrefix("+"), let count = Int64(text), (1...31_536_000).contains(count) else { return nil }
            return Duration.seconds(count)
        }
        checker.asOf = try query.take("at", form: "a time such as 2026-11-21T08:30:00.000Z") { UTCTime($0) }
        var required: String?
        if let requirements = try query.take(
            "require",
            { text in
                required = text
                return try CheckRequirements(parsing: text)
            })
        {
            guard !requirements.list.contains(where: { $0.item == .statementNonce }) else {
                throw Problem(
                    400, "bad-query", "the service cannot check statement.nonce, because it does not store nonces")
            }
            checker.requirements = requirements
        }
        checker.repairs = try Self.repairs(&query)
        checker.digestsLongFields =
            try query.take("reportDigests", form: "short or all") { ["short": false, "all": true][$0] } ?? false
        if let challenge = try query.take(
            "challenge", form: "16 to 64 characters of URL-safe base64", { DeviceChallenge($0) })
        {
            guard let folder = configuration.deviceKeyFolder, checker.appId != nil else {
                throw Self.notEnabled("challenge needs a service that was started with --device-keys and --app-id")
            }
            checker.device = DeviceExpectation(keys: RegisteredDeviceKeys(folder: folder), challenge: challenge)
        }
        if checker.comparingKeys.isEmpty {
            // Nothing in the report would say that they were not compared.
            if checker.userId != nil, checker.device == nil {
                throw Self.notEnabled(
                    "userId needs a challenge in the request, or a service that was started with --compare-key")
            }
            guard checker.maximumAge == nil else {
                throw Self.notEnabled("maxAge needs a service that was started with --compare-key")
            }
        }
        return required
    }

    /// Whether an Accept list (RFC 9110 §12.5.1) names this type. `*/*` does not count: many clients send it always.
    private static func accepts(_ type: String, _ accepted: [String]) -> Bool {
        accepted.contains { item in
            let words = item.split(separator: ";").map(HeadFields.trimmed)
            // A weight of zero means "not this one".
            let isRefused = words.contains { $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { ".0".contains($0) } }
            return words.first == type && !isRefused
        }
    }

    private static func parts(_ text: String) -> [CheckPart]? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let parts = names.compactMap { name in [CheckPart.statement, .photo, .video].first { $0.rawValue == name } }
        return parts.count == names.count && Set(parts).count == parts.count ? parts : nil
    }

    /// A valid name for a new folder inside the folder of the service; it cannot lead anywhere else.
    private static func folderName(_ text: String) -> String? {
        let isName = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
        }
        return isName && (1...128).contains(text.utf8.count) && !text.hasPrefix(".") ? text : nil
    }

    /// The report, followed by the parts that were kept (RFC 2046 §5.1.3), with length and digest.
    private static func multipart(
        _ report: EvidenceReport, _ parts: [(CheckPart, HeldContent)]
    ) throws -> Answer {
        var generator = SystemRandomNumberGenerator()
        let boundary = "evidence-" + String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
        var sources: [any ByteSource] = []
        func add(_ part: CheckPart, _ type: String, _ content: any ByteSource, _ digest: ContentDigest) {
            let head = """
                --\(boundary)\r
                Content-Type: \(type)\r
                Content-Disposition: attachment; name="\(part.rawValue)"; filename="\(part.fileName)"\r
                Content-Length: \(digest.byteCount)\r
                Repr-Digest: sha-256=:\(String(decoding: Base64.encode(digest.sha256.span), as: UTF8.self)):\r
                \r

                """
            sources += [MemorySource(Array(head.utf8)), content, MemorySource(Array("\r\n".utf8))]
        }
        let json = MemorySource(Array(report.json.utf8))
        let digest = try ContentDigest(of: json)
        json.seek(to: 0)
        add(.report, "application/json", json, digest)
        for (part, content) in parts {
            guard let digest = content.digest else { continue }
            let type =
                switch (part, content.media) {
                case (.statement, _): "application/json"
                case (_, .mp4): "video/mp4"
                case (_, .jpeg): "image/jpeg"
                case (_, .png): "image/png"
                default: "application/octet-stream"
                }
            add(part, type, content, digest)
        }
        sources.append(MemorySource(Array("--\(boundary)--\r\n".utf8)))
        let all = Sequenced(sources)
        let whole = try ContentDigest(of: all)
        try all.seek(to: 0)
        return Answer(
            200, "multipart/mixed; boundary=\(boundary)", .source(all, whole.byteCount), digest: whole.sha256)
    }
}
