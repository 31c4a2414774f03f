// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
internal import EvidenceEncoding
internal import EvidenceErrors
public import EvidenceKit
internal import EvidencePayload
internal import PlatformC
internal import ResultCheck
internal import VendorDocuments

/// What a result is checked with: the options, and the checker that they make.
public enum CheckOption {
    package static let key = Option("--key", "KEY", "the private key for the video, a file or a pkcs11: URI")
    package static let compareKey = Option(
        "--compare-key", "KEY", "the comparing service's private key, a file or a pkcs11: URI")
    package static let comparePassphrase = Option(
        "--compare-passphrase-file", "FILE", "a file whose first line is the passphrase of --compare-key")
    package static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the expected order, from your own records")
    package static let appId = Option(
        "--app-id", "A", "your appId; needed to verify a sign or a device's signature")
    package static let userId = Option(
        "--user-id", "U", "the user to whom you gave the order; needs --compare-key or --device-key")
    package static let ticketFile = Option(
        "--ticket-file", "FILE", isRepeatable: true,
        "a file whose first line is a SIGN ticket; without one the sign stays unchecked; - is standard input")
    package static let ticketFolder = Option(
        "--ticket-folder", "DIR",
        "a folder in which evidence-vendor keep leaves the current SIGN ticket and the one before; instead of "
            + "--ticket-file")
    package static let maximumAge = Option(
        "--max-age", "AGE",
        "refuse a statement older than this: 90s, 10m, 12h or 30d; by default any age; needs --compare-key")
    /// The time as of which something is judged.
    public static let moment = Option(
        "--at", "MOMENT", "check as of this time instead of now, for example 2026-11-21T08:30:00.000Z")
    package static let deviceKey = Option(
        "--device-key", "PUB", isRepeatable: true,
        "a device's registered public key (P-256), or a folder that has it as THUMBPRINT.pem: check deviceSignature")
    package static let challenge = Option(
        "--challenge", "TEXT", "the challenge that you issued for this order; required with --device-key")
    package static let deviceAge = Option(
        "--device-max-age", "AGE", "refuse a device's signature older than this; by default any age")
    package static let require = Option(
        "--require", "LIST", known: ["default", "vendor"],
        "the requirements, separated by commas: items (photo, or photo:bound with a minimum strength), and the sets "
            + "default and vendor")
    package static let reportDigests = Option(
        "--report-digests", "WHICH", choices: ["short", "all"],
        "all: the report also has the digests of the texts of video, photo and identifyStr, which take longer than the "
            + "rest of the check")

    /// The settings that all checked results share, except user and profile.
    package static let settings =
        [
            key, .passphraseFile, compareKey, comparePassphrase, ticketFile, ticketFolder, appId, maximumAge, moment,
            require, reportDigests,
        ] + ReadingOption.all

    /// The expectations of one result, from the caller's own records.
    package static let expectations = [userId, deviceKey, challenge, deviceAge]

