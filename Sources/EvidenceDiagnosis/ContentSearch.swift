// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import Recognition
internal import VendorTypes

/// Finds out how the content was sealed, once the unwrapping key is known.
///
/// The two ends decide what is tried on all of the content, which is read a bounded number of times: a guess is
/// confirmed by opening the payload in the ordinary way, and forms that no profile can express are all tried in one
/// pass.
struct ContentSearch {
    let session: Session
    let survey: PayloadSurvey
    let ends: ContentEnds
    /// The encoding of the content.
    let encoding: TextEncoding
    /// The encoding of the wrapped key.
    let keyEncoding: TextEncoding
    let key: Diagnoser.Key
    let candidates: [KeyCandidate]
    /// The IVs that the caller gave, in each of their readings.
    let givenIVs: [IVChoice]

    /// How often long content is opened in the ordinary way, at most.
    private static let openings = 3
    /// How many remaining ways are tried at once: one pass over long content.
    private static let simultaneous = 8
    /// The factor by which both are larger for short content.
    private var patience: Int { Int(min(8, max(1, (32 << 20) / max(1, ends.count)))) }
    /// How many remaining ways are tried in all passes.
    private var attemptLimit: Int { Int(min(1_024, max(UInt64(Self.simultaneous), (256 << 20) / max(1, ends.count)))) }

    func run() throws -> Diagnosis.Verdict {
        let trials = try trials()
        // Plain text comes last, and an IV in front after others: the rest of a text is text as well.
        let rank = { (trial: Trial) in
            (trial.kind == .text ? 4 : 0) + (trial.goesOn || trial.cipher.isAuthenticated ? 0 : 2)
                + (trial.iv.isPrefix ? 1 : trial.iv.isSayable ? 0 : 3)
                + (trial.candidate.isGuess || trial.ivFit == .fitted ? 8 : 0)
        }
        let known = trials.filter { $0.kind != nil }
        let recognized = (0...17).flatMap { wanted in known.filter { rank($0) == wanted } }
        var openings = Self.openings * patience
        var opened = 0
        var unsettled: [Unsettled] = []
        for trial in recognized where openings > 0 && !trial.isLate {
            if let verdict = try open(trial, &openings, &unsettled) { return verdict }
            opened += 1
        }
        if let found = unsettled.first(where: { !$0.trial.isTextByChance }) { return try guess(found) }
        if let verdict = try recover(trials, &openings) { return verdict }
        var complete: Trial?
        if let verdict = try otherwise(trials, recognized, opened, &complete) { return verdict }
        if let found = unsettled.first { return try guess(found) }
        if let verdict = try otherNonces(&openings) { return verdict }
        if let verdict = try knownIVsBehindOthers() { return verdict }
        if let verdict = try recoverCounter(recognized, &openings) { return verdict }
        if let verdict = try otherLayouts() { return verdict }
        if bestBeginning(recognized) == nil, let fault = try restOfFile(trials) { throw fault }
        return try failure(trials, recognized, complete)
    }

    // MARK: - The ordinary way

    /// A trial whose content is complete under CBC, but whose first block does not prove the IV.
    private struct Unsettled {
        let trial: Trial
        let profile: Profile
        let content: WalkedContent
        /// The first block and its candidates.
        let head: [UInt8]
        let first: FirstBlock?
    }

    /// Opens the payload as a trial says.
    ///
    /// - Parameter unsettled: collects trials with a doubtful IV, since another trial may do better.
    private func open(
        _ trial: Trial, _ openings: inout Int, _ unsettled: inout [Unsettled]
    ) throws -> Diagnosis.Verdict? {
        guard trial.cipher.isAuthenticated else {
            for cipher in trial.ciphers where openings > 0 && !trial.isOneBlock {
                openings -= 1
                guard let (profile, content) = try walk(trial, .none, cipher) else { continue }
                // Content that only resembles a file is not a match: another trial may be one.
                guard content.isComplete else { continue }
                if content.lacksFileType, !trial.showsStart {
                    unsettled.append(
                        Unsettled(trial: trial, profile: profile, content: content, head: [], first: nil))
                    return nil
                }
                // The first 8 bytes of a video that is complete stand in it.
                let isProved = content.kind == .hex && content.inner == .mp4
                if !isProved, let (head, first) = try trial.firstBlock(ends), first?.settled != head {
                    if content.kind != .mp4 || FirstBlock.isPossible(inMP4: head) {
                        unsettled.append(
                            Unsettled(trial: trial, profile: profile, content: content, head: head, first: first))
                    }
                    return nil
                }
                if let doubt = try doubtOfEnd(trial, profile, content) {
                    try settle(trial.candidate)
                    note(trial.name, content)
                    return .unproven(
                        Diagnosis.Guess(
                            key: key.name, profile: profile,
                            sentence: "with \(trial.name), \(content.wholeness); \(doubt)",
                            advice: "ask how the content is padded, or compare its last bytes with a known original"))
                }
                notePadding(cipher)
                return .opens(try match(profile, trial, .structure, content))
            }
            return nil
        }
        for rule in rules(trial).prefix(2) where openings > 0 {
            openings -= 1
            if let (profile, content) = try walk(trial, rule) {
                return .opens(try match(profile, trial, .tag, content))
            }
        }
        return nil
    }

    /// The AAD rules that are possible, likelier ones first.
    private func rules(_ trial: Trial) -> [Profile.AADRule] {
        guard survey.orderNo != nil else { return [.none] }
        return key.key.publicKey.hasSealingStrength ? [.none, .orderNumber, .evidenceV1] : [.none, .orderNumber]
    }

    /// The payload, with the key wrapped as a profile can say if it was not.
    private func survey(for candidate: KeyCandidate) throws -> PayloadSurvey {
        guard candidate.needsWrapping else { return survey }
        let wrapped = try candidate.wrapped(for: key.key.publicKey)
        return try PayloadSurvey(session.spliced(survey, wrapped, keyEncoding))
    }

    /// Notes which candidate the key is.
    private func settle(_ candidate: KeyCandidate) throws { session.settle(candidate, try survey(for: candidate)) }

    /// Opens all of the content with a profile, and follows it to its end.
    private func walk(
        _ trial: Trial, _ aad: Profile.AADRule, _ cipher: ContentCipher? = nil, iv: [UInt8]? = nil
    ) throws -> (Profile, WalkedContent)? {
        let found = profile(trial, aad, cipher ?? trial.cipher, isProved: trial.cipher.isAuthenticated)
        let walk = ContentWalk()
        guard
            try survey(for: trial.candidate).opens(
                with: DiagnosedKey(key.key), sealedAs: found, iv: iv ?? (trial.iv.isGiven ? trial.iv.bytes : nil),
                into: walk)
        else { return nil }
        let content = walk.content()
        // An inner encoding was followed to its end as the profile would decode it.
        guard content.isComplete, content.inner != nil, content.isStandard else { return (found, content) }
        let inner: Profile.Inner
        switch content.kind {
        case .base64: inner = .base64
        case .dataURI: inner = .dataURI
        default: return (found, content)
        }
        return (profile(trial, aad, cipher ?? trial.cipher, inner, isProved: trial.cipher.isAuthenticated), content)
    }

    /// Notes what opened, and with what.
    private func settle(_ trial: Trial, _ content: WalkedContent) throws {
        try settle(trial.candidate)
        note(trial.name, content)
        noteUnusedIV(trial)
    }

    private func match(
        _ profile: Profile, _ trial: Trial, _ proof: Diagnosis.Proof, _ content: WalkedContent
    ) throws -> Diagnosis.Match {
        try settle(trial, content)
        let isAsGiven = givenIVs.contains { $0.bytes == trial.iv.bytes }
        return Diagnosis.Match(
            profile: profile, key: key.name, iv: trial.iv.isGiven ? trial.iv.reading : nil,
            ivBytes: trial.iv.isGiven ? trial.iv.bytes : nil,
            isIVOfPayload: trial.iv.isGiven && trial.iv.reach != .constant && !isAsGiven,
            proof: proof, isText: content.isText)
    }

    /// Notes that the IV that the caller gave is not the one, so that nobody goes on with it; or that it is, and where
    /// it was found as well.
    private func noteUnusedIV(_ trial: Trial) {
        guard !givenIVs.isEmpty, trial.iv.reach != .given else { return }
        guard trial.cipher.ivByteCount > 0 else {
            session.note("IV", "the given one is not used: \(trial.cipherName) takes none")
            return
        }
        let isGiven = trial.withIV(ends.head) { used in
            givenIVs.contains { given in
                guard let bytes = given.bytes, min(bytes.count, used.count) >= 8 else { return false }
                return (0..<min(bytes.count, used.count)).allSatisfy { bytes[$0] == used[$0] }
            }
        }
        session.note(
            "IV",
            isGiven
                ? "the given one is right, as far as it is used: it is also \(trial.ivName.dropFirst("the IV ".count))"
                : "the given one is not the one with which this payload was sealed: it opens with another, "
                    + trial.ivName)
    }

    /// Why the end of complete content is uncertain; `nil` if it is certain.
    private func doubtOfEnd(_ trial: Trial, _ profile: Profile, _ content: WalkedContent) throws -> String? {
        let padding = profile.cipher.padding
        guard profile.cipher.blockByteCount > 1 else { return nil }
        if padding == .none, content.trailingZeroCount > 0 {
            return "it is followed by \(content.trailingZeroCount) zero bytes, and nothing shows whether they are "
                + "padding, so its padding may be none or zero"
        }
        if padding == .none, content.kind == .json || content.kind == .text, trial.endsInBlank {
            return "it ends in a blank, and nothing shows whether that is padding"
        }
        // Only zero bytes can follow a visible end.
        for other in trial.ciphers where other.padding != padding && !content.hasEnd {
            guard let (_, rival) = try walk(trial, .none, other), rival.isComplete else { continue }
            return "that is so under two paddings, \(padding.rawValue) and \(other.padding.rawValue), which differ in "
                + "its last bytes, and nothing shows which is right"
        }
        return nil
    }

