// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
public import VendorTypes

/// A time-stamping authority that is trusted no longer, since its key may be in wrong hands: what it signed before a
/// moment still counts, where a later token that holds, of a time before that moment, covers it. That goes before trust
/// in a certificate to which its own leads.
public struct RetiredAuthority: Sendable {
    /// The authority's certificate, or some to which it leads: each of these is trusted no longer.
    package var certificates: Certificates
    /// The first moment of distrust.
    package var until: UTCTime

    /// - Parameters:
    ///   - certificates: the authority's certificate, or some to which it leads: each of these is trusted no longer.
    ///   - until: the first moment of distrust.
    public init(_ certificates: Certificates, until: UTCTime) {
        (self.certificates, self.until) = (certificates, until)
    }
}

/// Before and after which moments bags were closed, and as of which moment their signatures are verified. A
/// verification and a proof pack have these from here alone, so that they say the same.
final class BagTimes {
    /// The time of a token that holds.
    struct Stamp {
        /// Of which bag the token is.
        let bag: Int
        /// SHA-256 of the signature and of the token, as they were judged.
        let sha256: (signature: String, token: String)
        let time: TimeStampReply.Time
        /// Whether its certificates were valid then, but not at the moment of the verification.
        let isPast: Bool
        /// The first moment of distrust of a retired authority, in seconds since 1970.
        let until: Int64?
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

    /// What is known of a bag's own token.
    enum Token {
        case none
        case holds(Stamp)
        case wrong(EvidenceError)
        /// Its authority is not accepted, or an algorithm is not in the list: a later one may hold.
        case passedOver(EvidenceError)
        case untrusted
    }

    let chain: BagChain
    /// Where an authority's certificate must lead; `nil` where nobody said.
    private let authorities: Certificates?
    private let retired: [RetiredAuthority]
    /// As of when certificates must be valid, in seconds since 1970; `nil` for now.
    let moment: Int64?
    private let first: Int
    private var tokens: [Int: Token] = [:]
    /// For each bag the first token that leads to it, its own included; read once.
    private var reaching: [Int: Stamp]?

    private var archive: Archive { chain.archive }
    private var areAuthoritiesKnown: Bool { authorities != nil || !retired.isEmpty }

    /// - Parameter first: no earlier bag is asked for.
    init(
        _ chain: BagChain, from first: Int = 1, authorities: Certificates?, retired: [RetiredAuthority], moment: Int64?
    ) {
        (self.chain, self.first, self.moment) = (chain, first, moment)
        (self.authorities, self.retired) = (authorities, retired)
    }

    // MARK: - Times

    /// What is known of the moment before which a bag was closed.
    func before(_ number: Int) throws(EvidenceError) -> Before {
        let own = try token(number)
        if case .wrong(let error) = own { return .refused(error) }
        if let stamp = try covering(number) {
            if let lower = try after(number)?.time, stamp.time < lower {
                return .refused(Self.contradiction(after: lower, before: stamp.time))
            }
            return .stamp(stamp)
        }
        switch own {
        case .untrusted: return .untrusted
        case .passedOver(let why):
            return .unknown("its own time stamp was passed over, and no later one holds: \(why.told)")
        case .holds:
            return .unknown("its authority is trusted no longer, and no later time stamp from before then covers it")
        case .none, .wrong: break
        }
        let facts = try chain.facts(number)
        if facts.hasToken, !facts.isSigned {
            return .unknown("the signature or \(Layout.tagManifest) is missing")
        }
        let isUntrusted = areAuthoritiesKnown ? false : try hasTokenAfter(number)
        if isUntrusted { return .untrusted }
        if chain.bags.contains(number + 1), try !chain.follows(number + 1) {
            return .unknown("it has no time stamp, and bag \(number + 1) does not name it")
        }
        return .unknown("neither it nor a later bag has a time stamp that holds")
    }

    private func hasTokenAfter(_ number: Int) throws(EvidenceError) -> Bool {
        guard let last = chain.bags.max() else { return false }
        return try chain.lastToken(before: last + 1) ?? 0 > number
    }

