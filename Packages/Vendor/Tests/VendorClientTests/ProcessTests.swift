// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing
import VendorClient
import VendorHTTP
import VendorSandbox
import VendorServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The command, many at a time, against the sandbox: processes that share a file, that are killed, that are refused.
@Suite(.serialized) final class ProcessTests {
    private let folder: Folder
    private let server: LoopbackServer

    init() throws {
        folder = try Folder()
        server = try LoopbackServer(SandboxService(), port: 0)
        server.start()
        try Data("SANDBOX-SECRET-OF-NO-VENDOR\n".utf8).write(to: folder.url.appending(path: "secret"))
        try Data("Li Lei\n110101\n".utf8).write(to: folder.url.appending(path: "identity"))
    }

    deinit { server.stop() }

    /// The products are beside the tests.
    private static let tool: URL = {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (tests ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
            .appending(path: "evidence-vendor")
    }()

    private struct Ended {
        let status: Int32
        let text: String
    }

    /// Starts the command in the test's folder.
    private func start(
        _ words: String..., port: UInt16? = nil, store: String = "store", host: String? = nil,
        environment: [String: String] = [:]
    ) throws -> (process: Process, output: URL) {
        try start(words: words, port: port, store: store, host: host, environment: environment)
    }

    private func start(
        words: [String], port: UInt16? = nil, store: String = "store", host: String? = nil,
        environment: [String: String] = [:]
    ) throws -> (process: Process, output: URL) {
        let process = Process()
        process.executableURL = Self.tool
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.arguments =
            words + [
                "--app-id", "TIDA0001", "--secret-file", "secret", "--store", store, "--host",
                host ?? "127.0.0.1:\(port ?? server.port)",
            ]
        let output = folder.url.appending(path: UUID().uuidString)
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return (process, output)
    }

    private func end(_ started: (process: Process, output: URL)) throws -> Ended {
        started.process.waitUntilExit()
        return Ended(
            status: started.process.terminationStatus, text: try String(contentsOf: started.output, encoding: .utf8))
    }

    private func exists(_ path: String) async throws {
        try await eventually("the file \(path)") { FileManager.default.fileExists(atPath: path) ? () : nil }
    }

    private func report() async throws -> [String: Any] {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/sandbox/report"))
        let data = try Data(contentsOf: url)
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func processesThatStartTogetherRenewOnce() async throws {
        let started = try (0..<10).map { _ in try start("token") }
        for started in started {
            let ended = try end(started)
            #expect(ended.status == 0, "\(ended.text)")
        }
        #expect(try await report()["renewals"] as? Int == 1)
        #expect(try await report()["signTickets"] as? Int == 1)
    }

    /// A process that has the vendor's secret ends by its signal at a crash, too, and prints nothing of its memory.
    @Test func aSignalEndsTheProcessAndShowsNothing() async throws {
        var settings = SandboxService.Settings()
        settings.latency = 60
        let slow = try LoopbackServer(SandboxService(settings), port: 0)
        slow.start()
        defer { slow.stop() }
        for number in [SIGSEGV, SIGTERM] {
            let started = try start("token", port: slow.port, store: "store\(number)")
            let store = folder.path("store\(number)")
            try await exists(store)
            kill(started.process.processIdentifier, number)
            let ended = try end(started)
            #expect(started.process.terminationReason == .uncaughtSignal && ended.status == number)
            #expect(ended.text == "")
        }
    }

    /// The lock goes with its holder, and what it had begun is begun again.
    @Test func aHolderOfTheLockThatIsKilledStopsNobody() async throws {
        var settings = SandboxService.Settings()
        settings.latency = 60
        let slow = try LoopbackServer(SandboxService(settings), port: 0)
        slow.start()
        defer { slow.stop() }
        let holder = try start("token", port: slow.port)
        let store = folder.path("store")
        // It says that it renews before it asks.
        try await exists(store)
        // While it lives, nobody else asks; a stopped one is waited for.
        let waiting = try start("token")
        try await Task.sleep(for: .milliseconds(500))
        #expect(waiting.process.isRunning)
        #expect(try await report()["renewals"] as? Int == 0)
        kill(holder.process.processIdentifier, SIGKILL)
        let ended = try end(waiting)
        #expect(ended.status == 0, "\(ended.text)")
        #expect(try await report()["renewals"] as? Int == 1)
        _ = try end(holder)
    }

    /// Killed at any moment, also while it writes: the record is the one before or the one after, whole.
    @Test func processesThatAreKilledLeaveAWholeRecord() async throws {
        var seen: Set<Int> = []
        for round in 0..<25 {
            let store = "store\(round % 3)"
            if round % 3 == 0 {
                for n in 0..<3 { try? FileManager.default.removeItem(atPath: folder.path("store\(n)")) }
            }
            let started = try start("token", store: store)
            if round < 15 {
                try await Task.sleep(for: .milliseconds(4 * round))
            } else {
                // However slow the machine is: while it writes, and a little later each time.
                try await exists(folder.path(store))
                try await Task.sleep(for: .milliseconds(round - 15))
            }
            kill(started.process.processIdentifier, SIGKILL)
            started.process.waitUntilExit()
            guard let data = FileManager.default.contents(atPath: folder.path(store)) else {
                seen.insert(0)
                continue
            }
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.hasPrefix("evidence-keeper 1\n") && text.hasSuffix("\nend\n"))
            seen.insert(text.split(separator: "\n").count)
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path(store))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        #expect(seen.contains { $0 > 0 }, "killed while it wrote, or after")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(
            left.allSatisfy {
                $0.hasPrefix("store") || ["secret", "identity"].contains($0) || UUID(uuidString: $0) != nil
                    // Between two calls of the system, as LIMITATIONS says.
                    || $0.hasPrefix(".evidence-")
            })
    }