    /// Notes padding under a cipher that needs none.
    private func notePadding(_ count: Int) {
        session.note(
            "padding",
            "the content is followed by \(count) bytes of padding (PKCS#7), which CTR does not need and CryptoJS adds "
                + "by default: cut them off after opening (head -c -\(count)), or have the sender set "
                + "padding: CryptoJS.pad.NoPadding")
    }

    private func notePadding(_ cipher: ContentCipher) {
        if cipher.padding == .none, cipher.blockByteCount > 1 {
            session.note("padding", "this content needed no padding; other content may be padded with zero bytes")
        }
    }

    /// - Parameter advice: what is said elsewhere.
    private func note(_ name: String, _ content: WalkedContent, besides advice: String? = nil) {
        let fault = content.throughText?.name ?? content.fault
        session.note("content", "\(name): \(content.name)" + (fault.map { ", but \($0)" } ?? ""))
        if let wayOut = content.wayOut ?? content.throughText?.step, wayOut != advice { session.note("inside", wayOut) }
    }

    private func profile(
        _ trial: Trial, _ aad: Profile.AADRule, _ cipher: ContentCipher, _ inner: Profile.Inner = .none, isProved: Bool
    ) -> Profile {
        let isWeak = !key.key.publicKey.hasSealingStrength
        let wrapping = trial.candidate.wrapping
        func profile(named name: String, about: String?, source: String?, unconfirmed: String?) -> Profile {
            Profile(
                name: name, about: about, source: source, unconfirmed: unconfirmed,
                wrapping: KeyWrapping(
                    wrapping.padding, wrapping.form, weakKeyByteCount: wrapping.weakKeyByteCount,
                    ivByteCount: wrapping.ivByteCount, allowsWeakKeys: isWeak),
                cipher: cipher, iv: trial.iv.source, ivFit: trial.ivFit, tag: trial.tagPlace, aad: aad,
                encodings: trial.encodings(encoding, key: keyEncoding), inner: inner)
        }
        // What a built-in profile leaves open was determined here, as far as possible.
        let doubt = isProved ? nil : "diagnosis found it on one payload, and without a tag nothing proves it"
        let found = profile(named: "found", about: nil, source: nil, unconfirmed: doubt)
        let preset = Profile.presets.first { $0.sealsLike(found) && (!isWeak || $0.wrapping.allowsWeakKeys) }
        guard let preset else { return found }
        let same = profile(named: preset.name, about: preset.about, source: preset.source, unconfirmed: doubt)
        // A file may have the name of a built-in profile only if it says the same.
        if same == preset { return preset }
        return profile(named: "found", about: "seals like \(preset.name)", source: nil, unconfirmed: doubt)
    }

    // MARK: - The IV, from the content

    /// The verdict if the content is complete, but its first block is not the one that known writers make.
    private func guess(_ found: Unsettled) throws -> Diagnosis.Verdict {
        let (trial, first) = (found.trial, found.first)
        try settle(trial.candidate)
        notePadding(found.profile.cipher)
        note(trial.name, found.content)
        // An IV in front of the content cannot be replaced, and one derived from the key is not shown.
        var ivs: [Diagnosis.IVCandidate] = []
        var isHidden = false
        let lacksFileType = found.content.lacksFileType
        if let own = trial.knownIV, !own.isEmpty {
            let brand = found.content.kind == .mp4 && !lacksFileType ? FirstBlock.brand(ofMP4: found.head) : nil
            let head = brand.map { ": the file would then begin with \($0)" } ?? ""
            if let shown = trial.candidate.shown(own.span, head: trial.ivOrigin + head, isReconstructed: false) {
                let others = try first.flatMap { try self.ivs(trial, $0) }?.filter { $0.bytes != own } ?? []
                // A text that was typed in another case is likelier than a file of no known writer.
                let respelled = others.filter { other in
                    other.text.map { $0.lowercased() == shown.text?.lowercased() } ?? false
                }
                ivs = respelled + [shown] + others.filter { !respelled.contains($0) }
            } else {
                isHidden = true
            }
        }
        let doubt = try doubtOfEnd(trial, found.profile, found.content)
        if let doubt { session.note("padding", doubt) }
        let usual = first?.usual ?? []
        let reason =
            if usual.contains(where: { $0.bytes == found.head }) {
                "known encoders write different beginnings"
            } else if !usual.isEmpty {
                "no known encoder writes such a beginning"
            } else if found.content.kind == .mp4 {
                "no known encoder writes such a beginning"
            } else {
                "a file like this (\(found.content.name)) may begin in many ways"
            }
        // The rest of a text is text as well.
        let otherwise =
            trial.isTextByChance
            ? "; or the IV is a different one, and everything after the first 16 bytes looks right" : ""
        let hidden = isHidden ? "; the IV looks as if it was made from the key, so it is not shown" : ""
        // Without its IV, the profile opens nothing.
        let isUsable = !isHidden || !trial.iv.isGiven || trial.iv.reading == IVChoice.asGiven
        let profile = isUsable ? found.profile : nil
        if lacksFileType {
            return .unproven(
                Diagnosis.Guess(
                    key: key.name, profile: profile, ivs: ivs,
                    sentence: "under \(trial.name), the content is \(found.content.name) that goes on to its end, but "
                        + "does not begin with a file type box: nothing known here shows whether something in front of "
                        + "it is missing" + hidden,
                    advice:
                        "compare the field with the one that the SDK returned: only movies of old (QuickTime) begin "
                        + "without that box"))
        }
        return .unproven(
            Diagnosis.Guess(
                key: key.name, profile: profile, ivs: ivs,
                sentence: "\(trial.cipherName) and this key give the right content from byte 16 on. "
                    + "With \(trial.ivName), nothing shows that the first 16 bytes are right: \(reason)"
                    + otherwise + hidden,
                advice: "compare the IV with its source (the app's configuration, the sender's code), or compare what "
                    + "comes out with a known original"))
    }

    /// The IVs for each candidate of the first block, likeliest first; `nil` if they must not be
    /// shown because they look like the key.
    private func ivs(_ trial: Trial, _ first: FirstBlock) throws -> [Diagnosis.IVCandidate]? {
        var found: [Diagnosis.IVCandidate] = []
        for head in first.candidates {
            // Decrypting the first ciphertext block with the expected first block as IV gives the IV.
            var iv: [UInt8] = []
            iv.reserveCapacity(64)
            var opener = try ContentCipher.Opener(
                trial.cipher, key: trial.candidate.content.key, iv: head.bytes.span)
            try opener.append((Array(ends.head[..<16]) + [UInt8](repeating: 0, count: 16)).span, to: &iv)
            let held = SecretBytes(wiping: &iv)
            // All candidates resemble each other.
            guard
                let shown = held.withExposedBytes({
                    trial.candidate.shown($0, head: head.name, isReconstructed: true)
                })
            else { return nil }
            found.append(shown)
        }
        // A configured IV is text, mostly of letters and digits.
        let ranks = zip(found, first.candidates).map { iv, head in
            iv.text == nil ? 3 : head.isUsual ? 0 : iv.isLettersAndDigits ? 1 : 2
        }
        return (ranks.contains { $0 < 3 } ? [0, 1, 2] : [3]).flatMap { rank in
            found.indices.filter { ranks[$0] == rank }.map { found[$0] }
        }
    }

    /// If all but the first CBC block is a file of a known kind, reconstructs its first block, and from that the IV.
    private func recover(_ trials: [Trial], _ openings: inout Int) throws -> Diagnosis.Verdict? {
        // Under CBC, every IV gives the same rest, so one trial for each key suffices.
        for candidate in candidates where candidate.wrapping.ivByteCount == 0 {
            guard
                let trial = try Trial(
                    candidate, .unauthenticatedAESCBC(candidate.size),
                    IVChoice(.caller, bytes: [UInt8](repeating: 0, count: 16)), .none,
                    on: ends),
                trial.hasWholeBlocks, openings > 0, let first = try trial.firstBlock(ends)?.before
            else { continue }
            let name = trial.cipherName
            guard let ivs = try ivs(trial, first) else {
                // Under an IV that is known, only its end can be wrong.
                if trials.contains(where: {
                    $0.candidate === candidate && $0.cipher.mode == .cbc && $0.kind != nil && !$0.isTextByChance
                }) {
                    continue
                }
                try settle(candidate)
                throw Fault(
                    .layout,
                    (trial.isPadded
                        ? "everything after the first 16 bytes looks right under \(name)"
                        : "after its first 16 bytes, the content begins like \(first.kind.name) under \(name), but "
                            + "does not end in PKCS#7 padding")
                        + "; the IV may be made from the key, so it is not shown", Self.ivFromTheKey,
                    trial.isPadded ? [] : try trial.endings(of: ends))
            }
            var walked: (Profile, WalkedContent)?
            var index = 0
            // Only the length of an Exif segment affects what follows.
            while walked?.1.isComplete != true && index < min(3, ivs.count) && openings > 0 {
                for cipher in trial.ciphers where walked?.1.isComplete != true && openings > 0 {
                    openings -= 1
                    walked = try walk(trial, .none, cipher, iv: ivs[index].bytes)
                }
                index += 1
            }
            guard let (profile, content) = walked, content.isComplete else { continue }
            try settle(candidate)
            noteUnfitIVs()
            note(name + ", after its first 16 bytes", content)
            return .unproven(
                Diagnosis.Guess(
                    key: key.name, profile: profile, ivs: ivs,
                    sentence:
                        "everything after the first 16 bytes opens under \(name) and is complete; the IV was worked "
                        + "out from how such a file begins, and \(ivs.count == 1 ? "one fits" : "\(ivs.count) fit")"
                        + (ivs[0].text == nil ? ", none of them text" : "")
                        + (first.mayLackBoxes ? "; or a file type box that stood in front of it is missing" : ""),
                    advice: givenIVs.isEmpty
                        ? "compare the IVs with the app's configuration (aesIV), or the content with a known "
                            + "original; to rule out more IVs, diagnose a payload from another phone model as well"
                        : givenIVs.contains { $0.bytes?.count == 16 }
                            ? "under the given IV, it begins like nothing known here: ask how its text "
                                + "becomes bytes, and for which build it was; the IV may be right nevertheless, and "
                                + "the first block changed"
                            : "the given IV has \(givenIVs[0].bytes?.count ?? 0) bytes, but \(name) needs 16: "
                                + "compare it with the app's configuration (aesIV)"
                ))
        }
        return nil
    }

