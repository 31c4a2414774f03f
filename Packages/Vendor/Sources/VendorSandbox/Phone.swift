// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit
internal import FoundationEssentials

extension SandboxService.Settings {
    /// The same, with a key for `identifyStr` if the phone is in simple mode.
    func readyForSimpleMode() throws(EvidenceError) -> Self {
        guard let recipient else {
            guard comparingService == nil, iv == nil, profile == .evidenceV2 else {
                throw EvidenceError(
                    .value, "the comparing service's key, a profile and an IV are for simple mode",
                    hint: "give the public key that the video is to be sealed for, too")
            }
            return self
        }
        var ready = self
        if comparingService == nil { ready.comparingService = try RSAPrivateKey.generate(bitCount: 2_048).publicKey }
        // What cannot seal is said before the first result.
        _ = try ready.assembler(to: recipient, of: OrderNumber("0"), "0")
        return ready
    }

    fileprivate func assembler(
        to recipient: RSAPublicKey, of order: OrderNumber, _ userId: String
    ) throws(EvidenceError) -> PayloadAssembler {
        guard let comparingService, let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970) else {
            throw EvidenceError(.value, "no key for identifyStr, or no time")
        }
        return try PayloadAssembler(
            orderNo: order, appId: appId, userId: userId, capturedAt: now, to: recipient, sealedAs: profile, iv: iv,
            comparing: comparingService)
    }
}

/// The phone: the app with its SDK, or a browser.
extension Exchange {
    /// Takes what the backend gives to a phone, and returns what comes back: of a launch bundle the SDK's result, of a
    /// launch URL the address that the browser comes back to.
    func phone(_ state: inout SandboxState) -> HTTPResponse {
        if request.method == "POST", request.body.starts(with: Array("http".utf8)) { return browser(&state) }
        guard request.method == "POST", let bundle = JSON.read(request.body) else {
            return .page(400, "phone", "POST a launch bundle, or a launch URL")
        }
        switch launched(bundle, &state) {
        case .failure(let refusal):
            state.note("phone: \(refusal.code), for \(refusal.explanation)", "refusedLaunches")
            // Without a login there is no result.
            return HTTPResponse(
                body: JSON.object(
                    error("LoginServer", refusal.code, refusal.explanation) + [("sandbox", .text(HTTPResponse.banner))]
                ).bytes)
        case .success(let attempt):
            guard attempt.scenario != .abandoned else {
                return failed(attempt, "NativeProcess", "41000", "the user leaves")
            }
            finish(attempt.orderNo, &state)
            let code = attempt.scenario.claim
            guard code == "0" else { return failed(attempt, "CompareServer", code, "the scenario") }
            let sign = sign(attempt, &state)
            do throws(EvidenceError) { return HTTPResponse(body: try passed(attempt, sign)) } catch {
                state.note("phone: no result: \(error)")
                return .page(500, "phone", "the result could not be made: see the log")
            }
        }
    }

    /// Logs in with a bundle.
    private func launched(_ bundle: JSON, _ state: inout SandboxState) -> Result<SandboxState.Attempt, Refusal> {
        func text(_ name: String) -> String? { bundle[name]?.string }
        guard let orderNo = text("orderNo"), let userId = text("userId") else {
            return .failure(Refusal("400101", "no orderNo or userId"))
        }
        let values = [
            ("appId", text("appId")), ("userId", userId), ("version", text("version")), ("nonce", text("nonce")),
        ]
        if let problem = burn(.sdkLaunch, values, text("sign"), userId, &state) {
            return .failure(Refusal("400101", problem))
        }
        var attempt: SandboxState.Attempt
        if let faceId = text("faceId") {
            guard let known = state.attempts[orderNo], known.faceId == faceId, known.userId == userId else {
                return .failure(Refusal("66660018", "the face id of another order or user"))
            }
            guard known.phase == .created else { return .failure(Refusal("66660018", "it was already launched")) }
            guard now - known.created < 300 else { return .failure(Refusal("66660018", "the face id is too old")) }
            guard known.product != "h5" else { return .failure(Refusal("66660030", "h5 has no SDK")) }
            attempt = known
        } else {
            guard state.attempts[orderNo] == nil else {
                return .failure(Refusal(Codes.orderUsed, "a used order number"))
            }
            let scenario: Scenario
            do throws(Refusal) { scenario = try self.scenario(of: orderNo, userId) } catch { return .failure(error) }
            attempt = SandboxState.Attempt(
                orderNo: orderNo, userId: userId, product: "liveness", faceId: nil, created: now, scenario: scenario)
        }
        attempt.phase = .launched
        state.attempts[orderNo] = attempt
        state.note("launched", "launches")
        return .success(attempt)
    }

