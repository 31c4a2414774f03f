// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck
internal import VendorTypes

/// What is found about the times of bags, their signatures, and the keys that may sign.
struct TimeCheck {
    let archive: Archive
    let times: BagTimes
    let findings: Findings
    /// Where a signer's certificate must lead; `nil` where nobody said.
    let trusted: Certificates?
    private let now: UTCTime?
    /// The keys that may sign the next bag; `nil` where an earlier bag may have named others.
    private var signers: Set<String>?
    /// Whether the bag that was checked last was signed by one of them; `nil` where nobody can tell.
    private var isSignerRight: Bool?

    init(_ archive: Archive, _ times: BagTimes, _ findings: Findings, trusting trusted: Certificates?, now: UTCTime?) {
        (self.archive, self.times, self.findings, self.trusted, self.now) = (archive, times, findings, trusted, now)
        signers = Set(archive.description.signers)
    }

    /// The keys that the archive names, compared with those that are expected.
    func checkExpected(_ expected: Set<String>?) throws(EvidenceError) {
        guard let expected else {
            return try findings.add(
                .archive, .signer, .unchecked,
                "nobody said which keys are expected to sign: \(Layout.description) names "
                    + archive.description.signers.joined(separator: " "))
        }
        if let other = archive.description.signers.first(where: { !expected.contains($0) }) {
            let bags = try archive.listedBags().numbers
            let fingerprints = [bags.first, bags.last].compactMap { number in
                number.flatMap { try? archive.signature(ofBag: $0).certificateFingerprint }
            }
            let isOfCertificate = fingerprints.contains { expected.contains($0) }
            return try findings.add(
                .archive, .signer, .fails,
                "\(Layout.description) names \(other) as a key that may sign, which is not one of those expected"
                    + (isOfCertificate
                        ? "; one of these is the SHA-256 of the signer's certificate: expected is that of its key" : "")
            )
        }
        try findings.add(
            .archive, .signer, .holds,
            "\(Layout.description) names no other signing key than those expected")
    }

    /// - Returns: the time of the token that covers the bag.
    mutating func check(_ number: Int) throws(EvidenceError) -> TimeStampReply.Time? {
        let time = try checkTime(number)
        try checkSignature(number)
        return time
    }

    private func checkTime(_ number: Int) throws(EvidenceError) -> TimeStampReply.Time? {
        let subject = ArchiveFinding.Subject.bag(number)
        let before = try times.before(number)
        let lower = try times.after(number)?.time
        let after = lower.map { "after \($0)" }
        switch before {
        case .untrusted:
            try findings.add(subject, .time, .unchecked, "no certificate for the authority was given")
        case .unknown(let why):
            let known = after.map { "closed \($0); no upper limit is known: " } ?? ""
            try findings.add(subject, .time, .unchecked, known + why)
        case .refused(let error):
            let time = try? archive.token(ofBag: number)?.claim().time
            var told = error
            // What it says of a reply that was just received is of no use here; of certificates that were given, it is.
            if case .wrong = try times.token(number), !error.isOfCertificate || error.hint == nil {
                told = EvidenceError(error.code, error.description, hint: try times.stepAboutToken(number))
            }
            try findings.add(told, subject, .time, StockCommands.token(number, of: number, at: time))
        case .stamp(let stamp):
            let command = StockCommands.token(stamp.bag, of: number, at: stamp.time)
            let by = stamp.bag == number ? "" : " (the time stamp of bag \(stamp.bag))"
            let past =
                stamp.isPast
                ? "; the time stamp's certificates were valid then, but are not as of \(times.momentText)" : ""
            var passed = ""
            if case .passedOver(let why) = try times.token(number) {
                passed = "; its own time stamp was passed over: \(why.told)"
            }
            // Of an earlier bag, `close` compared it.
            if let now, stamp.bag == times.chain.bags.max(), stamp.time.isAhead(of: now) {
                let lower = try times.after(stamp.bag)?.time
                let step = BagTimes.step(aboutFutureToken: stamp.bag, after: lower, at: now)
                passed +=
                    "; this machine's clock may be slow: it says \(now); the time stamp is of the future, "
                    + "and no bag can be closed after it: set the clock right; if it is right, \(step)"
            }
            // A claim of our clock, which nothing depends on: in whole seconds, as authorities may cut off fractions.
            if let closed = try times.chain.facts(number).info?.closed,
                closed.millisecondsSince1970 / 1_000 > stamp.time.seconds
            {
                passed += "; the bag says that it was closed at \(closed), which is later"
            }
            let isOneMoment = lower.map { "\($0)" } == "\(stamp.time)"
            let interval =
                isOneMoment
                ? "at \(stamp.time), the time of both time stamps"
                : (after.map { "\($0) and " } ?? "") + "before \(stamp.time)"
            try findings.add(
                subject, .time, .holds, "closed \(interval)\(by)\(past)\(passed)", command,
                isWarning: !past.isEmpty || !passed.isEmpty)
        }
        return before.time
    }