    private static let ivFromTheKey =
        "ask the app's developers how the IV is made; if it is made from the key, a profile can describe it only if it "
        + "is the first bytes of the key"

    /// Under AES-GCM, tries all the other lengths of a nonce in front that a profile can say: the tag proves one, and
    /// the content would come out of CTR as well.
    private func otherNonces(_ openings: inout Int) throws -> Diagnosis.Verdict? {
        for candidate in candidates where !candidate.isGuess && candidate.wrapping.ivByteCount == 0 {
            for count in Limits.gcmNonceBytes where ![12, 16].contains(count) {
                let cipher = ContentCipher.aesGCM(candidate.size).withNonce(byteCount: count)
                guard let trial = try Trial(candidate, cipher, IVChoice(.prefix), .appended, on: ends),
                    trial.kind != nil
                else { continue }
                var unsettled: [Unsettled] = []
                openings = max(openings, rules(trial).count)
                if let verdict = try open(trial, &openings, &unsettled) { return verdict }
            }
        }
        return nil
    }

    /// Under CTR, works out the counter block from how files begin: what it encrypts to is the first block of the
    /// ciphertext and of the file together. So any counter is found, and any nonce, wherever it is kept.
    private func recoverCounter(_ recognized: [Trial], _ openings: inout Int) throws -> Diagnosis.Verdict? {
        guard !recognized.contains(where: { [.mp4, .jpeg, .png].contains($0.kind) }) else { return nil }
        let known = givenIVs + fields()
        for candidate in candidates where !candidate.isGuess && candidate.wrapping.ivByteCount == 0 {
            for front in [0, 8, 12, 16, 13, 14, 28, 1, 2, 4, 20, 24, 32] where ends.head.count >= front + 64 {
                guard let counter = try counter(candidate, front) else { continue }
                guard candidate.shown(counter.span, head: "", isReconstructed: true) != nil else {
                    try settle(candidate)
                    throw Fault(
                        .layout,
                        "\(front == 0 ? "" : "behind its first \(front) bytes, ")the content begins like a file of a "
                            + "known kind under AES-\(candidate.size.rawValue)-CTR, with a counter block that may be "
                            + "made from the key, so it is not shown", Self.ivFromTheKey)
                }
                func choice(_ behind: Int) -> IVChoice {
                    let nonce = known.first { counter.starts(with: $0.bytes ?? counter) && ($0.bytes?.count ?? 0) >= 8 }
                    let origin =
                        nonce.map { "that begins with the nonce \($0.name.dropFirst(", the IV ".count))" }
                        ?? "worked out from how the content begins"
                    return IVChoice(
                        .caller,
                        reading: front + behind == 0 ? "hex:\(Hex.encode(counter.span)) (\(origin))" : origin,
                        bytes: counter, front: front, behind: behind)
                }
                let cipher = ContentCipher.unauthenticatedAESCTR(candidate.size)
                if front == 0, let verdict = try openGCM(candidate, counter) { return verdict }
                if front == 0, let trial = try Trial(candidate, cipher, choice(0), .none, on: ends) {
                    var unsettled: [Unsettled] = []
                    openings = max(openings, 1)
                    if let verdict = try open(trial, &openings, &unsettled) {
                        noteOtherCounter(counter)
                        return verdict
                    }
                }
                // A tag may follow, a nonce, or both.
                let attempts = try [0, 16, 28, 12, 8].compactMap { behind in
                    try Trial(candidate, cipher, choice(behind), .none, on: ends).map { trial in
                        let padding = try behind == 0 ? trial.paddingOfCounterMode(ends) : nil
                        return try RawOpening(trial, .none, survey.aad(.none), behind: padding ?? 0, ends)
                    }
                }
                var complete: Trial?
                if let verdict = try pass(attempts, &complete) { return verdict }
            }
        }
        return nil
    }

    /// Notes that a counter block that counts nothing may be one that AES-GCM made of a nonce.
    private func noteOtherCounter(_ counter: [UInt8]) {
        let known = givenIVs + fields()
        guard !counter.suffix(8).starts(with: [0, 0, 0, 0]),
            !known.contains(where: { counter.starts(with: $0.bytes ?? counter) })
        else { return }
        session.note(
            "counter",
            "AES-GCM makes such a counter block of a nonce that is longer or shorter than 12 bytes: if the sender has "
                + "an IV and a tag, diagnose again with that IV, since a tag proves more")
    }

    /// What a tag in a field says of a counter block that AES-GCM may have made.
    private func openGCM(_ candidate: KeyCandidate, _ counter: [UInt8]) throws -> Diagnosis.Verdict? {
        guard counter.suffix(4).elementsEqual(Trial.counterOfGCM) else { return nil }
        let nonce = Array(counter.prefix(12))
        let iv = IVChoice(
            .caller, reading: "hex:\(Hex.encode(nonce.span)) (worked out from how the content begins)", bytes: nonce)
        let trials = try fieldTags(fields()).compactMap {
            try Trial(candidate, .aesGCM(candidate.size), iv, $0, on: ends)
        }
        let attempts = try trials.flatMap { trial in
            try rules(trial).map { try RawOpening(trial, $0, survey.aad($0), behind: 0, ends) }
        }
        var complete: Trial?
        if let verdict = try passes(attempts, &complete) { return verdict }
        return try complete.map { try failure(trials, trials, $0) }
    }

    /// How many bytes before a ciphertext are looked behind, at most.
    private static let frontLimit = 96

    /// How many bytes may stand before the ciphertext: under ECB and CBC, whole blocks follow them.
    private func fronts(_ cipher: ContentCipher) -> [Int] {
        guard ends.head.count >= Self.frontLimit + 16 else { return [] }
        if cipher.blockByteCount == 1 { return Array(1...64) }
        return Array(stride(from: Int(ends.count % 16), through: Self.frontLimit, by: 16).drop { $0 == 0 })
    }

    /// Tries the IVs that are known with other bytes before the ciphertext: a MAC, a salt, a length.
    private func knownIVsBehindOthers() throws -> Diagnosis.Verdict? {
        let known = givenIVs + fields()
        for candidate in candidates where candidate.wrapping.weakKeyByteCount == nil {
            var choices: [(ContentCipher, IVChoice)] = []
            let cipher = ContentCipher.unauthenticatedAESCBC(candidate.size)
            let counting = ContentCipher.unauthenticatedAESCTR(candidate.size)
            if candidate.wrapping.ivByteCount > 0 {
                guard candidate.wrapping.ivByteCount == 16 else { continue }
                choices = [(cipher, IVChoice(.wrapped)), (counting, IVChoice(.wrapped))]
            } else {
                let zeros = IVChoice(.weakZero, bytes: [UInt8](repeating: 0, count: 16))
                choices = (known + [zeros, IVChoice(.weakKey)]).map { (cipher, $0) }
                choices.append((.unauthenticatedAESECB(candidate.size), IVChoice(.none, bytes: [])))
                if !candidate.isGuess { choices += known.map { (counting, $0) } }
            }
            let trials = try choices.flatMap { cipher, iv in
                try fronts(cipher).compactMap { front in
                    try iv.behind(front, for: cipher).flatMap { try Trial(candidate, cipher, $0, .none, on: ends) }
                }
            }
            if let verdict = try openBehindOthers(trials) { return verdict }
        }
        return nil
    }

    /// Under CBC, tries an IV with something before or behind it: a MAC, a salt, a version, another IV.
    private func otherLayouts() throws -> Diagnosis.Verdict? {
        var layouts: [(iv: [UInt8], name: String, front: Int)] = []
        for count in fronts(.unauthenticatedAESCBC(.bits256)) {
            let iv = Array(ends.head[count..<(count + 16)])
            layouts.append((Array(ends.head[..<16]), "the first 16 bytes, with \(count) others behind it", 16 + count))
            layouts.append((iv, "the 16 bytes behind the first \(count == 1 ? "byte" : "\(count) bytes")", 16 + count))
        }
        for (count, encoding, name) in [(32, TextEncoding.hex, "hexadecimal digits"), (24, .base64, "base64")] {
            let text = Array(ends.head.prefix(count))
            guard let iv = try? TextDecoder.decode(text.span, encoding) else { continue }
            layouts.append((iv, "the first \(count) bytes, which are its \(name)", count))
        }
        for candidate in candidates where candidate.wrapping.ivByteCount == 0 {
            guard candidate.wrapping.weakKeyByteCount == nil else { continue }
            let trials = try layouts.compactMap { layout in
                try Trial(
                    candidate, .unauthenticatedAESCBC(candidate.size),
                    IVChoice(.caller, reading: layout.name, bytes: layout.iv, front: layout.front), .none, on: ends)
            }
            if let verdict = try openBehindOthers(trials) { return verdict }
        }
        return nil
    }

    /// Opens what begins like a file behind other bytes. A video must begin with its file type: under ECB and CBC,
    /// what lost its beginning opens from a later box on.
    private func openBehindOthers(_ trials: [Trial]) throws -> Diagnosis.Verdict? {
        let known = trials.filter { trial in
            trial.isPadded && !trial.lacksFileType
                && [.mp4, .jpeg, .png, .base64, .hex, .dataURI].contains(trial.kind)
        }
        var complete: Trial?
        let attempts = try known.map { try RawOpening($0, .none, survey.aad(.none), behind: 0, ends) }
        if !attempts.isEmpty, let verdict = try pass(attempts, &complete) { return verdict }
        for trial in trials where trial.isPadded && trial.cipher.blockByteCount > 1 && !trial.candidate.isGuess {
            guard case .other(let format)? = trial.kind else { continue }
            try settle(trial.candidate)
            return try unexamined(trial, format)
        }
        return nil
    }

