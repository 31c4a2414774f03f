// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

/// Which records are held, and until which days records are kept, by what the bags and the waiting records say:
/// `docs/ARCHIVE.md` §1.2.
///
/// A release and an earlier day count once a token that holds covers their bag. A first day that came later counts at
/// once against letting the record go, though `verify` names nothing before that.
struct Retention {
    private let archive: Archive
    /// What the bags say of holds and days, and what waits.
    private let closed: [Int: [RecordStatement]]
    private let waiting: [RecordStatement]
    private let newestToken: Int

    /// - Parameter authorities: where an authority's certificate must lead whose tokens count; `nil` for none.
    init(_ archive: Archive, trusting authorities: Certificates?) throws(EvidenceError) {
        self.archive = archive
        let acts = try archive.erasureLog.acts(in: archive)
        closed = Dictionary(grouping: acts.closed.filter { RetentionLog.counts($0.statement) }, by: \.bag)
            .mapValues { $0.map(\.statement) }
        waiting = acts.waiting
        var newest = 0
        if let authorities {
            for number in try archive.listedBags().numbers.reversed() where newest == 0 {
                if try archive.hasTokenThatHolds(number, authorities) { newest = number }
            }
        }
        newestToken = newest
    }

    /// Why a record must not go yet, or its face; `nil` where it may.
    ///
    /// - Parameter statement: the record's, as it stands there.
    func reasonToKeep(
        _ statement: RecordStatement, _ extent: RecordStatement.Subject.Extent, at now: UTCTime
    ) throws(EvidenceError) -> String? {
        var owner = statement
        if case .adds(let other)? = statement.subject { owner = try archive.statement(of: other) }
        let bag = try archive.place(of: owner.record).bag
        var log = log(about: owner, inBag: bag, coveredTo: newestToken)
        // Of what waits, holds and later days count at once.
        log.take(waiting, isCovered: false) { $0 == owner.record && bag == nil }
        if let hold = log.hold(on: owner.record) { return "is held by record \(hold)\(release(of: hold))" }
        if extent == .all, let day = log.dayToWaitFor(of: owner.record, [.all]) {
            return ArchiveDay(now) < day ? "is to be kept until \(day)" : nil
        }
        // With all of a record goes its face, which may be all that has a day.
        guard let day = log.dayToWaitFor(of: owner.record, [.all, .face]), ArchiveDay(now) < day else { return nil }
        return "has a face that is to be kept until \(day)"
    }

    /// What became of the release of a hold that still counts; empty where there is none.
    private func release(of hold: RecordID) -> String {
        func isRelease(_ statement: RecordStatement) -> Bool { statement.subject == .releases(hold) }
        if waiting.contains(where: isRelease) { return "; its release waits to be closed into a bag" }
        return closed.values.contains { $0.contains(where: isRelease) }
            ? "; it was released, but \(RetentionLog.notCovered) yet" : ""
    }

    /// The day that the bags give a record, whether or not a token covers them; `nil` where they give none.
    func closedDay(_ key: RetentionKey, ofBag bag: Int) -> ArchiveDay? {
        guard let statement = try? archive.statement(of: key.record) else { return nil }
        return log(about: statement, inBag: bag, coveredTo: .max).day(of: key.record, [key.extent])
    }

    /// What the bags say, read for one record.
    private func log(about owner: RecordStatement, inBag bag: Int?, coveredTo covered: Int) -> RetentionLog {
        var bags = closed
        if let bag { bags[bag, default: []].append(owner) }
        var log = RetentionLog()
        for (number, statements) in bags.sorted(by: { $0.key < $1.key }) {
            log.take(statements, isCovered: number <= covered) { $0 == owner.record && number == bag }
        }
        // Of a record that waits, its own statement is not among the acts.
        if bag == nil { log.take([owner], isCovered: false) { $0 == owner.record } }
        return log
    }
}
