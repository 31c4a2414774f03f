// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit
import Foundation
import Synchronization
import Testing

/// The index through the library; the command, closed bags and a reader that is not ours: `Tests/drive/check.py`.
@Suite struct ArchiveIndexTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// Every query, in pages of every size, finds what a look at each record finds.
    @Test func queriesFindWhatALookAtEachRecordFinds() throws {
        var random = SystemRandomNumberGenerator()
        for number in 0..<48 {
            // Several records have one time, and several one order.
            try shelf.append(
                "order\(number % 17)", second: .random(in: 0..<24, using: &random),
                [.holds, .holds, .fails, .unchecked][number % 4])
        }
        let changes = try shelf.build()
        #expect(changes.recordCount == 48 && changes.added == 48 && changes.removed == 0 && changes.bag == 0)
        let index = try shelf.opened()
        for _ in 0..<400 {
            var query = ArchiveQuery()
            query.order = Bool.random(using: &random) ? nil : try OrderNumber("order\(Int.random(in: 0..<18))")
            query.verdict = [nil, .holds, .fails, .unchecked].randomElement(using: &random) ?? nil
            query.from = Bool.random(using: &random) ? nil : try Shelf.moment(.random(in: -1..<25))
            query.until = Bool.random(using: &random) ? nil : try Shelf.moment(.random(in: -1..<25))
            let wanted = shelf.kept.filter { kept in
                query.order.map { $0 == kept.order } ?? true && query.verdict.map { $0 == kept.verdict } ?? true
                    && query.from.map { $0 <= kept.time } ?? true && query.until.map { kept.time < $0 } ?? true
            }.sorted { ($0.time, $0.record) < ($1.time, $1.record) }
            query.limit = .random(in: 1...60, using: &random)
            var found: [IndexedRecord] = []
            var pages = 0
            repeat {
                let answer = try index.find(query)
                #expect(answer.isCurrent && answer.records.count <= query.limit)
                #expect(answer.next == nil || answer.records.count == query.limit)
                found += answer.records
                query.after = try answer.next.map { try #require(ArchivePosition("\($0)")) }
                pages += 1
            } while query.after != nil && pages < 100
            #expect(found.map(\.record) == wanted.map(\.record))
            #expect(found.map(\.time) == wanted.map(\.time) && found.map(\.verdict) == wanted.map(\.verdict))
            #expect(found.allSatisfy { $0.bag == nil })
        }
    }

    @Test func theFileIsTheOwnersAlone() throws {
        try shelf.append("ord1", second: 1)
        umask(0)
        _ = try shelf.build()
        #expect(try FileManager.default.attributesOfItem(atPath: shelf.index)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: shelf.index)
        try shelf.append("ord2", second: 2)
        _ = try shelf.update()
        #expect(try FileManager.default.attributesOfItem(atPath: shelf.index)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path).sorted() == ["A", "index"])
    }

    /// Who writes has it alone; who reads does not wait.
    @Test func anIndexHasOneWriterAtATime() throws {
        try shelf.append("ord1", second: 1)
        _ = try shelf.build()
        let other = try #require(FileHandle(forReadingAtPath: shelf.index))
        try #require(flock(other.fileDescriptor, LOCK_EX) == 0)
        let before = try Data(contentsOf: URL(filePath: shelf.index))
        for write in [shelf.update, shelf.erase, { try shelf.build() }, { try shelf.build(replacing: true) }] {
            #expect(throws: EvidenceError(.archiveInUse, "")) { try write() }
        }
        #expect(try Data(contentsOf: URL(filePath: shelf.index)) == before && shelf.found("ord1").count == 1)
        try other.close()
        _ = try shelf.update()
    }

    /// What the archive has and the index does not know is said; nothing is answered as if it were not there.
    @Test func anIndexThatIsBehindSaysSo() throws {
        let first = try shelf.append("ord1", second: 1)
        _ = try shelf.build()
        let index = try shelf.opened()
        let second = try shelf.append("ord1", second: 2)
        #expect(throws: EvidenceError(.staleIndex, "")) { try index.find(ArchiveQuery()) }
        let answer = try index.find(ArchiveQuery(), allowingStale: true)
        #expect(!answer.isCurrent && answer.records.map(\.record) == [first])
        let changes = try shelf.update()
        #expect(changes.recordCount == 2 && changes.added == 1 && changes.removed == 0)
        // The same reader, without opening it again.
        #expect(try index.find(ArchiveQuery()).records.map(\.record) == [first, second])
        #expect(try shelf.update().added == 0)
    }

    /// An erased record is never found, and once the index knows, nothing of it is in the file.
    @Test func anErasedRecordIsNotFoundAndLeavesNothing() throws {
        for number in 0..<40 { try shelf.append("ord\(number)", second: Int64(number % 7)) }
        _ = try shelf.build()
        let index = try shelf.opened()
        for (number, kept) in shelf.kept.enumerated() where number % 3 == 0 {
            #expect(try shelf.fileHas(kept.record))
            try shelf.writer.erase(kept.record, at: Shelf.moment(100))
            // Before the index knows.
            #expect(try shelf.found("ord\(number)", stale: true) == [])
            let changes = try number % 2 == 0 ? shelf.erase() : shelf.update()
            #expect(changes.removed == 1 && changes.added == 0)
            #expect(try !shelf.fileHas(kept.record))
            _ = try shelf.update()
            #expect(try shelf.found("ord\(number)") == [])
            #expect(try !shelf.fileHas(kept.record))
        }
        let living = shelf.kept.enumerated().filter { $0.offset % 3 != 0 }.map(\.element.record)
        #expect(try Set(index.find(ArchiveQuery()).records.map(\.record)) == Set(living))
        // Made again, it has no more.
        #expect(try shelf.build().recordCount == living.count)
        #expect(try Set(index.find(ArchiveQuery()).records.map(\.record)) == Set(living))
    }

    /// An erasure that a crash left half done, and a key that came back from a backup.
    @Test func anErasureThatIsNotFinishedCounts() throws {
        let record = try shelf.append("ord1", second: 1)
        try shelf.append("ord2", second: 2)
        _ = try shelf.build()
        let keyID = shelf.key.publicKey.fingerprint
        let key = shelf.folder.appending(path: "A/keys/\(keyID)/\(record.description.prefix(2))/\(record)")
        let bytes = try Data(contentsOf: key)
        let mark = shelf.folder.appending(path: "A/tmp/erase-\(record)")
        try Data().write(to: mark)
        #expect(try shelf.found("ord1") == [])
        try FileManager.default.removeItem(at: mark)
        #expect(try shelf.found("ord1") == [record])
        try shelf.writer.erase(record, at: Shelf.moment(3))
        try bytes.write(to: key)
        // The key is there again: whether it was erased, nobody knows any more.
        #expect(throws: EvidenceError(.bag, "")) { try shelf.erase() }
        #expect(try shelf.found("ord1", stale: true) == [])
        try shelf.writer.erase(record, at: Shelf.moment(4))
        #expect(try shelf.erase().removed == 1)
        #expect(try shelf.build().recordCount == 1)
        #expect(try shelf.found("ord1") == [])
    }

    /// A changed byte anywhere, a cut and an addition: an error with the cure, never an answer.
    @Test func damageIsFoundWhereverItIs() throws {
        for number in 0..<20 { try shelf.append("ord\(number)", second: Int64(number)) }
        _ = try shelf.build()
        let file = URL(filePath: shelf.index)
        let sound = try Data(contentsOf: file)
        var places = Set(0..<100).union(sound.count - 100..<sound.count)
        for place in stride(from: 0, to: sound.count, by: 61) { places.insert(place) }
        func expectRefusal(_ data: Data) throws {
            try data.write(to: file)
            let error = try #require(throws: EvidenceError.self) { try shelf.found("ord3") }
            #expect(error.code == .notAnIndex && error.hint?.contains("build the index again") == true)
            #expect(throws: EvidenceError(.notAnIndex, "")) { try shelf.erase() }
        }
        for place in places {
            var data = sound
            data[place] ^= 1 << UInt8(place % 8)
            try expectRefusal(data)
        }
        for count in [0, 1, 97, 4_096, sound.count / 2, sound.count - 1] { try expectRefusal(sound.prefix(count)) }
        try expectRefusal(sound + [10])
        try sound.write(to: file)
        #expect(try shelf.found("ord3").count == 1)
        // The cure.
        var data = sound
        data[5_000] ^= 1
        try data.write(to: file)
        #expect(throws: EvidenceError(.notAnIndex, "")) { try shelf.build() }
        #expect(try shelf.build(replacing: true).recordCount == 20)
        #expect(try shelf.found("ord3").count == 1)
    }

    /// Without the keys nobody knows which records live: there is no answer then, not even an empty one.
    @Test func withoutTheArchivesKeysNothingIsAnswered() throws {
        try shelf.append("ord1", second: 1)
        _ = try shelf.build()
        try FileManager.default.moveItem(
            at: shelf.folder.appending(path: "A/keys"), to: shelf.folder.appending(path: "keys"))
        #expect(throws: EvidenceError(.bag, "")) { try shelf.found("ord1") }
        #expect(throws: EvidenceError(.bag, "")) { try shelf.found("ord2") }
        #expect(throws: EvidenceError(.bag, "")) { try shelf.erase() }
        #expect(throws: EvidenceError(.bag, "")) { try shelf.update() }
        #expect(throws: EvidenceError(.bag, "")) { try shelf.build() }
    }

    @Test func anotherArchivesIndexIsRefused() throws {
        try shelf.append("ord1", second: 1)
        _ = try shelf.build()
        let other = try Shelf(origin: "example.com/others")
        #expect(throws: EvidenceError(.notAnIndex, "")) {
            try ArchiveIndex(path: shelf.index, of: other.archive, openedBy: shelf.key)
        }
        #expect(throws: EvidenceError(.notAnIndex, "")) {
            try ArchiveIndex.update(at: shelf.index, of: other.archive, openedBy: shelf.key)
        }
    }

    @Test func whatIsNoIndexIsNotReplaced() throws {
        try Data("a letter".utf8).write(to: URL(filePath: shelf.index))
        #expect(throws: EvidenceError(.notAnIndex, "")) { try shelf.build() }
        #expect(try Data(contentsOf: URL(filePath: shelf.index)) == Data("a letter".utf8))
        // Whoever gave the path of another file is not told to replace it.
        for refused in [{ _ = try shelf.opened() }, { _ = try shelf.update() }, { _ = try shelf.erase() }] {
            let refusal = #expect(throws: EvidenceError(.notAnIndex, "")) { try refused() }
            #expect(refusal?.underlying is ForeignFile && refusal?.hint?.hasPrefix("look at the path") == true)
        }
        #expect(throws: EvidenceError(.value, "")) {
            try ArchiveIndex.build(
                at: shelf.folder.appending(path: "A/keys/index").path, of: shelf.archive, openedBy: shelf.key)
        }
        #expect(throws: EvidenceError(.cannotRead, "")) {
            try ArchiveIndex(path: shelf.index + "2", of: shelf.archive, openedBy: nil)
        }
    }

    @Test func anotherKeyFindsNothingAndSaysSo() throws {
        try shelf.append("ord1", second: 1)
        let other = try RSAPrivateKey.generate(bitCount: 3072)
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try ArchiveIndex.build(at: shelf.index, of: shelf.archive, openedBy: other)
        }
        _ = try shelf.build()
        var query = ArchiveQuery()
        query.order = try OrderNumber("ord1")
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try ArchiveIndex(path: shelf.index, of: shelf.archive, openedBy: other).find(query)
        }
        #expect(throws: EvidenceError(.wrongKindOfKey, "")) {
            try ArchiveIndex(path: shelf.index, of: shelf.archive).find(query)
        }
        // Without an order no key is needed.
        #expect(try ArchiveIndex(path: shelf.index, of: shelf.archive).find(ArchiveQuery()).records.count == 1)
    }

    /// After a rotation the index's own key is out of reach: it is made again.
    @Test func aRotationAsksForANewIndex() throws {
        try shelf.append("ord1", second: 1)
        _ = try shelf.build()
        let new = try RSAPrivateKey.generate(bitCount: 3072)
        _ = try shelf.writer.rotate(from: shelf.key, to: new.publicKey, at: Shelf.moment(5))
        let stale = try #require(throws: EvidenceError.self) { try shelf.found("ord1") }
        #expect(stale.code == .staleIndex && stale.hint?.contains("build the index again") == true)
        let error = try #require(throws: EvidenceError.self) {
            try ArchiveIndex.update(at: shelf.index, of: shelf.archive, openedBy: new)
        }
        #expect(error.code == .unsuitableKey && error.hint?.contains("build the index again") == true)
        #expect(throws: EvidenceError(.unsuitableKey, "")) { try shelf.build() }
        #expect(try ArchiveIndex.build(at: shelf.index, of: shelf.archive, openedBy: new).recordCount == 1)
    }

    /// A key that is gone though nothing says that its record was erased stops the index: it would not have the record.
    @Test func aLostKeyIsNamed() throws {
        let record = try shelf.append("ord1", second: 1)
        try FileManager.default.removeItem(
            at: shelf.folder.appending(
                path: "A/keys/\(shelf.key.publicKey.fingerprint)/\(record.description.prefix(2))/\(record)"))
        let error = try #require(throws: EvidenceError.self) { try shelf.build() }
        #expect(error.code == .bag && "\(error)".contains(record.description))
        #expect(!FileManager.default.fileExists(atPath: shelf.index))
    }

    /// Readers have the old index or the new one, whole, while one writer replaces it; a second writer waits its turn.
    @Test func readersGoOnWhileOneWrites() throws {
        for number in 0..<10 { try shelf.append("ord\(number)", second: Int64(number)) }
        _ = try shelf.build()
        let (index, archive, path, key) = (try shelf.opened(), shelf.archive, shelf.index, shelf.key)
        let first = shelf.kept.map(\.record)
        let faults = Mutex<[String]>([])
        let isDone = Atomic(false)
        let group = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                do {
                    while !isDone.load(ordering: .relaxed) {
                        let found = try index.find(ArchiveQuery(), allowingStale: true).records.map(\.record)
                        if Array(found.prefix(10)) != first { faults.withLock { $0.append("\(found.count)") } }
                        let fresh = try ArchiveIndex(path: path, of: archive).find(ArchiveQuery(), allowingStale: true)
                        if fresh.records.count < 10 { faults.withLock { $0.append("fresh") } }
                    }
                } catch { faults.withLock { $0.append("\(error)") } }
            }
        }
        for number in 10..<25 {
            try shelf.append("ord\(number)", second: Int64(number))
            let outcomes = Mutex<[EvidenceError?]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                do throws(EvidenceError) {
                    _ = try ArchiveIndex.update(at: path, of: archive, openedBy: key)
                    outcomes.withLock { $0.append(nil) }
                } catch { outcomes.withLock { $0.append(error) } }
            }
            #expect(
                outcomes.withLock {
                    $0.contains { $0 == nil } && $0.allSatisfy { $0?.code ?? .archiveInUse == .archiveInUse }
                })
            #expect(try index.find(ArchiveQuery()).records.count == number + 1)
        }
        isDone.store(true, ordering: .relaxed)
        group.wait()
        #expect(faults.withLock { $0 } == [])
    }

    /// No order number, no name of an archive's person: what an index has is ids, times, verdicts and codes.
    @Test func noOrderNumberIsInTheFile() throws {
        for number in 0..<10 { try shelf.append("canary\(number)", second: Int64(number)) }
        _ = try shelf.build()
        #expect(try Data(contentsOf: URL(filePath: shelf.index)).firstRange(of: Data("canary".utf8)) == nil)
        let before = try Data(contentsOf: URL(filePath: shelf.index))
        _ = try shelf.build()
        // Made again, its codes are under another key.
        #expect(try Data(contentsOf: URL(filePath: shelf.index)) != before)
        #expect(try shelf.found("canary4").count == 1)
    }
}
