// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import EvidenceStreams
internal import MediaStructure
internal import ResultCheck
internal import VendorTypes

/// The settings of a batch from the command line, with its keys.
struct BatchSetup {
    /// Its description in the first line on standard error: keys by their fingerprints.
    let facts: [(String, JSONValue)]
    let operation: (BatchFiles) -> BatchOperation

    // MARK: - The operations

    static func open(_ arguments: Arguments, _ files: inout Files, isPhoto: Bool) throws -> BatchSetup {
        let threads = arguments.threads ?? 1
        let repairs = try arguments.repairs()
        if isPhoto {
            if let option = [.passphraseFile, Option("--key", "", "")].first(where: { arguments[$0] != nil }) {
                throw CommandError(.usage, "the photo is not sealed: it needs no \(option.name)")
            }
            try arguments.refuseProfile("cannot be used: unsealed content has no profile")
            return BatchSetup(facts: []) { reach in
                BatchOperation(members: [.input, .inline, .out, .order]) { request in
                    let (order, document) = (try request.orderNumber(), try reach.document(request))
                    let written = try reach.write(request, besides: document.identity) { destination in
                        _ = try UnsealedContent.photo.extract(
                            of: order, from: document.source, into: destination, threads: threads, accepting: repairs)
                    }
                    return (nil, written.members + [("format", .text(written.media.format)), ("tag", .text("none"))])
                }
            }
        }
        let (key, profile, iv) = try openingKey(arguments, &files)
        @Sendable func open(
            _ source: any ByteSource, _ order: OrderNumber?, _ destination: any ByteDestination
        ) throws(EvidenceError) {
            var opener = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none)
            opener.threads = threads
            opener.repairs = repairs
            try opener.open(of: order, from: source, into: destination)
        }
        try attempt { () throws(EvidenceError) in try open(MemorySource([]), nil, DiscardingDestination()) }
        return BatchSetup(facts: facts([key.publicKey], profile)) { reach in
            BatchOperation(members: [.input, .inline, .out, .order]) { request in
                let (order, document) = (try request.orderNumber(), try reach.document(request))
                let written = try reach.write(request, besides: document.identity) { destination in
                    do throws(EvidenceError) { try open(document.source, order, destination) } catch {
                        let hint = CommandError.videoHint(of: error, sealedAs: profile)
                        let fault: (any Error)? = BatchFault(error, hint: hint)
                        throw fault ?? error
                    }
                }
                return (
                    nil,
                    written.members + [
                        ("format", .text(written.media.format)),
                        ("tag", .text(profile.tagCoverage.rawValue)),
                    ]
                )
            }
        }
    }

    static func check(_ arguments: Arguments, _ files: inout Files, withReport: Bool) throws -> BatchSetup {
        var checker = try CheckOption.checker(arguments, &files, expecting: OrderNumber("0")).unlocked()
        checker.threads = arguments.threads ?? 1
        // A key or a profile that cannot be used is found before the first record.
        _ = try checker.receiver()
        let template = checker
        let tickets = try CheckOption.tickets(arguments)
        if checker.videoKey != nil, let reason = checker.profile.oracleReason {
            Terminal.warn(
                "\(checker.profile.label) has \(reason): the answers are for the key's holder alone, never for the "
                    + "sender of the results")
        }
        let keys = [checker.videoKey?.publicKey, checker.comparingKey?.publicKey].compactMap(\.self)
        return BatchSetup(facts: facts(keys, checker.profile)) { reach in
            BatchOperation(members: [.input, .inline, .order, .user]) { request in
                guard let order = try request.orderNumber() else {
                    throw BatchFault(.order, "it is missing", hint: missingOrder)
                }
                var checker = template.expecting(order, at: try Clock.requireNow())
                // Renewed while the batch runs.
                if let tickets { checker.tickets = try tickets() }
                if let user = request[.user] {
                    guard checker.comparingKey != nil else {
                        throw BatchFault(.user, "it concerns the statement, which --compare-key opens")
                    }
                    // A value that no statement can have must not be compared.
                    guard (1...Limits.statementTextBytes).contains(user.utf8.count) else {
                        throw BatchFault(.user, "it must have 1 to \(Limits.statementTextBytes) bytes")
                    }
                    checker.userId = user
                }
                let report = try checker.check(reach.document(request).source).reportForKeyHolder
                let advice = CheckAdvice(report: report, arguments: arguments, isWithoutReport: !withReport)
                return (
                    BatchFault(report, advice), members(report) + (withReport ? [("report", .line(report.json))] : [])
                )
            }
        }
    }

    static func verify(
        _ arguments: Arguments, _ files: inout Files, _ name: String, _ ticketFiles: [String]
    ) throws -> BatchSetup {
        let recipe = try files.recipe(named: name)
        let tickets = try ticketFiles.map { try files.ticket($0, for: recipe) }
        guard tickets.contains(where: { $0.kind == recipe.ticketKind }) else {
            throw CommandError(.usage, "\(recipe.name) needs a \(recipe.ticketKind.rawValue) ticket: give one")
        }
        return BatchSetup(facts: [("recipe", .text(recipe.name))]) { _ in
            BatchOperation(members: [.sign, .values]) { request in
                let sign = try request.required(.sign)
                switch try SignInput(recipe, request.values).verify(sign, with: tickets) {
                case .valid(let acceptance):
                    let warnings = acceptance.warnings(for: recipe)
                    return (
                        nil,
                        [
                            ("ticket", .number(UInt64(acceptance.ticketIndex))),
                            ("warnings", .list(warnings.map { .text($0.code.rawValue) })),
                        ]
                    )
                case .invalid(let rejection):
                    let sentences = rejection.reasons.map(\.description).joined(separator: "; ")
                    // If the values cannot be signed, the sign was not checked.
                    let fault =
                        rejection.reasons.contains { $0.code == .value }
                        ? BatchFault(.request, EvidenceError.Code.value.name, about: .values, sentences)
                        : BatchFault(
                            .rejected, EvidenceError.Code.sign.name, sentences,
                            hint:
                                "to find out how it was made: evidence-tool verify \(recipe.name) --explain --sign "
                                + "SIGN --ticket-file FILE NAME=VALUE …")
                    return (fault, [("reasons", .list(rejection.reasons.map { .text($0.code.rawValue) }))])
                }
            }
        }
    }

    static func inspect() -> BatchSetup {
        BatchSetup(facts: []) { reach in
            BatchOperation(members: [.input, .inline, .order]) { request in
                let order = try request.orderNumber()
                let inspection = try DocumentInspection(of: reach.document(request).source, expecting: order)
                if let refusal = inspection.otherOrder {
                    throw BatchFault(.rejected, EvidenceError.Code.otherOrder.name, refusal)
                }
                return (
                    inspection.noPass.map { refusal in
                        refusal.status == .unchecked
                            ? BatchFault(.unchecked, "not-checked", refusal.message, hint: refusal.hint)
                            : BatchFault(.rejected, "no-pass", refusal.message, hint: refusal.hint)
                    },
                    [("inspection", .line(inspection.json))]
                )
            }
        }
    }

    static func rewrap(_ arguments: Arguments, _ files: inout Files, to path: String) throws -> BatchSetup {
        let new = try files.publicKey(path)
        let (old, _, _) = try openingKey(arguments, &files)
        let repairs = try arguments.repairs()
        let threads = arguments.threads ?? 1
        @Sendable func rewrap(
            _ source: any ByteSource, _ order: OrderNumber, _ destination: any ByteDestination
        ) throws(EvidenceError) {
            var opener = PayloadOpener(old)
            opener.threads = threads
            opener.repairs = repairs
            try opener.rewrap(of: order, from: source, to: new, into: destination)
        }
        let anyOrder = try OrderNumber("0")
        try attempt { () throws(EvidenceError) in try rewrap(MemorySource([]), anyOrder, DiscardingDestination()) }
        return BatchSetup(facts: facts([old.publicKey, new], .evidenceV2)) { reach in
            BatchOperation(members: [.input, .inline, .out, .order]) { request in
                guard let order = try request.orderNumber() else {
                    throw BatchFault(.order, "it is missing", hint: missingOrder)
                }
                let document = try reach.document(request)
                let written = try reach.write(request, besides: document.identity) { destination in
                    try rewrap(document.source, order, destination)
                }
                return (nil, written.members)
            }
        }
    }

    // MARK: - Parts

    private static let missingOrder = "take it from your own records: one that is copied from the document always fits"

    private static func openingKey(
        _ arguments: Arguments, _ files: inout Files
    ) throws -> (any DecryptionKey, Profile, [UInt8]?) {
        let option = Option("--key", "KEY", "")
        let locked = try files.privateKey(arguments.required(option), passphraseFile: arguments[.passphraseFile])
        let (profile, iv) = try files.profile(arguments)
        let key = try locked.unlocked()
        profile.warn(of: [key.publicKey])
        return (key, profile, iv)
    }

    /// Runs it with an empty document, which must be the only fault, so that an unsuitable key or profile is found
    /// before the first record.
    private static func attempt(_ body: () throws(EvidenceError) -> Void) throws {
        do throws(EvidenceError) { try body() } catch {
            if error.code != .json { throw error }
        }
    }

    private static func facts(_ keys: [RSAPublicKey], _ profile: Profile) -> [(String, JSONValue)] {
        [
            ("keys", .list(keys.map { .text($0.fingerprint) })), ("profile", .text(profile.name)),
            ("tag", .text(profile.tagCoverage.rawValue)),
        ]
    }

    /// The summary of a report.
    private static func members(_ report: EvidenceReport) -> [(String, JSONValue)] {
        let failed = report.items.filter { $0.state == .fails }
        return [
            ("verdict", .text(report.verdict.rawValue)),
            (
                "failed",
                .list(failed.map { .object([("item", .text($0.name.rawValue)), ("code", JSONValue($0.code?.name))]) })
            ),
            ("unmet", .list(report.unmet.map { .text($0.item.rawValue) })),
            ("sha256", JSONValue(report.document?.hex)),
            ("bytes", report.document.map { .number($0.byteCount) } ?? .null),
        ]
    }
}

extension BatchFault {
    /// The answer for a verdict other than success.
    fileprivate init?(_ report: EvidenceReport, _ advice: CheckAdvice) {
        let unmet = report.unmet.map(\.item.rawValue)
        switch report.verdict {
        case .holds: return nil
        case .fails where report.items.contains { $0.state == .fails && $0.code == .changed }:
            self.init(.path, EvidenceError.Code.changed.name, about: .input, "the document changed while it was read")
        case .fails:
            self.init(
                .rejected, "check-fails", "something that was checked fails", hint: advice.ofRefusal, unmet: unmet)
        case .unchecked:
            self.init(
                .unchecked, "not-checked", "nothing fails, but not all requirements are met", hint: advice.ofUnmet,
                unmet: unmet)
        }
    }
}

extension JSONValue {
    /// A finished report, without its line break.
    fileprivate static func line(_ json: String) -> JSONValue {
        .json(json.hasSuffix("\n") ? String(json.dropLast()) : json)
    }
}
