// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceDiagnosis
import EvidenceEncoding
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams

extension Verb {
    private static let oaepLabel = Option("--oaep-label", "TEXT", "OAEP's label, if any")
    private static let repair = Option(
        "--repair", "NAME", choices: PayloadRepair.allCases.map(\.rawValue), isRepeatable: true,
        "apply this repair first")
    private static let repaired = Option("--repaired", "FILE", "write the repaired payload here, if it opens")
    private static let profileFile = Option("-o", "FILE", "write the profile here, if it is proven or likely")

    static let diagnose = Verb(
        name: "diagnose",
        summary: "find out why a payload does not open, and what opens it",
        discussion: """
            Reports what each field is, which key fits, how the content key was wrapped, and which profile opens the
            content: proven by its tag, or likely, because the content is complete and its padding, if any, is right.
            Under CBC only the first 16 bytes depend on the IV, so "likely" also requires that the file begins with 16
            bytes that a known recorder or encoder writes. Otherwise it reports what is known, the possible causes,
            likeliest first, and what would show which one it is. A profile is written only if it is proven or likely.
            It prints neither key nor content.

            If everything but the IV of CBC is known, it works out which IVs are possible, from how videos and
            pictures usually begin, and lists them. decrypt accepts one as printed; its output then begins with a
            guess.

            A key that was wrapped as a text, cut, or derived from one, and an RSA block that was changed on its way
            are looked through: decrypt then needs the payload that --repair wrapped-key writes.

            Nothing is repaired unless --repair says so. A repaired payload is not what was sent: keep the original.

            It tells apart causes of failure that decrypt and check must never reveal. Anyone who can put such
            questions to your key can open what others sealed for it: never expose this to a network.
            """,
        options: [.iv, oaepLabel, repair, repaired, .json, profileFile, .force],
        topics: [.keys],
        operands: [.payload],
        examples: [
            "--key key.pem payload.json", "--keys /etc/keys payload.json",
            "--key key.pem --iv 0123456789abcdef -o found.json \\\n  other.json",
            "--key key.pem --repair lost-plus \\\n  --repaired repaired.json damaged.json",
        ],
        run: { arguments in
            var files = Files()
            guard arguments[.keys] != nil || arguments[.keyFolder] != nil else {
                throw CommandError(.usage, "diagnose needs --key KEY or --keys DIR")
            }
            let locked = try files.privateKeys(arguments)
            // It fits because it was constructed to fit.
            try arguments.refuseReconstructedIV("here: give the IV from the app's configuration, or none")
            let iv = try arguments[.iv].map(Files.iv)
            let repairs = Set(arguments.all(repair).compactMap(PayloadRepair.init))
            guard arguments[repaired] == nil || !repairs.isEmpty else {
                throw CommandError(repaired, needs: [repair])
            }
            let outputs = [arguments[repaired], arguments[profileFile]].compactMap { $0 }
            guard try !outputs.contains(where: files.isStandardOutput) else {
                throw CommandError(.usage, "the profile and the repaired payload each need a file of their own")
            }
            let file = try files.input(arguments.operand, as: "the payload")
            // Claimed before the work, so that no work is wasted.
            let isReplacing = arguments.has(.force)
            let set = WholeFileSet()
            let repairedOutput = try arguments[repaired].map {
                try files.output($0, .personalText, replacing: isReplacing, in: set)
            }
            let profileOutput = try arguments[profileFile].map {
                try files.output($0, .publicText, replacing: isReplacing, in: set)
            }
            let keys = try locked.unlocked()
            let progress = Progress(total: file.size)
            defer { progress.end() }
            // Read again for the repaired one, whatever it comes from.
            let input = try MeteredSource(file, progress).seekable()
            let label = arguments[oaepLabel].map { Array($0.utf8) }
            let diagnosis = try Diagnoser(
                keys: keys.usable.map { Diagnoser.Key($0.name, $0.key) }, iv: iv, oaepLabel: label
            )
            .diagnose(input, repairing: repairs, into: repairedOutput)
            progress.end()
            try Terminal.write(arguments.has(.json) ? json(of: diagnosis) : text(of: diagnosis))
            switch diagnosis.verdict {
            case .opens(let match):
                if match.proof != .tag {
                    Terminal.warn("\(match.profile.inWords) has no tag: nothing shows that the content was not altered")
                }
                if let profileOutput {
                    let bytes = Array(match.profile.json.utf8)
                    try profileOutput.write(bytes.span)
                    try profileOutput.finish()
                }
                try set.finish()
                match.nextSteps(from: iv).forEach(Terminal.say)
            case .unproven(let guess):
                // Everything but the IV is known: the repair is useful, a profile would not be.
                if guess.profile != nil, repairedOutput != nil {
                    try set.finish()
                    sayNotWritten([arguments[profileFile]].compactMap { $0 })
                } else {
                    sayNotWritten(outputs)
                }
                let advice = [guess.advice, guess.nextStep, guess.repair?.comesFirst].compactMap { $0 }
                throw CommandError(
                    .rejected, "unproven: \(guess.sentence)", hint: advice.joined(separator: "\n"))
            case .closed(let cause):
                sayNotWritten(outputs)
                if [.keySize, .wrapping, .blocks].contains(cause.code) {
                    try keys.refuseToJudge("no usable key unwraps the content key")
                }
                let others = cause.possibilities.isEmpty ? "" : "; possible causes are listed above"
                throw CommandError(
                    .rejected, cause.sentence, hint: cause.advice + others + (cause.repair?.hint(after: repairs) ?? ""))
            }
        })

