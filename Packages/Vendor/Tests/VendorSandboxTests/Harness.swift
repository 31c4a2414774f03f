// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorServer

@testable import VendorSandbox

/// The sandbox without its sockets: bytes in, an answer out.
struct Harness {
    let service: SandboxService
    let host: VendorHost

    init(_ change: (inout SandboxService.Settings) -> Void = { _ in }) throws {
        var settings = SandboxService.Settings()
        settings.callsPerSecond = 1_000
        change(&settings)
        service = try SandboxService(settings)
        host = try VendorHost("127.0.0.1:8440")
    }

    func send(_ method: String, _ target: String, body: [UInt8] = [], headers: [String] = []) throws -> HTTPResponse {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Content-Length: \(body.count)"] + headers
        var request = try HTTPRequest(head: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...])
        request.body = body
        return service.answer(to: request, port: 8_440).response
    }

    /// Makes a call as a client would, through its URL.
    func call<Call: VendorCall>(_ call: Call) throws -> Call.Answer {
        let response = try response(to: call)
        return try call.read(MemorySource(response.body), sent: .now)
    }

    func response(to call: some VendorCall) throws -> HTTPResponse {
        let request = call.request(to: host)
        let url = request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
        return try send(
            request.method.rawValue, String(url.dropFirst("http://\(host)".count)), body: request.body,
            headers: request.contentType.map { ["Content-Type: \($0)"] } ?? [])
    }

    func advance(_ seconds: Int) throws { _ = try send("POST", "/sandbox/clock?advance=\(seconds)") }

    var log: String {
        get throws { String(decoding: try send("GET", "/sandbox/log").body, as: UTF8.self) }
    }

    func count(_ name: String) throws -> Int {
        JSON.read(try send("GET", "/sandbox/report").body)?[name]?.string.flatMap { Int($0) } ?? -1
    }

    // MARK: - Steps

    func attempt(_ orderNo: String? = nil, user: String = "u1") throws -> FaceAttempt {
        let (appId, userId) = (try AppId("TIDA0001"), try UserId(user))
        guard let orderNo else { return try FaceAttempt(appId: appId, userId: userId) }
        return FaceAttempt(appId: appId, userId: userId, orderNo: try OrderNumber(orderNo))
    }

    func token() throws -> AccessToken {
        let secret = try AppSecret(SecretBytes(copying: Array(service.settings.secret.utf8).span))
        return try call(AccessTokenCall(appId: AppId("TIDA0001"), secret: secret)).value()
    }

    func sign(_ token: AccessToken) throws -> Ticket {
        try call(TicketCall.sign(appId: AppId("TIDA0001"), token: token)).value()
    }

    func upload(
        _ attempt: FaceAttempt, _ sign: Ticket, of product: FaceProduct = .enhanced, name: String = "Li Lei"
    ) throws -> VendorAnswer<FaceId> {
        try call(
            FaceIdCall(
                product, for: attempt, identity: ClaimedIdentity(name: name, idNo: "110101"),
                intent: product == .intentCheck ? IntentContent(.readOut, .init("I agree.")) : nil, signedWith: sign))
    }

    func launchAddress(
        _ faceId: FaceId, _ nonce: Ticket, page: H5Launch.Page = .mobile(), back: String = "https://b.example/done"
    ) throws -> String {
        let launch = try H5Launch(
            faceId, on: page, returningTo: ReturnURL(back), fallbackHost: host, signedWith: nonce)
        return String(launch.urlForTheBrowser.dropFirst("http://\(host)".count))
    }

    /// Opens the page that a launch leads to, with its cookie: where the browser comes back to.
    func back(from launched: HTTPResponse) throws -> String? {
        func header(_ response: HTTPResponse, _ name: String) -> String? {
            response.headers.first { $0.name == name }?.value
        }
        guard let page = header(launched, "Location"), let cookie = header(launched, "Set-Cookie") else { return nil }
        let response = try send("GET", page, headers: ["Cookie: \(cookie.prefix { $0 != ";" })"])
        return header(response, "Location")
    }
}
