// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit

/// One request, from its head to the end of its answer. It belongs to one thread at a time.
public final class RequestWork {
    /// Whether the body is not read: ``finish()`` has the answer now, and the connection ends with it.
    public private(set) var refusesBody = false
    /// Whether the client waits to be asked for the body.
    public private(set) var expectsContinue = false
    /// Whether the body comes in chunks.
    public private(set) var isChunked = false
    /// Bytes of the body so far.
    public private(set) var received: UInt64 = 0
    /// Its first bytes.
    private var beginning: [UInt8] = []

    private let service: EvidenceService
    private let peer: RequestHead.Peer
    private let id = RequestWork.freshID()
    private let begun = ContinuousClock.now
    private var method = "-"
    private var route: Route?
    private var problem: Problem?
    private var place: Admission.Slot?
    private var operation: (any Operation)?
    private var limit: UInt64 = 0
    private var isLengthKnown = false
    private var status = 0
    private var sent: UInt64 = 0
    /// Whether its end, though it has no whole answer of its own, is not the client's doing.
    private var wasCut = false
    private var isOver = false

    init(_ service: EvidenceService, _ peer: RequestHead.Peer) { (self.service, self.peer) = (service, peer) }

    deinit {
        // Nobody called `end`: the client has disconnected.
        if !isOver { end(isWhole: false) }
    }

    func refuse(_ problem: Problem) {
        self.problem = problem
        if problem.closes { refusesBody = true }
        operation = nil
        place = nil
    }

    func prepare(_ head: RequestHead, _ service: EvidenceService) throws(Problem) {
        let keys = service.keys.now
        let checked = try CheckedHead(head, hosts: service.configuration.hosts, service.limits)
        method = checked.method?.rawValue ?? "-"
        (expectsContinue, isChunked) = (checked.expectsContinue, checked.framing == .chunked)
        // What nobody reads: it is ignored, with whatever comes after it.
        refusesBody = checked.method != .post && checked.hasBody
        try service.requireAllowed(checked, keys)
        do throws(Problem) { try begin(checked, keys) } catch {
            throw error.closing(checked.framing, checked.expectsContinue)
        }
    }

    private func begin(_ head: CheckedHead, _ keys: Keys) throws(Problem) {
        if head.method == .options, ["*", "/"].contains(head.path) {
            operation = Self.allowing("GET, HEAD, POST, OPTIONS")
            return
        }
        let (route, rest) = try Self.route(head.path)
        self.route = route
        try service.requireOffered(route)
        if head.method == .options {
            operation = Self.allowing(route.allowed)
            return
        }
        guard head.method == route.method || head.method == .head && route.method == .get else {
            // After an unknown method, it is unclear what follows.
            var problem = Problem(
                405, "wrong-method", "this path supports only \(route.method.rawValue)", closes: head.method == nil)
            problem.fields = [("Allow", route.allowed)]
            throw problem
        }
        if route != .health { try service.requireRunning() }
        var query = Query(head.query)
        if route.method == .post {
            guard head.hasBody else { throw Self.noBody }
            try checkType(head, route)
            limit = route.isSmall ? service.limits.smallBodyBytes : service.limits.bodyBytes
            try service.requireMemory()
            let place = try service.admission.enter()
            if case .length(let length) = head.framing {
                guard length <= limit else { throw tooLarge() }
                isLengthKnown = true
                try place.reserve(room(for: length))
            }
            self.place = place
        }
        operation = try service.operation(route, rest, head, &query, keys)
        try query.end()
    }

    private func checkType(_ head: CheckedHead, _ route: Route) throws(Problem) {
        let words = (try head.fields.one("Content-Type") ?? "").lowercased()
            .split(separator: ";", omittingEmptySubsequences: false).map(HeadFields.trimmed)
        // The only parameter that could change what the bytes mean.
        let charsets = words.dropFirst().compactMap { word in
            word.hasPrefix("charset=") ? word.dropFirst(8).filter { $0 != "\"" } : nil
        }
        guard route.types.contains(words[0]), charsets.allSatisfy({ ["utf-8", "utf8", "us-ascii"].contains($0) })
        else {
            throw Problem(
                415, "wrong-content-type", "the Content-Type must be \(route.types.joined(separator: " or ")) in UTF-8")
        }
    }

    private static let noBody = Problem(
        400, "no-body", "this path needs a document, and the request has no body",
        hint: "something that reads the body first, such as a body parser, leaves nothing to send")

    private static func allowing(_ methods: String) -> Values {
        Values { _ in try Answer(200, "text/plain; charset=utf-8", "", fields: [("Allow", methods)]) }
    }

    private static func route(_ path: String) throws(Problem) -> (Route, String) {
        let codes = Route.codes.rawValue + "/"
        if let route = Route(rawValue: path), route != .codes { return (route, "") }
        if path.utf8.starts(with: codes.utf8), path.utf8.count > codes.utf8.count {
            return (.codes, String(path.dropFirst(codes.count)))
        }
        throw .noSuchPath
    }

    private func tooLarge() -> Problem {
        Problem(413, "body-too-large", "the body is longer than \(limit) bytes", closes: true)
    }

    /// Reserves disk space for a body of that length, less what stays in memory.
    private func room(for length: UInt64) -> UInt64 {
        length <= UInt64(service.limits.heldBytes) / 4 ? 0 : length * (route?.spoolFactor ?? 0)
    }