    private static func sayNotWritten(_ outputs: [String]) {
        if !outputs.isEmpty { Terminal.say("not written: \(outputs.map(quoted).joined(separator: ", "))") }
    }

    private static let shownIVs = 24

    private static func text(of diagnosis: Diagnosis) -> String {
        var lines = diagnosis.findings.map { "\($0.subject): \($0.sentence)\n" }
        if case .unproven(let guess) = diagnosis.verdict {
            for (number, iv) in guess.ivs.prefix(shownIVs).enumerated() {
                let text = iv.text.map { ", as text \(quoted($0))" } ?? ""
                let head = iv.isReconstructed ? "if the head is that of \(iv.head)" : iv.head
                lines.append("IV \(number + 1): \(iv.option)\(text), \(head)\n")
            }
            if guess.ivs.count > shownIVs {
                lines.append("and \(guess.ivs.count - shownIVs) more, which --json lists\n")
            }
            if let profile = guess.profile { lines.append(profile.json) }
        }
        if case .closed(let cause) = diagnosis.verdict {
            lines += cause.possibilities.map { "possible: \($0.sentence); to find out, \($0.settledBy)\n" }
        }
        if case .opens(let match) = diagnosis.verdict {
            let iv = match.iv.map { ", with the IV \($0)" } ?? ""
            let profile = match.profile
            let about = Profile.preset(named: profile.name) == nil ? profile.about.map { " (\($0))" } ?? "" : ""
            lines.append(
                "\(Terminal.verdict("opens", .good)) with \(match.key) under \(profile.inWords)\(about)\(iv): "
                    + "\(match.sentence)\n"
            )
            lines.append(match.profile.json)
        }
        return lines.joined()
    }

