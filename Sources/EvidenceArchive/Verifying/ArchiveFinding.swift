// SPDX-License-Identifier: Apache-2.0
public import ResultCheck

/// One thing that was found out about an archive, a bag or a record.
public struct ArchiveFinding: Hashable, Sendable {
    /// What it is about.
    public enum Subject: Hashable, Sendable {
        /// The archive itself.
        case archive
        /// A bag, by its number.
        case bag(Int)
        /// A record, and the bag it is in.
        case record(RecordID, bag: Int)
    }

    /// What was checked. Further ones may be added.
    public enum Name: String, CaseIterable, Sendable {
        /// Only files and folders are there that a bag has.
        case structure
        /// The bag is of the format that this version reads.
        case format
        /// Each file is what the manifest says, and no other is there.
        case content
        /// The tag files are what the tag manifest says.
        case tags
        /// What the bag says about itself is true.
        case info
        /// It follows the bag before it.
        case chain
        /// It names the signature files of the bag before it.
        case anchor
        /// The signature over the tag manifest.
        case signature
        /// The key that signed is one that may sign; and those that the archive names are expected.
        case signer
        /// The time stamp over the signature, its own or a later bag's.
        case time
        /// A record's statement, and the sizes of its parts.
        case statement
        /// Whether something was erased or reduced while it was held, or before its day.
        case retention
        /// A record's parts, opened and compared with their commitments.
        case parts
        /// Erased records have no key, others have one, and the archive's public key is the one that a record names.
        case keys
        /// The line that was deposited elsewhere.
        case head
        /// Records that wait for a bag, and are not signed yet.
        case waiting
    }

    /// What it is about.
    public let subject: Subject
    /// What was checked.
    public let name: Name
    /// The result.
    public let state: CheckState
    /// The same in a sentence without a full stop.
    public let sentence: String
    /// The command that finds out the same, from the bag's folder; `nil` where no stock tool does.
    public let command: String?
    /// Whether it holds, and the sentence has something that its reader should know all the same.
    public var isWarning = false
}

/// What a verification came to.
public struct ArchiveVerdict: Hashable, Sendable {
    /// *fails* where anything does, *unchecked* where something required was not checked, else *holds*.
    public internal(set) var state = CheckState.holds
    /// How many bags there are.
    public internal(set) var bagCount = 0
    /// How many records are in them.
    public internal(set) var recordCount = 0
}

extension ArchiveFinding.Subject {
    /// Before the name of a finding.
    var text: String {
        switch self {
        case .archive: ""
        case .bag(let number): "bag \(number), "
        case .record(let record, _): "record \(record), "
        }
    }
}
