// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

extension ArchiveWriter {
    /// A bag that was closed.
    public struct ClosedBag: Hashable, Sendable {
        /// Its number.
        public let number: Int
        /// How many records are in it.
        public let recordCount: Int
        /// SHA-256 of its tag manifest, in hexadecimal digits.
        public let sha256: String
        /// Whether the bag before it has no time stamp, and the certificate of that one's signer, or of a CA above it,
        /// is not valid now: unless that CA's was renewed, its signature fails once a time stamp covers it.
        public let followsLapsed: Bool
    }

    /// What the caller knows to be among the records that wait and shortens how long records are kept: whoever can put
    /// records there must not shorten it unseen.
    public struct Shortening: Sendable {
        /// How many waiting records do so, of each kind; 0 of those that are not here.
        public var counts: [ShorteningKind: Int] = [:]
        /// The certificates of the next signing keys, each its own first; none where no record names such.
        public var signers: [Certificates] = []

        /// Nothing.
        public init() {}
    }

    /// Closes all records that wait into a bag, signs it, and begins the next.
    ///
    /// - Parameters:
    ///   - key: what signs.
    ///   - certificates: the key's own first, then those that lead from it to a trusted one.
    ///   - shortening: what shortens the life of records.
    ///   - agent: what made the bag, as it says itself.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord` where none waits, `.certificate` for one that is not the key's, or that
    ///   no verification would accept, `.unsuitableKey` for a key that may not sign, or is the archive's, `.keyFailed`,
    ///   `.bag` where something that waits would never verify, or shortens more than was told, `.cmsSignature` where
    ///   the newest bag's signature is damaged, `.newerFormat`, `.cannotRead` or `.cannotWrite`.
    public func close(
        signedBy key: SigningKey, _ certificates: Certificates, shortening: Shortening = Shortening(), agent: String,
        at now: UTCTime
    ) throws(EvidenceError) -> ClosedBag {
        try exclusively { () throws(EvidenceError) in
            try clearIncoming()
            try archive.requireWaitingRecord()
            let (link, newest) = try archive.erasureLog.placeOfNext(in: archive)
            let number = link.number
            try requireIntact()
            try certificates.requireSigning(with: key)
            try requireSigner(certificates)
            let incoming = try archive.folder.folder(Layout.incoming)
            let records = try recordsToClose(in: incoming, beforeBag: number, shortening, at: now)
            var manifest = Manifest()
            var byteCount: UInt64 = 0
            for file in records.lazy.flatMap(\.files) {
                manifest.append(file.path, file.sha256 ?? "")
                byteCount += file.byteCount
            }
            let info = BagInfo(
                agent: agent, byteCount: byteCount, fileCount: UInt64(manifest.lines.count), closed: now,
                link: link,
                previousSignatures: number > 1 ? try archive.signatureFiles(ofBag: number - 1).sha256 : nil,
                token: try newestToken(newest, at: now))
            guard try BagInfo(Array(info.text.utf8)) == info else {
                throw EvidenceError(.value, "the text about the software that makes the bag cannot be written")
            }
            let followsLapsed = number > 1 ? try isLapsed(number - 1, at: now) : false
            var tags = Manifest()
            let files = [
                Layout.bagInfo: Array(info.text.utf8), Layout.bagIt: Array(Layout.bagItText.utf8),
                Layout.manifest: manifest.text,
            ]
            for name in Layout.tagFiles { tags.append(name, try sha256(files[name] ?? [])) }
            let tagText = tags.text
            let signature = try DocumentSignature(
                of: tagText.span, by: key, certificates, at: now.millisecondsSince1970 / 1_000)
            guard signature.der.count <= Limits.signatureFileBytes else {
                throw EvidenceError(
                    .certificate,
                    "the signature would have \(signature.der.count) bytes; a bag may have "
                        + Limits.text(bytes: Limits.signatureFileBytes),
                    hint: "give only the certificates that lead from the signer's to a trusted one")
            }
            do throws(EvidenceError) {
                for name in Layout.tagFiles { try incoming.store(files[name] ?? [], as: name) }
                try incoming.store(tagText, as: Layout.tagManifest)
                let signatures = try incoming.makeFolder(Layout.signatures)
                try signatures.store(signature.der, as: Layout.signature)
                try signatures.sync()
                try incoming.sync()
            } catch {
                // What is left would only be in the way of whoever looks; the next writer would remove it.
                try? clearIncoming()
                throw error
            }
            let bags = try archive.folder.folder(Layout.bags)
            try archive.folder.rename(Layout.incoming, to: Layout.bag(number), in: bags)
            try bags.sync()
            try archive.folder.sync()
            try clearIncoming()
            waitingCount = 0
            ownRecords = []
            return ClosedBag(
                number: number, recordCount: records.count, sha256: try sha256(tagText), followsLapsed: followsLapsed)
        }
    }