    private static func json(of diagnosis: Diagnosis) -> String {
        let findings = diagnosis.findings.map {
            JSONValue.object([("subject", .text($0.subject)), ("sentence", .text($0.sentence))])
        }
        let name: String
        var members: [(String, JSONValue)]
        switch diagnosis.verdict {
        case .opens(let match):
            name = "opens"
            members = [("key", .text(match.key)), ("proof", .text(match.proof.rawValue))]
            if let iv = match.iv { members.append(("iv", .text(iv))) }
            if let repair = match.repair { members.append(("repair", .text(repair.rawValue))) }
            members.append(("profile", match.profile.value))
        case .unproven(let guess):
            name = "unproven"
            members = [
                ("key", .text(guess.key)), ("sentence", .text(guess.sentence)), ("advice", .text(guess.advice)),
                (
                    "ivs",
                    .list(
                        guess.ivs.map { iv in
                            .object([
                                ("iv", .text(iv.option)), ("text", iv.text.map { .text($0) } ?? .null),
                                ("head", .text(iv.head)),
                            ])
                        })
                ),
            ]
            if let repair = guess.repair { members.append(("repair", .text(repair.rawValue))) }
            if let profile = guess.profile { members.append(("profile", profile.value)) }
        case .closed(let cause):
            name = "closed"
            members = [
                ("cause", .text("\(cause.code)")), ("sentence", .text(cause.sentence)), ("advice", .text(cause.advice)),
                (
                    "possibilities",
                    .list(
                        cause.possibilities.map {
                            .object([("sentence", .text($0.sentence)), ("settledBy", .text($0.settledBy))])
                        })
                ),
            ]
            if let repair = cause.repair { members.append(("repair", .text(repair.rawValue))) }
        }
        return JSONValue.object([
            ("schema", .text("evidence-diagnosis-1")), ("verdict", .text(name)), ("findings", .list(findings)),
            (name, .object(members)),
        ]).json
    }
}

extension Diagnosis.IVCandidate {
    /// The value for `--iv`; a reconstructed one is marked as such.
    fileprivate var option: String { (isReconstructed ? Files.reconstructed : Files.hex) + Hex.encode(bytes.span) }
}

extension Diagnosis.Guess {
    /// How to look at the content although nothing was written.
    fileprivate var nextStep: String? {
        guard let profile else { return nil }
        let saved =
            "to look at the content now, save the profile printed above to a file and run decrypt with --profile"
        if profile.iv == .caller, ivs.isEmpty { return "\(saved) and the same --iv" }
        guard profile.iv == .caller, let iv = ivs.first else {
            return ivs.count < 2
                ? saved : "\(saved); to try another IV, set \"iv\" to \"caller\" in that file, and add --iv"
        }
        guard iv.isReconstructed else { return "\(saved) and --iv \(iv.option)" }
        return "with the right IV, diagnose again (--iv): -o then writes the profile\n"
            + "\(saved) and --iv \(iv.option); the first 16 bytes of the content are then a guess"
    }
}

extension Diagnosis.Match {
    /// What to do before the profile is used, and with what.
    fileprivate func nextSteps(from given: [UInt8]?) -> [String] {
        let iv = ivBytes.flatMap { $0 == given ? nil : $0 }
        return [
            iv.map {
                let option = "give the IV as \(Option.iv.name) \(Files.hex)\(Hex.encode($0.span))"
                guard isIVOfPayload else { return "from now on, \(option)" }
                return
                    "for this payload, \(option); another payload likely has another, unless this is the IV in the "
                    + "app's configuration (aesIV): diagnose each"
            },
            repair?.comesFirst,
        ].compactMap { $0 }
    }

    fileprivate var sentence: String {
        switch proof {
        case .tag: "proven by its tag"
        case .structure:
            "likely (" + (profile.cipher.padding == .pkcs7 ? "its padding is right and " : "")
                + (isText
                    ? "the content is plain text), but nothing shows whether it is complete, and "
                    : "the content is complete), but ")
                + "there is no tag to prove it"
        }
    }
}

extension PayloadRepair {
    /// - Parameter made: the repairs that were made already.
    fileprivate func hint(after made: Set<PayloadRepair>) -> String {
        made.contains(self)
            ? "; --repair \(rawValue) was made and is not enough: something else stands in the text, as line breaks do "
                + "(add --repair line-breaks)"
            : "; to go on regardless, add --repair \(rawValue)"
    }

    /// What to do before a profile is used.
    fileprivate var comesFirst: String {
        "decrypt needs the payload as the repair \(rawValue) writes it: diagnose again, adding --repair \(rawValue) "
            + "--repaired FILE -o PROFILE, then run decrypt with --profile PROFILE on FILE"
    }
}
