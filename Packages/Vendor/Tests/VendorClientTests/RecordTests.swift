// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing
import VendorClient
import VendorServer

/// The kept record, read from bytes of any kind. The fuzz package sees the main package alone; so the parser is thrown
/// mutations here.
@Suite struct RecordTests {
    private let clock = HandClock()

    private func record() async throws -> [UInt8] {
        let (service, store) = (FakeService(), MemoryStore())
        let keeper = try Fixture.keeper(service, store, clock)
        _ = try await keeper.signTicket()
        clock.pass(.seconds(1_200))
        _ = try await keeper.signTicket()
        return try #require(store.record)
    }

    /// What a keeper makes of a record: the value of the ticket it signs with, and the calls it made for it.
    private func reading(_ record: [UInt8]) async throws -> (ticket: String, isFetched: Bool) {
        let (service, store) = (FakeService(), MemoryStore())
        store.record = record
        service.answer("SIGN", #"{"code":"0","tickets":[{"value":"FRESH","expire_in":3600}]}"#)
        let ticket = try await Fixture.keeper(service, store, clock).signTicket()
        return (Fixture.value(ticket), !service.calls.isEmpty)
    }

    @Test func aRecordReadsAsItWasWritten() async throws {
        let record = try await record()
        let text = String(decoding: record, as: UTF8.self)
        #expect(text.hasPrefix("evidence-keeper 1\napp TIDA0001\nrenewal "))
        #expect(text.hasSuffix(" SIGN1\nend\n"))
        let read = try await reading(record)
        #expect(read.ticket == "SIGN2" && !read.isFetched)
    }

    /// A token that was replaced is not used, though a renewal is not due again yet.
    @Test func aReplacedTokenIsRenewedBeforeItIsUsed() async throws {
        let (service, store) = (FakeService(), MemoryStore())
        let keeper = try Fixture.keeper(service, store, clock)
        _ = try await keeper.signTicket()
        clock.pass(.seconds(1_300))
        for _ in 0..<4 { service.fail("SIGN", TransportFailure("lost")) }
        _ = try await keeper.signTicket()
        let count = service.calls.count
        let record = String(decoding: try #require(store.record), as: UTF8.self)
        let issued = try #require(record.firstMatch(of: #/\ntoken (\S+) /#)?.1)
        store.record = Array(record.replacing(" - TOKEN2", with: " \(issued) TOKEN2").utf8)
        clock.pass(.seconds(5))
        _ = try await keeper.nonceTicket(for: Fixture.attempt())
        #expect(service.calls[count...] == ["access_token", "SIGN", "NONCE"])
    }

    /// A record that ends anywhere, as one that was cut off, is as none: nothing half is used.
    @Test func aRecordThatIsCutOffIsReplaced() async throws {
        let record = try await record()
        for count in 0..<record.count {
            let read = try await reading(Array(record[..<count]))
            #expect(read.ticket == "FRESH" && read.isFetched, "\(count)")
        }
    }

    /// Blocks that never reached the disk, a record that went through an editor, and one that something follows.
    @Test func aRecordOfZerosOrWithOtherLineEndsIsReplaced() async throws {
        let record = try await record()
        let carriage = Array(record.split(separator: 0x0A).joined(separator: [0x0D, 0x0A])) + [0x0D, 0x0A]
        var version = record
        version[16] = 0x78
        for damaged in [
            [UInt8](repeating: 0, count: 378), carriage, version, record + [0x0A], record + [0x78], record + record,
        ] {
            let read = try await reading(damaged)
            #expect(read.ticket == "FRESH" && read.isFetched)
        }
    }

    @Test func aForeignFileIsLeftUnchanged() async throws {
        for text in [
            "hello\n", "evidence-keepers\n", "evidence-keeper 10\n", "{\"a\":1}", "evidence-keeper 2\napp TIDA0001\n",
            "evidence-keeper 1\napp TIDA0002\nrenewal -\nend\n", "\n",
        ] {
            let (service, store) = (FakeService(), MemoryStore())
            store.record = Array(text.utf8)
            let error = await #expect(throws: EvidenceError.self) {
                try await Fixture.keeper(service, store, clock).signTicket()
            }
            #expect(error?.code == .ticketStore)
            #expect(service.calls.isEmpty)
            #expect(store.record == Array(text.utf8))
        }
    }

    /// Each byte another one, and each line twice, away or in another place: an error, a renewal, or a ticket that has
    /// the form of one. Never a crash, and never the token in the ticket's place.
    @Test func mutationsDoNotCrashOrMixSecrets() async throws {
        let record = try await record()
        var mutations: [[UInt8]] = []
        for index in record.indices {
            for byte in [UInt8(0), 0x0A, 0x20, 0x2F, 0x39, 0xFF] {
                var changed = record
                changed[index] = byte
                mutations.append(changed)
            }
        }
        let lines = record.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        for index in lines.indices {
            for other in lines.indices {
                var changed = lines
                changed.insert(lines[other], at: index)
                mutations.append(Array(changed.joined(separator: [0x0A])))
                changed = lines
                changed.swapAt(index, other)
                mutations.append(Array(changed.joined(separator: [0x0A])))
            }
        }
        mutations.append(record + [0x0A])
        mutations.append([UInt8](repeating: 0x41, count: 100_000))
        for mutation in mutations {
            guard let read = try? await reading(mutation) else { continue }
            #expect(!read.ticket.contains("TOKEN"), "\(String(decoding: mutation, as: UTF8.self))")
        }
    }
}
