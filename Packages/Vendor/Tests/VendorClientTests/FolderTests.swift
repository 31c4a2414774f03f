// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Synchronization
import Testing
import VendorClient
import VendorServer

/// The folder of tickets: what the keeper writes, and what a reader has of it.
@Suite struct FolderTests {
    private let files: Folder
    private let folder: TicketFolder
    private let service = FakeService()
    private let clock = HandClock()
    private let store = MemoryStore()

    init() throws {
        files = try Folder()
        folder = TicketFolder(path: files.path("tickets"))
    }

    private func keeper() throws -> FolderKeeper {
        try FolderKeeper(Fixture.keeper(service, store, clock), folder)
    }

    private func time(after seconds: Int = 0) throws -> UTCTime {
        let now = clock.reading.sinceEpoch.components.seconds
        return try #require(UTCTime(millisecondsSince1970: (now + Int64(seconds)) * 1_000))
    }

    private func read(after seconds: Int = 0) throws -> [String] {
        try folder.tickets(at: time(after: seconds)).filter { !$0.isExpired(at: .now) }.map(Fixture.value)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func theCurrentTicketAndTheOneBeforeAreThere() async throws {
        let keeper = try keeper()
        #expect(try await keeper.once())
        #expect(try read() == ["SIGN1"])
        let text = try String(contentsOfFile: files.path("tickets/sign-ticket"), encoding: .utf8)
        #expect(text == "SIGN1\nexpires \(try time(after: 3_600))\n")
        clock.pass(.seconds(1_200))
        #expect(try await keeper.once())
        #expect(try read() == ["SIGN2", "SIGN1"])
        // The vendor accepts it for a minute.
        #expect(try read(after: 59) == ["SIGN2", "SIGN1"])
        #expect(try read(after: 60) == ["SIGN2"])
        #expect(try folder.tickets(at: time()).map { $0.isExpired(at: .now + .seconds(61)) } == [false, true])
        #expect(try mode(files.path("tickets")) == 0o700)
        for name in TicketFolder.fileNames { #expect(try mode(files.path("tickets/\(name)")) == 0o600) }
    }

    @Test func whatAnotherProcessRenewedIsWrittenToo() async throws {
        let keeper = try keeper()
        try await keeper.once()
        clock.pass(.seconds(1_200))
        _ = try await Fixture.keeper(service, store, clock).signTicket()
        try await keeper.once()
        #expect(try read() == ["SIGN2", "SIGN1"])
        #expect(service.count("SIGN") == 2)
    }

    @Test func aRestartWritesWhatTheStoreHas() async throws {
        do { try await keeper().once() }
        try FileManager.default.removeItem(atPath: files.path("tickets"))
        clock.pass(.seconds(60))
        try await keeper().once()
        #expect(try read() == ["SIGN1"])
        #expect(service.calls == ["access_token", "SIGN"])
    }

    @Test func anOutageLeavesTheTicketUntilItExpiresAndIsReported() async throws {
        let keeper = try keeper()
        try await keeper.once()
        clock.pass(.seconds(1_200))
        service.fail("access_token", TransportFailure("lost"))
        let error = await #expect(throws: EvidenceError.self) { try await keeper.once() }
        #expect(error?.code == .noAnswer)
        #expect(try await keeper.once() == false, "due, and not repeated yet")
        #expect(try read() == ["SIGN1"])
        #expect(try read(after: 2_399) == ["SIGN1"])
        let expired = #expect(throws: EvidenceError.self) { try read(after: 2_400) }
        #expect(expired?.code == .ticketExpired)
        #expect(expired?.description.contains("expired at \(try time(after: 2_400))") == true)
        clock.pass(.seconds(30))
        #expect(try await keeper.once())
        #expect(try read() == ["SIGN2", "SIGN1"])
    }

    /// It says a failure once per pause, goes on by itself, and ends when it is told to.
    @Test func itGoesOnAfterAnOutage() async throws {
        let (service, folder) = (service, folder)
        service.fail("access_token", TransportFailure("lost"))
        service.fail("access_token", TransportFailure("lost"))
        let keeper = try FolderKeeper(Fixture.keeper(service, store, SystemClock()), folder)
        let events = Mutex<[String]>([])
        let work = Task {
            await keeper.run { event in
                switch event {
                case .wrote: events.withLock { $0.append("wrote") }
                case .failed(let error, let pause): events.withLock { $0.append("\(error.code.name) \(pause)") }
                }
            }
        }
        try await eventually("a write") { events.withLock { $0.last == "wrote" ? () : nil } }
        work.cancel()
        await work.value
        #expect(events.withLock { $0 } == ["no-answer 2.0 seconds", "no-answer 4.0 seconds", "wrote"])
        // However slow the machine is, the pause is over before the next call.
        #expect(service.moments[2] - service.moments[1] >= .seconds(4))
    }

    @Test func aFolderHasOneWriter() throws {
        let keeper = try keeper()
        let error = #expect(throws: EvidenceError.self) { try self.keeper() }
        #expect(error?.code == .ticketStore)
        #expect(error?.description.contains("another process keeps the folder") == true)
        withExtendedLifetime(keeper) {}
    }

    @Test func aFolderThatOthersMayEnterIsRefused() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
        let error = #expect(throws: EvidenceError.self) { try keeper() }
        #expect(error?.hint?.contains("chmod 700") == true)
        let missing = TicketFolder(path: files.path("no/tickets"))
        #expect(throws: EvidenceError(.ticketStore, "")) {
            try FolderKeeper(Fixture.keeper(service, store, clock), missing)
        }
    }

