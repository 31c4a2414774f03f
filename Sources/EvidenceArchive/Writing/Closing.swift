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
    }

    /// What the caller knows to be among the records that wait and shortens how long records are kept: whoever can put
    /// records there must not shorten it unseen.
    public struct Shortening: Sendable {
        /// How many waiting records release a hold, name an earlier day or a first day within 30 days, or add to a
        /// record of an earlier bag.
        public var count = 0
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
    ///   `.bag` where something that waits would never verify, or shortens more than was told, `.newerFormat`,
    ///   `.cannotRead` or `.cannotWrite`.
    public func close(
        signedBy key: SigningKey, _ certificates: Certificates, shortening: Shortening = Shortening(), agent: String,
        at now: UTCTime
    ) throws(EvidenceError) -> ClosedBag {
        try exclusively { () throws(EvidenceError) in
            try clearIncoming()
            try archive.requireWaitingRecord()
            let number = try closedBags.next(of: archive)
            try certificates.requireSigning(with: key)
            try requireSigner(certificates)
            let incoming = try archive.folder.folder(Layout.incoming)
            let records = try recordsToClose(
                in: incoming.inner(Layout.data), beforeBag: number, shortening, at: now)
            var manifest = Manifest()
            var byteCount: UInt64 = 0
            for file in records.lazy.flatMap(\.files) {
                manifest.append(file.path, file.sha256 ?? "")
                byteCount += file.byteCount
            }
            let info = BagInfo(
                agent: agent, byteCount: byteCount, fileCount: UInt64(manifest.lines.count), closed: now,
                link: try link(ofBag: number),
                previousSignatures: number > 1 ? try archive.signatureFiles(ofBag: number - 1).sha256 : nil,
                token: try closedBags.newestToken(before: number, of: archive))
            guard try BagInfo(Array(info.text.utf8)) == info else {
                throw EvidenceError(.value, "the text about the software that makes the bag cannot be written")
            }
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
            return ClosedBag(number: number, recordCount: records.count, sha256: try sha256(tagText))
        }
    }

    /// The records that wait. A bag is never changed: what ``ArchiveVerifier`` would name as a fault is refused here.
    private func recordsToClose(
        in data: ConfinedFolder, beforeBag number: Int, _ shortening: Shortening, at now: UTCTime
    ) throws(EvidenceError) -> [RecordFolder] {
        var (records, faults, _) = try RecordFolder.all(in: data, at: Layout.waiting, digesting: true)
        let rules = try WaitingRules(
            archive, bags: Array(1..<number), waiting: records, new: ownRecords, known: closedBags.places)
        closedBags.places.merge(rules.places) { first, _ in first }
        if faults.isEmpty { faults = try rules.faults() }
        if faults.isEmpty, let fault = try rules.keyFault() { faults.append(fault) }
        if faults.isEmpty { try requireTold(rules.shortening(at: now), shortening) }
        guard let fault = faults.first else { return records }
        throw EvidenceError(
            .bag, fault,
            hint: "no bag was closed, because a closed bag cannot be corrected: correct what the error names, for "
                + "example from a backup, then close again")
    }

    /// What a new bag says about its place in the chain.
    private func link(ofBag number: Int) throws(EvidenceError) -> BagLink {
        let skip = try BagSkips.target(of: number).map { target throws(EvidenceError) in
            BagLink.NamedBag(bag: target, sha256: try archive.bag(target).digest(of: Layout.tagManifest).sha256)
        }
        let previous = number > 1 ? try archive.bag(number - 1).digest(of: Layout.tagManifest).sha256 : archive.id
        return BagLink(
            format: 1, origin: archive.description.origin, number: number, previous: previous, skip: skip)
    }

    /// Refuses a signing key that the archive does not accept, or that is an archive key.
    private func requireSigner(_ certificates: Certificates) throws(EvidenceError) {
        let keyID = try certificates.keyID
        let archiveKeys = try archive.allKeyIDs().union([currentKey.fingerprint])
        guard !archiveKeys.contains(keyID) else {
            throw EvidenceError(
                .unsuitableKey, "the signing key is an archive key", hint: "use another key for each purpose")
        }
        let accepted = try archive.signers()
        guard accepted.contains(keyID) else {
            throw EvidenceError(
                .unsuitableKey, "the archive does not accept bags that are signed by the key with the SHA-256 \(keyID)",
                hint: "it accepts: \(accepted.joined(separator: ", "))")
        }
    }

    /// Refuses to sign unawares what shortens how long records are kept.
    private func requireTold(
        _ found: (records: [RecordID], signers: [String]?), _ told: Shortening
    ) throws(EvidenceError) {
        guard found.records.count == told.count else {
            let examples = found.records.prefix(3).map { "\($0)" }.joined(separator: ", ")
            let which = found.records.isEmpty ? "" : ", such as \(examples)"
            throw EvidenceError(
                .bag,
                "\(found.records.count) waiting records shorten how long records are kept\(which); "
                    + "\(told.count) were expected",
                hint: "if all of them are right, close again with their exact number; otherwise remove those that "
                    + "nobody meant to add")
        }
        let keyIDs = try told.signers.map { certificates throws(EvidenceError) in try certificates.keyID }
        guard Set(found.signers ?? []) == Set(keyIDs) else {
            throw EvidenceError(
                .bag,
                found.signers == nil
                    ? "certificates of new signing keys were given, but no waiting record names such keys"
                    : "a waiting record names other signing keys than the given certificates have",
                hint: "give the certificates of exactly the keys that the record names; if nobody meant to add the "
                    + "record, remove it")
        }
        guard try archive.allKeyIDs().union([currentKey.fingerprint]).isDisjoint(with: keyIDs) else {
            throw EvidenceError(.unsuitableKey, "a new signing key is an archive key")
        }
    }
}

extension Archive {
    /// The keys that may sign the next bag, by the SHA-256 of their SubjectPublicKeyInfo: those that the newest bag
    /// with such a record names; without any, those of the description.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    public func signers() throws(EvidenceError) -> [String] {
        try erasureLog.keyIDs(in: self).signers
    }

    /// All archive keys that the archive ever named.
    func allKeyIDs() throws(EvidenceError) -> Set<String> {
        try erasureLog.keyIDs(in: self).archiveKeys
    }
}
