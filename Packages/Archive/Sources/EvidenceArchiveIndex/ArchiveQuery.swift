// SPDX-License-Identifier: Apache-2.0
public import EvidenceArchive
public import EvidenceKit

/// A search in an index: a record must match everything that is set.
public struct ArchiveQuery: Sendable {
    /// The order that was expected when the result was checked.
    public var order: OrderNumber?
    /// When the record was made, by the clock of the machine that wrote it: not before this moment.
    public var from: UTCTime?
    /// Before this moment.
    public var until: UTCTime?
    /// The verdict of the check.
    public var verdict: CheckState?
    /// After this place, where the previous page ended.
    public var after: ArchivePosition?
    /// How many records at most: 1 to 10,000; other values are clamped.
    public var limit = 100

    /// Matches every record.
    public init() {}
}

/// A place in the order of an index: by time, then by id.
public struct ArchivePosition: Hashable, Sendable, CustomStringConvertible {
    /// The time of the record there.
    public let time: UTCTime
    /// Its id.
    public let record: RecordID

    init(time: UTCTime, record: RecordID) { (self.time, self.record) = (time, record) }

    /// Reads what ``description`` wrote; `nil` for anything else.
    public init?(_ text: String) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, let time = UTCTime(String(words[0])), let record = RecordID(String(words[1])) else {
            return nil
        }
        self.init(time: time, record: record)
    }

    /// `2026-11-22T08:00:01.000Z/0641152a2320a44b8c4ba29db5f969b1`.
    public var description: String { "\(time)/\(record)" }
}

/// A record that was found.
public struct IndexedRecord: Hashable, Sendable {
    /// Its id.
    public let record: RecordID
    /// When it was made, by the clock of the machine that wrote it: a claim. What is proven is in its bag
    /// and the time stamps.
    public let time: UTCTime
    /// The verdict of the check; `nil` for a record without a report.
    public let verdict: CheckState?
    /// The number of its bag; `nil` while it waits for one.
    public let bag: Int?
}

/// The result of a search.
public struct ArchiveAnswer: Sendable {
    /// The records of this page, the oldest first. None of them is erased.
    public let records: [IndexedRecord]
    /// Where the next page begins; `nil` if this is the last one.
    public let next: ArchivePosition?
    /// Whether the index knew all that the archive had: every bag, every record that waited, and none of them unread.
    public let isCurrent: Bool
}