    private mutating func checkSignature(_ number: Int) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        isSignerRight = nil
        guard try times.chain.facts(number).isSigned else {
            try findings.add(
                subject, .signature, .unchecked, "the signature or \(Layout.tagManifest) is missing",
                StockCommands.signature(at: nil))
            return try findings.add(subject, .signer, .unchecked, "without the signature nobody knows who signed")
        }
        // By which key it is does not depend on whom one trusts.
        let found: BagTimes.Signer
        do throws(EvidenceError) {
            switch try times.signer(ofBag: number, trusting: nil) {
            case .holds(let signer): found = signer
            case .unaccepted(let error): throw error
            case .unlisted(let why):
                try findings.add(
                    subject, .signature, .unchecked, "\(why): nobody here judges that", StockCommands.signature(at: nil)
                )
                return try findings.add(subject, .signer, .unchecked, "the signature cannot be verified")
            }
        } catch {
            if !error.code.isSystem, let why = try times.otherTags(number) {
                try findings.add(
                    subject, .signature, .unchecked, "\(why): the signature cannot be compared with it",
                    StockCommands.signature(at: nil))
                return try findings.add(subject, .signer, .unchecked, "the signature cannot be verified")
            }
            let told = try error.hint == nil ? error.hinting(times.stepAboutSignature(number)) : error
            try findings.add(told, subject, .signature, StockCommands.signature(at: times.moment))
            return try findings.add(subject, .signer, .unchecked, "the signature does not hold")
        }
        try checkTrusted(number)
        try checkSigner(found, subject)
    }

    private func checkTrusted(_ number: Int) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        guard let trusted else {
            return try findings.add(
                subject, .signature, .unchecked, "no certificate for the signer was given",
                StockCommands.signature(at: nil))
        }
        do throws(EvidenceError) {
            switch try times.signer(ofBag: number, trusting: trusted) {
            case .holds(let signer):
                let when = signer.moment.map { ", whose certificate was valid at \(timeText($0))" } ?? ""
                let warning = signer.isStamped ? "" : "; \(BagTimes.warning)"
                try findings.add(
                    subject, .signature, .holds, "signed by \(printable(signer.name))\(when)\(warning)",
                    StockCommands.signature(at: signer.moment), isWarning: !warning.isEmpty)
            case .unaccepted(let error): throw error
            case .unlisted(let why):
                try findings.add(
                    subject, .signature, .unchecked, "\(why): nobody here judges that", StockCommands.signature(at: nil)
                )
            }
        } catch { try findings.add(error, subject, .signature, StockCommands.signature(at: times.moment)) }
    }

    private mutating func checkSigner(
        _ signer: BagTimes.Signer, _ subject: ArchiveFinding.Subject
    ) throws(EvidenceError) {
        let command = StockCommands.signer
        guard let signers else {
            return try findings.add(
                subject, .signer, .unchecked,
                "signed by the key \(signer.keyID); an earlier bag or record that is missing, damaged or newer may "
                    + "name the keys that may sign", command)
        }
        isSignerRight = signers.contains(signer.keyID)
        if signers.contains(signer.keyID) {
            try findings.add(
                subject, .signer, .holds, "signed by the key \(signer.keyID), which may sign", command)
        } else {
            try findings.add(
                subject, .signer, .fails, "signed by the key \(signer.keyID), which may not sign", command)
        }
    }

    /// What a bag says of the keys that sign the next ones.
    ///
    /// - Parameters:
    ///   - named: the keys that a record of the bag names, which keeps the rules.
    ///   - isWhole: whether everything that the bag says is known.
    mutating func takeSigners(_ named: [String]?, isWhole: Bool) {
        guard isWhole else { return signers = nil }
        guard let named else { return }
        switch isSignerRight {
        case true?: signers = Set(named)
        // Whoever may not sign names nobody who may.
        case false?: break
        case nil: signers = nil
        }
    }
}
