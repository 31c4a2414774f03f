// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
internal import FoundationEssentials
internal import SignDiagnosis
internal import Synchronization

/// Simulates the vendor's server for a backend under test, without a network. It serves one appId.
///
/// Its calls, its JSON reader and its HTTP are its own: with the code that it tests it shares sign recipes, plain
/// values, and the ``PayloadAssembler`` that makes what its phone returns in simple mode. `docs/VENDOR-SERVER.md`
/// lists its scenarios and addresses.
///
/// **Documented** by the vendor:
///
/// - A token lives 7200 s; a new one invalidates the earlier ones after 60 s, and tickets become invalid with
///   their token. A SIGN ticket lives 3600 s, and 60 s more once a new one replaces it. Changing the secret
///   invalidates all.
/// - A NONCE ticket lives 120 s, is for one user and one launch, and can be fetched once per 2 s (400504).
/// - Every wrong sign is refused with 400101. Lengths, characters, version (400502) and body size (400601) are
///   checked.
/// - A face id lives 300 s and is launched once. A launch uses up its ticket, sets a cookie, and answers with a
///   redirect; a second visit gets 签名不合法 ("invalid sign"), one without the cookie 3002.
/// - A query gets 66660011 after the user left, and after the result was deleted. Photo and video come 1.5 s after
///   the verdict; they may be missing if the code is not 0.
///
/// **Inferred** from its pages and public code: a launch signed with a SIGN ticket gets 签名不合法, or is accepted
/// (`--sign-ticket-launches`); a query before the scan is over gets 66660011, a second launch of a face id
/// 66660018; a HEAD request uses up the ticket; refusals have status 200; answers vary in form with `--vary`.
///
/// **Invented** for tests: the scenarios and addresses; 77770001 for a used order number, 77770002 for an unknown
/// scenario; limits of 20 calls a second and 10 attempts of a user in a day; faults (`--faults`, `--latency`); a
/// warning in the log, with `--strict` a refusal, if `?orderNo=` is missing; the sandbox's address as `optimalDomain`,
/// with `--vary` sometimes absent.
public final class SandboxService: Sendable {
    /// Its settings.
    public struct Settings: Sendable {
        /// Its appId, which must begin with `TIDA`, as test ids do.
        public var appId = "TIDA0001"
        /// The appId's secret.
        public var secret = "SANDBOX-SECRET-OF-NO-VENDOR"
        /// The seed of random events.
        public var seed: UInt64 = 1
        /// How many of a hundred calls of `/api/` go wrong: late, lost after they were carried out, 502, cut off.
        public var faults = 0
        /// Whether answers vary in form, as the vendor's are said to.
        public var varies = false
        /// Whether a correct `?orderNo=` is required.
        public var isStrict = false
        /// Whether a launch may be signed with a SIGN ticket, as some public code does.
        public var acceptsSignTicketAtLaunch = false
        /// Calls in a second; more get 400506.
        public var callsPerSecond = 20
        /// Attempts of a user in a day; more get 66660017.
        public var attemptsPerDay = 10
        /// How long after the verdict the files become available.
        public var filesLateBy = 1.5
        /// How long a result is kept.
        public var retention = 3.0 * 86_400
        /// How much larger a photo is made.
        public var extraPhotoKilobytes = 0
        /// How long a SIGN ticket is valid, in seconds.
        public var signTicketLife = 3_600
        /// The delay of each answer.
        public var latency = 0.0
        /// Whose public key the phone seals its video for; `nil`: it is not in simple mode.
        public var recipient: RSAPublicKey?
        /// The comparing service's public key, for `identifyStr`; `nil` for one whose private key nobody has.
        public var comparingService: RSAPublicKey?
        /// How the phone seals the video.
        public var profile = Profile.evidenceV2
        /// The IV, for a profile that takes it from the caller.
        public var iv: [UInt8]?
        /// Faulty answers by the last part of a call's path, sent after the call was carried out.
        public var answersInstead: [String: (status: Int, body: String)] = [:]

        /// The defaults.
        public init() {}
    }

    /// An answer, and how it is delivered.
    struct Answer: Sendable {
        var response: HTTPResponse
        var delay = 0.0
        var isLost = false
        var isSlow = false
        var hasBody = true

        init(_ response: HTTPResponse) { self.response = response }
    }

    /// Its settings.
    public let settings: Settings
    private let state: Mutex<SandboxState>
    private let started = ContinuousClock.now