    /// The records that wait. A bag is never changed: what ``ArchiveVerifier`` would name as a fault is refused here.
    private func recordsToClose(
        in incoming: ConfinedFolder, beforeBag number: Int, _ shortening: Shortening, at now: UTCTime
    ) throws(EvidenceError) -> [RecordFolder] {
        var strays: [StrayFile] = []
        // The folder itself becomes the bag.
        _ = try incoming.listing(at: "\(Layout.incoming)/", limit: .max, &strays) {
            $0.name.elementsEqual(Layout.data.utf8)
        }
        var (records, faults, others) = try RecordFolder.all(
            in: incoming.inner(Layout.data), at: Layout.waiting, digesting: true)
        strays += others + records.flatMap(\.strays)
        if let names = StrayFile.names(of: strays) { faults.append("\(names): delete it, or it would go into the bag") }
        let rules = try WaitingRules(
            archive, bags: Array(1..<number), waiting: records, new: ownRecords, isClosing: true)
        if faults.isEmpty { faults = try rules.faults() }
        if faults.isEmpty, let fault = try rules.keyFault() { faults.append(fault) }
        if faults.isEmpty, let lost = try lostRecord(records) {
            throw EvidenceError(
                .bag,
                "record \(lost) is in no bag, and does not wait, though its key is there, or this process wrote it: "
                    + "the newest bags, or what waited, were lost",
                hint: "no bag was closed: \(Archive.wayOut(of: lost))")
        }
        if faults.isEmpty { try requireTold(rules.shortening(at: now), shortening) }
        guard let fault = faults.first else { return records }
        let damaged = records.first { !$0.faults.isEmpty || !$0.missing.isEmpty }
        throw EvidenceError(
            .bag, fault,
            hint: "no bag was closed, because a closed bag cannot be corrected: "
                + (damaged.map { Archive.wayOut(of: $0.id) }
                    ?? "correct what the error names, for example from a backup, then close again"))
    }

    /// A record that a key, or what this writer wrote, says must be there. What others wrote is looked for once: nobody
    /// else writes meanwhile.
    private func lostRecord(_ records: [RecordFolder]) throws(EvidenceError) -> RecordID? {
        if let lost = ownRecords.subtracting(records.map(\.id)).min() { return lost }
        if areKeysCompared { return nil }
        let lost = try archive.lostRecords().min()
        areKeysCompared = lost == nil
        return lost
    }

