// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing
import VendorClient
import VendorSandbox
import VendorServer

@testable import VendorHTTP

@Suite struct TransportTests {
    private let transport = CurlTransport()

    private func request(_ port: UInt16) throws -> VendorRequest {
        let secret = try AppSecret(SecretBytes(copying: Array("SANDBOX-SECRET-OF-NO-VENDOR".utf8).span))
        return AccessTokenCall(appId: try AppId("TIDA0001"), secret: secret)
            .request(to: try VendorHost("127.0.0.1:\(port)"))
    }

    private func server(_ change: (inout SandboxService.Settings) -> Void = { _ in }) throws -> LoopbackServer {
        var settings = SandboxService.Settings()
        change(&settings)
        let server = try LoopbackServer(SandboxService(settings), port: 0)
        server.start()
        return server
    }

    @Test(
        arguments: [
            (["https_proxy": "http://u:p@a:1/", "HTTPS_PROXY": "b:2"], "https_proxy a:1"),
            (["HTTPS_PROXY": "b:2"], "HTTPS_PROXY b:2"),
            (["https_proxy": "", "all_proxy": "socks5h://[::1]:3"], "all_proxy [::1]:3"),
            (["HTTP_PROXY": "a:1", "http_proxy": "b:2"], nil),
            (["https_proxy": "a:1", "no_proxy": "other, .vendor.example"], nil),
            (["https_proxy": "a:1", "NO_PROXY": "*"], nil),
            (["https_proxy": "a:1", "no_proxy": "r.example"], "https_proxy a:1"),
            (["https_proxy": "http://a b"], "https_proxy ?"), ([:], nil),
        ] as [([String: String], String?)]) func aProxyIsThatOfTheEnvironment(
            _ environment: [String: String], _ name: String?
        )
    {
        let proxy = EnvironmentProxy(of: "api.VENDOR.example", scheme: "https", environment)
        #expect(proxy.map { "\($0.variable) \($0.name)" } == name)
    }

    /// A CGI program has what its client sends as "Proxy" in HTTP_PROXY.
    @Test func whoSendsARequestNamesNoProxy() {
        let set = ["HTTP_PROXY": "a:1"]
        #expect(EnvironmentProxy(of: "vendor.example", scheme: "http", set) == nil)
        let both = set.merging(["http_proxy": "b:2"]) { $1 }
        #expect(EnvironmentProxy(of: "vendor.example", scheme: "http", both)?.name == "b:2")
    }

    @Test func anAnswerComesWhole() async throws {
        let server = try server()
        defer { server.stop() }
        let response = try await transport.send(request(server.port), bodyLimit: 1 << 20)
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self).contains("access_token"))
    }

    @Test func aBodyOverTheLimitIsAFailure() async throws {
        let server = try server()
        defer { server.stop() }
        await #expect(throws: TransportFailure.self) {
            try await transport.send(request(server.port), bodyLimit: 20)
        }
    }

    @Test func noConnectionIsCertain() async throws {
        let reserved = try ReservedPort()
        let failure = await #expect(throws: TransportFailure.self) {
            try await transport.send(request(reserved.number), bodyLimit: 20)
        }
        #expect(failure?.isCertainlyNotSent == true)
        #expect(failure?.reason.contains("SANDBOX") == false)
    }

    @Test func aLostAnswerIsNotCertain() async throws {
        let server = try server { $0.faults = 100 }
        defer { server.stop() }
        var reasons: Set<String> = []
        for _ in 0..<40 {
            do {
                let response = try await transport.send(request(server.port), bodyLimit: 1 << 20)
                reasons.insert("\(response.status) \(response.body.isEmpty)")
            } catch {
                let failure = try #require(error as? TransportFailure)
                #expect(!failure.isCertainlyNotSent)
                reasons.insert(failure.reason)
            }
        }
        // A redirect is handed over and not followed: it would carry the secret to wherever it leads.
        #expect(reasons.isSuperset(of: ["502 false", "200 true", "200 false", "302 false"]), "\(reasons)")
        #expect(reasons.count == 5, "\(reasons)")
    }

    /// Whenever it comes, before the request is made as well.
    @Test func cancellingAtAnyMomentEndsTheCall() async throws {
        let server = try server { $0.latency = 30 }
        defer { server.stop() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask { [transport] in
                    let task = Task { try await transport.send(request(server.port), bodyLimit: 1 << 20) }
                    if number % 2 == 1 { try? await Task.sleep(for: .microseconds(number * 50)) }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
        }
    }

    @Test func aTaskThatIsCancelledEndsAtOnce() async throws {
        let server = try server { $0.latency = 30 }
        defer { server.stop() }
        let task = Task { try await transport.send(request(server.port), bodyLimit: 1 << 20) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