    /// The fault of content that opens under CBC only behind its beginning: what stands there is another thing, or was
    /// changed.
    private func restOfFile(_ trials: [Trial]) throws -> Fault? {
        // That is said of the first block.
        guard !trials.contains(where: { $0.lacksFirstBlock }) else { return nil }
        for candidate in candidates where candidate.wrapping.ivByteCount == 0 {
            let cipher = ContentCipher.unauthenticatedAESCBC(candidate.size)
            for front in fronts(cipher) {
                let iv = front < 16 ? [UInt8](repeating: 0, count: 16) : Array(ends.head[(front - 16)..<front])
                let choice = IVChoice(.caller, bytes: iv, front: front)
                guard let trial = try Trial(candidate, cipher, choice, .none, on: ends), trial.isPadded else {
                    continue
                }
                let kind = try trial.firstBlock(ends)?.before?.kind
                guard kind != nil || trial.lacksFileType && front >= 16 else { continue }
                try settle(candidate)
                let start = kind == nil ? front : front + 16
                return Fault(
                    .iv,
                    "from byte \(start) on, the content opens under \(trial.cipherName) like "
                        + (kind.map { "\($0.name) behind its first 16 bytes" } ?? "the rest of an MP4 video")
                        + ", and what stands before that gives nothing known under any IV that was tried",
                    "ask for the code that seals"
                        + (givenIVs.isEmpty
                            ? "; if the app's configuration has an IV (aesIV), diagnose again with it" : ""),
                    [
                        .init(
                            "something stands before the ciphertext, such as a MAC, a salt or a header, and the IV is "
                                + "elsewhere", "ask what the sender puts before the ciphertext"),
                        .init(
                            "something was sealed before the file, such as its length",
                            "ask what the sender gives to its cipher"),
                        .init(
                            "a byte before byte \(start) was changed, or some there are missing",
                            "compare the field with the one that the SDK returned"),
                    ])
            }
        }
        return nil
    }

    /// The counter block with which content behind so many bytes begins like a known file, and goes on like it.
    private func counter(_ candidate: KeyCandidate, _ front: Int) throws(EvidenceError) -> [UInt8]? {
        let sealed = Array(ends.head[front...].prefix(256))
        let masked = FirstBlock.beginnings.flatMap { head in zip(head, sealed).map { $0 ^ $1 } }
        var counters: [UInt8] = []
        var opener = try ContentCipher.Opener(
            .unauthenticatedAESECB(candidate.size).padded(.none), key: candidate.content.key, iv: Span())
        try opener.append(masked.span, to: &counters)
        for (number, head) in FirstBlock.beginnings.enumerated() where counters.count >= 16 * (number + 1) {
            let counter = Array(counters[(16 * number)..<(16 * number + 16)])
            var plain: [UInt8] = []
            var opener = try ContentCipher.Opener(
                .unauthenticatedAESCTR(candidate.size), key: candidate.content.key, iv: counter.span)
            try opener.append(sealed.span, to: &plain)
            if FirstBlock(before: Array(plain[16...]))?.candidates.contains(where: { $0.bytes == head }) == true {
                return counter
            }
        }
        return nil
    }

    // MARK: - What is left

    /// Tries the remaining ways in as few passes as possible: tags under other rules and in other places, content
    /// that begins like nothing known, and forms that no profile can express.
    private func otherwise(
        _ trials: [Trial], _ recognized: [Trial], _ opened: Int, _ complete: inout Trial?
    ) throws -> Diagnosis.Verdict? {
        var attempts: [RawOpening] = []
        func add(_ trial: Trial, _ rule: Profile.AADRule = .none, behind: Int = 0) throws {
            guard attempts.count < attemptLimit else { return }
            attempts.append(try RawOpening(trial, rule, survey.aad(rule), behind: behind, ends))
        }
        for trial in recognized where !trial.cipher.isAuthenticated && trial.cipher.blockByteCount > 1 {
            for count in [32, 20, 64, 16, 48] where try trial.isPadded(before: count, ends) {
                try add(trial, behind: count)
            }
            for padding in trial.foreignPaddings where !trial.isPadded && attempts.count < attemptLimit {
                attempts.append(
                    try RawOpening(
                        trial, .none, survey.aad(.none), behind: 0, padding: padding.count, ends))
            }
        }
        // If something begins like a video, trials that do not are ruled out; many trials begin like text.
        let isRecognized = recognized.contains { [.mp4, .jpeg, .png].contains($0.kind) }
        for (number, trial) in recognized.enumerated() where trial.cipher.isAuthenticated {
            // If no tag was right, following the content again shows whether it is complete.
            for rule in rules(trial) where number >= opened || trial.isLate || rule != rules(trial).first {
                try add(trial, rule)
            }
        }
        for trial in recognized {
            if let padding = try trial.paddingOfCounterMode(ends) { try add(trial, behind: padding) }
            // What has an end shows where it is: a MAC may follow.
            if trial.cipher.mode == .ctr, trial.iv.isSayable, !trial.hasCounterOfGCM {
                for count in [32, 20, 64, 16, 48] { try add(trial, behind: count) }
            }
            // Tags that were cut, as some libraries let one choose: behind whole ones, which prove more.
            if trial.hasCounterOfGCM, trial.held == 0 {
                for count in [12, 8, 15, 14, 13, 4] { try add(trial, behind: count) }
            }
        }
        if !isRecognized {
            let others = trials.filter { $0.cipher.isAuthenticated && $0.kind == nil && $0.unreadableTag == nil }
            // Hundreds of keys may be derived from a text: they come after each key and AAD that a profile can say.
            for wanted in [0...0, 1...3, 4...4] {
                let likely = others.filter { wanted ~= $0.candidate.boldness }
                for trial in likely { try add(trial, rules(trial)[0]) }
                for trial in likely { for rule in rules(trial).dropFirst() { try add(trial, rule) } }
            }
        }
        if let verdict = try passes(attempts, &complete) { return verdict }
        // What a wrong tag is about would come out of CTR as if there were none.
        guard complete == nil else { return nil }
        attempts = []
        for trial in recognized where trial.isLate && trial.unreadableTag == nil { try add(trial) }
        return try passes(attempts, &complete)
    }

    private func passes(_ attempts: [RawOpening], _ complete: inout Trial?) throws -> Diagnosis.Verdict? {
        var start = 0
        while start < attempts.count {
            let end = min(start + Self.simultaneous, attempts.count)
            if let verdict = try pass(Array(attempts[start..<end]), &complete) { return verdict }
            start = end
        }
        return nil
    }

    /// One pass over the content, for several attempts at it.
    ///
    /// - Parameter complete: set if the content is complete although the tag is wrong.
    private func pass(_ attempts: [RawOpening], _ complete: inout Trial?) throws -> Diagnosis.Verdict? {
        var decoder = TextDecoder(encoding)
        var bytes: [UInt8] = []
        try survey.readContent { text throws(EvidenceError) in
            do {
                try decoder.append(text, to: &bytes)
                for attempt in attempts { try attempt.append(bytes) }
            } catch { throw EvidenceError(.openSSL, "\(error)") }
            bytes.removeAll(keepingCapacity: true)
        }
        try decoder.finish(to: &bytes)
        for attempt in attempts { try attempt.append(bytes) }

        // What a tag proves comes before what only looks complete.
        let (tagged, others) = (
            attempts.filter(\.trial.cipher.isAuthenticated), attempts.filter { !$0.trial.cipher.isAuthenticated }
        )
        for attempt in tagged + others {
            let trial = attempt.trial
            let (isProved, content) = try attempt.finish()
            if trial.cipher.isAuthenticated {
                if content.isComplete, !content.isText, trial.isTagPlaced { complete = complete ?? trial }
                guard isProved else { continue }
                if let field = trial.unreadableTag {
                    try settle(trial, content)
                    throw unreadable(field, trial, attempt.rule)
                }
                // Opened again in the ordinary way, to confirm the profile.
                guard let (profile, content) = try walk(trial, attempt.rule) else { continue }
                return .opens(try match(profile, trial, .tag, content))
            }
            // Of GCM whose tag is wrong, all but the last 16 bytes would come out like this.
            guard content.isComplete, !trial.hasCounterOfGCM || content.hasEnd else { continue }
            // What lost its first blocks opens from there on as well, and a text goes on like a text.
            if content.lacksFileType && !trial.showsStart { continue }
            if content.isText, trial.cipher.blockByteCount > 1, trial.iv.front > 0 { continue }
            if content.kind == .mp4, let head = try trial.firstBlock(ends)?.bytes, !FirstBlock.isPossible(inMP4: head) {
                continue
            }
            if attempt.padding > 0 {
                guard content.hasEnd else { continue }
                try settle(trial, content)
                throw foreignPadding(trial, attempt.padding)
            }
            if trial.cipher.mode == .ctr, attempt.behind > 0 {
                if trial.hasCounterOfGCM {
                    try settle(trial, content)
                    throw layout(trial, content, behind: attempt.behind)
                }
                if trial.iv.isSayable, try trial.paddingOfCounterMode(ends) == attempt.behind,
                    let (profile, _) = try walk(trial, .none)
                {
                    notePadding(attempt.behind)
                    return .opens(try match(profile, trial, .structure, content))
                }
                // Nothing shows where a text ends.
                if content.isText { continue }
            }
            let mayHaveTag = trial.hasCounterOfGCM && !tagFields.isEmpty
            if trial.isLate, trial.iv.isSayable, !mayHaveTag, let (profile, content) = try walk(trial, .none) {
                return .opens(try match(profile, trial, .structure, content))
            }
            try settle(trial, content)
            throw layout(
                trial, content, doubt: try doubtOfStart(trial, content), behind: trial.iv.behind + attempt.behind)
        }
        return nil
    }

