import EvidenceDiagnosis
import EvidenceKit
import EvidenceStreams

extension Verb {
    private static let keys = Option(
        "--key", "KEY", isRequired: true, isRepeatable: true, "a private key that may be the right one")
    private static let repair = Option(
        "--repair", "NAME", choices: PayloadRepair.allCases.map(\.rawValue), isRepeatable: true,
        "do this repair first")
    private static let repaired = Option("--repaired", "FILE", "write the repaired payload here, if it opens")
    private static let profileFile = Option("-o", "FILE", "write the profile that opens it here")

    static let diagnose = Verb(
        name: "diagnose",
        summary: "why a payload will not open, and which profile opens it",
        discussion: """
            Says what each field is, which key fits, how the content key was wrapped, and which profile opens the
            content, with how sure that is; or the most likely cause that none does, and what to ask the other
            side. It prints neither key nor content.

            Nothing is repaired unless --repair says so. A repaired payload is not what was sent: keep the original.

            It tells apart what opening must not tell apart. Whoever can put such questions to your key opens what
            others sealed for it: never put this behind a network.
            """,
        options: [keys, .iv, repair, repaired, .passphraseFile, .json, profileFile, .force],
        operand: .payload,
        examples: [
            "--key key.pem payload.json", "--key key.pem --iv 0123456789abcdef -o found.json payload.json",
            "--key key.pem --repair lost-plus --repaired repaired.json payload.json",
        ],
        run: { arguments in
            var files = Files()
            let keys = try arguments.all(keys).map { path in
                Diagnoser.Key(
                    quoted(path), try files.privateKey(path, passphraseFile: arguments[.passphraseFile]))
            }
            let iv = try arguments[.iv].map(Files.iv)
            let repairs = Set(arguments.all(repair).compactMap(PayloadRepair.init))
            guard arguments[repaired] == nil || !repairs.isEmpty else {
                throw CommandError(.usage, "--repaired needs a --repair to be done")
            }
            guard arguments[repaired] == nil || (arguments.operand ?? "-") != "-" else {
                throw CommandError(.usage, "--repaired reads the payload twice: give it as a file")
            }
            let outputs = [arguments[repaired], arguments[profileFile]].compactMap { $0 }
            guard !outputs.contains("-"), Set(outputs).count == outputs.count else {
                throw CommandError(.usage, "the profile and the repaired payload each need a file of their own")
            }
            let input = try files.input(arguments.operand, as: "the payload")
            // Claimed before the work, so that nothing is found out in vain.
            let isReplacing = arguments.has(.force)
            let set = WholeFileSet()
            let repairedOutput = try arguments[repaired].map {
                try files.output($0, .personalText, replacing: isReplacing, in: set)
            }
            let profileOutput = try arguments[profileFile].map {
                try files.output($0, .publicText, replacing: isReplacing, in: set)
            }
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let diagnosis = try Diagnoser(keys: keys, iv: iv)
                .diagnose(MeteredSource(input, progress), repairing: repairs)
            progress.end()
            try Terminal.write(arguments.has(.json) ? json(of: diagnosis) : text(of: diagnosis))
            switch diagnosis.verdict {
            case .opens(let match):
                if match.proof != .tag {
                    Terminal.warn("\(match.profile) has no tag: nothing shows that the content was not altered")
                }
                if let repairedOutput { try PayloadRepair.apply(repairs, to: input, into: repairedOutput) }
                if let profileOutput {
                    let bytes = Array(match.profile.json.utf8)
                    try profileOutput.write(bytes.span)
                    try profileOutput.finish()
                }
                try set.finish()
                guard match.proof != .padding else {
                    throw CommandError(
                        .rejected, "no more than the padding speaks for this profile",
                        hint: "look at what comes out; with CBC, ask for the IV as well")
                }
            case .closed(let cause):
                if !outputs.isEmpty { Terminal.say("not written: \(outputs.map(quoted).joined(separator: ", "))") }
                throw CommandError(.rejected, cause.sentence, hint: cause.advice + (cause.repair?.hint ?? ""))
            }
        })

    private static func text(of diagnosis: Diagnosis) -> String {
        var lines = diagnosis.findings.map { "\($0.subject): \($0.sentence)\n" }
        if case .opens(let match) = diagnosis.verdict {
            let iv = match.iv.map { ", its IV \($0)" } ?? ""
            lines.append("opens with \(match.key) under \(match.profile)\(iv): \(match.proof.sentence)\n")
            lines.append(match.profile.json)
        }
        return lines.joined()
    }

    private static func json(of diagnosis: Diagnosis) -> String {
        let findings = diagnosis.findings.map {
            ReportValue.object([("subject", .text($0.subject)), ("sentence", .text($0.sentence))])
        }
        var members: [(String, ReportValue)]
        switch diagnosis.verdict {
        case .opens(let match):
            members = [("key", .text(match.key)), ("proof", .text(match.proof.rawValue))]
            if let iv = match.iv { members.append(("iv", .text(iv))) }
            members.append(("profile", .json(String(match.profile.json.dropLast()))))
        case .closed(let cause):
            members = [
                ("cause", .text("\(cause.code)")), ("sentence", .text(cause.sentence)), ("advice", .text(cause.advice)),
            ]
            if let repair = cause.repair { members.append(("repair", .text(repair.rawValue))) }
        }
        let name = if case .opens = diagnosis.verdict { "opens" } else { "closed" }
        return ReportValue.object([("findings", .list(findings)), (name, .object(members))]).json
    }
}

extension Diagnosis.Proof {
    fileprivate var sentence: String {
        switch self {
        case .tag: "proved by its tag"
        case .structure: "likely, its padding and its beginning are right; there is no tag to prove it"
        case .padding: "unproven, only its padding is right, as one in 256 wrong guesses is"
        }
    }
}

extension PayloadRepair {
    fileprivate var hint: String { "; to go on regardless: --repair \(rawValue)" }
}
