// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// The records that a bag's manifest lists: 16 bytes each, so that those of all bags fit into memory.
struct RecordList: Sendable {
    /// Two for each record, in the order of the records.
    private var words: [UInt64] = []

    /// Those whose statements a manifest lists.
    init(_ manifest: Manifest) {
        for line in manifest.lines where line.path.hasSuffix("/\(Layout.statement)") {
            let (high, low) = Self.words(line.path.utf8.dropFirst(Layout.data.utf8.count + 1).prefix(32))
            words += [high, low]
        }
    }

    init(_ records: Set<RecordID>) {
        for record in records.sorted() {
            let (high, low) = Self.words(record.description.utf8)
            words += [high, low]
        }
    }

    private var count: Int { words.count / 2 }

    /// The records that are in both.
    func common(with other: RecordList) -> [RecordID] {
        let (short, long) = count < other.count ? (self, other) : (other, self)
        return (0..<short.count).compactMap { index in
            let (high, low) = (short.words[2 * index], short.words[2 * index + 1])
            return long.contains((high, low)) ? RecordID(Self.digits(high) + Self.digits(low)) : nil
        }
    }

    func contains(_ record: RecordID) -> Bool { contains(Self.words(record.description.utf8)) }

    private func contains(_ wanted: (UInt64, UInt64)) -> Bool {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = (words[2 * middle], words[2 * middle + 1])
            if found == wanted { return true }
            range = found < wanted ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func words(_ digits: some Collection<UInt8>) -> (UInt64, UInt64) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for digit in digits {
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit < 0x3A ? digit &- 0x30 : digit &- 0x57)
        }
        return (high, low)
    }
}

/// Something of a closed bag that is missing, or not what the signed bags say.
struct BagDamage: Sendable {
    /// `Int.max` for what is of all bags.
    let bag: Int
    let path: String
    /// What is wrong, and what to do.
    let (sentence, step): (String, String)
    /// Whether what it was may say more than is known.
    let maySayMore: Bool

    init(
        _ bag: Int, _ path: String, _ why: String = "it is damaged or missing",
        _ step: String = "restore it from a backup", maySayMore: Bool = true
    ) {
        (self.bag, self.path, self.maySayMore) = (bag, path, maySayMore)
        (sentence, self.step) = ("\(path): \(why)", step)
    }

    /// A time stamp that the next bag does not name.
    init(tokenOfBag bag: Int) {
        (self.bag, path, maySayMore) = (bag, Layout.token(ofBag: bag), false)
        (sentence, step) = Self.token(ofBag: bag, passedOverBy: bag + 1)
    }

    /// What is said of a bag's time stamp that a later bag does not name, and what to do about it.
    static func token(ofBag bag: Int, passedOverBy later: Int) -> (sentence: String, step: String) {
        (
            "\(Layout.token(ofBag: bag)): bag \(later) does not name this time stamp, as it does one that is there "
                + "when it is closed", "remove that file"
        )
    }
}

/// What a closed bag says, by its own files alone.
struct BagReading: Sendable {
    let number: Int
    /// SHA-256 of its tag manifest, and the `bag-info.txt` that this lists; `nil` where one cannot be read.
    private(set) var place: (sha256: String, info: BagInfo.Reading)?
    private(set) var records: RecordList?
    /// The statements of its records that are no evidence: those that have no report, by the manifest.
    private(set) var acts: [RecordStatement] = []
    /// The paths of what is missing, or is not what the manifest lists, and may be such a statement.
    private(set) var damaged: [String] = []

    /// - Parameter bag: its folder.
    init(_ number: Int, in bag: ConfinedFolder) throws(EvidenceError) {
        self.number = number
        let path = "\(Layout.bags)/\(Layout.bag(number))"
        let manifest: Manifest
        var name = Layout.tagManifest
        do throws(EvidenceError) {
            let tags = try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
            name = Layout.manifest
            manifest = try bag.signedManifest(listedIn: tags)
            name = Layout.bagInfo
            let info = try bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
            try Manifest.require(info, of: Layout.bagInfo, listedIn: tags)
            place = (try sha256(tags), try BagInfo.reading(info))
        } catch {
            if error.code.isSystem { throw error }
            damaged = ["\(path)/\(name)"]
            return
        }
        records = RecordList(manifest)
        guard let data = try bag.existingFolder(Layout.data) else {
            damaged = ["\(path)/\(Layout.data)"]
            return
        }
        let named = manifest.records
        for id in named.all.subtracting(named.evidence) {
            do throws(EvidenceError) {
                let line = manifest.line("\(Layout.data)/\(id)/\(Layout.statement)")
                if let folder = try data.existingFolder(id.description), let line,
                    try folder.digest(of: Layout.statement).sha256 == line.sha256
                {
                    if let statement = try Self.statement(of: id, in: folder) { acts.append(statement) }
                    continue
                }
            } catch {
                if error.code.isSystem { throw error }
            }
            damaged.append(Layout.path(of: id, inBag: number))
        }
        damaged.sort()
    }

