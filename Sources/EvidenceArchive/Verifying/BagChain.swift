// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams

/// What bags say of the ones before them, and what these are: a verification and an export compare by the same rules.
/// Each bag is read once, and none stays open.
final class BagChain {
    let archive: Archive
    /// The bags that are there.
    let bags: Set<Int>
    private var known: [Int: Facts] = [:]
    private var lastTokens: [Int: Int?] = [:]
    private var signatures: [Int: Result<String, EvidenceError>?] = [:]

    init(_ archive: Archive, bags: Set<Int>) { (self.archive, self.bags) = (archive, bags) }

    struct Facts {
        /// SHA-256 of the tag manifest; `nil` where that is missing.
        var sha256: String?
        /// What the bag says about itself; `nil` where that is missing, or its tag manifest lists something else.
        var reading: BagInfo.Reading?
        var hasSignature = false
        var hasToken = false

        var info: BagInfo? { if case .info(let info)? = reading { info } else { nil } }
        var isNewer: Bool { reading?.link.isNewer ?? false }
        /// Whether there is a signature, and what that is over.
        var isSigned: Bool { hasSignature && sha256 != nil }
    }

    /// What a bag is; without anything where it is not there.
    func facts(_ number: Int) throws(EvidenceError) -> Facts {
        if let facts = known[number] { return facts }
        var facts = Facts()
        if bags.contains(number) {
            let bag = try archive.bag(number)
            if let signatures = try bag.existingFolder(Layout.signatures) {
                facts.hasSignature = try signatures.kind(of: Layout.signature) == .file
                facts.hasToken = try signatures.kind(of: Layout.token) == .file
            }
            do throws(EvidenceError) {
                let tags = try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
                facts.sha256 = try sha256(tags)
                let bytes = try bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
                let line = try Manifest(tags, of: Layout.tagManifest).line(Layout.bagInfo)
                if try line?.sha256 == sha256(bytes) { facts.reading = try BagInfo.reading(bytes) }
            } catch { if error.code.isSystem { throw error } }
        }
        known[number] = facts
        return facts
    }

    /// The newest bag before one that has a token.
    func lastToken(before number: Int) throws(EvidenceError) -> Int? {
        var (current, walked, found): (Int, [Int], Int?) = (number, [], nil)
        while current > 1 {
            if let known = lastTokens[current] {
                found = known
                break
            }
            walked.append(current)
            if try facts(current - 1).hasToken {
                found = current - 1
                break
            }
            current -= 1
        }
        for bag in walked { lastTokens[bag] = .some(found) }
        return found
    }

    /// The earlier bags that a bag names with their digests: the one before it, and perhaps one more.
    func targets(of number: Int) throws(EvidenceError) -> [Int] {
        guard let link = try facts(number).reading?.link, link.number == number else { return [] }
        var targets: [Int] = []
        if number > 1, try facts(number - 1).sha256 == link.previous { targets.append(number - 1) }
        if let skip = link.skip, try facts(skip.bag).sha256 == skip.sha256 { targets.append(skip.bag) }
        return targets
    }

    /// Whether a bag names the one before it.
    func follows(_ number: Int) throws(EvidenceError) -> Bool { try targets(of: number).first == number - 1 }

    // MARK: - Signatures of the bag before

    /// What the next bag must name of a bag's signature files; `nil` where these are missing.
    func signatureFiles(ofBag number: Int) throws(EvidenceError) -> Result<String, EvidenceError>? {
        if let found = signatures[number] { return found }
        var outcome: Result<String, EvidenceError>?
        if bags.contains(number), let folder = try archive.bag(number).existingFolder(Layout.signatures),
            try folder.kind(of: Layout.signature) == .file
        {
            do throws(EvidenceError) { outcome = .success(try SignatureFiles(in: folder).sha256) } catch {
                if error.code.isSystem { throw error }
                outcome = .failure(error)
            }
        }
        signatures[number] = .some(outcome)
        return outcome
    }

    /// Whether the next bag names a bag's signature as it is.
    func isAnchored(_ number: Int) throws(EvidenceError) -> Bool {
        guard let named = try facts(number + 1).info?.previousSignatures,
            case .success(let found)? = try signatureFiles(ofBag: number)
        else { return false }
        return named == found
    }

    // MARK: - Ways

