// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What a writer has learned of closed bags. They do not change, and nobody else closes one meanwhile, so that closing
/// one more does not ask all of them again.
struct ClosedBags {
    /// How many there are; `nil` before they were counted.
    private var count: Int?
    /// The bags of records that were looked for.
    var places: [RecordID: Int] = [:]
    /// The newest bag that had a token when the ones up to another bag were asked.
    private var token: (bag: Int?, last: Int) = (nil, 0)

    /// The number of the next bag. All of them are listed only once.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where one is missing, or something else is among them; `.cannotRead`.
    mutating func next(of archive: Archive) throws(EvidenceError) -> Int {
        var number = if let count { count } else { try archive.bagCount() }
        while try archive.existingBag(number + 1) != nil { number += 1 }
        count = number
        return number + 1
    }

    /// The newest bag before one that has a token, and the token's SHA-256; `nil` where none has. Only the newest bag
    /// ever gets one.
    mutating func newestToken(before number: Int, of archive: Archive) throws(EvidenceError) -> BagLink.NamedBag? {
        var found: Int?
        for bag in (min(token.last + 1, number)..<number).reversed() where found == nil {
            if try archive.hasToken(bag) { found = bag }
        }
        token = (found ?? token.bag, number - 1)
        guard let bag = token.bag else { return nil }
        let signatures = try archive.bag(bag).inner(Layout.signatures)
        return BagLink.NamedBag(bag: bag, sha256: try signatures.digest(of: Layout.token).sha256)
    }
}

extension Archive {
    /// Whether a bag has a token.
    func hasToken(_ number: Int) throws(EvidenceError) -> Bool {
        try bag(number).existingFolder(Layout.signatures)?.kind(of: Layout.token) == .file
    }

    /// Refuses an archive of which a newer version wrote a bag: one file of each is read.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.cannotRead`.
    func requireThisFormat() throws(EvidenceError) {
        guard let bags = try folder.existingFolder(Layout.bags) else { return }
        let newer = try concurrentMap(bagNumbers().numbers) { number throws(EvidenceError) -> EvidenceError? in
            do throws(EvidenceError) {
                let bag = try bags.folder(Layout.bag(number))
                try BagInfo.requireThisFormat(bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
            } catch {
                if error.code.isSystem { throw error }
                // Other faults of it are reported where they matter.
                return error.code == .newerFormat ? error : nil
            }
            return nil
        }
        if let error = newer.lazy.compactMap(\.self).first {
            throw error.hinting("nothing was changed: use the newer version")
        }
    }
}
