// SPDX-License-Identifier: Apache-2.0

/// A record, and what of it a day is about.
struct RetentionKey: Hashable, Sendable {
    let record: RecordID
    let extent: RecordStatement.Subject.Extent
}

/// Which records were held, and until which days they were kept, one bag after the other: `docs/ARCHIVE.md` §1.2.
struct RetentionLog {
    /// The holds, with the evidence that each is on.
    private var holds: [RecordID: RecordID] = [:]
    /// The holds that were released, whether or not that counts, by the first release.
    private var firstReleases: [RecordID: RecordID] = [:]
    /// Those whose release counts.
    private var released: Set<RecordID> = []
    private var days: [RetentionKey: ArchiveDay] = [:]
    /// The latest first day and the latest earlier day that no token covers yet, so that they do not count.
    private var uncovered: [RetentionKey: ArchiveDay] = [:]

    /// Whether a statement says something of holds or days.
    static func counts(_ statement: RecordStatement) -> Bool {
        switch statement.subject {
        case nil: statement.until != nil || statement.faceUntil != nil
        case .holds, .releases, .keeps: true
        default: false
        }
    }

    /// Takes the records of a bag in.
    ///
    /// - Parameters:
    ///   - isCovered: whether a token that holds covers the bag: what shortens counts only then.
    ///   - isBeside: whether a record is in the same bag.
    mutating func take(
        _ statements: [RecordStatement], isCovered: Bool, isBeside: (RecordID) -> Bool
    ) {
        var named: [RetentionKey: ArchiveDay] = [:]
        func add(_ record: RecordID, _ extent: RecordStatement.Subject.Extent, _ day: ArchiveDay?) {
            guard let day else { return }
            let key = RetentionKey(record: record, extent: extent)
            named[key] = max(named[key] ?? day, day)
        }
        for statement in statements.sorted(by: { $0.record < $1.record }) {
            switch statement.subject {
            case nil:
                add(statement.record, .all, statement.until)
                add(statement.record, .face, statement.faceUntil)
            case .holds(let record)?: holds[statement.record] = record
            case .releases(let hold)?:
                if firstReleases[hold] == nil { firstReleases[hold] = statement.record }
                if isCovered { released.insert(hold) }
            case .keeps(let record, let extent, let day)?: add(record, extent, day)
            default: break
            }
        }
        for (key, day) in named {
            let isShorter = days[key].map { day < $0 } ?? !isBeside(key.record)
            if isCovered || !isShorter { days[key] = day } else { uncovered[key] = max(uncovered[key] ?? day, day) }
        }
    }

    /// The findings about the records of the bag that was read last.
    ///
    /// - Parameters:
    ///   - day: that on which the bag was closed.
    ///   - owner: the record whose holds and days count for one.
    func notes(
        on statements: [RecordStatement], day: ArchiveDay?, owner: (RecordID) -> RecordID
    ) -> [(RecordID, String)] {
        var notes: [(RecordID, String)] = []
        for statement in statements {
            switch statement.subject {
            case .releases(let hold)? where firstReleases[hold] != statement.record:
                notes.append((statement.record, "the hold \(hold) was released before: this has no effect"))
            case .erases(let record)?:
                if let why = reason(owner(record), [.all], day) {
                    notes.append((statement.record, "record \(record) was erased \(why)"))
                }
            case .reduces(let record)?:
                if let why = reason(owner(record), [.all, .face], day) {
                    notes.append((statement.record, "record \(record) was reduced \(why)"))
                }
            default: break
            }
        }
        return notes
    }

    private func reason(
        _ record: RecordID, _ extents: [RecordStatement.Subject.Extent], _ day: ArchiveDay?
    ) -> String? {
        if let hold = hold(on: record) {
            return "while it was held (\(hold)"
                + (firstReleases[hold] == nil ? ")" : "); it was released, but \(Self.notCovered)")
        }
        let first = self.day(of: record, extents)
        guard let day, let first, day < first else { return nil }
        let earlier = Self.earliest(of: record, extents, in: uncovered).flatMap { $0 <= day ? $0 : nil }
        return "before its day, \(first)" + (earlier.map { "; \($0) was set later, but \(Self.notCovered)" } ?? "")
    }

    static let notCovered = "no time stamp that was verified covers that"

    /// A hold on a record that was not released; `nil` if there is none.
    func hold(on record: RecordID) -> RecordID? {
        holds.filter { $0.value == record && !released.contains($0.key) }.map(\.key).min()
    }

    /// The earliest day of these; `nil` where there is none.
    func day(of record: RecordID, _ extents: [RecordStatement.Subject.Extent]) -> ArchiveDay? {
        Self.earliest(of: record, extents, in: days)
    }

    /// The day before which nothing goes without a reason: where none counts yet, a first day that waits to be covered.
    func dayToWaitFor(of record: RecordID, _ extents: [RecordStatement.Subject.Extent]) -> ArchiveDay? {
        day(of: record, extents) ?? Self.earliest(of: record, extents, in: uncovered)
    }

    private static func earliest(
        of record: RecordID, _ extents: [RecordStatement.Subject.Extent], in days: [RetentionKey: ArchiveDay]
    ) -> ArchiveDay? {
        extents.compactMap { days[RetentionKey(record: record, extent: $0)] }.min()
    }
}