    /// `nil` for one that was signed as it is, and breaks the grammar: it says nothing.
    private static func statement(
        of id: RecordID, in folder: ConfinedFolder
    ) throws(EvidenceError) -> RecordStatement? {
        do throws(EvidenceError) { return try folder.statement(of: id) } catch {
            if error.code.isSystem { throw error }
            return nil
        }
    }
}

/// Which closed bags the archive's signers vouch for. A valid signature of the newest one vouches for all that it leads
/// to, from bag to bag. Where something is wrong with one, each must be signed rightly by itself: what is not says
/// nothing, and `close` adds nothing to it.
struct SignedBags: Sendable {
    private struct Claim {
        let sha256: String
        let previous: String
        /// Whether it says this archive's origin, and the number that its folder has.
        let isOwn: Bool
    }

    private var claims: [Int: Claim] = [:]
    /// The keys that it names, of each bag that names keys.
    private var signs: [Int: [String]] = [:]
    /// What the newest bag says that was read.
    private(set) var newest: BagInfo?
    /// What those say that were read and not yet judged.
    private var unjudged: [Int: BagInfo] = [:]
    /// All bags up to this one are signed.
    private var last = 0
    /// Those after it that were looked at one by one.
    private var judged: Set<Int> = []
    /// Why some bags are not signed, each in a sentence.
    private(set) var faults: [Int: String] = [:]
    /// The keys that may sign after the bags that were judged.
    private(set) var signers: [String]
    private let origin: String
    /// What the first bag names as the one before it.
    private let start: String

    /// - Parameter start: SHA-256 of the archive's description.
    init(_ description: ArchiveDescription, _ start: String) {
        (signers, origin, self.start) = (description.signers, description.origin, start)
    }

    mutating func take(_ reading: BagReading) {
        guard let place = reading.place else { return }
        let link = place.info.link
        claims[reading.number] = Claim(
            sha256: place.sha256, previous: link.previous,
            isOwn: link.number == reading.number && link.origin == origin)
        if case .info(let info) = place.info {
            unjudged[reading.number] = info
            if reading.number >= newest?.number ?? 0 { newest = info }
        }
        for case .signs(let keyIDs)? in reading.acts.lazy.map(\.subject) { signs[reading.number] = keyIDs }
    }

    /// Whether a bag's tag files were read.
    func hasRead(_ number: Int) -> Bool { claims[number] != nil }

    /// SHA-256 of a bag's tag manifest, as it was read.
    func sha256(ofBag number: Int) -> String? { claims[number]?.sha256 }

    /// - Parameters:
    ///   - bags: all of them, which were read.
    ///   - areAllThere: whether none is missing before another.
    ///   - folder: that of a bag.
    /// - Returns: the bags of which this is new that they are not signed, and what the others name and is otherwise.
    mutating func judge(
        _ bags: Set<Int>, areAllThere: Bool, in folder: (Int) throws(EvidenceError) -> ConfinedFolder
    ) throws(EvidenceError) -> (unsigned: [Int], damaged: [BagDamage]) {
        let new = bags.filter { $0 > last && !judged.contains($0) }.sorted()
        guard let newest = new.last else { return ([], []) }
        var unsigned: [Int] = []
        let follows = areAllThere && judged.isEmpty ? try follow(to: newest, folder) : false
        if !follows {
            for number in new {
                judged.insert(number)
                if let fault = try fault(ofBag: number, folder) {
                    faults[number] = fault
                    unsigned.append(number)
                } else if let named = signs[number] {
                    signers = named
                }
            }
        }
        var damaged: [BagDamage] = []
        for number in new where faults[number] == nil { damaged += try damage(namedByBag: number, folder) }
        unjudged = [:]
        return (unsigned, damaged)
    }