    /// The requirements from the command line, with the keys.
    ///
    /// - Throws: `CommandError`, or `EvidenceError` for what cannot be read.
    public static func checker(
        _ arguments: Arguments, _ files: inout Files, expecting order: OrderNumber
    ) throws -> LockedKey<ResultChecker> {
        var checker = ResultChecker(expecting: order, at: try Clock.requireNow())
        if arguments[moment] != nil { checker.asOf = try files.moment(arguments, moment) }
        let videoKey = try arguments[key].map {
            try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
        }
        let comparingKey = try arguments[compareKey].map {
            try files.privateKey($0, passphraseFile: arguments[comparePassphrase])
        }
        checker.threads = arguments.threads
        checker.appId = arguments[appId]
        checker.userId = arguments[userId]
        checker.maximumAge = try arguments[maximumAge].map { try age($0, maximumAge) }
        checker.device = try device(arguments, &files)
        checker.tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: .frontEndResult) }
        if let folder = try tickets(arguments) { checker.tickets = try folder() }
        checker.repairs = try arguments.repairs()
        checker.digestsLongFields = arguments[reportDigests] == "all"
        try requireForms(checker)
        if let list = arguments[require] {
            do { checker.requirements = try CheckRequirements(parsing: list) } catch {
                throw CommandError(.usage, "--require: \(error)", hint: error.hint)
            }
            if checker.requirements.list.contains(where: { $0.item == .statementNonce }) {
                throw CommandError(
                    .usage, "--require: the command has no store of nonces, so it never checks statement.nonce",
                    hint: "in the library, ResultChecker.check takes one")
            }
        }
        if !checker.tickets.isEmpty && checker.appId == nil {
            let option = arguments[ticketFolder] == nil ? ticketFile : ticketFolder
            throw CommandError(option, needs: [appId], ", which the sign covers")
        }
        if arguments[maximumAge] != nil, arguments[compareKey] == nil {
            throw CommandError(maximumAge, needs: [compareKey], ", which opens the statement")
        }
        if arguments[userId] != nil, arguments[compareKey] == nil, checker.device == nil {
            throw CommandError(
                userId, needs: [compareKey, deviceKey], ": it concerns the statement and the device's signature")
        }
        if arguments[appId] != nil, arguments[compareKey] == nil, checker.tickets.isEmpty, checker.device == nil {
            throw CommandError(appId, needs: [ticketFile, compareKey, deviceKey])
        }
        for (passphrase, key) in [(.passphraseFile, key), (comparePassphrase, compareKey)]
        where arguments[passphrase] != nil && arguments[key] == nil {
            throw CommandError(passphrase, needs: [key])
        }
        if arguments[key] == nil, let option = Option.profileOptions.first(where: { arguments[$0] != nil }) {
            throw CommandError(option, needs: [key])
        }
        (checker.profile, checker.iv) = try files.profile(arguments)
        checker.hasReconstructedHead = arguments.hasReconstructedIV
        return LockedKey { [checker] in
            var checker = checker
            checker.videoKey = try videoKey?.unlocked()
            checker.comparingKey = try comparingKey?.unlocked()
            if let key = checker.videoKey { checker.profile.warn(of: [key.publicKey]) }
            if checker.sharesKeyBetweenProfiles {
                throw CommandError(.usage, sharedKey, hint: "each profile needs an RSA key of its own")
            }
            return checker
        }
    }

    /// Refuses own values that no sign and no statement can have: they would be held against the result.
    private static func requireForms(_ checker: ResultChecker) throws {
        if let appId = checker.appId {
            if !checker.tickets.isEmpty { _ = try AppId(appId) }
            guard (1...Limits.statementTextBytes).contains(appId.utf8.count) else {
                throw CommandError(.usage, "\(Self.appId.name) must have 1 to \(Limits.statementTextBytes) bytes")
            }
        }
        if let user = checker.userId, !(1...Limits.statementTextBytes).contains(user.utf8.count) {
            throw CommandError(.usage, "\(userId.name) must have 1 to \(Limits.statementTextBytes) bytes")
        }
    }

    /// Reads the tickets of the folder, for a moment that may be long after the start; `nil` if none is named. What it
    /// cannot read is a failure of the system, never of a result.
    ///
    /// - Throws: `CommandError`; `EvidenceError` (`.cannotRead`) where there is no such folder.
    package static func tickets(_ arguments: Arguments) throws -> (@Sendable () throws -> [Ticket])? {
        guard let path = arguments[ticketFolder] else { return nil }
        guard arguments.all(ticketFile).isEmpty else {
            throw CommandError(.usage, "\(ticketFolder.name) and \(ticketFile.name) exclude each other")
        }
        guard try FileIdentity(ofFileAt: path) != nil else {
            throw EvidenceError(.cannotRead, stream: path, errno: ENOENT)
        }
        return {
            let now = try Clock.requireNow()
            do throws(EvidenceError) { return try TicketFolder(path: path).tickets(at: now) } catch {
                throw CommandError(
                    .system, "\(ticketFolder.name): \(error)",
                    hint: error.errno == ENOTDIR ? "a single ticket is given with \(ticketFile.name)" : error.hint)
            }
        }
    }

    private static let sharedKey =
        "the same RSA key is given for a video of another profile and for the statement, which is evidence-v2: an RSA "
        + "key is for one profile"

    /// The expectations of the device's signature.
    private static func device(_ arguments: Arguments, _ files: inout Files) throws -> DeviceExpectation? {
        let paths = arguments.all(deviceKey)
        guard !paths.isEmpty else {
            for option in [challenge, deviceAge] where arguments[option] != nil {
                throw CommandError(option, needs: [deviceKey])
            }
            return nil
        }
        guard let text = arguments[challenge], arguments[appId] != nil else {
            throw CommandError(
                .usage, "\(deviceKey.name) needs \(appId.spelling) and \(challenge.spelling), which the device signs",
                hint: "give both, or leave out \(deviceKey.name)")
        }
        var device = DeviceExpectation(keys: try files.deviceKeys(paths), challenge: try files.challenge(text))
        device.maximumAge = try arguments[deviceAge].map { try age($0, deviceAge) }
        return device
    }

    /// Seconds, minutes, hours or days.
    private static func age(_ text: String, _ option: Option) throws -> Duration {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.first?.isNumber == true,
            let count = Int64(text.dropLast()), count <= Limits.ageUnits
        else {
            throw CommandError(
                .usage,
                "\(option.name) must be a whole number up to \(Limits.ageUnits) with a unit: 90s, 10m, 12h or 30d")
        }
        return .seconds(count * unit)
    }
}

extension CheckState {
    /// Its colour.
    public var tone: Terminal.Tone {
        switch self {
        case .holds: .good
        case .fails: .bad
        case .unchecked: .open
        }
    }
}