    /// The fault of content that opens in a way that no profile has.
    ///
    /// - Parameters:
    ///   - doubt: what is not known of the content, in a clause.
    ///   - behind: how many bytes follow the ciphertext.
    private func layout(_ trial: Trial, _ content: WalkedContent, doubt: String = "", behind: Int) -> Fault {
        let opening = "open it: \(command(trial, behind: behind)); or have the sender "
        guard trial.iv.isSayable, !trial.hasCounterOfGCM else {
            let (words, change) = layoutOfCounter(trial, behind: behind)
            return Fault(
                .layout,
                "it is \(trial.name), and \(content.wholeness)\(doubt); no profile can express that yet" + words,
                opening + change)
        }
        if behind == 16, trial.endsInBlockOfPadding {
            return Fault(
                .padding,
                "it is \(trial.name), and the content was padded twice: \(content.wholeness)\(doubt); no profile takes "
                    + "two paddings off", opening + "pad once: its cipher pads by itself (PKCS5Padding)")
        }
        return Fault(
            .layout,
            "it is \(trial.name), followed by \(behind) bytes, as many as an HMAC has: "
                + (content.isText ? "before them, \(content.wholeness)" : "the content before them is complete")
                + "\(doubt); no profile can express that yet", opening + "seal as one of the profiles does")
    }

    /// The fault of content that a tag proves, where no profile reads that.
    private func unreadable(_ field: UnreadableField, _ trial: Trial, _ rule: Profile.AADRule) -> Fault {
        let covered =
            switch rule {
            case .none: ""
            case .orderNumber: ", which covers the order number"
            case .evidenceV1: ", which covers what evidence-v1 covers"
            }
        func member(_ name: String, _ bytes: [UInt8]) -> String {
            "\"\(name)\": \"\(String(decoding: TextEncoder.encode(bytes.span, encoding), as: UTF8.self))\""
        }
        let iv = trial.iv.isGiven && trial.iv.reach != .given ? " and \(member("iv", trial.knownIV ?? []))" : ""
        return Fault(
            .layout,
            "it is \(trial.name), and proven by its tag\(covered), \(field.words), as no profile reads it",
            "have the sender write it beside \(survey.pair.content), encoded as that is; for now, write so in a copy: "
                + "\(member("tag", field.bytes))\(iv)")
    }

    /// That the first block does not prove the IV, in a clause.
    private func doubtOfStart(_ trial: Trial, _ content: WalkedContent) throws -> String {
        guard !content.isText, !(content.kind == .hex && content.inner == .mp4),
            let (head, first) = try trial.firstBlock(ends), first?.settled != head
        else { return "" }
        return ", but nothing shows that its first 16 bytes are right"
    }

    /// What a counter and the bytes around the ciphertext show of a layout, and how to change that.
    private func layoutOfCounter(_ trial: Trial, behind: Int) -> (words: String, change: String) {
        let front = trial.iv.front
        if trial.hasCounterOfGCM {
            if behind == 0, front <= 12, let field = tagFields.first {
                return (
                    "; it is what AES-GCM makes, and its tag is likely the one in \(printable(field)), which is not "
                        + "verified", "append all 16 bytes of the tag"
                )
            }
            let isNonce = behind == 12 && trial.knownIV?.starts(with: ends.tail.suffix(12)) == true
            let words =
                switch behind {
                case 12 where isNonce:
                    "with its nonce at the end, and " + (front < 16 ? "without the tag" : "perhaps its tag in front")
                case 0: front > 12 ? "with its nonce, and perhaps its tag, in front" : "without the tag"
                case 1..<16: "with a tag of \(behind) bytes, which is not verified"
                case 16..<28: "with its tag at the end, which is not verified"
                default: "with its nonce and its tag at the end, which is not verified"
                }
            let change =
                switch behind {
                case 0 where front <= 12: "append the tag (getAuthTag, doFinal)"
                case 1..<16 where !isNonce: "append all 16 bytes of the tag"
                default: "put the nonce in front, and the tag at the end"
                }
            return ("; it is what AES-GCM makes, \(words)", change)
        }
        let change =
            trial.cipher.mode == .ecb
            ? "put nothing before or behind the ciphertext"
            : "put the IV in front of the ciphertext, and nothing else before or behind it"
        guard trial.cipher.mode == .ctr else { return ("", change) }
        // RFC 3610: a byte for the counter's length, the nonce, and a counter from 1.
        let bytes = trial.knownIV ?? []
        let counterCount = Int(bytes.first ?? 0) + 1
        let isCCM =
            (2...8).contains(counterCount) && front == 15 - counterCount && behind > 0
            && bytes.suffix(counterCount).elementsEqual([UInt8](repeating: 0, count: counterCount - 1) + [1])
        let words =
            isCCM
            ? "; it is what AES-CCM makes, with its nonce in front and a tag of \(behind) bytes, which is not verified"
            : behind >= 16 ? "; the rest may be a tag of AES-GCM" : ""
        return (words, change)
    }

    /// What is said of content that is likely of a kind that is not examined.
    ///
    /// - Throws: ``Fault`` if no profile can say how it opens.
    private func unexamined(
        _ trial: Trial, _ format: KnownFormat, as name: String? = nil
    ) throws -> Diagnosis.Verdict {
        note(trial.name, WalkedContent(.other(format), isComplete: false), besides: format.advice)
        let sentence =
            "it is likely \(format.name) under \(name ?? trial.name), but the content of such a file is not examined "
            + "here"
        guard trial.iv.isSayable else {
            throw Fault(
                .layout,
                sentence + ", and no profile can express that yet"
                    + (trial.hasCounterOfGCM
                        ? "; it is what AES-GCM makes, so what comes out may end in its tag" : ""),
                "open it: \(command(trial, behind: trial.iv.behind)); then \(format.advice)")
        }
        // Without its IV, the profile opens nothing.
        let iv = trial.iv.isGiven ? trial.knownIV : nil
        let shown = iv.flatMap { trial.candidate.shown($0.span, head: trial.ivOrigin, isReconstructed: false) }
        let isHidden = iv != nil && shown == nil
        return .unproven(
            Diagnosis.Guess(
                key: key.name, profile: isHidden ? nil : profile(trial, .none, trial.cipher, isProved: false),
                ivs: shown.map { [$0] } ?? [],
                sentence: sentence
                    + (isHidden ? "; the IV looks as if it was made from the key, so it is not shown" : ""),
                advice: format.advice))
    }

    private func foreignPadding(_ trial: Trial, _ count: Int) -> Fault {
        let found = trial.foreignPaddings.filter { $0.count == count }.map(\.name)
        let names = found.joined(separator: " or ")
        return Fault(
            .padding,
            "it is \(trial.name), and the content is complete; \(count) bytes of padding follow it, as \(names) has "
                + "them, which no profile can express",
            "open it: \(command(trial, behind: trial.iv.behind, padding: count)); or have the sender pad as PKCS#7 "
                + "does (PKCS5Padding in Java)",
            found.contains(Trial.isoRandom)
                ? [
                    .init(
                        "its last block was changed, and with it the padding that stood there",
                        "compare the field with the one that the SDK returned")
                ] : [])
    }

    /// How OpenSSL opens what no profile says.
    ///
    /// - Parameters:
    ///   - behind: bytes after the ciphertext.
    ///   - padding: bytes of padding that OpenSSL does not know.
    private func command(_ trial: Trial, behind: Int, padding: Int = 0) -> String {
        let rest = [
            trial.skipped > 0 ? "without its first \(inBytes(trial.skipped))" : nil,
            behind > 0 ? "without its last \(inBytes(behind))" : nil,
        ].compactMap { $0 }.joined(separator: " and ")
        let known = trial.iv.isPrefix ? Array(ends.head[..<16]) : trial.knownIV ?? []
        let isHidden = !known.isEmpty && trial.candidate.shown(known.span, head: "", isReconstructed: false) == nil
        let (iv, whereIV) =
            switch trial.iv.source {
            case .none: ("", "")
            case .weakKey: (" -iv IV", ", IV the first 32 of its digits")
            case .wrapped: (" -iv IV", ", IV the 16 bytes after it in the same digits")
            case _ where isHidden: (" -iv IV", ", IV its digits (it may be made from the key, so it is not shown)")
            default: (" -iv \(Hex.encode(known.span))", "")
            }
        return "openssl enc -d -\(trial.cipherName.lowercased())\(padding > 0 ? " -nopad" : "") -K KEY\(iv) "
            + "-in CIPHERTEXT -out COPY, where KEY is the key in hexadecimal digits\(unwrappingCommand(trial))"
            + "\(whereIV), and CIPHERTEXT the decoded content" + (rest.isEmpty ? "" : " \(rest)")
            + (padding > 0 ? "; then cut off what follows the file: head -c -\(padding) COPY > FILE" : "")
    }

    private func inBytes(_ count: Int) -> String { count == 1 ? "byte" : "\(count) bytes" }

    /// How the digits of a key are had from what was wrapped.
    private func unwrappingCommand(_ trial: Trial) -> String {
        let candidate = trial.candidate
        guard !candidate.unwrapping.isJoined else { return "" }
        let wrapping = candidate.wrapping
        let size = candidate.size.byteCount
        var steps = ["openssl pkeyutl -decrypt -inkey PRIVATE\(wrapping.padding.optionsOfOpenSSL) -in WRAPPED"]
        if wrapping.padding == .weakNone { steps.append("tail -c \(candidate.unwrapping.byteCount)") }
        let place = ", where WRAPPED is \(survey.pair.wrappedKey), decoded)"
        if let reading = candidate.reading {
            guard let filter = reading.filter, wrapping.ivByteCount == 0 else {
                return ", made as above of what was wrapped (\(steps.joined(separator: " | "))\(place)"
            }
            steps.append(filter)
        }
        let digits = "xxd -p -c 32"
        let isCut = wrapping.ivByteCount > 0
        switch wrapping.form {
        case .hex: if isCut { steps.append("head -c \(2 * size)") }
        case .base64: steps += ["base64 -d"] + (isCut ? ["head -c \(size)"] : []) + [digits]
        default: steps += (isCut ? ["head -c \(size)"] : []) + [digits]
        }
        return " (\(steps.joined(separator: " | "))\(place)"
    }