    @Test func theDeskGoesTheWholeWay() async throws {
        let upload = try end(
            start("faceid", "--user-id", "u1", "--order-no", "order1", "--identity", "identity", "--bundle", "bundle"))
        #expect(upload.status == 0, "\(upload.text)")
        #expect(upload.text.hasPrefix("orderNo: order1\nfaceId: sandbox"))
        let early = try end(start("query", "--user-id", "u1", "--order-no", "order1"))
        #expect(early.status == 4 && early.text.contains("66660011"), "\(early.text)")

        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/sandbox/phone")))
        request.httpMethod = "POST"
        request.httpBody = try Data(contentsOf: folder.url.appending(path: "bundle"))
        let (data, _) = try await URLSession.shared.data(for: request)
        #expect(String(decoding: data, as: UTF8.self).contains(#""isSuccess":true"#))

        let query = try end(
            start(
                "query", "--user-id", "u1", "--order-no", "order1", "--photo", "p.jpg", "--video", "v.mp4",
                "--answer", "a.json"))
        #expect(query.status == 0, "\(query.text)")
        let answer = String(
            decoding: try #require(FileManager.default.contents(atPath: folder.path("a.json"))), as: UTF8.self)
        #expect(answer.hasPrefix(#"{"code":"0""#) && answer.contains(#""orderNo":"order1""#))
        #expect(query.text == "passed\nliveRate: 99\nsimilarity: 88.01\n")
        #expect(FileManager.default.contents(atPath: folder.path("p.jpg"))?.count == 220)
        #expect(FileManager.default.contents(atPath: folder.path("v.mp4"))?.count == 876)
        // A file that is there is not replaced, and nothing is asked for it.
        let again = try end(start("query", "--user-id", "u1", "--order-no", "order1", "--photo", "p.jpg"))
        #expect(again.status == 2, "\(again.text)")

        // What cannot be done with a product is noticed before its order number is used.
        let page = try end(
            start(
                "faceid", "--user-id", "u1", "--order-no", "order3", "--product", "h5", "--identity", "identity",
                "--bundle", "b2"))
        #expect(page.status == 2 && page.text.contains("on a page"), "\(page.text)")
        for (wrong, said) in [
            (["--product", "basic", "--launch", "l", "--return-url", "https://b.example/"], "in an app"),
            (["--launch", "l"], "need each other"), (["--return-url", "https://b.example/"], "need each other"),
            (["--launch", "l", "--return-url", "https://b.example/", "--bundle", "b3"], "exclude each other"),
            (["--launch", "l", "--return-url", "nowhere"], "--return-url"),
        ] {
            let ended = try end(
                start(words: ["faceid", "--user-id", "u1", "--order-no", "order3", "--identity", "identity"] + wrong))
            #expect(ended.status == 2 && ended.text.contains(said), "\(ended.text)")
        }
        let launch = try end(
            start(
                "faceid", "--user-id", "u1", "--order-no", "order4", "--product", "h5", "--identity", "identity",
                "--launch", "launch", "--return-url", "https://b.example/back"))
        #expect(launch.status == 0, "\(launch.text)")
        let url = String(
            decoding: try #require(FileManager.default.contents(atPath: folder.path("launch"))), as: UTF8.self)
        #expect(url.hasPrefix("http://127.0.0.1:\(server.port)/api/web/login?") && url.hasSuffix("\n"))
        #expect(
            try end(start("faceid", "--user-id", "u1", "--order-no", "order3", "--identity", "identity")).status == 0)
        let wrong = try end(start("query", "--user-id", "u1", "--order-no", "a_b"))
        #expect(wrong.status == 2 && wrong.text.contains("--order-no"), "\(wrong.text)")

        let no = try end(
            start("faceid", "--user-id", "u2", "--order-no", "order2SBXU66660015", "--identity", "identity"))
        #expect(no.status == 1 && no.text.contains("66660015"), "\(no.text)")
    }

    /// 1 is a verdict about this order. What cannot be read or believed, or is about something else, is none.
    @Test func onlyAVerdictAboutThisOrderIsANo() throws {
        let deep = String(repeating: #"{"a":"#, count: 300) + "1" + String(repeating: "}", count: 300)
        for (body, status) in [
            (#"{"code":"66660004","result":{"orderNo":"order1"}}"#, 1),
            ("<html></html>", 3), ("", 3), (#"{"code":"66660004","result":{"order"#, 3), (deep, 3),
            (#"{"code":"66660004","code":"66660004"}"#, 3), ("[]", 3), (#"{"code":"66660004"} x"#, 3),
            (#"{"code":"0","result":{"orderNo":"other","liveRate":"99","similarity":"88"}}"#, 3),
            (#"{"code":"66660004","result":{"orderNo":"other"}}"#, 3),
            (#"{"code":"66660004","result":{"orderNo":"order1","app_id":"TIDA0009"}}"#, 3),
            (#"{"code":"0","access_token":"x","expire_in":7200}"#, 3), (#"{"result":{}}"#, 3),
            (#"{"code":"0","result":{"orderNo":"order1"}}"#, 3), (#"{"code":"400103"}"#, 4),
        ] {
            var settings = SandboxService.Settings()
            settings.answersInstead["queryfacerecord"] = (200, body)
            let odd = try LoopbackServer(SandboxService(settings), port: 0)
            odd.start()
            defer { odd.stop() }
            let ended = try end(
                start("query", "--user-id", "u1", "--order-no", "order1", port: odd.port, store: "odd\(odd.port)"))
            #expect(ended.status == status, "\(body): \(ended.text)")
        }
        try Data("WRONG-SECRET\n".utf8).write(to: folder.url.appending(path: "secret"))
        let wrong = try end(start("query", "--user-id", "u1", "--order-no", "order1", store: "wrong"))
        #expect(wrong.status == 4, "\(wrong.text)")
    }

    /// What was asked for and is not there is said, with how long it is to be had; nothing is half written.
    @Test(arguments: [
        (#"{"code":"0","result":{"orderNo":"order1","liveRate":"99","similarity":"88"}}"#, 4, "as long as necessary"),
        (#"{"code":"66660004","result":{"orderNo":"order1"}}"#, 1, "warning: no photo or video was written"),
    ]) func aMissingFileIsSaid(body: String, status: Int32, said: String) throws {
        var settings = SandboxService.Settings()
        settings.answersInstead["queryfacerecord"] = (200, body)
        let odd = try LoopbackServer(SandboxService(settings), port: 0)
        odd.start()
        defer { odd.stop() }
        let ended = try end(
            start(
                "query", "--user-id", "u1", "--order-no", "order1", "--photo", "p.jpg", "--video", "v.mp4",
                "--answer", "a.json", port: odd.port))
        #expect(ended.status == status && ended.text.contains(said), "\(ended.text)")
        // The answer is the verdict, if there is one.
        #expect(FileManager.default.contents(atPath: folder.path("a.json")) == (status == 1 ? Data(body.utf8) : nil))
        for name in ["p.jpg", "v.mp4"] { #expect(!FileManager.default.fileExists(atPath: folder.path(name))) }
    }

    /// As for every command: a screen of help, and what is at work.
    @Test(arguments: [
        ("evidence-vendor", ["", "token", "ticket", "keep", "faceid", "query"]), ("evidence-sandbox", [""]),
    ]) func theHelpFitsAScreen(name: String, verbs: [String]) throws {
        func said(_ words: [String]) throws -> String {
            let process = Process()
            process.executableURL = Self.tool.deletingLastPathComponent().appending(path: name)
            process.arguments = words
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(words)")
            return text
        }
        for verb in verbs {
            let lines = try said((verb.isEmpty ? [] : [verb]) + ["--help"]).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect((10...60).contains(lines.count) && lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        }
        let version = try said(["--version"])
        #expect(version.hasPrefix("\(name) \(EvidenceVersions.evidenceKit)\ncommit "), "\(version)")
        #expect(version.contains("\nOpenSSL \(EvidenceVersions.openSSL)"), "\(version)")
    }

    @Test func theHelpNamesOptionsThatThereAre() throws {
        for verb in ["ticket", "keep", "query"] {
            let help = try end(start(verb, "--help"))
            #expect(help.status == 0, "\(help.text)")
            #expect(help.text.contains("evidence-tool verify --ticket-file SIGN:FILE") == (verb == "ticket"))
            #expect(help.text.contains("--ticket-folder DIR") == (verb == "keep"))
            #expect(help.text.contains("three days") == (verb == "query"))
        }
    }

    /// An upload may be carried out and its answer lost: what was drawn for it is known, and the face id.
    @Test func theDrawnOrderNumberAndTheFaceIdAreNotLost() throws {
        for status in [502, 200] {
            var settings = SandboxService.Settings()
            settings.answersInstead["getAdvFaceId"] = (status, #"{"code":"0","res"#)
            let odd = try LoopbackServer(SandboxService(settings), port: 0)
            odd.start()
            defer { odd.stop() }
            let ended = try end(
                start("faceid", "--user-id", "u1", "--identity", "identity", port: odd.port, store: "f\(odd.port)"))
            #expect(ended.status == 3, "\(ended.text)")
            #expect(ended.text.contains(#/(?m)^orderNo: [A-Za-z0-9]{32}$/#), "\(ended.text)")
            #expect(ended.text.contains("do not repeat it"), "\(ended.text)")
        }
        // The NONCE ticket is refused.
        let nonce = try end(
            start("faceid", "--user-id", "u1SBXT400105", "--identity", "identity", "--bundle", "b9"))
        #expect(nonce.status == 1 && nonce.text.contains("400105"), "\(nonce.text)")
        #expect(nonce.text.contains("orderNo: ") && nonce.text.contains("faceId: sandbox"), "\(nonce.text)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("b9")))
    }

    /// The ticket before serves on, but `token` asks whether they can be had.
    @Test func aFailedRenewalIsNotReportedAsDone() throws {
        #expect(try end(start("token")).status == 0)
        let record = try String(contentsOf: folder.url.appending(path: "store"), encoding: .utf8)
        let lines = record.split(separator: "\n").map { line -> String in
            if line.hasPrefix("renewal ") { return "renewal -" }
            guard line.hasPrefix("sign ") else { return String(line) }
            var words = line.split(separator: " ").map(String.init)
            var times = words[1].split(separator: "/").map(String.init)
            times[2] = "\((Int(times[2]) ?? 0) - 1_300_000)"
            words[1] = times.joined(separator: "/")
            return words.joined(separator: " ")
        }
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "store"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try file.close()
        var settings = SandboxService.Settings()
        settings.answersInstead["api_ticket"] = (502, "")
        let odd = try LoopbackServer(SandboxService(settings), port: 0)
        odd.start()
        defer { odd.stop() }
        let ended = try end(start("token", port: odd.port))
        #expect(ended.status == 3 && ended.text.contains("SIGN ticket: 13"), "\(ended.text)")
    }

    @Test func helpNamesNoProductThatIsRefused() throws {
        let ended = try end(start("faceid", "--help"))
        let products = try #require(ended.text.split(separator: "\n").first { $0.contains("--product") })
        #expect(products.contains("enhanced") && !products.contains("will"), "\(products)")
    }

    @Test func aStoreThatOthersWriteAndALockThatIsALinkAreNamed() throws {
        #expect(try end(start("token")).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: folder.path("store"))
        let shared = try end(start("token"))
        #expect(shared.status == 3 && shared.text.contains("written by others"), "\(shared.text)")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("new.lock"), withDestinationPath: folder.path("elsewhere"))
        let linked = try end(start("token", store: "new"))
        #expect(linked.status == 3 && linked.text.contains("new.lock is a symbolic link"), "\(linked.text)")
    }

    /// What would show the secret or the keys of TLS is no place to send them from.
    @Test func anEnvironmentThatShowsSecretsSendsNothing() async throws {
        let ended = try end(start("token", environment: ["SSLKEYLOGFILE": folder.path("keys")]))
        #expect(ended.status == 3 && ended.text.contains("SSLKEYLOGFILE"), "\(ended.text)")
        #expect(ended.text.contains("nothing was sent") && !ended.text.contains("SANDBOX-SECRET"), "\(ended.text)")
        #expect(try await report()["renewals"] as? Int == 0)
        // The library may open the file as it starts.
        #expect(FileManager.default.contents(atPath: folder.path("keys"))?.isEmpty ?? true)
    }

    // MARK: - keep

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder.path("tickets/\(name)")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Waits until the folder has a current ticket other than one before.
    private func ticket(after before: String? = nil) async throws -> String {
        try await eventually("a new ticket") { text("sign-ticket").flatMap { $0 == before ? nil : $0 } }
    }

    /// Waits for a renewal that leaves the one that was current beside the new ticket; who is slow misses some.
    private func renewal(of ticket: String) async throws -> String {
        var current = ticket
        return try await eventually("a renewal with the ticket before") {
            guard let now = text("sign-ticket"), now != current else { return nil }
            defer { current = now }
            return text("sign-ticket.before")?.prefix(64) == current.prefix(64) ? now : nil
        }
    }

    private func stop(_ started: (process: Process, output: URL)) throws -> String {
        kill(started.process.processIdentifier, SIGTERM)
        let ended = try end(started)
        #expect(started.process.terminationReason == .exit && ended.status == 0, "\(ended.text)")
        #expect(!ended.text.contains("SANDBOX"), "no secret is logged")
        return ended.text
    }

    /// A ticket of a short life is renewed, across a restart and an outage; who reads always finds a valid one.
    @Test func aFolderIsKeptCurrent() async throws {
        var settings = SandboxService.Settings()
        settings.signTicketLife = 6
        let reserved = try ReservedPort()
        let port = reserved.number
        let first = try LoopbackServer(SandboxService(settings), port: port)
        first.start()
        var keeper = try start("keep", "--folder", "tickets", port: port)
        let one = try await ticket()
        let two = try await renewal(of: one)
        let said = try stop(keeper)
        #expect(said.contains("evidence-vendor: keeping tickets\nevidence-vendor: wrote the current ticket\n"))
        for name in TicketFolder.fileNames {
            let path = folder.path("tickets/\(name)")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        // Restarted: it goes on with the store's.
        keeper = try start("keep", "--folder", "tickets", port: port)
        _ = try await renewal(of: ticket(after: two))
        // An outage, until after the ticket's end.
        first.stop()
        let kept = TicketFolder(path: folder.path("tickets"))
        let expired = try await eventually("the ticket's end") { () -> EvidenceError.Code? in
            let now = try #require(UTCTime(secondsSince1970: Date().timeIntervalSince1970))
            do throws(EvidenceError) {
                _ = try kept.tickets(at: now)
                return nil
            } catch { return error.code }
        }
        #expect(expired == .ticketExpired)
        let last = text("sign-ticket")
        let second = try LoopbackServer(SandboxService(settings), port: port)
        second.start()
        defer { second.stop() }
        // The sandbox that came back knows no token of the one before, and none is forced within a minute.
        try Data().write(to: folder.url.appending(path: "store"))
        _ = try await ticket(after: last)
        let outage = try stop(keeper)
        #expect(outage.contains("evidence-vendor: error: ") && outage.contains("trying again in 2 s"), "\(outage)")
    }

    @Test func aFolderHasOneKeeper() async throws {
        let keeper = try start("keep", "--folder", "tickets")
        _ = try await ticket()
        let other = try end(start("keep", "--folder", "tickets", "--once", store: "other"))
        #expect(other.status == 3 && other.text.contains("another process keeps the folder tickets"), "\(other.text)")
        #expect(keeper.process.isRunning)
        _ = try stop(keeper)
        // The lock went with it.
        let once = try end(start("keep", "--once", "--folder", "tickets"))
        #expect(once.status == 0 && once.text == "", "\(once.text)")
        #expect(try await report()["renewals"] as? Int == 1)
    }

    /// The vendor is not there from the start, or hangs: it says so, waits, and still ends as told.
    @Test func aKeeperWithoutAVendorWaitsAndEndsAsTold() async throws {
        var settings = SandboxService.Settings()
        settings.latency = 60
        let slow = try LoopbackServer(SandboxService(settings), port: 0)
        slow.start()
        defer { slow.stop() }
        let hanging = try start("keep", "--folder", "hanging", port: slow.port)
        let reserved = try ReservedPort()
        let gone = try start("keep", "--folder", "gone", port: reserved.number, store: "other")
        try await eventually("the second pause") {
            try String(contentsOf: gone.output, encoding: .utf8).contains("again in 4 s") ? () : nil
        }
        #expect(try stop(gone).contains("error: "))
        // Before the vendor would have answered.
        try await exists(folder.path("hanging"))
        _ = try stop(hanging)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("hanging")) == ["lock"])
        let once = try end(start("keep", "--once", "--folder", "gone", port: reserved.number, store: "other"))
        #expect(once.status == 3, "\(once.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("gone")) == ["lock"])
    }

    /// Killed at any moment, also while it writes: each file is whole, and nothing else is left.
    @Test func aKeeperThatIsKilledLeavesWholeFiles() async throws {
        var settings = SandboxService.Settings()
        settings.signTicketLife = 1
        settings.callsPerSecond = 1_000
        let server = try LoopbackServer(SandboxService(settings), port: 0)
        server.start()
        defer { server.stop() }
        var wrote = 0
        for round in 0..<12 {
            let before = text("sign-ticket")
            let keeper = try start("keep", "--folder", "tickets", port: server.port)
            _ = try await ticket(after: before)
            try await Task.sleep(for: .milliseconds(round % 7))
            kill(keeper.process.processIdentifier, SIGKILL)
            keeper.process.waitUntilExit()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("tickets"))
            #expect(Set(names).isSubset(of: Set(TicketFolder.fileNames + ["lock"])), "\(names)")
            for name in names where name != "lock" {
                let lines = try #require(text(name)).split(separator: "\n", omittingEmptySubsequences: false)
                #expect(
                    lines.count == 3 && lines[0].utf8.count == 64 && lines[1].hasPrefix("expires ") && lines[2] == "")
                wrote += 1
            }
        }
        #expect(wrote >= 12, "it wrote")
    }

    @Test func wrongUseIsSaidAndNothingIsEchoed() throws {
        for words in [
            ["token", "--secret", "hunter2"], ["hunter2"], ["ticket", "--kind", "hunter2", "-o", "x"],
            ["query", "hunter2"],
        ] {
            let process = Process()
            process.executableURL = Self.tool
            process.arguments = words
            let pipe = Pipe()
            process.standardError = pipe
            process.standardOutput = pipe
            try process.run()
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 2, "\(words)")
            #expect(text.contains("evidence-vendor: error: ") && !text.contains("hunter2"), "\(text)")
        }
    }

    /// A certificate that nobody vouches for: no request goes out, whatever is set in the environment.
    @Test func tlsIsVerified() throws {
        let made = try run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
            "-subj",
            "/CN=kyc.localhost", "-addext", "subjectAltName=DNS:kyc.localhost", "-days", "2")
        try #require(made == 0)
        let https = Process()
        https.executableURL = URL(filePath: "/usr/bin/env")
        https.currentDirectoryURL = folder.url
        https.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "cert.pem", "-www",
        ]
        https.standardInput = FileHandle.nullDevice
        let said = Pipe()
        https.standardOutput = said
        https.standardError = FileHandle.nullDevice
        try https.run()
        defer {
            kill(https.processIdentifier, SIGKILL)
            https.waitUntilExit()
        }
        // It says where it listens, given no port: "ACCEPT 127.0.0.1:40123".
        var text = ""
        while text.firstMatch(of: #/ACCEPT \S+:\d+\n/#) == nil {
            let more = said.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            text += String(decoding: more, as: UTF8.self)
        }
        let port = try #require(text.firstMatch(of: #/ACCEPT \S+:(\d+)\n/#)).1
        let ended = try end(start("token", store: "tls", host: "kyc.localhost:\(port)"))
        #expect(ended.status == 3 && ended.text.contains("certificate"), "\(ended.text)")
    }

    /// A proxy that fails is named, with its variable, without its password. The vendor got nothing, so no token is
    /// lost.
    @Test(arguments: [
        ("https_proxy", "http://user:hunter2@REFUSING", "cannot connect to the proxy REFUSING"),
        ("HTTPS_PROXY", "REFUSING", "cannot connect to the proxy REFUSING"),
        ("ALL_PROXY", "socks5://REFUSING", "cannot connect to the proxy REFUSING"),
        ("https_proxy", "http://proxy.invalid:3128", "the proxy proxy.invalid:3128"),
        ("https_proxy", "socks9://user:hunter2@REFUSING", "the proxy REFUSING"),
        ("https_proxy", "http://user:hunter2@127.0.0.1:99999", "not written as a URL"),
        ("https_proxy", "http://SANDBOX", "status 501"),
    ]) func aProxyThatFailsIsNamed(variable: String, proxy: String, said: String) throws {
        let reserved = try ReservedPort()
        let ports = ["REFUSING": reserved.number, "SANDBOX": server.port]
        let (address, words) = ports.reduce((proxy, said)) { texts, port in
            let address = "127.0.0.1:\(port.value)"
            return (texts.0.replacing(port.key, with: address), texts.1.replacing(port.key, with: address))
        }
        let ended = try end(
            start("token", store: UUID().uuidString, host: "vendor.invalid", environment: [variable: address]))
        #expect(ended.status == 3 && ended.text.contains(words), "\(ended.text)")
        #expect(ended.text.contains("(\(variable))"), "\(ended.text)")
        #expect(!ended.text.contains("lost") && !ended.text.contains("hunter2"), "\(ended.text)")
    }

    /// A proxy that takes the connection and loses it: at once, after CONNECT, in its answer, behind it, in the
    /// handshake of TLS. Nothing of the call got that far.
    @Test func aProxyThatLosesTheConnectionIsNamed() throws {
        // With what is said; where a reset comes, the system may also report an end.
        let cases = [
            ("reset", ""), ("head reset", ""), ("head end", "did not answer as a proxy does"),
            ("head half reset", ""), ("head half end", "did not answer as a proxy does"),
            ("head ok seen reset", "lost"), ("head ok end", "TLS failed"), ("head ok hello reset", "lost"),
            ("head ok hello end", "TLS failed"), ("head ok page end", "TLS failed"),
        ]
        let proxies = try cases.map { try losingProxy($0.0) }
        defer {
            for proxy in proxies {
                // It inherits blocked signals.
                kill(proxy.process.processIdentifier, SIGKILL)
                proxy.process.waitUntilExit()
            }
        }
        let started = try proxies.map { proxy in
            try start(
                "token", store: "store\(proxy.port)", host: "vendor.invalid",
                environment: ["https_proxy": "http://u:hunter2@127.0.0.1:\(proxy.port)"])
        }
        for (index, (acts, said)) in cases.enumerated() {
            let ended = try end(started[index])
            #expect(ended.status == 3 && (said.isEmpty || ended.text.contains(said)), "\(acts): \(ended.text)")
            #expect(ended.text.contains("the proxy 127.0.0.1:\(proxies[index].port) of"), "\(acts): \(ended.text)")
            #expect(ended.text.contains("https_proxy") && !ended.text.contains("issued"), "\(acts): \(ended.text)")
            #expect(!ended.text.contains("hunter2"), "\(acts): \(ended.text)")
        }
    }

    private func losingProxy(_ acts: String) throws -> (process: Process, port: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.losingProxy] + acts.split(separator: " ").map(String.init)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber))
    }

    private static let losingProxy = """
        import select, socket, struct, sys
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            one, _ = listener.accept()
            for act in sys.argv[1:]:
                if act == "head":
                    while b"\\r\\n\\r\\n" not in one.recv(4096): pass
                if act == "half": one.sendall(b"HTTP/1.1 2")
                if act == "ok": one.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                if act == "page": one.sendall(b"<html>Log in first</html>")
                if act == "hello": one.recv(4096)
                # Who says something has read the answer; a reset would take from it what it has not read.
                if act == "seen": select.select([one], [], [])
                if act == "reset": one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if act == "end":
                    one.shutdown(socket.SHUT_WR)
                    try:
                        while one.recv(4096): pass
                    except ConnectionError: pass
            one.close()
        """

    /// Who waits for the vendor sleeps: two answers that take two seconds each cost a fraction of one.
    @Test func waitingCostsNoTimeOfTheProcessor() throws {
        var settings = SandboxService.Settings()
        settings.latency = 2
        let slow = try LoopbackServer(SandboxService(settings), port: 0)
        slow.start()
        defer { slow.stop() }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        let program = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(usage.ru_utime + usage.ru_stime)
            """
        process.arguments = [
            "python3", "-c", program, Self.tool.path, "token", "--app-id", "TIDA0001", "--secret-file", "secret",
            "--store", "slow", "--host", "127.0.0.1:\(slow.port)",
        ]
        let said = Pipe()
        process.standardOutput = said
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let seconds = try #require(Double(text.filter { !$0.isWhitespace }))
        #expect(process.terminationStatus == 0 && seconds < 1)
    }

    /// An HTTP library may make folders for caches and cookies.
    @Test func nothingIsLeftInTheUsersHome() throws {
        let home = folder.url.appending(path: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let ended = try end(start("token", environment: ["HOME": home.path]))
        #expect(ended.status == 0, "\(ended.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    }

    private func run(_ words: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
