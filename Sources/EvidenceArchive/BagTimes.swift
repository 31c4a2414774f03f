// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Before and after which moments bags were closed, and as of which moment their signatures are looked at. A
/// verification and a proof pack have these from here alone, so that they say the same.
struct BagTimes {
    /// The time of a token that holds.
    struct Stamp {
        /// Of which bag the token is.
        let bag: Int
        let time: TimeStampReply.Time
        /// Whether its certificates were valid then, but not at the moment of the verification.
        let isPast: Bool
    }

    /// What is known of the moment before which a bag was closed.
    enum Before {
        case stamp(Stamp)
        /// Its own token does not hold.
        case refused(EvidenceError)
        /// There is a time stamp, and nobody said which authority to trust.
        case untrusted
        /// Nothing, and why.
        case unknown(String)

        var time: TimeStampReply.Time? {
            if case .stamp(let stamp) = self { stamp.time } else { nil }
        }
    }

    let archive: Archive
    /// The bags that are there.
    let bags: Set<Int>
    /// Where an authority's certificate must lead; `nil` where nobody said.
    let authorities: Certificates?
    /// As of when certificates must be valid, in seconds since 1970; `nil` for now.
    let moment: Int64?
    private var stamps: [Int: Result<Stamp, EvidenceError>?] = [:]
    private var coverings: [Int: Before] = [:]

    init(_ archive: Archive, bags: Set<Int>, authorities: Certificates?, moment: Int64?) {
        (self.archive, self.bags, self.authorities, self.moment) = (archive, bags, authorities, moment)
    }

    // MARK: - Times

    /// What is known of the moment before which a bag was closed.
    mutating func before(_ number: Int) throws(EvidenceError) -> Before {
        if try hasToken(number), try !isSigned(number) {
            return .unknown("the signature or \(Layout.tagManifest) is missing")
        }
        if case .failure(let error)? = try stamp(number) { return .refused(error) }
        let before = try covering(number)
        if let upper = before.time, let lower = try after(number)?.time, upper < lower {
            return .refused(Self.contradiction(after: lower, before: upper))
        }
        return before
    }

    /// Time stamps between which there is no moment at which the bag could have been closed.
    static func contradiction(
        after lower: TimeStampReply.Time, before upper: TimeStampReply.Time
    ) -> EvidenceError {
        EvidenceError(
            .timeStamp, "the time stamp is of \(upper), but the bag names one of \(lower), which is later")
    }

    /// The time of a bag's own token, or of the first one of a later bag that holds and leads back to it: each bag
    /// between names the one before.
    private mutating func covering(_ number: Int) throws(EvidenceError) -> Before {
        var (current, walked): (Int, [Int]) = (number, [])
        var found: Before?
        var isRefused = false
        while found == nil {
            if let known = coverings[current] {
                found = known
                break
            }
            walked.append(current)
            let (own, next) = (try stamp(current), current + 1)
            if case .failure? = own { isRefused = true }
            if case .success(let stamp)? = own {
                found = .stamp(stamp)
            } else if authorities == nil, try hasToken(current) {
                found = .untrusted
            } else if !bags.contains(next) {
                found = .unknown(
                    "neither it nor a later bag has a time stamp \(isRefused ? "that holds" : "yet")")
            } else if try !follows(next) {
                found = .unknown("it has no time stamp, and bag \(next) does not name it")
            }
            current = next
        }
        let outcome = found ?? .unknown("")
        // What covers the last one covers all before it.
        for bag in walked { coverings[bag] = outcome }
        return outcome
    }

    /// The time of the token that a bag names, after which it was closed; `nil` where it names none, or that is another
    /// one, or does not hold.
    mutating func after(_ number: Int) throws(EvidenceError) -> Stamp? {
        guard let token = try info(number)?.token, bags.contains(token.bag),
            case .success(let stamp)? = try stamp(token.bag)
        else { return nil }
        let signatures = try archive.bag(token.bag).inner(Layout.signatures)
        return try signatures.digest(of: Layout.token).sha256 == token.sha256 ? stamp : nil
    }

    /// What is known of a bag's token; `nil` where it has none, or no authority is trusted.
    private mutating func stamp(_ number: Int) throws(EvidenceError) -> Result<Stamp, EvidenceError>? {
        if let known = stamps[number] { return known }
        var outcome: Result<Stamp, EvidenceError>?
        do throws(EvidenceError) {
            if let authorities, try hasToken(number), try isSigned(number) {
                outcome = .success(try verified(number, authorities))
            }
        } catch {
            if error.code.isSystem { throw error }
            outcome = .failure(error)
        }
        stamps[number] = .some(outcome)
        return outcome
    }

