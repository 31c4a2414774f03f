// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in an archive's folder of bags, listed once.
struct BagListing: Sendable {
    /// The bags that are there, in order.
    private(set) var numbers: [Int] = []
    /// What else is among them, or missing, each in a sentence.
    private(set) var faults: [String] = []
    /// What other programs put among them.
    private(set) var strays: [StrayFile] = []
    /// Whether there is such a folder.
    private let isThere: Bool
    /// The first name that is no bag's, or no folder.
    private var other: ConfinedFolder.Entry?
    /// What has the name of a bag, and is no folder.
    private var misfits: Set<Int> = []

    /// - Parameter archive: the archive's folder.
    init(of archive: ConfinedFolder) throws(EvidenceError) {
        let folder = try archive.existingFolder(Layout.bags)
        isThere = folder != nil
        guard let bags = folder else {
            let kind = try archive.kind(of: Layout.bags)
            faults = ["\(Layout.bags) is \(kind == nil ? "missing" : "not a folder")"]
            return
        }
        let entries = try bags.listing(at: "\(Layout.bags)/", limit: .max, &strays) {
            Layout.bagNumber($0.name) != nil
        }
        for entry in entries {
            let number = Layout.bagNumber(entry.name)
            guard entry.kind == .folder, let number else {
                if let number { misfits.insert(number) }
                other = other ?? entry
                faults.append("\(Self.isNoBag(entry)): \(Self.step(about: entry))")
                continue
            }
            let expected = (numbers.last ?? 0) + 1
            if number > expected {
                let others = number > expected + 1 ? " to \(Layout.bag(number - 1)) are" : " is"
                faults.append("\(Layout.bags)/\(Layout.bag(expected))\(others) missing")
            }
            numbers.append(number)
        }
    }

    /// The first bag from one on that is missing, or is no folder, though a later one, or the name, shows that it was
    /// there; what else is among them says nothing.
    func missing(from first: Int = 1) -> Int? {
        let last = numbers.last ?? 0
        // Most often none is missing.
        if last != numbers.count, first <= last {
            let there = Set(numbers)
            if let missing = (max(first, 1)...last).first(where: { !there.contains($0) }) { return missing }
        }
        return misfits.contains(last + 1) && first != .max ? last + 1 : nil
    }

    /// Refuses an archive whose bags are not there: nobody knows what they say.
    ///
    /// - Throws: ``EvidenceError`` (`.notAnArchive`).
    func requireFolder() throws(EvidenceError) {
        guard !isThere, let fault = faults.first else { return }
        throw EvidenceError(
            .notAnArchive, "\(fault): nobody knows what the bags say",
            hint: "mount \(Layout.bags)/, or restore it from a backup")
    }

    /// Refuses an archive in which something is among the bags that is none: it may be one under another name.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`).
    func requireOnlyBags() throws(EvidenceError) {
        guard let other else { return }
        throw EvidenceError(.bag, Self.isNoBag(other), hint: Self.step(about: other))
    }

    private static func step(about other: ConfinedFolder.Entry) -> String {
        Layout.bagNumber(other.name) != nil
            ? "restore the bag from a backup"
            : "if it is a bag, give it its own name again; otherwise take it out of \(Layout.bags)/"
    }

    private static func isNoBag(_ entry: ConfinedFolder.Entry) -> String {
        "\(Layout.bags)/\(shown(String(decoding: entry.name, as: UTF8.self))) is not a bag"
    }
}
