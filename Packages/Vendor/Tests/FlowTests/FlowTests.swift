// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing
import VendorClient
import VendorHTTP
import VendorSandbox
import VendorServer

/// The whole way: a backend of three instances, the sandbox, and a hundred users at a time.
@Suite(.serialized) struct FlowTests {
    /// What a user does, and what the backend must know in the end.
    private enum Story: CaseIterable {
        case passesOnAPage, passesInTheApp, isRefused, leaves, hasNoCamera, forges, waits, failsAtTheDoor, passesSlowly
        case replays

        func userId(_ number: Int) -> String {
            let end =
                switch self {
                case .isRefused: "SBXQ66660004"
                case .leaves: "SBXA"
                case .hasNoCamera: "SBXL3001"
                case .forges: "SBXF"
                case .waits: "SBXW2"
                case .failsAtTheDoor: "SBXU66660015"
                case .passesSlowly: "SBXR66660021"
                default: ""
                }
            return "u\(number)x\(end)"
        }

        var expected: Sessions.Decision? {
            switch self {
            case .passesOnAPage, .passesInTheApp, .waits, .passesSlowly, .replays: .passed
            case .isRefused, .forges: .refused("66660004")
            case .leaves, .hasNoCamera: .open("66660011")
            case .failsAtTheDoor: nil
            }
        }

        /// How long the backend asks: briefly for what never comes, and for the rest as long as a busy machine takes.
        var patience: Duration {
            if case .open = expected { .seconds(2) } else { .seconds(120) }
        }
    }

    private struct World {
        let server: LoopbackServer
        let backends: [ExampleBackend]
        let sessions = Sessions()
        let folder: URL

        init(_ settings: SandboxService.Settings) throws {
            server = try LoopbackServer(SandboxService(settings), port: 0)
            server.start()
            folder = FileManager.default.temporaryDirectory.appending(path: "flow-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let host = try VendorHost("127.0.0.1:\(server.port)")
            var policy = RetryPolicy()
            policy.tries = 8
            policy.timeLimit = .seconds(120)
            var backends: [ExampleBackend] = []
            for _ in 0..<3 {
                let secret = SecretBytes(copying: Array(settings.secret.utf8).span)
                let keeper = TokenKeeper(
                    appId: try AppId(settings.appId), secret: try AppSecret(secret),
                    connection: VendorConnection(to: host, over: CurlTransport(), policy: policy),
                    store: FileCredentialStore(path: folder.appending(path: "tickets").path))
                backends.append(
                    ExampleBackend(
                        client: VendorClient(keeper), sessions: sessions,
                        returnURL: try ReturnURL("https://backend.example/done"), fallbackHost: host))
            }
            self.backends = backends
        }

        func end() {
            server.stop()
            try? FileManager.default.removeItem(at: folder)
        }

        func report() async throws -> [String: Int] {
            let text = try await Browser().open("http://127.0.0.1:\(server.port)/sandbox/report").text
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return try #require(object).compactMapValues { $0 as? Int }
        }

        /// One user, from the first click to the decision; each step comes to another instance.
        func live(_ story: Story, _ number: Int) async throws {
            let user = try UserId(story.userId(number))
            let identity = try ClaimedIdentity(name: "Li Lei", idNo: "11010119900307\(1000 + number)")
            func backend(_ step: Int) -> ExampleBackend { backends[(number + step) % backends.count] }
            let answer = try await backend(0).start(user, as: identity)
            guard story != .failsAtTheDoor else {
                #expect(answer.refusal?.code == "66660015")
                return
            }
            let faceId = try answer.value()
            #expect(faceId.attempt.userId == user)
            if story == .passesInTheApp {
                let bundle = try await backend(1).bundle(faceId)
                let said = try await Browser().post(bundle.json, to: "http://127.0.0.1:\(server.port)/sandbox/phone")
                #expect(said.contains(#""isSuccess":true"#), "\(said)")
                return try await backend(2).settle(user, patience: story.patience)
            }
            let address = try await backend(1).launch(faceId)
            let page = try await Browser().open(address)
            if story == .leaves {
                #expect(page.leftTo == nil)
                return try await backend(2).settle(user, patience: story.patience)
            }
            let back = try #require(page.leftTo, "\(page.text)")
            #expect(back.hasPrefix("https://backend.example/done?code="))
            #expect(try await backend(2).cameBack(back, loggedIn: user, patience: story.patience))
            guard story == .replays else { return }
            // The address opens nothing twice, and another user who has the callback has nothing of it.
            let again = try await Browser().open(address)
            #expect(again.leftTo == nil && again.text.contains("签名不合法"))
            let thief = try UserId("thief\(number)")
            await sessions.begin(try FaceAttempt(appId: backend(0).client.keeper.appId, userId: thief))
            #expect(try await backend(0).cameBack(back, loggedIn: thief, patience: story.patience) == false)
        }

        func liveAll(_ users: [(Story, Int)]) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (story, number) in users { group.addTask { try await live(story, number) } }
                try await group.waitForAll()
            }
        }

        /// Each user has the end of the own story, and nobody has another's.
        func expectNothingLostOrConfused(_ users: [(Story, Int)]) async throws {
            #expect(await sessions.decidedTwice.isEmpty)
            let decisions = await sessions.decisions
            for (story, number) in users {
                let user = try UserId(story.userId(number))
                let attempt = await sessions.attempt(of: user)
                let decided = attempt.flatMap { decisions[$0.orderNo] }
                #expect(decided?.decision == story.expected, "\(story) \(number)")
                #expect(decided == nil || decided?.user == user)
            }
            #expect(decisions.count == users.count { $0.0.expected != nil })
        }
    }

    private func users(_ count: Int) -> [(Story, Int)] {
        (0..<count).map { (Story.allCases[$0 % Story.allCases.count], $0) }
    }

    @Test func aHundredUsersAtATime() async throws {
        var settings = SandboxService.Settings()
        settings.callsPerSecond = 100
        settings.isStrict = true
        let world = try World(settings)
        defer { world.end() }
        try await world.liveAll(users(100))
        try await world.expectNothingLostOrConfused(users(100))
        let report = try await world.report()
        #expect(report["renewals"] == 1)
        #expect(report["signTickets"] == 1)
        #expect(report["nonceTickets"] == 90)
        // Ten users open their address a second time.
        #expect(report["nonceTicketsTwice"] == 10)
        #expect(report["launches"] == 90)
        #expect(report["warnings"] == 0)
    }

    @Test func aHundredUsersAtATimeWithFaults() async throws {
        var settings = SandboxService.Settings()
        settings.callsPerSecond = 100
        settings.attemptsPerDay = 100
        settings.faults = 10
        settings.varies = true
        settings.seed = 19
        let world = try World(settings)
        defer { world.end() }
        try await world.liveAll(users(100))
        try await world.expectNothingLostOrConfused(users(100))
        let report = try await world.report()
        #expect((report["faults"] ?? 0) > 20)
        #expect((report["renewals"] ?? 0) < 10)
        #expect(report["nonceTicketsTwice"] == 10)
        #expect(report["redirectsFollowed"] == 0)
        let log = try await Browser().open("http://127.0.0.1:\(world.server.port)/sandbox/log").text
        for secret in ["Li Lei", "110101", "SANDBOXTOKEN", "SANDBOXTICKET", settings.secret] {
            #expect(!log.contains(secret))
        }
    }
}