    /// Time stamps between which there is no moment at which the bag could have been closed.
    static func contradiction(
        after lower: TimeStampReply.Time, before upper: TimeStampReply.Time
    ) -> EvidenceError {
        EvidenceError(
            .timeStamp, "the time stamp is of \(upper), but the bag names one of \(lower), which is later")
    }

    /// The token that covers a bag: its own, or the first later one from which a way leads through the next bag.
    func covering(_ number: Int) throws(EvidenceError) -> Stamp? {
        let reaching = try readReaching()
        if let own = reaching[number], own.bag == number { return own }
        guard try chain.follows(number + 1) else { return nil }
        return reaching[number + 1]
    }

    /// The newest token that holds.
    func newest() throws(EvidenceError) -> Stamp? {
        try readReaching().filter { $0.key == $0.value.bag }.max { $0.key < $1.key }?.value
    }

    private func readReaching() throws(EvidenceError) -> [Int: Stamp] {
        if let reaching { return reaching }
        var found: [Int: Stamp] = [:]
        for number in chain.bags.sorted(by: >) where number >= first {
            if case .holds(let stamp) = try token(number) {
                var isEffective = true
                if let until = stamp.until {
                    let later = try chain.follows(number + 1) ? found[number + 1] : nil
                    // The token itself must have been there then: no other line names it.
                    let isBefore = later.map { $0.time.seconds < until } ?? false
                    isEffective = isBefore ? try isNamed(number) : false
                }
                if isEffective { found[number] = stamp }
            }
            guard let stamp = found[number] else { continue }
            for target in try chain.targets(of: number) where found[target].map({ $0.bag > stamp.bag }) ?? true {
                found[target] = stamp
            }
        }
        reaching = found
        return found
    }

    /// Whether the next bag names a bag's token.
    private func isNamed(_ number: Int) throws(EvidenceError) -> Bool {
        guard let named = try chain.facts(number + 1).info?.token, named.bag == number else { return false }
        return try digestOfToken(number) == named.sha256
    }