    // MARK: - The body

    /// Takes the next bytes of the body. An error is kept for ``finish()``, and the rest is ignored.
    ///
    /// - Returns: whether to continue reading; otherwise ``finish()`` has the answer, and the connection ends with it.
    public func append(_ bytes: Span<UInt8>) -> Bool {
        received += UInt64(bytes.count)
        // Without a limit, this is the short body of a request whose head was refused: `Problem.closing`.
        guard limit == 0 || received <= limit else {
            refuse(tooLarge())
            return false
        }
        if beginning.count < 16 {
            for index in bytes.indices.prefix(16 - beginning.count) { beginning.append(bytes[index]) }
        }
        guard problem == nil, let operation else { return true }
        do {
            // In steps, because each reservation takes a lock; in small ones, where all of it is little.
            let step = min(16 << 20, max(64 << 10, service.limits.spoolBytes / 16))
            if !isLengthKnown { try place?.reserve(room(for: min(limit, (received / step + 1) * step))) }
            service.admission.beginComputing()
            defer { service.admission.endComputing() }
            try operation.append(bytes)
        } catch { fail(error) }
        return true
    }

    private func fail(_ error: any Error) {
        switch error {
        case let problem as Problem: refuse(problem)
        case let error as EvidenceError: refuse(Problem(error))
        default: refuse(Problem(500, "failed", "an unexpected failure in the service"))
        }
    }

    /// Refuses trailers that could contradict the head.
    public func take(trailers: [[UInt8]]) {
        do throws(Problem) { try HeadFields.check(trailers: trailers) } catch { refuse(error) }
    }

    /// Refuses a body whose chunks are none.
    public func refuseChunks() { refuse(Problem.malformed("the chunks of the body are malformed")) }

    /// Ends the request because its connection is cut.
    ///
    /// - Parameter isAnswered: whether its answer has begun, whose status then stays what was sent; otherwise that
    ///   answer is not sent, whatever it would have been.
    public func cut(_ reason: Cut, isAnswered: Bool) {
        wasCut = true
        if isAnswered, problem != nil { return }
        refuse(reason.problem)
        if !isAnswered { status = reason.problem.status }
    }

    /// Ends the request because the engine has refused its body itself, in its own words.
    public func refuse(asEngineDid status: Int) {
        self.status = status
        wasCut = true
    }

    /// The answer, after the last byte of the body. Call it once.
    public func finish() -> Answer {
        var answer: Answer?
        // What is no document for a reason of its own.
        if limit > 0, problem == nil || problem?.code == "invalid-json" {
            if isNothing { refuse(Self.noBody) }
            if isCompressed {
                refuse(Problem(415, "encoded-body", "the body is compressed (gzip or zstd): send it as it is"))
            }
        }
        if problem == nil, let operation {
            service.admission.beginComputing()
            defer { service.admission.endComputing() }
            do { answer = try operation.finish() } catch { fail(error) }
        }
        operation = nil
        let result =
            answer
            ?? Answer(
                problem ?? Problem(500, "failed", "an unexpected failure in the service"), instance: "urn:uuid:\(id)")
        status = result.status
        var named = result
        named.fields.append(("Evidence-Request-Id", id))
        return named
    }

    /// Whether the body is empty, or what a language writes for a value that is not there.
    private var isNothing: Bool {
        guard received == UInt64(beginning.count) else { return false }
        let text = String(decoding: beginning, as: UTF8.self).filter { !$0.isWhitespace }
        // Express has it for a body that no parser took, and JSON.stringify for a file.
        if route == .check, text == "{}" { return true }
        return ["", "null", "None", "undefined", "nil", "NaN", "[objectObject]", "\"\""].contains(text)
    }

    private var isCompressed: Bool {
        [[0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD]].contains { beginning.starts(with: $0) }
    }

    // MARK: - The end

    /// Counts bytes of the answer that were sent.
    public func sent(_ count: UInt64) { sent += count }

    /// Ends the request: the answer was sent, or the client disconnected.
    public func end(isWhole: Bool) {
        if isOver { return }
        isOver = true
        operation = nil
        place = nil
        let time = begun.duration(to: .now).components
        let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
        // 499, as in nginx: the client disconnected.
        let status = isWhole || wasCut ? status : 499
        if status == 499 { service.metrics.countAborted() }
        let name = route?.rawValue ?? "-"
        service.metrics.count(name, status, seconds: seconds, bytesIn: received, bytesOut: sent)
        let who =
            switch peer {
            case .user(let user): "uid=\(user)"
            case .loopback: "tcp"
            }
        let problem = self.problem.map { " code=\($0.code)" } ?? ""
        service.note(
            "id=\(id) method=\(method) route=\(name) status=\(status)\(problem) in=\(received) out=\(sent) "
                + "ms=\(UInt64(seconds * 1_000)) \(who)")
    }

    /// A UUID (RFC 9562, version 4).
    private static func freshID() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = (generator.next() & ~0xF000) | 0x4000
        let low = (generator.next() & ~(3 << 62)) | (2 << 62)
        func hex(_ number: UInt64, _ digits: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: digits - text.count) + text
        }
        return [
            hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
            hex(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