    /// The newest token, which a new bag names: that of the newest bag, if it is one, or the one that this names.
    ///
    /// - Parameter info: what the newest bag says; `nil` where there is none.
    private func newestToken(_ info: BagInfo?, at now: UTCTime) throws(EvidenceError) -> BagLink.NamedBag? {
        guard let info else { return nil }
        let path = Layout.token(ofBag: info.number)
        let own: TimeStampReply?
        do throws(EvidenceError) { own = try archive.token(ofBag: info.number) } catch {
            throw error.code == .bag ? error.hinting("no bag was closed: restore it from a backup") : error
        }
        guard let reply = own else {
            guard let named = info.token else { return nil }
            let earlier = try archive.token(ofBag: named.bag)
            guard let earlier, try sha256(earlier.der) == named.sha256 else {
                throw EvidenceError(
                    .bag,
                    "the time stamp of bag \(named.bag), which bag \(info.number) names, is missing or another one",
                    hint: "no bag was closed: restore it from a backup")
            }
            return named
        }
        let upper: TimeStampReply.Time
        var lower: TimeStampReply.Time?
        do throws(EvidenceError) {
            let signature = try archive.signature(ofBag: info.number)
            _ = try reply.judged(about: signature.der.span, trusting: nil, at: nil)
            upper = try reply.claim().time
            let earlier = try info.token.flatMap { named throws(EvidenceError) in try archive.token(ofBag: named.bag) }
            // Nobody whose clock is right signed what is of the future.
            lower = try earlier?.claim().time
            if let lower, upper < lower, !lower.isAhead(of: now) {
                throw BagTimes.contradiction(after: lower, before: upper)
            }
        } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(
                .bag, "\(path) is no time stamp that a bag can name: \(error)",
                hint: "no bag was closed: \(BagTimes.step(aboutNewestToken: info.number))")
        }
        // It is no reason to remove a time stamp that holds: as likely as not, the clock here is wrong.
        do throws(EvidenceError) { try upper.requireNotAhead(of: now) } catch {
            let step = BagTimes.step(aboutFutureToken: info.number, after: lower, at: now)
            throw EvidenceError(
                .bag, "no bag was closed after \(path): \(error)",
                hint: "set this machine's clock right, and close again; if it is right, \(step)")
        }
        return BagLink.NamedBag(bag: info.number, sha256: try sha256(reply.der))
    }

    /// Whether the newest bag has no time stamp, and the certificate of its signer, or one above it, is not valid now.
    /// Its signature, which the next bag names, is looked at once more: this writer may have judged it long ago.
    private func isLapsed(_ newest: Int, at now: UTCTime) throws(EvidenceError) -> Bool {
        let signature = try archive.intactSignature(ofBag: newest, orElse: "no bag was closed")
        if try archive.token(ofBag: newest) != nil { return false }
        return try signature.isLapsed(at: now.millisecondsSince1970 / 1_000)
    }

    /// Refuses a signing key that the archive does not accept, or that is an archive key.
    private func requireSigner(_ certificates: Certificates) throws(EvidenceError) {
        let keyID = try certificates.keyID
        try requireOtherKeys([certificates], "the signing key is an archive key")
        let accepted = try archive.signers()
        guard accepted.contains(keyID) else {
            throw EvidenceError(
                .unsuitableKey, "the archive does not accept bags that are signed by the key with the SHA-256 \(keyID)",
                hint: "it accepts: \(accepted.joined(separator: ", "))")
        }
    }

    /// Refuses to sign unawares what shortens how long records are kept.
    private func requireTold(
        _ found: (records: [ShorteningKind: [RecordID]], signing: RecordStatement?), _ told: Shortening
    ) throws(EvidenceError) {
        let wrong = ShorteningKind.allCases.filter { found.records[$0]?.count ?? 0 != told.counts[$0] ?? 0 }
        guard wrong.isEmpty else {
            let counts = wrong.map { kind in
                let records = found.records[kind] ?? []
                let which = records.isEmpty ? "" : " (\(records.prefix(3).map { "\($0)" }.joined(separator: ", ")))"
                return "\(kind.rawValue): \(records.count)\(which), not \(told.counts[kind] ?? 0)"
            }
            let numbers = ShorteningKind.allCases.compactMap { kind in
                found.records[kind].map { "\(kind.rawValue)=\($0.count)" }
            }
            let again = numbers.isEmpty ? "without numbers" : "with \(numbers.joined(separator: " "))"
            throw EvidenceError(
                .bag,
                "what waits shortens how long records are kept otherwise than was expected: "
                    + counts.joined(separator: "; "),
                hint: "if all of it is right, close again \(again); of each record that nobody meant to add, "
                    + Archive.removal(of: "RECORD"))
        }
        let keyIDs = try told.signers.map { certificates throws(EvidenceError) in try certificates.keyID }
        var named: Set<String> = []
        if case .signs(let keyIDs)? = found.signing?.subject { named = Set(keyIDs) }
        guard named == Set(keyIDs) else {
            throw EvidenceError(
                .bag,
                found.signing.map {
                    "record \($0.record), which waits, names other signing keys than the given certificates have"
                } ?? "certificates of new signing keys were given, but no waiting record names such keys",
                hint: "give the certificates of exactly the keys that the record names"
                    + (found.signing.map {
                        "; if nobody meant to add it, \(Archive.removal(of: $0.record.description))"
                    } ?? ""))
        }
        try requireOtherKeys(told.signers, "a new signing key is an archive key")
    }

    /// Refuses a signing key that is an archive key: of earlier ones only the names are known, of the current one the
    /// modulus, which another public exponent does not change.
    func requireOtherKeys(_ signers: [Certificates], _ refusal: String) throws(EvidenceError) {
        let archiveKeys = try archive.allKeyIDs()
        for certificates in signers {
            let keyID = try certificates.keyID
            if try archiveKeys.contains(keyID) ? true : certificates.sharesModulus(with: currentKey) {
                throw EvidenceError(.unsuitableKey, refusal, hint: "use another key for each purpose")
            }
        }
    }
}

extension Archive {
    /// The keys that may sign the next bag, by the SHA-256 of their SubjectPublicKeyInfo: those that the newest bag
    /// with such a record names; without any, those of the description.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    package func signers() throws(EvidenceError) -> [String] {
        try erasureLog.keyIDs(in: self).signers
    }

    /// All archive keys that the archive ever named.
    func allKeyIDs() throws(EvidenceError) -> Set<String> {
        try erasureLog.keyIDs(in: self).archiveKeys
    }
}