    /// What a signed bag names of earlier ones, and is otherwise.
    private func damage(
        namedByBag number: Int, _ folder: (Int) throws(EvidenceError) -> ConfinedFolder
    ) throws(EvidenceError) -> [BagDamage] {
        let why = "it is missing, or not the one that bag \(number) names"
        guard let claim = claims[number] else { return [] }
        guard number > 1 else {
            return claim.previous == start ? [] : [BagDamage(.max, Layout.description, why)]
        }
        // Of one whose tag files cannot be read, that is said.
        guard let before = claims[number - 1], let info = unjudged[number] else { return [] }
        var found: [BagDamage] = []
        let bag = "\(Layout.bags)/\(Layout.bag(number - 1))"
        if claim.previous != before.sha256 {
            found.append(BagDamage(number - 1, "\(bag)/\(Layout.tagManifest)", why))
        }
        do throws(EvidenceError) {
            let files = try SignatureFiles(in: folder(number - 1).inner(Layout.signatures))
            let named = info.previousSignatures ?? ""
            if try files.sha256 != named {
                let difference = try files.difference(from: named)
                found.append(
                    BagDamage(
                        number - 1, "\(bag)/\(Layout.signatures)",
                        "its files are not those that bag \(number) names: \(difference)",
                        "restore what was there from a backup, and move out of the archive what was added",
                        maySayMore: false))
            }
        } catch {
            if error.code.isSystem { throw error }
            let step = error.hint ?? "restore it from a backup"
            found.append(
                BagDamage(number - 1, "\(bag)/\(Layout.signatures)", error.description, step, maySayMore: false))
        }
        // Most bags name the same one as the bag before them.
        if let token = info.token, token != unjudged[number - 1]?.token,
            try tokenDigest(ofBag: token.bag, folder) != token.sha256
        {
            found.append(BagDamage(token.bag, Layout.token(ofBag: token.bag), why, maySayMore: false))
        }
        if info.token?.bag != number - 1, try tokenDigest(ofBag: number - 1, folder) != nil {
            found.append(BagDamage(tokenOfBag: number - 1))
        }
        return found
    }

    /// `nil` where it is not there, or not what a bag has.
    private func tokenDigest(
        ofBag number: Int, _ folder: (Int) throws(EvidenceError) -> ConfinedFolder
    ) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            return try folder(number).inner(Layout.signatures).digest(of: Layout.token).sha256
        } catch {
            if error.code.isSystem { throw error }
            return nil
        }
    }

    /// Whether each bag names the one before it, up to one that is signed.
    private mutating func follow(
        to newest: Int, _ folder: (Int) throws(EvidenceError) -> ConfinedFolder
    ) throws(EvidenceError) -> Bool {
        let before = signers
        var previous: String? = last == 0 ? start : claims[last]?.sha256
        for number in last + 1...newest {
            let isSigning = signs[number] != nil || number == newest
            guard let claim = claims[number], claim.isOwn, claim.previous == previous,
                try isSigning ? fault(ofBag: number, folder) == nil : true
            else {
                signers = before
                return false
            }
            if let named = signs[number] { signers = named }
            previous = claim.sha256
        }
        last = newest
        return true
    }

    private func fault(
        ofBag number: Int, _ folder: (Int) throws(EvidenceError) -> ConfinedFolder
    ) throws(EvidenceError) -> String? {
        guard let claim = claims[number] else { return "its tag files are missing or damaged" }
        guard claim.isOwn else { return "its \(Layout.bagInfo) is that of another bag" }
        do throws(EvidenceError) {
            let bag = try folder(number)
            let tags = try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
            let signature = try bag.inner(Layout.signatures)
                .contents(of: Layout.signature, limit: Limits.signatureFileBytes)
            switch try DocumentSignature(der: signature).judged(over: tags.span, trusting: nil, at: nil) {
            case .holds(let signer):
                return signers.contains(signer.keyID) ? nil : "the key \(signer.keyID), which signed it, may not sign"
            case .unaccepted(let error): return error.description
            case .unlisted(let why): return why
            }
        } catch {
            if error.code.isSystem { throw error }
            return error.code == .cmsSignature ? "\(Layout.signature): \(error)" : error.description
        }
    }
}