    // MARK: - What is left to say

    private func failure(_ trials: [Trial], _ recognized: [Trial], _ complete: Trial?) throws -> Diagnosis.Verdict {
        if let format = KnownFormat(sealed: ends.head) {
            throw Fault(.format, "\(survey.pair.content) is \(format.name)", format.advice)
        }
        if let format = try rsaFormat(in: ends, [key]) {
            throw Fault(.format, "\(survey.pair.content) is \(format.name)", format.advice)
        }
        if let (trial, name) = complete.map({ ($0, $0.name) }) ?? bestBeginning(recognized), let kind = trial.kind {
            try settle(trial.candidate)
            if let place = try trial.counterByte(ends) {
                throw Fault(
                    .layout,
                    "the content begins like \(kind.name) under \(name), if its counter goes up in byte \(place) of "
                        + "the block" + (place % 4 == 0 ? ", as little-endian code has it" : "")
                        + "; no profile can express that, and OpenSSL counts in the last byte",
                    "open it with the sender's library, or have the sender count as NIST SP 800-38A does, in the last "
                        + "byte first (PyCryptodome: Counter.new without little_endian)")
            }
            if let form = try walk(trial, .none, trial.ciphers.first)?.1.throughText {
                note(trial.name, WalkedContent(kind, isComplete: false))
                throw Fault(
                    .format, "the key fits, and under \(name) the content is \(kind.name), but \(form.name)",
                    "have the sender seal the file's bytes, never a string that was made of them; "
                        + "\(form.step ?? "")")
            }
            let isCounting = trial.cipher.mode != .ctr || trial.goesOn
            let so =
                "the key fits and the content begins like \(kind.name) under \(name)"
                + (isCounting ? ", but " : "; CFB and OFB agree with it in the first 16 bytes, and ")
            if trial.cipher.isAuthenticated {
                let others: [Diagnosis.Possibility] =
                    Diagnosis.Possibility.rounded(survey.orderNo) + [
                        .init(
                            "the tag also covers something else: the order number, a name",
                            "ask what the AAD of AES-GCM is"),
                        .init(
                            "the tag is elsewhere, is shorter than 16 bytes, or is missing",
                            "ask the sender where the tag is, and how long"),
                    ]
                throw Fault(
                    .tag,
                    so + "\(trial.tagName) does not verify"
                        + (complete != nil ? ", though the content is structurally complete" : ""),
                    "compare the number of characters at both ends",
                    complete != nil ? others + [.changedContent] : [.changedContent] + others)
            }
            if case .other(let format) = kind, trial.isPadded {
                return try unexamined(trial, format, as: name)
            }
            if !trial.isPadded {
                throw Fault(
                    trial.hasWholeBlocks ? .padding : .cutOff,
                    so + (trial.hasWholeBlocks ? "does not end in PKCS#7 padding" : "does not end with a whole block"),
                    "compare the number of characters at both ends",
                    try trial.endings(of: ends))
            }
            note(trial.name, WalkedContent(kind, isComplete: false))
            return .unproven(
                Diagnosis.Guess(
                    key: key.name,
                    sentence: so
                        + (isCounting
                            ? "it does not end where such a file does"
                            : "under CTR nothing like such a file follows those")
                        + (trial.cipher.blockByteCount == 1 ? "" : ", though its padding is right"),
                    advice: (trial.cipher.mode == .ctr && !trial.goesOn
                        ? "ask for the cipher's name in full: CFB and OFB agree with CTR in the first block, but are "
                            + "not opened here; else " : "")
                        + "compare the field with the one that the SDK returned, and the content with what was sealed: "
                        + "either may have been cut or changed, or something added to the end"))
        }
        if let trial = trials.first(where: { $0.lacksFirstBlock }) {
            try settle(trial.candidate)
            throw Fault(
                .iv, "everything after the first 16 bytes looks right under \(trial.cipherName)",
                givenIVs.isEmpty
                    ? "ask for the IV in the app's configuration (aesIV), and diagnose again with it"
                    : "ask how the text of the IV becomes bytes: as it is, base64 or hex, and for which build it was",
                [
                    .init(
                        "the IV comes first, and what looks like the second block is the first",
                        "ask where the IV is, or open it under a profile with its IV in front (prefix) and "
                            + "look at its head"
                    ),
                    .init(
                        "the IV is a different one",
                        "compare it with the IV in the configuration of the app that sealed this"),
                    .init("the first block was changed", "compare the field with the one that the SDK returned"),
                ])
        }
        if let fault = try unknownContent(trials) { throw fault }
        let likeliest = trials.filter { !$0.candidate.isGuess && $0.ivFit == .exact }
            .max { $0.padded?.padding ?? 0 < $1.padded?.padding ?? 0 }
        if let trial = likeliest, let (_, padding) = trial.padded {
            // Under CBC, the end says nothing about the IV.
            let name = trial.cipher.mode == .cbc ? trial.cipherName : trial.name
            session.note("content", name)
            return .unproven(
                Diagnosis.Guess(
                    key: key.name,
                    sentence: padding == 1
                        ? "with \(name), the padding is right, as it is for one in 256 wrong guesses"
                        : "with \(name), \(padding) bytes of padding are right, as they are for one in 256^\(padding) "
                            + "wrong guesses",
                    advice: "ask for mode, key length and IV"
                        + (givenIVs.isEmpty ? "; diagnose again with the IV" : ""),
                    isByChance: true))
        }
        throw Fault(
            .cipher, "the key fits, but the content opens under no cipher, IV and tag known here",
            "ask for mode, key length, IV and tag"
                + (givenIVs.isEmpty ? ", and diagnose again with the IV of the app's configuration" : ""),
            (ends.head.isZlib ? [.zlib("the ciphertext")] : []) + [
                .init(
                    "key, IV or tag are in another order or form than those that were tried",
                    "ask for the code that seals"),
                .init("another cipher was used: AES-CFB, SM4, 3DES", "ask for the cipher's name in full"),
                .init(
                    "the nonce of AES-GCM is not 12 or 16 bytes long, and does not stand in front",
                    "ask for its length and place"),
                .init(
                    "the content is of a kind that is not known here: without a tag, only known kinds can be told "
                        + "from noise",
                    "ask what was sealed, and under which profile"),
                .init(
                    "the content was sealed under another key than the one that was wrapped: one derived from it, or "
                        + "that of another video",
                    "log the digest of both keys at the sender, and compare them"),
                .changedContent,
            ])
    }

    /// The fault of content that is no file, where its padding proves the key: what was sealed.
    private func unknownContent(_ trials: [Trial]) throws -> Fault? {
        func isText(_ content: [UInt8], _ isWhole: Bool) -> Bool {
            var walk = TextWalk()
            walk.append(content.span)
            return isWhole ? walk.finish() : walk.isText
        }
        // Chance makes seven such bytes once in 2^56 times, and hardly ever a text before fewer.
        let proved = trials.first { trial in
            trial.padded.map { $0.padding >= 7 || $0.content.count >= 9 && isText($0.content, trial.isWhole) } ?? false
        }
        guard let trial = proved, let (content, padding) = trial.padded else { return nil }
        let isText = isText(content, trial.isWhole)
        let walk = ContentWalk()
        walk.write(content.span)
        walk.finish()
        let walked = walk.content()
        try settle(trial.candidate)
        let isNamed = walked.form != nil || content.isEmpty
        let size = inBytes(trial.isWhole ? content.count : Int(ends.count) - trial.skipped - trial.held - padding)
        // Under CBC, the end says nothing about the IV, nor about where it is.
        let isStartKnown = isNamed || isText || trial.cipher.mode != .cbc
        let name = isStartKnown ? trial.name : trial.cipherName
        note(name, walked, besides: walked.form?.step)
        let fits =
            "the key fits, since \(padding == 1 ? "the padding is" : "\(padding) bytes of padding are") right under "
            + name
        // The padding proves the key and the last block, not where the content begins.
        guard isNamed || isText else {
            var possibilities: [Diagnosis.Possibility] = [
                .init(
                    "something stands before the ciphertext or inside what was sealed: a MAC, a salt, a length, a name",
                    "ask for the code that seals"),
                .init(
                    "what was sealed was compressed, or sealed twice", "ask what the sender does before it encrypts"),
                .init("another value was sealed in place of the video", "look at what the sender gave to its cipher"),
            ]
            let behind = (1...64).lazy.compactMap { front in
                ContentKind(head: Array(content.dropFirst(front)), isWhole: trial.isWhole).map { (front, $0) }
            }.first { [.mp4, .jpeg, .png].contains($0.1) }
            if let (front, kind) = behind {
                if kind == .mp4, front % 16 == 0, !FirstBlock.isFileType(Array(content[front...])) {
                    possibilities.insert(
                        .init(
                            "the first blocks of the ciphertext are missing",
                            "compare the field with the one that the SDK returned"), at: 0)
                }
                possibilities.insert(
                    .init(
                        "\(front == 1 ? "1 byte was" : "\(front) bytes were") put in front of \(kind.name): behind "
                            + "them, what opened begins like one", "have the sender seal the file's bytes alone"),
                    at: 0)
            } else if content.isZlib {
                possibilities.insert(.zlib("what was sealed"), at: 0)
            }
            return Fault(
                .format, "\(fits); what opened is no photo or video known here" + (isStartKnown ? ": \(size)" : ""),
                "ask what the sender puts before and behind the ciphertext, and what it gives to its cipher"
                    + (isStartKnown || !givenIVs.isEmpty
                        ? "" : "; if the app's configuration has an IV (aesIV), diagnose again with it"),
                possibilities)
        }
        return Fault(
            .format, "\(fits); what was sealed is \(isNamed ? walked.name : "a text of \(size)")",
            walked.form?.step
                ?? "look at what the sender gave to its cipher in place of the video: a value that was not there yet, "
                + "or a name")
    }