    /// `nil` where it is not there, or not what a bag has.
    private func digestOfToken(_ number: Int) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            guard let reply = try archive.token(ofBag: number) else { return nil }
            return try sha256(reply.der)
        } catch {
            if error.code.isSystem { throw error }
            return nil
        }
    }

    /// The time of the token that a bag names, after which it was closed; `nil` where it names none, or that is another
    /// one, or does not hold.
    func after(_ number: Int) throws(EvidenceError) -> Stamp? {
        guard let named = try chain.facts(number).info?.token, chain.bags.contains(named.bag),
            case .holds(let stamp) = try token(named.bag)
        else { return nil }
        if stamp.until != nil, named.bag >= first, try readReaching()[named.bag]?.bag != named.bag { return nil }
        return try digestOfToken(named.bag) == named.sha256 ? stamp : nil
    }

    // MARK: - Tokens

    /// What is known of a bag's own token, whether or not something covers it.
    func token(_ number: Int) throws(EvidenceError) -> Token {
        if let known = tokens[number] { return known }
        let facts = try chain.facts(number)
        var token = Token.none
        // What covers a newer bag, and how, is for a newer version.
        if facts.hasToken, facts.isSigned, !facts.isNewer {
            do throws(EvidenceError) { token = try judged(number) } catch {
                if error.code.isSystem { throw error }
                // Of one that was put there too late, that is said of the next bag.
                token = try isPassedOver(number) ? unjudged("bag \(number + 1) does not name it") : .wrong(error)
            }
        }
        tokens[number] = token
        return token
    }

    private func unjudged(_ why: String) -> Token {
        areAuthoritiesKnown ? .passedOver(EvidenceError(.timeStamp, why)) : .untrusted
    }

    /// Whether the next bag does not name a bag's token.
    private func isPassedOver(_ number: Int) throws(EvidenceError) -> Bool {
        guard let info = try chain.facts(number + 1).info else { return false }
        return info.token?.bag != number
    }

    /// As of its own time: certificates expire, and none may be younger than what it vouches for. What it covers is the
    /// bag only where the signature is over the bag's tag manifest.
    private func judged(_ number: Int) throws(EvidenceError) -> Token {
        guard let reply = try archive.token(ofBag: number) else { return .none }
        let signature: DocumentSignature
        do throws(EvidenceError) { signature = try archive.signature(ofBag: number) } catch {
            if error.code.isSystem { throw error }
            return unjudged("\(error)")
        }
        let time = try reply.claim().time
        let tags = try archive.bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        // Whether it is wrong does not depend on whom one trusts.
        var fault: EvidenceError?
        do throws(EvidenceError) {
            if case .unlisted(let why) = try signature.judged(over: tags.span, trusting: nil, at: nil) {
                return unjudged(why)
            }
        } catch {
            if error.code.isSystem { throw error }
            fault = error
        }
        do throws(EvidenceError) {
            if case .unlisted(let why) = try reply.judged(about: signature.der.span, trusting: nil, at: nil) {
                return unjudged(why)
            }
        } catch {
            guard !error.code.isSystem, fault != nil else { throw error }
            return unjudged("the signature that it stamps does not hold")
        }
        if let fault {
            if let why = try otherTags(number, tags) { return unjudged(why) }
            throw EvidenceError(
                .timeStamp, "the time stamp covers a signature that is not over \(Layout.tagManifest): \(fault)")
        }
        if !areAuthoritiesKnown { return .untrusted }
        let until = try firstDistrust(of: reply)
        guard let trusted = until == nil ? authorities : all else { return .passedOver(Self.unaccepted) }
        switch try reply.judged(about: signature.der.span, trusting: trusted, at: time.seconds) {
        case .holds: break
        case .unaccepted(let error): return .passedOver(error)
        case .unlisted(let why): return .passedOver(EvidenceError(.timeStamp, why))
        }
        var isPast = false
        do throws(EvidenceError) {
            _ = try reply.judged(about: signature.der.span, trusting: trusted, at: moment)
        } catch {
            guard !error.code.isSystem else { throw error }
            isPast = true
        }
        let digests = (signature: try sha256(signature.der), token: try sha256(reply.der))
        return .holds(Stamp(bag: number, sha256: digests, time: time, isPast: isPast, until: until))
    }

    private static let unaccepted = EvidenceError(
        .timeStamp, "its authority is none of those that are trusted no longer, and no other one is trusted")

    /// All certificates that were given; `nil` where none were.
    private var all: Certificates? {
        let given = (authorities.map { [$0] } ?? []) + retired.map(\.certificates)
        return given.dropFirst().reduce(given.first) { $0?.joined(with: $1) }
    }

    /// The first moment of distrust of a token's authority, in seconds since 1970; `nil` where that is not retired.
    /// Distrust wins: also where a way leads to an authority that is trusted, and where what is retired is the token's
    /// own certificate, or one in between.
    private func firstDistrust(of reply: TimeStampReply) throws(EvidenceError) -> Int64? {
        guard let all else { return nil }
        var found: [Int64] = []
        for one in retired where try reply.leads(to: one.certificates, through: all) {
            found.append(one.until.millisecondsSince1970 / 1_000)
        }
        return found.min()
    }

    /// Why nobody can tell whether a signature is over a bag's tag manifest: a transfer or an editor wrote that in
    /// another way, or it is not the one that the next bag names. That is a finding of its own.
    private func otherTags(_ number: Int, _ tags: [UInt8]) throws(EvidenceError) -> String? {
        if let what = conversion(of: tags) { return "\(Layout.tagManifest) \(what)" }
        guard let next = try chain.facts(number + 1).reading?.link, next.number == number + 1,
            try next.previous != sha256(tags)
        else { return nil }
        return "\(Layout.tagManifest) is not the one that bag \(number + 1) names"
    }

    /// The same of a bag whose signature does not hold.
    func otherTags(_ number: Int) throws(EvidenceError) -> String? {
        try otherTags(number, archive.bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes))
    }

    // MARK: - What to do

    /// What to do about a bag's token that is wrong: the next bag says whether it is the one that was there.
    func stepAboutToken(_ number: Int) throws(EvidenceError) -> String? {
        let path = Layout.token(ofBag: number)
        if let repair = (try? archive.token(ofBag: number))?.repair { return "in \(path), \(repair)" }
        guard let last = chain.bags.max(), last > number else { return Self.step(aboutNewestToken: number) }
        return try isNamed(number) ? nil : "restore \(path) from a backup"
    }

    /// The same of the newest bag, which no other one names. Where it is of another signature, that may be what was
    /// changed: the time stamp goes last.
    static func step(aboutNewestToken number: Int) -> String {
        "restore \(Layout.token(ofBag: number)) from a backup, and the signature beside it if that was changed; only "
            + "if there is no backup, remove it, and stamp the bag again"
    }

    /// The same of one of the future, if the clock is right: another one must not be of an earlier time than that which
    /// its bag names.
    static func step(aboutFutureToken number: Int, after lower: TimeStampReply.Time?, at now: UTCTime) -> String {
        lower.map { $0.isAhead(of: now) } ?? false
            ? "wait until then, since the time stamp that bag \(number) names is of the future, too"
            : "remove \(Layout.token(ofBag: number)), and stamp bag \(number) again"
    }

    /// The same of its signature.
    func stepAboutSignature(_ number: Int) throws(EvidenceError) -> String? {
        let step = "restore \(Layout.signature(ofBag: number)) from a backup"
        if number == chain.bags.max() { return "if it is not the one that was there, \(step)" }
        return try chain.isAnchored(number) ? nil : step
    }

    // MARK: - Signatures

    /// As of when certificates must be valid that no time stamp vouches for.
    var momentText: String { moment.map(timeText) ?? "now" }

    /// What must be said of a bag that no verified time stamp covers.
    static let warning =
        "no verified time stamp covers it, so it holds only while the certificate is valid"

    /// A signature that holds.
    struct Signer {
        /// Whom the certificate names, and SHA-256 of its key.
        let name: String
        let keyID: String
        /// As of when it was valid, in seconds since 1970; `nil` for now.
        let moment: Int64?
        /// Whether a time stamp vouches for that moment. Where none does, the signature no longer holds once the
        /// certificate has expired.
        let isStamped: Bool
    }

    /// A token vouches for a signature that it stamps, or that the next bag names, which it covers.
    private func stampedMoment(_ number: Int) throws(EvidenceError) -> Int64? {
        guard let stamp = try covering(number) else { return nil }
        let vouches = stamp.bag == number ? true : try chain.isAnchored(number)
        return vouches ? stamp.time.seconds : nil
    }

    /// Who signed a bag. The certificate must be valid as of the time stamp that covers the signature, or where none
    /// does, as of now.
    ///
    /// - Parameter signers: `nil` where nobody said whom to trust.
    /// - Throws: ``EvidenceError``: `.cmsSignature`, `.bag`, or where the system fails.
    func signer(ofBag number: Int, trusting signers: Certificates?) throws(EvidenceError) -> Judged<Signer> {
        let signature = try archive.signature(ofBag: number)
        let tags = try archive.bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        let stamped = signers == nil ? nil : try stampedMoment(number)
        switch try signature.judged(over: tags.span, trusting: signers, at: stamped ?? moment) {
        case .holds(let signer):
            return .holds(
                Signer(
                    name: signer.name, keyID: signer.keyID, moment: stamped ?? moment, isStamped: stamped != nil))
        case .unlisted(let why): return .unlisted(why)
        case .unaccepted(let error):
            let when =
                stamped.map { "as of \(timeText($0)), the time of the time stamp that covers the signature" }
                ?? "as of \(momentText), since no verified time stamp covers the signature"
            let told = EvidenceError(.cmsSignature, "\(error) (\(when))", hint: error.hint)
            guard error.hint == nil, let closed = try chain.facts(number).info?.closed else { return .unaccepted(told) }
            // A certificate that lapsed comes back from no backup.
            let seconds = closed.millisecondsSince1970 / 1_000
            guard case .holds = try signature.judged(over: tags.span, trusting: signers, at: seconds) else {
                return .unaccepted(told)
            }
            let step = stamped == nil ? "verify as of a time within its validity" : "the time stamp was made too late"
            return .unaccepted(
                told.hinting("it was accepted as of \(closed), when the bag says that it was closed; \(step)"))
        }
    }
}

/// A time in whole seconds since 1970: `2026-11-22T08:00:00Z`.
func timeText(_ seconds: Int64) -> String {
    UTCTime(millisecondsSince1970: 1_000 * seconds).map { String("\($0)".prefix(19)) + "Z" } ?? "\(seconds)"
}