    private final class State: Sendable {
        let current = Mutex(0)
        let isDone = Mutex(false)
    }

    /// A reader beside a rotation always has the ticket that was current when it began.
    @Test func noReaderMissesTheTicketThatWasCurrent() async throws {
        let (folder, now) = (folder, try time())
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        func ticket(_ number: Int) throws -> Ticket {
            try Ticket(.sign, SecretBytes(copying: Array("SIGN\(number)".utf8).span), issued: .now)
        }
        try folder.write(ticket(0), before: nil, at: now)
        let state = State()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var reads = 0
                    while !state.isDone.withLock({ $0 }) {
                        let begun = state.current.withLock { $0 }
                        let numbers = try folder.tickets(at: now).map { Int(Fixture.value($0).dropFirst(4)) ?? -1 }
                        #expect(numbers.contains { $0 >= begun }, "\(numbers), when \(begun) was current")
                        reads += 1
                        await Task.yield()
                    }
                    return reads
                }
            }
            for number in 1...60 {
                try folder.write(ticket(number), before: ticket(number - 1), at: now)
                state.current.withLock { $0 = number }
                try await Task.sleep(for: .milliseconds(2))
            }
            state.isDone.withLock { $0 = true }
            var reads = 0
            for try await count in group { reads += count }
            #expect(reads > 0)
        }
    }

    @Test(arguments: [
        ("", "does not say in its second line"), ("SIGN1", "does not say"), ("SIGN1\n", "does not say"),
        ("SIGN1\nSIGN2\n", "does not say"), ("SIGN1\nexpires 2026-13-01T00:00:00.000Z\n", "does not say"),
        ("SIGN1\nexpires 2926-10-01T00:00:00.000Z", "does not say"),
        ("SIGN1\nexpires 2926-10-01T00:00:00.000Z\nmore\n", "does not say"),
        ("\nexpires 2926-10-01T00:00:00.000Z\n", "1 to 256 characters"),
        ("SI GN\nexpires 2926-10-01T00:00:00.000Z\n", "character 3"),
    ]) func aFileOfAnotherFormIsRefusedAndNotShown(text: String, said: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        for name in TicketFolder.fileNames {
            try Data("SIGN0\nexpires 2926-10-01T00:00:00.000Z\n".utf8).write(
                to: files.url.appending(path: "tickets/\(name)"))
        }
        #expect(try read() == ["SIGN0"])
        for name in TicketFolder.fileNames {
            try Data(text.utf8).write(to: files.url.appending(path: "tickets/\(name)"))
            let error = #expect(throws: EvidenceError.self) { try read() }
            #expect(error?.code == .ticket && error?.description.contains("\(name)'") == true)
            #expect(error?.description.contains(said) == true && error?.description.contains("SIGN") == false)
            try Data("SIGN0\nexpires 2926-10-01T00:00:00.000Z\n".utf8).write(
                to: files.url.appending(path: "tickets/\(name)"))
        }
    }

    @Test func whatIsNotThereIsNamed() throws {
        let error = #expect(throws: EvidenceError.self) { try read() }
        #expect(error?.code == .cannotRead && error?.streamName == files.path("tickets/sign-ticket"))
        #expect(error?.hint?.contains("there is no folder") == true)
        try FileManager.default.createDirectory(atPath: files.path("tickets"), withIntermediateDirectories: false)
        let empty = #expect(throws: EvidenceError.self) { try read() }
        #expect(empty?.hint?.contains("has written none yet") == true)
    }

    @Test func onlySignTicketsOfKnownAgeAreWritten() throws {
        func value() -> SecretBytes { SecretBytes(copying: Array("T1".utf8).span) }
        for (ticket, code) in [
            (try Ticket(.nonce, value(), issued: .now), EvidenceError.Code.ticketKind),
            (try Ticket(.sign, value()), .ticket),
            (try Ticket(.sign, value(), issued: .now, lifetime: .seconds(1 << 40)), .ticket),
        ] {
            let error = #expect(throws: EvidenceError.self) { try folder.write(ticket, before: nil, at: time()) }
            #expect(error?.code == code)
        }
    }
}