    /// Of the trials whose content begins like something known, the one whose end is also right, if any; and
    /// its name. ECB and CBC with an IV of zeros agree in the first block.
    private func bestBeginning(_ recognized: [Trial]) -> (trial: Trial, name: String)? {
        let trials = recognized.filter { !$0.isTextByChance && !$0.isOneBlock }
        guard let first = trials.first else { return nil }
        func isAlike(_ trial: Trial) -> Bool {
            trial.candidate === first.candidate && trial.kind == first.kind
                && (trial.cipher.mode == .ecb || trial.cipher.mode == .cbc && trial.iv.source == .weakZero)
        }
        guard isAlike(first) else { return (first, first.name) }
        let alike = trials.filter(isAlike)
        let best = alike.contains(where: \.isPadded) ? alike.filter(\.isPadded) : alike
        return (best[0], best.map(\.name).joined(separator: ", or "))
    }

    // MARK: - Trials

    private func trials() throws -> [Trial] {
        let fields = fields()
        let readable = [.appended, .prefixed] + fieldTags(fields)
        let unreadable = unreadable().filter { field in
            field.bytes.count == ContentCipher.aesGCM().tagByteCount
                && !readable.contains { if case .field(_, _, let bytes) = $0 { bytes == field.bytes } else { false } }
        }
        var trials: [Trial] = []
        for candidate in candidates {
            let tags = readable + (candidate.isGuess ? [] : unreadable.map { .unreadable($0) })
            for cipher in ciphers(candidate.size, candidate.isGuess ? [] : fields) {
                for iv in ivs(candidate, cipher, fields) {
                    for tag in cipher.isAuthenticated ? tags : [.none] {
                        // One field cannot be both.
                        if case (.field(let iv), .field(let tag, _, _)) = (iv.source, tag), iv == tag { continue }
                        if let trial = try Trial(candidate, cipher, iv, tag, on: ends) { trials.append(trial) }
                    }
                }
            }
        }
        return trials
    }

    /// The fields that may be a tag of AES-GCM.
    private func fieldTags(_ fields: [IVChoice]) -> [Trial.Tag] {
        fields.filter { $0.bytes?.count == ContentCipher.aesGCM().tagByteCount }.compactMap { field in
            switch (field.source, field.text) {
            case (.field(let name), nil): .field(name, nil, field.bytes ?? [])
            case (.field(let name), .encoded(let encoding)?): .field(name, encoding, field.bytes ?? [])
            default: nil
            }
        }
    }

    /// The fields that are named like a tag, and hold as many bytes as one may have.
    private var tagFields: [String] {
        survey.extras.filter { name, text in
            let bytes = (try? Hex.decode(text.span)) ?? (try? TextDecoder.decode(text.span, .base64))
            return name.isNameOfTag && (12...16).contains(bytes?.count ?? 0)
        }.keys.sorted()
    }

    /// The ciphers for keys of a size, with common and given nonce lengths.
    private func ciphers(_ size: AESKey.Size, _ fields: [IVChoice]) -> [ContentCipher] {
        let others = Set((givenIVs + fields).compactMap { $0.bytes?.count }).subtracting([12, 16])
            .filter { Limits.gcmNonceBytes.contains($0) }
        return ([12, 16] + others.sorted()).map { ContentCipher.aesGCM(size).withNonce(byteCount: $0) }
            + [.unauthenticatedAESCBC(size), .unauthenticatedAESECB(size), .unauthenticatedAESCTR(size)]
    }

    /// The possible sources of a cipher's IV.
    private func ivs(_ candidate: KeyCandidate, _ cipher: ContentCipher, _ fields: [IVChoice]) -> [IVChoice] {
        let count = cipher.ivByteCount
        let made = cipher.mode == .ctr || cipher.mode == .cbc ? self.made(for: cipher, candidate, fields) : []
        // Bytes wrapped after the key are an IV, or the key is a different one.
        if candidate.wrapping.ivByteCount > 0 {
            return candidate.wrapping.ivByteCount == count ? [IVChoice(.wrapped)] : []
        }
        guard count > 0 else { return [IVChoice(.none, bytes: [])] }
        // Common sources come first, and readings of the right length.
        var found = [IVChoice(.prefix)] + givenIVs.filter { $0.bytes?.count == count }
        found += fields.filter { $0.bytes?.count == count }
        found.append(IVChoice(.weakZero, bytes: [UInt8](repeating: 0, count: count)))
        if count <= candidate.size.byteCount { found.append(IVChoice(.weakKey)) }
        return found + (givenIVs + fields).filter { $0.bytes?.count != count } + made
    }

    /// IVs that code makes of a counter, of a nonce and a counter, and the one behind the ciphertext.
    private func made(for cipher: ContentCipher, _ candidate: KeyCandidate, _ fields: [IVChoice]) -> [IVChoice] {
        let nonce = cipher.mode == .ctr ? candidate.reading?.nonce : nil
        guard !candidate.isGuess || nonce != nil else { return [] }
        var found: [IVChoice] = []
        func add(
            _ bytes: [UInt8], _ name: String, front: Int = 0, behind: Int = 0, reach: IVChoice.Reach = .payload
        ) {
            guard bytes.count == 16,
                !found.contains(where: { ($0.bytes, $0.front, $0.behind) == (bytes, front, behind) })
            else { return }
            // Where decrypt needs it, it is said as decrypt takes it.
            let value = front + behind == 0 ? "hex:\(Hex.encode(bytes.span)) (\(name))" : "made of \(name)"
            found.append(
                IVChoice(.caller, reading: value, bytes: bytes, front: front, behind: behind, reach: reach))
        }
        /// A nonce with a counter after it; of 16 bytes, no counter.
        func add(
            nonce: [UInt8], _ name: String, front: Int = 0, behind: Int = 0, reach: IVChoice.Reach = .payload
        ) {
            let room = 16 - nonce.count
            guard room > 0 else { return add(nonce, name, front: front, behind: behind) }
            func addBlock(_ bytes: [UInt8], _ name: String) {
                add(bytes, name, front: front, behind: behind, reach: reach)
            }
            let zeros = [UInt8](repeating: 0, count: room - 1)
            for start in 0...2 as ClosedRange<UInt8> {
                addBlock(nonce + zeros + [start], "\(name) and a counter from \(start)")
            }
            addBlock(nonce + [1] + zeros, "\(name) and a little-endian counter from 1")
            addBlock(zeros + [0] + nonce, "zero bytes and \(name)")
        }
        if let nonce { add(nonce: nonce, "the nonce that is wrapped with the key") }
        guard !candidate.isGuess else { return found }
        if cipher.mode == .ctr {
            let zeros = [UInt8](repeating: 0, count: 15)
            for start in 1...16 as ClosedRange<UInt8> {
                add(zeros + [start], "a counter from \(start)", reach: .constant)
                add([start] + zeros, "a little-endian counter from \(start)", reach: .constant)
            }
            // From 1 in the upper half, in a word of 32 bits, and in the byte before the last.
            for place in [3, 4, 7, 8, 11, 12, 14] {
                var counter = [UInt8](repeating: 0, count: 16)
                counter[place] = 1
                add(counter, "a counter block with a 1 in byte \(place)", reach: .constant)
            }
            for (nonce, name, reach) in nonces(fields) { add(nonce: nonce, name, reach: reach) }
            for count in 4...15 where ends.head.count > count {
                add(nonce: Array(ends.head[..<count]), "the first \(count) bytes", front: count)
            }
            for count in [8, 12] where ends.tail.count > count {
                add(nonce: ends.tail.suffix(count), "the last \(count) bytes", behind: count)
            }
            // Of GCM, with a tag before the nonce or behind it.
            if ends.tail.count > 28 {
                let end = ends.tail.suffix(28)
                for (nonce, name) in [
                    (end.suffix(12), "the last 12 bytes"), (end.prefix(12), "12 bytes before the last 16"),
                ] {
                    add(nonce + [0, 0, 0, 2], "\(name) and a counter from 2", behind: 28)
                }
            }
        }
        if ends.count > 16 { add(nonce: ends.tail.suffix(16), "the last 16 bytes", behind: 16) }
        for (iv, name, front, behind) in ivsBesideColons() { add(iv, name, front: front, behind: behind) }
        return found
    }

    /// What is known here and may be the nonce of a counter.
    private func nonces(_ fields: [IVChoice]) -> [(nonce: [UInt8], name: String, reach: IVChoice.Reach)] {
        (givenIVs + fields).compactMap { choice in
            guard let bytes = choice.bytes else { return nil }
            // Code may cut a text to the usual nonce.
            if choice.reading == IVChoice.asGiven, bytes.count > 12 {
                return (Array(bytes.prefix(12)), "the first 12 bytes of the given IV", choice.reach)
            }
            guard [8, 12].contains(bytes.count) else { return nil }
            let name = if case .field(let name) = choice.source { "the nonce in \(name)" } else { "the given nonce" }
            return (bytes, name, choice.reach)
        }
    }

    /// IVs that two colons part from the ciphertext, as PHP code joins them.
    private func ivsBesideColons() -> [(iv: [UInt8], name: String, front: Int, behind: Int)] {
        let marks = Array("::".utf8)
        let (head, tail) = (ends.head.prefix(16), ends.tail.suffix(16))
        var found: [(iv: [UInt8], name: String, front: Int, behind: Int)] = []
        if ends.head.dropFirst(16).starts(with: marks) {
            found.append((Array(head), "the first 16 bytes, before two colons", 18, 0))
        }
        if ends.tail.dropLast(16).suffix(2).elementsEqual(marks) {
            found.append((Array(tail), "the last 16 bytes, behind two colons", 0, 18))
        }
        let text = Array(ends.tail.suffix(24))
        if ends.tail.dropLast(24).suffix(2).elementsEqual(marks),
            let iv = try? TextDecoder.decode(text.span, .base64)
        {
            found.append((iv, "the last 24 bytes, which are its base64, behind two colons", 0, 26))
        }
        return found
    }