    /// A sandbox.
    ///
    /// - Throws: ``EvidenceError``: `.value` for an appId that is not for tests, since the sandbox accepts no real one,
    ///   and for settings of simple mode without a recipient; what ``PayloadAssembler`` throws for a key, a profile or
    ///   an IV.
    public init(_ settings: Settings = .init()) throws(EvidenceError) {
        guard settings.appId.hasPrefix("TIDA"), (try? AppId(settings.appId)) != nil else {
            throw EvidenceError(
                .value, "the sandbox accepts only test ids: TIDA and up to four letters or digits",
                hint: "never use a real appId and its secret here")
        }
        self.settings = try settings.readyForSimpleMode()
        state = Mutex(SandboxState(secret: settings.secret, random: Random(state: settings.seed)))
    }

    // MARK: - One request

    func answer(to request: HTTPRequest, port: UInt16) -> Answer {
        let own = "127.0.0.1:\(port)"
        guard [own, "localhost:\(port)"].contains(request.headers["host"] ?? "") else {
            // A page in a browser could make its own host name resolve to this machine.
            return Answer(.page(403, "Host", "this is \(own)"))
        }
        let isCall = request.path.hasPrefix("/api/") && !request.path.hasSuffix("/login")
        var answer = state.withLock { state in
            var exchange = Exchange(
                settings: settings, request: request, host: own,
                now: (ContinuousClock.now - started).inSeconds + state.advanced)
            var answer = Answer(exchange.respond(&state))
            guard isCall else { return answer }
            answer.delay = settings.latency
            let name = String(request.path.split(separator: "/").last ?? "")
            if let instead = settings.answersInstead[name] {
                answer.response = HTTPResponse(status: instead.status, body: Array(instead.body.utf8))
                return answer
            }
            guard state.random.chance(settings.faults) else { return answer }
            // After it was carried out, which is the harmful kind of fault.
            switch state.random.next() % 6 {
            case 0:
                state.note("fault: late", "faults")
                answer.delay += 0.5
            case 1:
                state.note("fault: carried out, but the answer was lost", "faults")
                answer.isLost = true
            case 2:
                state.note("fault: 502", "faults")
                answer.response = .page(502, "502 Bad Gateway", "a requested fault")
            case 3:
                state.note("fault: empty body", "faults")
                answer.response.body = []
            case 4:
                state.note("fault: a redirect", "faults")
                answer.response = .page(302, "302", "elsewhere")
                answer.response.headers = [("Location", "http://\(own)/sandbox/elsewhere")]
            default:
                state.note("fault: slow", "faults")
                answer.isSlow = true
            }
            return answer
        }
        answer.hasBody = request.method != "HEAD"
        return answer
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// One request and what it leads to.
struct Exchange {
    let settings: SandboxService.Settings
    let request: HTTPRequest
    let host: String
    let now: Double

    /// An answer with a code other than 0. `explanation` is for the log: the vendor gives none.
    struct Refusal: Error {
        let code: String
        let explanation: String

        init(_ code: String, _ explanation: String) {
            self.code = code
            self.explanation = explanation
        }
    }

    mutating func respond(_ state: inout SandboxState) -> HTTPResponse {
        state.tidy(now)
        switch request.path {
        case "/", "/sandbox":
            return .page(
                "evidence-sandbox", "It simulates the vendor's server for tests. See /sandbox/log for what it received."
            )
        case "/sandbox/log":
            return HTTPResponse(
                type: "text/plain;charset=UTF-8", body: Array((state.log.joined(separator: "\n") + "\n").utf8))
        case "/sandbox/report": return HTTPResponse(body: report(state).bytes)
        case "/sandbox/elsewhere":
            state.note(
                "a redirect of a call was followed, which passes on the secret and the token", "redirectsFollowed")
            return .page(404, "404", "clients must not follow redirects")
        case "/sandbox/clock": return clock(&state)
        case "/sandbox/secret": return changeSecret(&state)
        case "/sandbox/phone": return phone(&state)
        case "/sandbox/page": return page(&state)
        case "/api/web/login", "/api/pc/login": return launch(&state)
        default: break
        }
        guard let call = Self.calls[request.path] else {
            state.note("\(request.method) \(request.path): unknown call")
            return .page(404, "404", "unknown call")
        }
        guard request.method == call.method else {
            state.note("\(request.method) \(request.path): wrong method, expected \(call.method)")
            return .page(405, "405", "expected \(call.method)")
        }
        do throws(Refusal) {
            try limitRate(&state)
            let members = try call.answer(&self, &state)
            state.note("\(request.path): 0")
            return json(code: "0", members, &state)
        } catch {
            state.note("\(request.path): \(error.code), for \(error.explanation)", "refusals")
            var members: [(name: String, value: JSON)] = []
            if settings.varies, state.random.chance(50) { members.append(("result", .null)) }
            return json(code: error.code, members, &state)
        }
    }

    private struct Call {
        let method: String
        let answer: @Sendable (inout Exchange, inout SandboxState) throws(Refusal) -> [(name: String, value: JSON)]
    }

    private static let calls: [String: Call] = [
        "/api/oauth2/access_token": Call(method: "GET") { (e, s) throws(Refusal) in try e.accessToken(&s) },
        "/api/oauth2/api_ticket": Call(method: "GET") { (e, s) throws(Refusal) in try e.ticket(&s) },
        "/api/server/getfaceid": Call(method: "POST") { (e, s) throws(Refusal) in try e.upload(&s, "basic", .getFaceId)
        },
        "/api/server/getAdvFaceId": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.upload(&s, "enhanced", .getAdvFaceId)
        },
        "/api/server/getPlusFaceId": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.upload(&s, "plus", .getPlusFaceId)
        },
        "/api/server/getWillFaceId": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.upload(&s, "will", .getWillFaceId)
        },
        "/api/server/h5/geth5faceid": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.upload(&s, "h5", .getH5FaceId)
        },
        "/api/v2/base/queryfacerecord": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.record(&s, .queryFaceRecord)
        },
        "/api/server/getWillFaceResult": Call(method: "POST") { (e, s) throws(Refusal) in
            try e.record(&s, .willResult)
        },
        "/api/server/sync": Call(method: "GET") { (e, s) throws(Refusal) in try e.record(&s, .queryFaceRecord) },
        "/api/v2/base/queryphotoinfo": Call(method: "POST") { (e, s) throws(Refusal) in try e.record(&s, .queryPhoto) },
        "/api/paas/easyface": Call(method: "POST") { (e, s) throws(Refusal) in try e.comparison(&s) },
    ]

    private func limitRate(_ state: inout SandboxState) throws(Refusal) {
        state.recentCalls.removeAll { $0 <= now - 1 }
        guard state.recentCalls.count < settings.callsPerSecond else {
            throw Refusal("400506", "more than \(settings.callsPerSecond) calls in one second")
        }
        state.recentCalls.append(now)
    }

    // MARK: - Token and tickets

    private func accessToken(_ state: inout SandboxState) throws(Refusal) -> [(name: String, value: JSON)] {
        guard let appId = request["appId", "app_id"], let secret = request["secret"] else {
            throw Refusal("400101", "appId or secret is missing, or appears twice")
        }
        guard request["grant_type"] == "client_credential" else { throw Refusal("400101", "grant_type") }
        try requireVersion(request["version"])
        try requireApp(appId)
        guard secret == state.secret else { throw Refusal("400103", "another secret") }
        if let last = state.lastRenewal, now - last < 60 {
            state.note(
                "a second token within a minute: the first one stops working for its users", "renewalsWithinMinute")
        }
        state.lastRenewal = now
        state.note("a token", "renewals")
        for index in state.tokens.indices { state.tokens[index].end = min(state.tokens[index].end, now + 60) }
        let number = (state.tokens.last?.number ?? 0) + 1
        let token = state.random.value("SANDBOXTOKEN", 64)
        state.tokens.append(SandboxState.Token(value: token, number: number, end: now + 7_200))
        return [
            ("access_token", .text(token)), ("expire_in", seconds(7_200, &state)),
            ("expire_time", .text(time(now + 7_200))),
        ]
    }

    private func ticket(_ state: inout SandboxState) throws(Refusal) -> [(name: String, value: JSON)] {
        guard let appId = request["appId", "app_id"], let text = request["access_token"] else {
            throw Refusal("400101", "appId or access_token is missing, or appears twice")
        }
        try requireVersion(request["version"])
        try requireApp(appId)
        guard let token = state.tokens.last(where: { $0.value == text }), now < token.end else {
            throw Refusal("400101", "an expired token, or one that was not issued here")
        }
        let value = state.random.value("SANDBOXTICKET", 64)
        let life: Double
        switch request["type"] {
        case "SIGN":
            life = Double(settings.signTicketLife)
            for index in state.signTickets.indices {
                state.signTickets[index].end = min(state.signTickets[index].end, now + 60)
            }
            state.signTickets.append(
                SandboxState.SignTicket(ticket: try make(.sign, value), token: token.number, end: now + life))
            state.note("a SIGN ticket", "signTickets")
        case "NONCE":
            life = 120
            guard let userId = request["user_id"] else { throw Refusal("400101", "a NONCE ticket without user_id") }
            try requireForm(userId, "user_id", 32, isWord: false)
            if case .ticketRefused(let code) = try scenario(of: userId) { throw Refusal(code, "the scenario") }
            if let last = state.lastNonce[userId], now - last < 2 {
                throw Refusal("400504", "a second NONCE ticket for a user within two seconds")
            }
            state.lastNonce[userId] = now
            state.nonceTickets.append(
                SandboxState.NonceTicket(
                    ticket: try make(.nonce, value), token: token.number, userId: userId, end: now + life))
            state.note("a NONCE ticket", "nonceTickets")
        default: throw Refusal("400101", "type must be SIGN or NONCE, in capitals")
        }
        let ticket: JSON = .object([
            ("value", .text(value)), ("expire_in", seconds(Int(life), &state)),
            ("expire_time", .text(time(now + life))),
        ])
        return [("tickets", .array([ticket]))]
    }

    private func make(_ kind: Ticket.Kind, _ value: String) throws(Refusal) -> Ticket {
        guard let ticket = try? Ticket(kind, SecretBytes(copying: Array(value.utf8).span)) else {
            throw Refusal("999999", "no ticket")
        }
        return ticket
    }

    // MARK: - Upload

    private func upload(
        _ state: inout SandboxState, _ product: String, _ recipe: SignRecipe
    ) throws(Refusal) -> [(name: String, value: JSON)] {
        let body = try body(limit: 3 << 20)
        let orderNo = try requireOrder(body, &state)
        guard let userId = body["userId"]?.string else { throw Refusal("400101", "userId is missing") }
        try requireForm(userId, "userId", 32, isWord: false)
        let (name, idNo) = (body["name"]?.string, body["idNo"]?.string)
        let photo = body["sourcePhotoStr"]?.string
        let scenario = try scenario(of: orderNo, userId, name)
        let isOfPhoto = name == nil && idNo == nil
        try requireSign(body, isOfPhoto && product == "h5" ? .getH5FaceIdOfPhoto : recipe, &state)
        if case .uploadRefused(let code) = scenario { throw Refusal(code, "the scenario") }
        guard state.attempts[orderNo] == nil else {
            throw Refusal(Codes.orderUsed, "an order number that was already used")
        }
        guard !isOfPhoto || photo != nil, (name?.isEmpty ?? true) == (idNo?.isEmpty ?? true) else {
            throw Refusal("66660015", "neither name and idNo nor a photo")
        }
        if let photo {
            guard photo.utf8.count <= 1_048_576 else { throw Refusal("400601", "sourcePhotoStr is too long") }
            guard (try? Base64.decode(Array(photo.utf8).span)) != nil else {
                throw Refusal("66660039", "sourcePhotoStr is not base64: check for line breaks or a data: prefix")
            }
            guard ["1", "2"].contains(body["sourcePhotoType"]?.string ?? "") else {
                throw Refusal("400101", "sourcePhotoType must be 1 or 2")
            }
        }
        var today = (state.attemptsOfDay[userId] ?? []).filter { $0 > now - 86_400 }
        guard today.count < settings.attemptsPerDay else { throw Refusal("66660017", "the daily limit of attempts") }
        today.append(now)
        state.attemptsOfDay[userId] = today
        let faceId = state.random.value("sandbox", 32)
        state.attempts[orderNo] = SandboxState.Attempt(
            orderNo: orderNo, userId: userId, product: product, faceId: faceId, created: now, scenario: scenario)
        var members: [(name: String, value: JSON)] = [
            ("bizSeqNo", .text(number(&state))), ("transactionTime", .text(time(now))), ("orderNo", .text(orderNo)),
            (product == "h5" ? "h5faceId" : "faceId", .text(faceId)),
        ]
        // An empty one leads a backend to its fallback host, which should be a setting.
        if product != "basic", !settings.varies || state.random.chance(70) {
            members.append(("optimalDomain", .text(host)))
        }
        return [("bizSeqNo", .text(number(&state))), ("result", .object(vary(members, &state)))]
    }

    // MARK: - Launches

    private func launch(_ state: inout SandboxState) -> HTTPResponse {
        let isPC = request.path == "/api/pc/login"
        func refuse(_ state: inout SandboxState, _ text: String, _ explanation: String) -> HTTPResponse {
            state.note("\(request.method) \(request.path): \(text), for \(explanation)", "refusedLaunches")
            return .page(text, "The page that users see when they come a second time, too late, or with a wrong sign.")
        }
        guard let orderNo = request["orderNo"], let attempt = state.attempts[orderNo] else {
            return refuse(&state, "签名不合法", "unknown order")
        }
        let idName = attempt.product == "h5" ? "h5faceId" : "faceId"
        guard attempt.product == "h5" || (!isPC && ["enhanced", "plus"].contains(attempt.product)) else {
            return refuse(&state, "66660030", "the product \(attempt.product) has no such page")
        }
        guard let faceId = request[idName], faceId == attempt.faceId else {
            return refuse(&state, "签名不合法", "\(idName) is missing, or that of another order")
        }
        guard request["userId"] == attempt.userId else { return refuse(&state, "签名不合法", "another user") }
        let values = [
            ("appId", request["appId", "webankAppId", "app_id"]), ("userId", request["userId"]), ("orderNo", orderNo),
            ("version", request["version"]), ("h5faceId", faceId), ("nonce", request["nonce"]),
        ]
        if let problem = burn(.h5Launch, values, request["sign"], attempt.userId, &state) {
            return refuse(&state, "签名不合法", problem)
        }
        guard now - attempt.created < 300 else { return refuse(&state, "66660018", "the face id is too old") }
        guard attempt.phase == .created else { return refuse(&state, "签名不合法", "it was already launched") }
        guard isPC || ["browser", "App"].contains(request["from"] ?? "") else {
            return refuse(&state, "400101", "from must be browser or App")
        }
        guard let url = request["url"], url.hasPrefix("http://") || url.hasPrefix("https://"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return refuse(&state, "400101", "url is missing or invalid: check that it is percent-encoded exactly once")
        }
        let session = state.random.value("session", 32)
        state.attempts[orderNo]?.phase = .launched
        state.attempts[orderNo]?.page = isPC ? "pc" : "mobile"
        state.attempts[orderNo]?.returnURL = url
        state.sessions[session] = orderNo
        state.note("launched", "launches")
        var response = HTTPResponse.page(302, "302", "to the page")
        response.headers = [
            ("Location", "/sandbox/page?s=\(session)"),
            ("Set-Cookie", "sandbox=\(session); Path=/; HttpOnly; SameSite=Lax"),
        ]
        return response
    }

    /// Checks the sign of a launch, and uses up the ticket.
    ///
    /// - Returns: the fault.
    func burn(
        _ recipe: SignRecipe, _ values: [(String, String?)], _ sign: String?, _ userId: String,
        _ state: inout SandboxState
    ) -> String? {
        guard let sign else { return "no sign" }
        let given = values.compactMap { name, value in value.map { SignAssignment(name: name, value: $0) } }
        guard let input = try? SignInput(recipe, given) else { return "a parameter twice" }
        guard input.violations.isEmpty else { return input.violations.map(\.description).joined(separator: "; ") }
        let places = state.nonceTickets.indices.filter { index in
            let ticket = state.nonceTickets[index]
            return ticket.userId == userId && now < ticket.end && state.isTokenAlive(ticket.token, now)
        }
        let tickets = places.map { state.nonceTickets[$0].ticket }
        for place in places where isSigned(input, sign, state.nonceTickets[place].ticket) {
            guard !state.nonceTickets[place].isUsed else {
                state.note("a NONCE ticket used a second time", "nonceTicketsTwice")
                return "a NONCE ticket that was already used: each URL is opened only once"
            }
            state.nonceTickets[place].isUsed = true
            return nil
        }
        let signTickets = state.aliveSignTickets(now)
        if signTickets.contains(where: { isSigned(input, sign, $0) }) {
            return settings.acceptsSignTicketAtLaunch
                ? nil : "signed with the SIGN ticket, where a NONCE ticket is needed"
        }
        if state.nonceTickets.contains(where: { $0.userId != userId && isSigned(input, sign, $0.ticket) }) {
            return "signed with the NONCE ticket of another user"
        }
        if state.nonceTickets.contains(where: { isSigned(input, sign, $0.ticket) }) {
            return "signed with an expired ticket"
        }
        return explained(input, sign, tickets, others: signTickets)
    }

    private func isSigned(_ input: SignInput, _ sign: String, _ ticket: Ticket) -> Bool {
        // By hand for NONCE tickets, which no verification takes: the values of a recipe, and the ticket.
        let values = input.recipe.parameters.map { input[$0] }
        guard let expected = try? Sign(ofValues: values, ticket: ticket), let given = try? Sign(hex: sign) else {
            return false
        }
        return expected == given
    }

    private func explained(_ input: SignInput, _ sign: String, _ tickets: [Ticket], others: [Ticket]) -> String {
        let explanation = try? input.explain(sign, with: tickets, others: others)
        return "a wrong sign" + (explanation.flatMap(\.self).map { ": \($0)" } ?? ": another value, ticket or method")
    }

    private func page(_ state: inout SandboxState) -> HTTPResponse {
        let cookies = (request.headers["cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        guard let session = request["s"], cookies.contains("sandbox=\(session)"), let orderNo = state.sessions[session],
            let attempt = state.attempts[orderNo]
        else {
            state.note("the page without its cookie")
            return .page("3002", "The cookie of the launch is missing: another browser, or a server.")
        }
        guard attempt.phase == .launched else { return .page("66660018", "This verification is over.") }
        guard attempt.scenario != .abandoned else { return .page("?", "This user closes the page here.") }
        state.sessions[session] = nil
        finish(orderNo, &state)
        var response = HTTPResponse.page(302, "302", "back")
        response.headers = [("Location", callback(attempt, &state))]
        return response
    }

    func finish(_ orderNo: String, _ state: inout SandboxState) {
        state.attempts[orderNo]?.phase = .over(at: now)
        state.note("a scan ended", "scans")
    }

    /// The sign of how an attempt ended, as its scenario has it.
    func sign(_ attempt: SandboxState.Attempt, _ state: inout SandboxState) -> Sign? {
        guard attempt.scenario.hasResult else { return nil }
        let ticket =
            attempt.scenario == .signedWithDeadTicket
            ? try? make(.sign, state.random.value("SANDBOXTICKET", 64)) : state.aliveSignTickets(now).last
        let input = SignRecipe.frontEndResult(
            appId: settings.appId, orderNo: attempt.orderNo, code: attempt.scenario.verdict)
        guard let ticket, let sign = try? input.sign(with: ticket) else {
            state.note("no SIGN ticket is valid: the result is not signed")
            return nil
        }
        return sign
    }

    /// The address that the browser comes back to.
    private func callback(_ attempt: SandboxState.Attempt, _ state: inout SandboxState) -> String {
        var parameters = [("code", attempt.scenario.claim), ("orderNo", attempt.orderNo)]
        parameters.append(("h5faceId", attempt.faceId ?? ""))
        if attempt.scenario.hasResult {
            if let sign = sign(attempt, &state) {
                parameters.append((attempt.page == "pc" ? "newSign" : "newSignature", "\(sign)"))
            }
            if attempt.page != "pc" { parameters.append(("liveRate", attempt.scenario.verdict == "0" ? "99" : "0")) }
        }
        // A second one was seen in a real callback; its meaning is unknown.
        if settings.varies, state.random.chance(50) { parameters.append(("signature", state.random.value("", 40))) }
        let query = parameters.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let parts = attempt.returnURL.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let separator = parts[0].contains("?") ? "&" : "?"
        return parts[0] + separator + query + (parts.count == 2 ? "#" + parts[1] : "")
    }

    // MARK: - Results

    private func record(
        _ state: inout SandboxState, _ recipe: SignRecipe
    ) throws(Refusal) -> [(name: String, value: JSON)] {
        let isOld = request.method == "GET"
        let body: JSON
        if isOld {
            body = .object(request.query.map { ($0.name, .text($0.value)) })
        } else {
            body = try self.body(limit: 64 << 10)
        }
        let orderNo = isOld ? body["order_no", "orderNo"]?.string ?? "" : try requireOrder(body, &state)
        try requireSign(body, recipe, &state)
        guard let attempt = state.attempts[orderNo], case .over(let end) = attempt.phase else {
            state.note("a query before the scan was finished, or for an unknown attempt", "queriesTooEarly")
            throw Refusal("66660011", "no finished scan")
        }
        state.attempts[orderNo]?.queries += 1
        if case .queryRefused(let code) = attempt.scenario, attempt.queries < 2 { throw Refusal(code, "the scenario") }
        if case .late(let seconds) = attempt.scenario, now < end + Double(seconds) {
            throw Refusal("66660011", "a result that the scenario delays")
        }
        guard attempt.scenario.hasResult, now < end + settings.retention else {
            throw Refusal("66660011", "no result, or no longer")
        }
        if recipe == .queryPhoto {
            let isThere = now >= end + settings.filesLateBy
            let result: [(name: String, value: JSON)] = [
                ("orderNo", .text(orderNo)), ("occurredTime", .text(time(end))),
                ("photoList", isThere ? .array([.text(SandboxMedia.photo)]) : .null),
            ]
            return [("result", .object(result))]
        }
        let code = attempt.scenario.verdict
        var result: [(name: String, value: JSON)] = [
            ("orderNo", .text(orderNo)), ("occurredTime", .text(time(end))), ("bizSeqNo", .text(number(&state))),
        ]
        if !isOld { result.append(("appId", .text(settings.appId))) }
        result += code == "0" ? scores(of: attempt) : [("liveRate", "0"), ("similarity", "0")]
        if recipe == .willResult {
            result += [
                ("faceCode", .text(code)), ("faceMsg", .text(Codes.text(code))), ("willCode", .text(code)),
                ("willMsg", .text(Codes.text(code))),
            ]
        }
        if body["queryVersion"]?.string != nil { result += [("sdkVersion", "6.6.0"), ("trtcFlag", "Y")] }
        let files = body["getFile", "get_file"]?.string ?? ""
        let isThere = now >= end + settings.filesLateBy && (code == "0" || state.random.chance(50))
        for (name, wanted) in [("photo", ["1", "2"]), ("video", ["1", "3"])] where wanted.contains(files) {
            if isThere {
                let text =
                    name == "photo" ? SandboxMedia.photo(kilobytes: settings.extraPhotoKilobytes) : SandboxMedia.video
                result.append((name, .text(text)))
            } else if state.random.chance(50) {
                result.append((name, ""))
            }
        }
        var members: [(name: String, value: JSON)] = [
            ("bizSeqNo", .text(number(&state))), ("result", .object(vary(result, &state))),
        ]
        if isOld { members += [("app_id", .text(settings.appId)), ("order_no", .text(orderNo))] }
        guard code == "0" else { return [("code", .text(code))] + members }
        return members
    }

    /// The scenario that one of the texts names.
    func scenario(of texts: String?...) throws(Refusal) -> Scenario {
        guard let scenario = Scenario.of(texts) else {
            throw Refusal(Codes.scenarioUnknown, "SBX, and no scenario behind it")
        }
        return scenario
    }

    func scores(of attempt: SandboxState.Attempt) -> [(name: String, value: JSON)] {
        attempt.faceId == nil ? [("liveRate", "99")] : [("liveRate", "99"), ("similarity", "88.01")]
    }

    private func comparison(_ state: inout SandboxState) throws(Refusal) -> [(name: String, value: JSON)] {
        let body = try body(limit: 5 << 20)
        let orderNo = try requireOrder(body, &state)
        try requireSign(body, .easyFace, &state)
        guard state.attempts[orderNo] == nil else { throw Refusal(Codes.orderUsed, "a used order number") }
        guard body["photoStr"]?.string != nil else { throw Refusal("66660035", "no photo") }
        let code = try scenario(of: orderNo, body["userId"]?.string, body["name"]?.string).verdict
        state.attempts[orderNo] = SandboxState.Attempt(
            orderNo: orderNo, userId: "", product: "easyface", faceId: nil, created: now, scenario: .passes)
        guard code == "0" else { throw Refusal(code, "the scenario") }
        return [("result", .object([("orderNo", .text(orderNo)), ("similarity", "92.35")]))]
    }

    // MARK: - What every call must have

    private func body(limit: Int) throws(Refusal) -> JSON {
        guard request.headers["content-type"]?.lowercased().hasPrefix("application/json") == true else {
            throw Refusal("400101", "the Content-Type is not application/json")
        }
        guard request.body.count <= limit else { throw Refusal("400601", "the body is too long") }
        guard let body = JSON.read(request.body), case .object = body else {
            throw Refusal("400101", "not a JSON object")
        }
        return body
    }

    private func requireOrder(_ body: JSON, _ state: inout SandboxState) throws(Refusal) -> String {
        guard let orderNo = body["orderNo"]?.string else { throw Refusal("400101", "orderNo is missing") }
        try requireForm(orderNo, "orderNo", 32, isWord: true)
        if request["orderNo"] != orderNo {
            guard !settings.isStrict else { throw Refusal("400101", "?orderNo= is missing or different") }
            state.note(
                "\(request.path): ?orderNo= is missing or different: the vendor traces calls by it", "warnings")
        }
        return orderNo
    }

    private func requireForm(_ value: String, _ name: String, _ limit: Int, isWord: Bool) throws(Refusal) {
        let isRight = value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: !isWord && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"))
            }
        }
        guard (1...limit).contains(value.utf8.count), isRight else {
            throw Refusal("400101", "\(name) must have 1 to \(limit) letters and digits")
        }
    }

    private func requireVersion(_ version: String?) throws(Refusal) {
        guard version == "1.0.0" else { throw Refusal("400502", "version is 1.0.0") }
    }

    private func requireApp(_ appId: String?) throws(Refusal) {
        guard appId == settings.appId else {
            throw Refusal(
                "400103",
                appId?.hasPrefix("IDA") == true
                    ? "a real appId, which must not be used in a sandbox" : "an appId that is not \(settings.appId)")
        }
    }

    private func requireSign(_ body: JSON, _ recipe: SignRecipe, _ state: inout SandboxState) throws(Refusal) {
        try requireApp(body["appId", "webankAppId", "app_id"]?.string)
        try requireVersion(body["version"]?.string)
        guard let sign = body["sign"]?.string else { throw Refusal("400101", "sign is missing") }
        var given: [SignAssignment] = []
        for parameter in recipe.parameters {
            let names = [parameter.vendorName] + parameter.aliases
            guard case .object(let members) = body,
                let value = members.first(where: { names.contains($0.name) })?.value.string
            else { throw Refusal("400101", "\(parameter.vendorName) is missing") }
            given.append(SignAssignment(name: parameter.vendorName, value: value))
        }
        guard let input = try? SignInput(recipe, given) else { throw Refusal("400101", "the values") }
        guard input.violations.isEmpty else {
            throw Refusal("400101", input.violations.map(\.description).joined(separator: "; "))
        }
        let tickets = state.aliveSignTickets(now)
        guard !tickets.contains(where: { isSigned(input, sign, $0) }) else { return }
        if tickets.isEmpty { throw Refusal("400101", "a sign, but no SIGN ticket is valid") }
        if state.signTickets.contains(where: { isSigned(input, sign, $0.ticket) }) {
            throw Refusal("400101", "signed with an expired SIGN ticket")
        }
        let nonceTickets = state.nonceTickets.map(\.ticket)
        if nonceTickets.contains(where: { isSigned(input, sign, $0) }) {
            throw Refusal("400101", "signed with a NONCE ticket, where the SIGN ticket is needed")
        }
        throw Refusal("400101", explained(input, sign, tickets, others: []))
    }

    // MARK: - The sandbox's own

    private func clock(_ state: inout SandboxState) -> HTTPResponse {
        guard request.method == "POST", let text = request["advance"], let seconds = Int(text),
            (0...10_000_000).contains(seconds)
        else { return .page(400, "clock", "POST /sandbox/clock?advance=SECONDS, a whole number") }
        state.advanced += Double(seconds)
        state.note("the clock was advanced by \(seconds) s")
        return HTTPResponse(
            body: JSON.object([
                ("advanced", .number(state.advanced)), ("sandbox", .text(HTTPResponse.banner)),
            ]).bytes)
    }

    /// Changes the vendor's secret: token and tickets expire at once.
    private func changeSecret(_ state: inout SandboxState) -> HTTPResponse {
        guard request.method == "POST", (1...64).contains(request.body.count) else {
            return .page(400, "secret", "POST the new secret")
        }
        state.secret = String(decoding: request.body, as: UTF8.self)
        for index in state.tokens.indices { state.tokens[index].end = now }
        state.note("the secret was changed: token and tickets have expired")
        return HTTPResponse(body: JSON.object([("sandbox", .text(HTTPResponse.banner))]).bytes)
    }

    private func report(_ state: SandboxState) -> JSON {
        let names = [
            "renewals", "renewalsWithinMinute", "signTickets", "nonceTickets", "nonceTicketsTwice", "launches",
            "refusedLaunches", "scans", "queriesTooEarly", "refusals", "warnings", "faults",
            "redirectsFollowed",
        ]
        return .object(
            names.map { ($0, .number(Double(state.counts[$0] ?? 0))) } + [("sandbox", .text(HTTPResponse.banner))])
    }

    // MARK: - Forms of answers

    private func json(
        code: String, _ members: [(name: String, value: JSON)], _ state: inout SandboxState
    ) -> HTTPResponse {
        let own = members.first { $0.name == "code" }?.value.string ?? code
        let isNumber = settings.varies ? state.random.chance(30) : request.path.hasSuffix("queryphotoinfo")
        let blanks = settings.varies && state.random.chance(30) ? " " : ""
        var all: [(name: String, value: JSON)] = [
            ("code", isNumber ? .number(Double(own) ?? 0) : .text(own)),
            ("msg", .text(blanks + Codes.text(own) + blanks)),
            ("transactionTime", .text(time(now))), ("sandbox", .text(HTTPResponse.banner)),
        ]
        all += members.filter { $0.name != "code" }
        return HTTPResponse(body: JSON.object(vary(all, &state)).bytes)
    }

    private func vary(
        _ members: [(name: String, value: JSON)], _ state: inout SandboxState
    ) -> [(name: String, value: JSON)] {
        guard settings.varies else { return members }
        var members = members
        if state.random.chance(30) { members.append(("success", .bool(state.random.chance(50)))) }
        if state.random.chance(30) { members.append(("addedLater", .object([("a", .array([.null]))]))) }
        return members
    }

    private func seconds(_ seconds: Int, _ state: inout SandboxState) -> JSON {
        settings.varies && state.random.chance(50) ? .text("\(seconds)") : .number(Double(seconds))
    }

    /// `yyyyMMddHHmmss`, China's time.
    private func time(_ moment: Double) -> String {
        let date = Date().addingTimeInterval(moment - now + 8 * 3_600)
        let text = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        return String(text.filter(\.isNumber).prefix(14))
    }

    private func number(_ state: inout SandboxState) -> String {
        "00000000" + String((0..<24).map { _ in Character(String(state.random.next() % 10)) })
    }
}

extension HTTPResponse {
    fileprivate static func page(_ title: String, _ text: String) -> HTTPResponse { page(200, title, text) }
}