    /// As of its own time: certificates expire, and none may be younger than what it vouches for. What it covers is the
    /// bag only where the signature is over the bag's tag manifest.
    private func verified(_ number: Int, _ authorities: Certificates) throws(EvidenceError) -> Stamp {
        let signature = try archive.signature(ofBag: number)
        guard let reply = try archive.token(ofBag: number) else {
            throw EvidenceError(.bag, "\(Layout.token) is missing")
        }
        let time = try reply.claim().time
        _ = try reply.token(about: signature.der.span, trusting: authorities, at: time.seconds)
        var isPast = false
        do throws(EvidenceError) {
            _ = try reply.token(about: signature.der.span, trusting: authorities, at: moment)
        } catch {
            guard !error.code.isSystem else { throw error }
            isPast = true
        }
        let tags = try archive.bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        do throws(EvidenceError) { try signature.requireDocument(tags.span) } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(
                .timeStamp, "the time stamp covers a signature that is not over \(Layout.tagManifest): \(error)")
        }
        return Stamp(bag: number, time: time, isPast: isPast)
    }

    /// Whether a bag has a signature, and what that is over.
    func isSigned(_ number: Int) throws(EvidenceError) -> Bool {
        let bag = try archive.bag(number)
        guard try bag.kind(of: Layout.tagManifest) == .file, let signatures = try bag.existingFolder(Layout.signatures)
        else { return false }
        return try signatures.kind(of: Layout.signature) == .file
    }

    private func hasToken(_ number: Int) throws(EvidenceError) -> Bool {
        guard let signatures = try archive.bag(number).existingFolder(Layout.signatures) else { return false }
        return try signatures.kind(of: Layout.token) == .file
    }

    // MARK: - The chain

    /// Whether a bag names the one before it, in a `bag-info.txt` that its tag manifest names.
    private func follows(_ number: Int) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) {
            let previous = try archive.bag(number - 1).digest(of: Layout.tagManifest).sha256
            return try info(number)?.previous == previous
        } catch {
            if error.code.isSystem { throw error }
            return false
        }
    }

    /// What a bag says about itself; `nil` where its tag manifest lists something else.
    private func info(_ number: Int) throws(EvidenceError) -> BagInfo? {
        do throws(EvidenceError) {
            let bag = try archive.bag(number)
            let bytes = try bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
            let tags = try Manifest(
                bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes), of: Layout.tagManifest)
            guard try tags.line(Layout.bagInfo)?.sha256 == sha256(bytes) else { return nil }
            return try BagInfo(bytes)
        } catch {
            if error.code.isSystem { throw error }
            return nil
        }
    }

    // MARK: - Signatures

    /// As of when certificates must be valid that no time stamp vouches for.
    var momentText: String { moment.map(timeText) ?? "now" }

    /// What must be said of a bag that no verified time stamp covers.
    static let warning =
        "no verified time stamp covers it, so it holds only while the certificate is valid"

    /// A signature that holds.
    struct Signer {
        /// Whom the certificate names.
        let name: String
        /// As of when it was valid, in seconds since 1970; `nil` for now.
        let moment: Int64?
        /// Whether a time stamp vouches for that moment. Where none does, the signature no longer holds once the
        /// certificate has expired.
        let isStamped: Bool
    }

    /// Who signed a bag. The certificate must be valid as of the time stamp that covers the bag, or where none does, as
    /// of now.
    ///
    /// - Throws: ``EvidenceError``: `.cmsSignature`, `.bag`, or where the system fails.
    mutating func signer(ofBag number: Int, trusting signers: Certificates) throws(EvidenceError) -> Signer {
        let signature = try archive.signature(ofBag: number)
        let tags = try archive.bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        let stamped = try covering(number).time?.seconds
        do throws(EvidenceError) {
            let name = try signature.signer(of: tags.span, trusting: signers, at: stamped ?? moment)
            return Signer(name: name, moment: stamped ?? moment, isStamped: stamped != nil)
        } catch {
            // Only this depends on the time.
            guard error.code == .cmsSignature, error.isOfCertificate, stamped == nil else { throw error }
            throw EvidenceError(
                .cmsSignature,
                "\(error) (as of \(momentText), since no verified time stamp covers the bag)")
        }
    }
}