    /// Notes fields that are named like an IV and cannot be one.
    private func noteUnfitIVs() {
        for (name, text) in survey.extras.sorted(by: { $0.key < $1.key })
        where ["iv", "aesiv", "nonce"].contains(name.lowercased()) {
            let count = [TextEncoding.hex, .base64, .base64URL].lazy.compactMap {
                try? TextDecoder.decode(text.span, $0).count
            }.first
            let isBlank = text.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
            guard isBlank || text.count != 16 && count != 16 else { continue }
            session.note(
                printable(name),
                isBlank
                    ? "blank, where an IV of 16 bytes belongs: find out why the sender had none"
                    : "\(text.count) characters" + (count.map { ", or \($0) bytes" } ?? "")
                        + ", where an IV of 16 bytes belongs")
        }
    }

    /// Short strings next to the content, in each encoding of an IV or a tag.
    private func fields() -> [IVChoice] {
        var fields: [IVChoice] = []
        for (name, text) in sorted(survey.extras)
        where text.count <= name.charactersOfIV && name.utf8.count <= 64
            && name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        {
            var seen: [[UInt8]] = []
            func add(_ bytes: [UInt8]?, _ text: Profile.IVText?) {
                // Only an IV by its name may have any length.
                guard let bytes, !bytes.isEmpty, !seen.contains(bytes),
                    [8, 12, 16].contains(bytes.count)
                        || name.isNameOfIV && (text == .characters || Limits.gcmNonceBytes.contains(bytes.count))
                else { return }
                seen.append(bytes)
                fields.append(IVChoice(.field(name), text: text, bytes: bytes))
            }
            add(try? TextDecoder.decode(text.span, encoding), nil)
            for other in [TextEncoding.hex, .hexLines, .base64, .base64URL, .base64Lines] where other != encoding {
                add(try? TextDecoder.decode(text.span, other), .encoded(other))
            }
            add(text, .characters)
        }
        // What no profile reads is given by hand.
        for field in unreadable()
        where !field.isNamedTag && !fields.contains(where: { $0.bytes == field.bytes }) {
            let reading = "hex:\(Hex.encode(field.bytes.span)), \(field.words)"
            fields.append(IVChoice(.caller, reading: reading, bytes: field.bytes))
        }
        return Array(fields.prefix(24))
    }

    /// Of the longest nonce, as a list of numbers.
    private static let listCharacters = 5 * Limits.gcmNonceBytes.upperBound

    /// Fields named like an IV or a tag come first.
    private func sorted(_ fields: [String: [UInt8]]) -> [(key: String, value: [UInt8])] {
        func rank(_ name: String) -> Int { name.isNameOfIV || name.isNameOfTag ? 0 : 1 }
        return fields.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
    }

    /// Short strings in forms, or in places, in which no profile reads an IV or a tag.
    private func unreadable() -> [UnreadableField] {
        var found: [UnreadableField] = []
        func add(_ name: String, _ bytes: [UInt8], _ words: String) {
            guard name.isNameOfIV && Limits.gcmNonceBytes.contains(bytes.count) || [12, 16].contains(bytes.count),
                !found.contains(where: { $0.bytes == bytes })
            else { return }
            found.append(UnreadableField(bytes: bytes, words: words, isNamedTag: name.isNameOfTag))
        }
        for (name, text) in sorted(survey.extras) where text.count <= Self.listCharacters && name.utf8.count <= 64 {
            let recognised = Recognised(text.span)
            guard let words = recognised.name, let bytes = recognised.decodings.last?.bytes else { continue }
            add(name, bytes, "which \(printable(name)) holds as \(words)")
        }
        for (name, text) in sorted(survey.outerExtras)
        where text.count <= name.charactersOfIV && (name.isNameOfIV || name.isNameOfTag) && name.utf8.count <= 64 {
            for encoding in [TextEncoding.hex, .base64, .base64URL] {
                guard let bytes = try? TextDecoder.decode(text.span, encoding) else { continue }
                add(name, bytes, "which \(printable(name)) holds outside \(FieldName.simpleModeResult)")
            }
        }
        return Array(found.prefix(8))
    }
}

/// Whether sealed bytes begin with an RSA block for one of the keys.
func rsaFormat(in ends: ContentEnds, _ keys: [Diagnoser.Key]) throws -> KnownFormat? {
    for key in keys {
        let size = key.key.publicKey.byteCount
        func unwrapping(ofBlock number: Int) throws -> Unwrapping? {
            let end = (number + 1) * size
            guard ends.head.count >= end else { return nil }
            return try key.key.unwrappings(of: ends.head.span.extracting((end - size)..<end)).first
        }
        guard let first = try unwrapping(ofBlock: 0) else { continue }
        let rest = Int(ends.count % UInt64(size))
        // A content key is shorter than what fills a block.
        let isSeveral = try unwrapping(ofBlock: 1) != nil || first.byteCount > 128
        return rest == 0 || isSeveral
            ? KnownFormat(rsaBlocksOf: key, first.padding, size, rest: rest) : KnownFormat(rsaBlockBefore: key)
    }
    return nil
}

extension [UInt8] {
    /// Whether they begin with a header of zlib (RFC 1950), as one of 16,384 others does.
    fileprivate var isZlib: Bool { count > 8 && self[0] == 0x78 && [0x01, 0x5E, 0x9C, 0xDA].contains(self[1]) }
}

extension String {
    fileprivate var isNameOfTag: Bool { ["tag", "mac", "auth"].contains { lowercased().contains($0) } }
    /// How long an IV or a tag in a field of that name may be: a nonce has up to 128 bytes, in hexadecimal digits.
    fileprivate var charactersOfIV: Int { isNameOfIV ? 2 * Limits.gcmNonceBytes.upperBound : 64 }
    fileprivate var isNameOfIV: Bool { ["iv", "nonce", "vector"].contains { lowercased().contains($0) } }
}

extension Diagnosis.Possibility {
    static func zlib(_ what: String) -> Self {
        Self("\(what) was compressed with zlib: it begins so", "have the sender compress nothing")
    }

    /// That an order number that looks like it was rounded, where a tag covers it.
    static func rounded(_ order: String?) -> [Self] {
        guard let order, let trace = RoundedNumber.trace(in: order) else { return [] }
        return [
            Self(
                "the tag covers the order number, and that was rounded: it \(trace), as numbers do that went through "
                    + "JavaScript, a reader of JSON or Excel",
                "look it up where it is kept as text")
        ]
    }

    static let changedContent = Self(
        "a part of the content is missing, or was changed", "compare the field with the one that the SDK returned")
}

extension Trial {
    /// Whether the content is decrypted as AES-GCM would, whose first counter is 2.
    fileprivate var hasCounterOfGCM: Bool {
        cipher.mode == .ctr && knownIV?.suffix(4).elementsEqual(Self.counterOfGCM) == true
    }

    fileprivate static let counterOfGCM: [UInt8] = [0, 0, 0, 2]

    /// Whether what is tried as a tag is one by its place or its field's name.
    fileprivate var isTagPlaced: Bool {
        if case .field(let name, _, _) = tag { name.isNameOfTag } else { unreadableTag?.isNamedTag ?? true }
    }

    /// In words.
    fileprivate var tagName: String {
        if case .field(let name, _, _) = tag { return "the tag in \(printable(name))" }
        return unreadableTag.map { "the tag, \($0.words)," } ?? "the tag"
    }

    /// Where the IV comes from, in words without its digits.
    fileprivate var ivOrigin: String {
        let words = ivName.dropFirst("the IV ".count)
        guard words.hasPrefix("hex:"), let blank = words.firstIndex(where: { $0 == " " || $0 == "," }) else {
            return String(words)
        }
        return words[blank...].drop { " ,(".contains($0) }.filter { $0 != ")" }
    }

    /// Whether it is tried after all tags: what a profile can say, and a tag proves, comes first.
    fileprivate var isLate: Bool { !iv.isSayable || hasCounterOfGCM || unreadableTag != nil }

    /// Whether a text may be there by chance: an apparent IV in front may be its first block, sealed under a missing
    /// IV, since the rest of a text is also text; and a block that was sealed under one text and is opened under
    /// another, such as a key's beginning, is often a text.
    fileprivate var isTextByChance: Bool {
        cipher.mode == .cbc && (iv.isPrefix || iv.source == .weakKey) && [.text, .base64, .hex].contains(kind)
    }

    /// Whether the padding is right before so many bytes at the end.
    func isPadded(before count: Int, _ ends: ContentEnds) throws -> Bool {
        let rest = ends.tail.count - count
        guard rest >= 32, (ends.count - UInt64(skipped + count)) % 16 == 0 else { return false }
        return try isPadded(Array(ends.tail.prefix(rest)), [])
    }

    /// Possible causes if content begins correctly but does not end in PKCS#7 padding.
    func endings(of ends: ContentEnds) throws -> [Diagnosis.Possibility] {
        for (count, name) in [(32, "SHA-256"), (20, "SHA-1"), (64, "SHA-512")]
        where try isPadded(before: count, ends) {
            return [
                .init(
                    "it is followed by \(count) bytes, as many as an HMAC with \(name) has: before them the "
                        + "padding is right",
                    "ask for the MAC and its key; no profile can express a MAC"), .changedContent,
            ]
        }
        guard hasWholeBlocks else {
            let isMore = [0, 0x0A].contains(ends.tail.last) && (ends.count - UInt64(skipped)) % 16 == 1
            let added = Diagnosis.Possibility(
                "a \(ends.tail.last == 0 ? "zero byte" : "line feed") was added behind it",
                "have the sender encode the bytes that its cipher returned, and nothing else")
            return (isMore ? [added] : []) + [.changedContent]
        }
        return [
            .changedContent, .init("it was padded in another way, or not at all", "ask how the content is padded"),
        ]
    }
}
