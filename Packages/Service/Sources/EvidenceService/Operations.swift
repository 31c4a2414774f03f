// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import EvidenceStreams
internal import MediaStructure
internal import ResultCheck
internal import VendorDocuments
internal import VendorResults
internal import VendorSigning
internal import VendorTypes

extension EvidenceService {
    /// The operation of a request, from its head and query alone.
    func operation(
        _ route: Route, _ rest: String, _ head: CheckedHead, _ query: inout Query, _ keys: Keys
    ) throws(Problem) -> any Operation {
        do {
            switch route {
            case .open: return try open(head, &query, keys)
            case .photo: return try photo(&query)
            case .check: return try check(head, &query, keys)
            case .inspect: return try inspect(&query)
            case .sign: return sign(keys)
            case .verify: return verify(keys)
            case .codes: return try codes(rest, &query)
            case .seal: return try seal(&query, keys)
            case .health: return try health()
            case .metrics:
                return Values { [self] _ in
                    try Answer(200, "text/plain; version=0.0.4; charset=utf-8", metricsText)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as EvidenceError {
            let isAboutIV = error.code == .iv || error.code == .profile && error.hint == nil
            let hints = [error.hint, Self.ivHint].compactMap(\.self).joined(separator: "; ")
            throw Problem(error, hint: isAboutIV ? hints : nil)
        } catch { throw Problem(500, "failed", "an unexpected failure in the service") }
    }

    // MARK: - Payloads

    private func open(_ head: CheckedHead, _ query: inout Query, _ keys: Keys) throws -> any Operation {
        let order = try order(&query)
        let profile = try profile(&query, keys)
        let iv = try iv(head)
        let part = try query.take("range", form: "FIRST-LAST, two numbers of bytes, counted from 0", Self.range)
        let isPlain = try query.take("plain", form: Self.boolForm, Self.bool) ?? false
        let repairs = try Self.repairs(&query)
        if isPlain {
            guard profile == nil, iv == nil, part == nil else {
                throw Problem(
                    400, "bad-query", "plain excludes profile, Evidence-IV and range: they are for sealed videos")
            }
            let held = try HeldContent(memoryLimit: limits.heldBytes)
            return Receiving(UnsealedContent.video.receiver(of: order, into: held, accepting: repairs)) { report in
                try Answer(opened: held, order: report.orderNo, report.tag, fields: Self.fields(report.repairs))
            }
        }
        let videoKeys = keys.video(profile)
        guard !videoKeys.isEmpty else {
            throw keys.noKey(of: profile)
        }
        if let part {
            guard profile == nil, iv == nil else {
                throw Problem(
                    400, "bad-query", "range excludes profile and Evidence-IV: only evidence-v2 opens in parts")
            }
            return Explaining(
                try Holding(limits.heldBytes) { [limits] payload in
                    try Self.part(part, of: payload, order, keys, repairs, limits)
                }, keys.otherProfiles)
        }
        let held = try HeldContent(memoryLimit: limits.heldBytes)
        guard profile != nil || iv == nil else {
            throw Problem(400, "bad-query", "Evidence-IV needs a profile parameter: evidence-v2 takes no IV")
        }
        var opener = try PayloadOpener(videoKeys, sealedAs: profile ?? .evidenceV2, iv: iv, accepting: .none)
        opener.repairs = repairs
        let opening = Receiving(opener.receiver(of: order, into: held)) { report in
            try Answer(opened: held, order: report.orderNo, report.tag, fields: Self.fields(report.repairs))
        }
        return profile == nil ? Explaining(opening, keys.otherProfiles) : opening
    }

    /// The spellings and texts that are read besides the vendor's common ones, as the command takes them.
    static func repairs(_ query: inout Query) throws -> Set<DocumentRepair.Code> {
        let form = "names of repairs, separated by commas: evidence-tool decrypt --help lists them"
        let named = try query.take("repair", form: form) { text -> [DocumentRepair.Code]? in
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let codes = words.compactMap(DocumentRepair.Code.init(rawValue:)).filter(\.isHarmless)
            return codes.count == words.count ? codes : nil
        }
        guard try query.take("strict", form: boolForm, bool) ?? false else {
            return DocumentRepair.Code.documented.union(named ?? [])
        }
        guard named == nil else { throw Problem(400, "bad-query", "repair and strict exclude each other") }
        return []
    }

    private static func fields(_ repairs: [DocumentRepair]) -> [(String, String)] {
        repairs.isEmpty ? [] : [("Evidence-Repairs", repairs.map(\.code.rawValue).joined(separator: ","))]
    }

    /// A part of an `evidence-v2` video, from a complete payload.
    private static func part(
        _ range: ClosedRange<UInt64>, of payload: HeldContent, _ order: OrderNumber, _ keys: Keys,
        _ repairs: Set<DocumentRepair.Code>, _ limits: ServiceLimits
    ) throws -> Answer {
        var opener = PayloadOpener(keys.video(nil))
        opener.repairs = repairs
        let video = try opener.parts(of: order, from: payload)
        guard range.lowerBound < video.byteCount else {
            var problem = Problem(416, "no-such-range", "the video has \(video.byteCount) bytes")
            problem.fields = [("Content-Range", "bytes */\(video.byteCount)")]
            throw problem
        }
        let end = min(range.upperBound, video.byteCount - 1)
        let held = try HeldContent(memoryLimit: limits.heldBytes)
        try video.read(range.lowerBound..<end + 1, into: held)
        try held.finish()
        return try Answer(
            opened: held, order: video.orderNo, .order,
            fields: [("Evidence-Range", "\(range.lowerBound)-\(end)/\(video.byteCount)")]
                + Self.fields(video.repairs))
    }

    private func photo(_ query: inout Query) throws -> any Operation {
        let held = try HeldContent(memoryLimit: limits.heldBytes)
        let order = try order(&query)
        let repairs = try Self.repairs(&query)
        guard query.take("profile") == nil else {
            throw Problem(
                400, "bad-query", "/v1/photo takes no profile: the SDK does not seal the photo",
                hint: "leave it out; for the video, it goes to /v1/open")
        }
        return Receiving(UnsealedContent.photo.receiver(of: order, into: held, accepting: repairs)) { report in
            switch held.media {
            case .jpeg, .png:
                return try Answer(
                    opened: held, order: report.orderNo, report.tag, fields: Self.fields(report.repairs))
            default: throw EvidenceError(.image, "the photo is not a complete JPEG or PNG")
            }
        }
    }

    private func inspect(_ query: inout Query) throws -> any Operation {
        let order = try query.take("orderNo") { try OrderNumber($0) }
        let isStrict = try query.take("strict", form: Self.boolForm, Self.bool) ?? false
        let receiver = DocumentInspection.Receiver(isStrict ? .strict : .tolerant, expecting: order)
        return Receiving(receiver) { inspection in
            switch inspection.order {
            case .otherOrder: throw EvidenceError(.otherOrder, "the document is for a different order than expected")
            case .noOrder: throw EvidenceError(.missing, "the document has no orderNo")
            case .passed, .notPassed, .payloadAlone, nil: return try Answer(json: inspection.json)
            }
        }
    }

    private func seal(_ query: inout Query, _ keys: Keys) throws -> any Operation {
        guard let key = keys.video(nil).first else {
            throw Self.notEnabled("this needs a service that was started with --key")
        }
        var sealer = try PayloadSealer(orderNo: order(&query), to: key.publicKey)
        sealer.threads = 1
        return try Holding(limits.heldBytes) { [sealer, limits] video in
            let payload = try HeldContent(memoryLimit: limits.heldBytes)
            try sealer.seal(video, into: payload)
            guard let digest = payload.digest, let size = payload.size else {
                throw EvidenceError(.cannotRead, "the sealed payload is missing")
            }
            return Answer(200, "application/json", .source(payload, size), digest: digest.sha256)
        }
    }

    // MARK: - Signs, codes, health

    private func sign(_ keys: Keys) -> any Operation {
        Values { [self] body in
            let (members, recipe, values) = try Self.values(body, besides: ["nonceTicket"])
            let ticket: Ticket
            if let nonce = try members.text("nonceTicket") {
                ticket = try Ticket(.nonce, SecretBytes(copying: Array(nonce.utf8).span))
            } else if recipe.ticketKind == .sign, let first = try tickets(keys).first {
                ticket = first
            } else {
                throw EvidenceError(
                    .ticketKind,
                    "\(recipe.name) needs a \(recipe.ticketKind.rawValue) ticket",
                    hint: recipe.ticketKind == .sign
                        ? "start the service with --ticket-folder or --ticket-file"
                        : "send it in the member nonceTicket")
            }
            return try Answer(json: values.json(of: values.sign(with: ticket)))
        }
    }

    private func verify(_ keys: Keys) -> any Operation {
        Values { [self] body in
            let (members, _, values) = try Self.values(body, besides: ["sign"])
            guard let sign = try members.text("sign") else {
                throw EvidenceError(.missing, "the member sign is missing")
            }
            let tickets = try tickets(keys)
            guard !tickets.isEmpty else {
                throw Self.notEnabled(
                    "this needs a service that was started with --ticket-folder or --ticket-file")
            }
            try values.requireSignable()
            return try Answer(json: values.json(of: values.verify(sign, with: tickets)))
        }
    }

    private static func values(
        _ body: [UInt8], besides names: [String]
    ) throws -> (JSONMembers, SignRecipe, SignInput) {
        let members = try JSONMembers(body, knowing: ["recipe", "values"] + names)
        guard let name = try members.text("recipe"), let values = try members.texts("values") else {
            throw EvidenceError(.missing, "the members recipe and values are required")
        }
        let recipe = try SignRecipe(named: name)
        let assignments = values.map { SignAssignment(name: $0.name, value: $0.value) }
        return (members, recipe, try SignInput(recipe, assignments))
    }

    private func codes(_ code: String, _ query: inout Query) throws -> any Operation {
        let family = try query.take("domain", form: "the domain of an error, as the SDK has it") {
            FaceCodeFamily(name: $0)
        }
        return Values { _ in
            let meanings = FaceErrorMeaning.all(of: code, in: family)
            guard !meanings.isEmpty else { throw Problem(404, "unknown-code", "no meaning is known for this code") }
            return try Answer(json: FaceErrorMeaning.json(of: meanings))
        }
    }

    private func health() throws -> any Operation {
        Values { [self] _ in
            try requireRunning()
            try requireMemory()
            try requireSpool()
            return try Answer(200, "text/plain; charset=utf-8", "ok\n")
        }
    }

    // MARK: - Values of the query

    func order(_ query: inout Query) throws(Problem) -> OrderNumber {
        guard let order = try query.take("orderNo", { try OrderNumber($0) }) else {
            throw Problem(
                400, "bad-query", "orderNo is missing",
                hint: "send the order number that you expect, from your own records")
        }
        return order
    }

    /// A profile, if the service was started with it.
    func profile(_ query: inout Query, _ keys: Keys) throws(Problem) -> Profile? {
        guard let name = query.take("profile") else { return nil }
        guard let profile = keys.profiles[name] else {
            throw Problem(
                403, "not-enabled", "the service was not started with a profile of this name (--profile)",
                hint: "its profiles: \(keys.profiles.keys.sorted().joined(separator: ", "))")
        }
        return profile
    }

    /// From a header, because proxies log queries.
    func iv(_ head: CheckedHead) throws(Problem) -> [UInt8]? {
        guard let text = try head.fields.one("Evidence-IV") else { return nil }
        guard let iv = try? Hex.decode(Array(text.utf8).span), (1...128).contains(iv.count) else {
            throw Problem(400, "bad-head", "Evidence-IV must be 2 to 256 hexadecimal digits", hint: Self.ivHint)
        }
        return iv
    }

    /// For an IV that was sent as text, too: its characters may be hexadecimal digits by chance.
    private static let ivHint = """
        the header Evidence-IV has the IV in hexadecimal, 32 digits for 16 bytes: an IV that is the text \
        0123456789abcdef is sent as 30313233343536373839616263646566
        """

    static func notEnabled(_ title: String) -> Problem {
        Problem(
            403, "not-enabled", title,
            hint: "the options of evidence-service decide what is enabled: evidence-service --help")
    }

    static let boolForm = "true or false"

    static func bool(_ text: String) -> Bool? { ["true": true, "false": false][text] }

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last
        else { return nil }
        return first...last
    }
}