    /// The bags from a later one down to an earlier one, both included, along what each of them names: the shortest way
    /// that passes a bag; `nil` where there is none.
    func way(from later: Int, through middle: Int? = nil, to earlier: Int) throws(EvidenceError) -> [Int]? {
        if let middle, middle > earlier, middle < later {
            guard let first = try way(from: later, to: middle), let second = try way(from: middle, to: earlier) else {
                return nil
            }
            return first + second.dropFirst()
        }
        // By steps: each bag names at most two.
        var (from, front): ([Int: Int], [Int]) = ([:], [later])
        var seen: Set<Int> = [later]
        while !front.isEmpty, !seen.contains(earlier) {
            var next: [Int] = []
            for number in front {
                for target in try targets(of: number) where target >= earlier && seen.insert(target).inserted {
                    from[target] = number
                    next.append(target)
                }
            }
            front = next
        }
        guard seen.contains(earlier) else { return nil }
        var way = [earlier]
        while let last = way.last, let number = from[last] { way.append(number) }
        return way.reversed()
    }

    // MARK: - One bag

    enum Link {
        case holds
        /// What the bag follows is not there to be compared.
        case missing(Int)
        /// The time stamp that it names is not there; whether the rest of that bag's signatures is.
        case tokenMissing(bag: Int, isBagWhole: Bool)
        /// An earlier bag has a time stamp that is later than the one that it names.
        case tokenPassedOver(bag: Int)
    }

    /// What a bag says of those before it, compared with what they are.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where it names something else.
    func link(_ number: Int, _ reading: BagInfo.Reading) throws(EvidenceError) -> Link {
        let link = reading.link
        let previous =
            number > 1 ? try facts(number - 1).sha256 : try archive.folder.digest(of: Layout.description).sha256
        var missing: Int?
        if let previous {
            guard previous == link.previous else {
                throw EvidenceError(
                    .bag,
                    "the SHA-256 that the bag names is not that of "
                        + (number > 1 ? "bag \(number - 1)" : Layout.description),
                    hint: number > 1 ? nil : "restore \(Layout.description) from a backup")
            }
        } else {
            missing = number - 1
        }
        if let skip = link.skip {
            if let found = try facts(skip.bag).sha256 {
                guard found == skip.sha256 else {
                    throw EvidenceError(
                        .bag,
                        "the SHA-256 that the bag names (Evidence-Archive-Skip-SHA256) is not that of bag "
                            + "\(skip.bag)")
                }
            } else {
                missing = missing ?? skip.bag
            }
        }
        if let missing { return .missing(missing) }
        guard case .info(let info) = reading else { return .holds }
        if let other = try lastToken(before: number), other > info.token?.bag ?? 0 {
            return .tokenPassedOver(bag: other)
        }
        guard let token = info.token else { return .holds }
        let signatures = try archive.existingBag(token.bag)?.existingFolder(Layout.signatures)
        guard let signatures, try signatures.kind(of: Layout.token) == .file else {
            return .tokenMissing(bag: token.bag, isBagWhole: signatures != nil)
        }
        guard let reply = try archive.token(ofBag: token.bag), try sha256(reply.der) == token.sha256 else {
            throw EvidenceError(
                .bag, "the time stamp that the bag names is not the one of bag \(token.bag)",
                hint: "restore \(Layout.token(ofBag: token.bag)) from a backup")
        }
        return .holds
    }

    /// Refuses a bag that does not follow those before it.
    func require(_ info: BagInfo) throws(EvidenceError) {
        do throws(EvidenceError) {
            switch try link(info.number, .info(info)) {
            case .holds: break
            case .tokenPassedOver(let bag):
                let (sentence, step) = BagDamage.token(ofBag: bag, passedOverBy: info.number)
                throw EvidenceError(.bag, sentence, hint: step)
            case .missing, .tokenMissing:
                throw EvidenceError(.bag, "the bag or the time stamp that it names is missing")
            }
            if info.number > 1, case .success(let found)? = try signatureFiles(ofBag: info.number - 1),
                found != info.previousSignatures
            {
                throw EvidenceError(.bag, "it names other signature files than those of bag \(info.number - 1)")
            }
        } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(
                .bag, "bag \(info.number) is not in its place in the chain: \(error)", hint: error.hint)
        }
    }
}
