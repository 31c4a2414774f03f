// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

extension ArchiveWriter {
    /// Keeps an authority's answer about a bag, once it was found to be one.
    ///
    /// - Parameters:
    ///   - reply: the authority's answer.
    ///   - query: what was asked: ``Archive/timeStampQuery(forBag:)``.
    ///   - number: the number of the bag.
    ///   - trusted: where the authority's certificate must lead.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.timeStamp` where it is none, its certificates are not valid now or were not at
    ///   its time, that is earlier than the time of the time stamp which the bag names, more than five minutes from
    ///   now, or not within the validity of the signer's certificate, or the bag has one; `.noRecord`, `.cannotRead` or
    ///   `.cannotWrite`.
    public func keep(
        _ reply: TimeStampReply, answering query: TimeStampQuery, forBag number: Int, trusting trusted: Certificates,
        at now: UTCTime
    ) throws(EvidenceError) -> TimeStampReply.Token {
        try exclusively { () throws(EvidenceError) in
            let signature = try archive.stampableSignature(ofBag: number)
            let signatures = try archive.bag(number).inner(Layout.signatures)
            let token = try reply.token(about: signature.der.span, answering: query, trusting: trusted)
            try token.time.requireNotAhead(of: now)
            _ = try reply.token(about: signature.der.span, trusting: trusted, at: token.time.seconds)
            let info = try BagInfo(archive.bag(number).contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
            // What another authority says shows nothing.
            if let earlier = info.token, try archive.hasTokenThatHolds(earlier.bag, trusted),
                let lower = try archive.token(ofBag: earlier.bag)?.claim().time, token.time < lower
            {
                throw BagTimes.contradiction(after: lower, before: token.time)
            }
            // Without it, the signature still holds as of an earlier moment.
            guard try signature.isCertificateValid(at: token.time.seconds) else {
                throw EvidenceError(
                    .timeStamp,
                    "the time stamp is of \(token.time), and the certificate of the signer of bag \(number) was not "
                        + "valid then: with it, the signature would fail for good",
                    hint: "nothing was stamped: verify the bag as of a time within the certificate's validity")
            }
            try unfinished.store(reply.der, as: Layout.token)
            try unfinished.rename(Layout.token, to: Layout.token, in: signatures)
            try signatures.sync()
            return token
        }
    }

    /// Keeps what else helps to verify the newest bag's signature, such as certificate revocation lists, beside it. The
    /// next bag names it.
    ///
    /// - Parameters:
    ///   - bytes: at most 1 MiB, which nobody looks into.
    ///   - name: 1 to 64 characters of `a-z 0-9 . _ -`, of which the first is a letter or digit.
    ///   - number: the bag's number: it must be the newest.
    /// - Throws: ``EvidenceError``: `.noRecord` for another bag, `.value` for another name, `.tooLarge` for too long or
    ///   too many files, `.exists`, `.cannotRead` or `.cannotWrite`.
    public func keep(_ bytes: [UInt8], named name: String, besideSignatureOfBag number: Int) throws(EvidenceError) {
        guard isPartName(name.utf8) else {
            throw EvidenceError(
                .value, "a name has 1 to 64 characters of a-z 0-9 . _ -, of which the first is a letter or digit")
        }
        guard bytes.count <= Limits.furtherSignatureBytes else {
            throw EvidenceError(
                .tooLarge, "a file beside a signature may have \(Limits.text(bytes: Limits.furtherSignatureBytes))")
        }
        try exclusively { () throws(EvidenceError) in
            try archive.requireNewest(number)
            let signatures = try archive.bag(number).inner(Layout.signatures)
            let folder = try signatures.folderMadeIfMissing(Layout.furtherSignatures)
            guard try folder.kind(of: name) == nil else {
                throw EvidenceError(.exists, stream: "\(Layout.signatures)/\(Layout.furtherSignatures)/\(name)")
            }
            guard try folder.names(limit: .max).count < Limits.furtherSignatures else {
                throw EvidenceError(.tooLarge, "bag \(number) has \(Limits.furtherSignatures) such files already")
            }
            // Until it is in its place it has the token's name, which is one that a crash may leave.
            try unfinished.store(bytes, as: Layout.token)
            try unfinished.rename(Layout.token, to: name, in: folder)
            try folder.sync()
            try signatures.sync()
        }
    }
}

extension Archive {
    /// A bag and those before it that its time stamp is the first to cover, as far as their signatures may fail then:
    /// the certificate of the signer, or of a CA above it, is not valid at a moment.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    public func lapsedBags(through number: Int, at moment: UTCTime) throws(EvidenceError) -> [Int] {
        try lapsedBags(through: number, at: moment.millisecondsSince1970 / 1_000)
    }

    /// The same at the time of a stamp.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    public func lapsedBags(through number: Int, at time: TimeStampReply.Time) throws(EvidenceError) -> [Int] {
        try lapsedBags(through: number, at: time.seconds)
    }

    private func lapsedBags(through number: Int, at moment: Int64) throws(EvidenceError) -> [Int] {
        let info = try BagInfo(bag(number).contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
        var found: [Int] = []
        for bag in min((info.token?.bag ?? 0) + 1, number)...number {
            do throws(EvidenceError) {
                if bag < number, try token(ofBag: bag) != nil { continue }
                if try signature(ofBag: bag).isLapsed(at: moment) { found.append(bag) }
            } catch {
                // What cannot be read is for a verification.
                if error.code.isSystem { throw error }
            }
        }
        return found
    }
}

extension TimeStampReply.Time {
    /// Whether it is of the future, as far as clocks agree: more than five minutes ahead of one.
    public func isAhead(of now: UTCTime) -> Bool { seconds > now.millisecondsSince1970 / 1_000 + 300 }

    func requireNotAhead(of now: UTCTime) throws(EvidenceError) {
        guard isAhead(of: now) else { return }
        throw EvidenceError(
            .timeStamp,
            "this machine's clock may be slow: it says \(now), and the time stamp is of \(self), which is in the "
                + "future",
            hint: "set this machine's clock right; if it is right, ask for another time stamp")
    }
}