    // MARK: - Results of the SDK

    /// A pass; in simple mode with photo, sealed video and `identifyStr`.
    private func passed(_ attempt: SandboxState.Attempt, _ sign: Sign?) throws(EvidenceError) -> [UInt8] {
        guard let recipient = settings.recipient else {
            let sign = sign.map { [(name: "sign", value: JSON.text("\($0)"))] } ?? []
            return result(true, attempt, sign + scores(of: attempt))
        }
        var assembler = try settings.assembler(to: recipient, of: OrderNumber(attempt.orderNo), attempt.userId)
        assembler.sign = sign
        for (name, score) in scores(of: attempt) {
            if name == "liveRate" { assembler.liveRate = score.string } else { assembler.similarity = score.string }
        }
        let (video, photo) = (Array(SandboxMedia.video.utf8), Array(SandboxMedia.photo.utf8))
        let destination = MemoryDestination()
        try assembler.assemble(
            video: MemorySource(Base64.decode(video.span)), photo: MemorySource(Base64.decode(photo.span)),
            into: destination)
        // Before its closing brace.
        let banner = JSON.object([("sandbox", .text(HTTPResponse.banner))]).bytes
        var bytes = destination.bytes
        bytes.removeLast(2)
        bytes.append(UInt8(ascii: ","))
        bytes += banner.dropFirst()
        return bytes
    }

    private func failed(
        _ attempt: SandboxState.Attempt, _ domain: String, _ code: String, _ reason: String
    ) -> HTTPResponse {
        HTTPResponse(body: result(false, attempt, [("error", .object(error(domain, code, reason)))]))
    }

    private func result(
        _ isSuccess: Bool, _ attempt: SandboxState.Attempt, _ members: [(name: String, value: JSON)]
    ) -> [UInt8] {
        let first: [(name: String, value: JSON)] = [
            ("isSuccess", .bool(isSuccess)), ("orderNo", .text(attempt.orderNo)),
        ]
        return JSON.object(first + members + [("sandbox", .text(HTTPResponse.banner))]).bytes
    }

    private func error(_ domain: String, _ code: String, _ reason: String) -> [(name: String, value: JSON)] {
        [
            ("domain", .text("WBFaceErrorDomain\(domain)")), ("code", .text(code)),
            ("desc", .text(Codes.documented[code] ?? reason)), ("reason", .text(reason)),
        ]
    }

    // MARK: - A browser

    /// Opens a launch URL, and the page that it leads to.
    private func browser(_ state: inout SandboxState) -> HTTPResponse {
        let own = "http://\(host)"
        let url = String(decoding: request.body, as: UTF8.self).split(whereSeparator: \.isWhitespace).first ?? ""
        guard url.hasPrefix(own), var launch = opening(String(url.dropFirst(own.count))) else {
            return .page(400, "phone", "the launch URL does not lead to \(host)")
        }
        let launched = launch.respond(&state)
        guard let page = launched.header("Location"), let cookie = launched.header("Set-Cookie"),
            var visit = opening(page, cookie: String(cookie.prefix { $0 != ";" }))
        else { return launched }
        let left = visit.respond(&state)
        guard let callback = left.header("Location") else { return left }
        return HTTPResponse(
            body: JSON.object([("callback", .text(callback)), ("sandbox", .text(HTTPResponse.banner))]).bytes)
    }

    /// The request of a browser that opens an address of the sandbox.
    private func opening(_ target: String, cookie: String? = nil) -> Exchange? {
        let lines = ["GET \(target) HTTP/1.1", "Host: \(host)"] + (cookie.map { ["Cookie: \($0)"] } ?? [])
        guard let request = try? HTTPRequest(head: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...])
        else { return nil }
        return Exchange(settings: settings, request: request, host: host, now: now)
    }
}

extension HTTPResponse {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
