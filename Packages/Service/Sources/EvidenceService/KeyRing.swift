// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceKit
internal import EvidencePayload
internal import ResultCheck
import Synchronization

/// An error in the configuration, for the operator.
public struct ConfigurationError: Error, CustomStringConvertible {
    /// The message, without a full stop.
    public let description: String
    /// What to try.
    public let hint: String?

    /// An error with its hint.
    public init(_ description: String, hint: String? = nil) {
        (self.description, self.hint) = (description, hint)
    }

    init(_ path: String, _ error: EvidenceError) {
        let isNamed = error.streamName != nil || "\(error)".contains("'\(path)'")
        self.init(isNamed ? "\(error)" : "\(path): \(error)", hint: error.hint)
    }
}

/// Keys, tickets, profiles and the token, as they were read together. A request keeps those that it started with.
struct Keys: Sendable {
    /// By profile, because a key serves only one (`docs/FORMATS.md` §2.2).
    private let video: [String: [any DecryptionKey]]
    let comparing: [any DecryptionKey]
    /// Those of files; ``EvidenceService/tickets(_:)`` has the current ones.
    let tickets: [Ticket]
    let profiles: [String: Profile]
    let token: Token?

    /// The token for TCP. A class, because `Keys` is copied and the token must not be.
    final class Token: Sendable {
        private let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

        /// Whether no quotation mark, bracket, comma or name stands around it, as in other files of settings.
        static func isBare(_ bytes: borrowing SecretBytes) -> Bool {
            bytes.withExposedBytes { bytes in
                let name = bytes.indices.prefix { place in
                    (0x41...0x5A).contains(bytes[place] & 0xDF) || "_-.".utf8.contains(bytes[place])
                }
                let hasName = ["token", "bearer", "secret", "authorization"].contains { word in
                    // Compared where it is: a copy would not be wiped.
                    name.count >= word.utf8.count
                        && zip(name.suffix(word.utf8.count), word.utf8).allSatisfy { bytes[$0] | 0x20 == $1 }
                }
                let isNamed = hasName && name.count < bytes.count && "=:".utf8.contains(bytes[name.count])
                return !isNamed && !"\"'`{[(<".utf8.contains(bytes[0])
                    && !"\"'`}])>,;".utf8.contains(bytes[bytes.count - 1])
            }
        }

        static func isPrintable(_ bytes: borrowing SecretBytes) -> Bool {
            bytes.withExposedBytes { bytes in
                for index in bytes.indices where !(0x21...0x7E).contains(bytes[index]) { return false }
                return true
            }
        }

        /// Whether a text is the token, compared in constant time.
        func isSame(as text: Substring) -> Bool {
            SecretBytes.isSame(bytes, SecretBytes(copying: Array(text.utf8).span))
        }
    }

    /// - Throws: ``ConfigurationError``.
    init(_ configuration: ServiceConfiguration) throws(ConfigurationError) {
        let passphrases = configuration.passphraseFile
        var video: [String: [any DecryptionKey]] = [:]
        for word in configuration.keyFiles {
            let (profile, path) = Self.profileAndPath(word)
            let key = try Self.reading(path) { () throws in try Self.key(path, passphrases) }
            video[profile, default: []].append(key)
        }
        self.video = video
        comparing = try configuration.compareKeyFiles.map { path throws(ConfigurationError) in
            try Self.reading(path) { () throws in try Self.key(path, passphrases) }
        }
        tickets = try configuration.ticketFiles.map { path throws(ConfigurationError) in
            try Self.reading(path) { () throws in
                try Ticket(
                    .sign, SecretBytes(tokenIn: FileSource(regularFileAt: path), name: path, called: "ticket"))
            }
        }
        if let folder = configuration.ticketFolder {
            // A ticket that has expired, or is not there yet, does not keep the service from starting: what needs one
            // is refused until there is one. Nothing is expired in 1970.
            guard let now = UTCTime(millisecondsSince1970: 0) else { throw ConfigurationError("the calendar is gone") }
            try Self.reading(folder) { () throws in
                do throws(EvidenceError) { _ = try TicketFolder(path: folder).tickets(at: now) } catch {
                    let isMissing = error.code == .cannotRead && error.errno == 2
                    if error.errno == 20 {
                        throw ConfigurationError("\(error)", hint: "a single ticket is given with --ticket-file")
                    }
                    guard isMissing, try FileIdentity(ofFileAt: folder) != nil else { throw error }
                }
            }
        }
        let names: [String]
        (profiles, names) = try Self.profiles(configuration.profiles)
        token = try configuration.tokenFile.map { path throws(ConfigurationError) in
            try Self.reading(path) { () throws in
                let line = try SecretBytes(tokenIn: FileSource(regularFileAt: path), name: path)
                guard line.count >= 16 else { throw EvidenceError(.value, "a token must have at least 16 characters") }
                // A request header cannot contain other characters.
                guard Token.isPrintable(line) else {
                    throw EvidenceError(.value, "a token must be printable ASCII without blanks")
                }
                guard Token.isBare(line) else {
                    throw EvidenceError(
                        .value, "the file of a token has the token alone, without a name or signs around it",
                        hint: "write it as clients send it after \"Bearer\": no quotation marks, brackets or comma")
                }
                return Token(line)
            }
        }
        try requireUsable(configuration, names)
    }

    /// - Returns: the profiles by their names, and in sentences what those in files are called.
    private static func profiles(
        _ words: [String]
    ) throws(ConfigurationError) -> (profiles: [String: Profile], names: [String]) {
        // The default may always be named.
        var profiles = [Profile.evidenceV2.name: Profile.evidenceV2]
        var names: [String] = []
        for word in words {
            let profile = try reading(word) { () throws in
                if let preset = Profile.preset(named: word) { return preset }
                let file: FileSource
                do { file = try FileSource(regularFileAt: word) } catch {
                    let names = Profile.presets.map(\.name).joined(separator: ", ")
                    throw ConfigurationError("\(error)", hint: "a profile is a file, or one of: \(names)")
                }
                return try Profile(json: file.readAll(limit: Limits.keyFileBytes, name: word))
            }
            // Those that diagnose writes have one name unless they were given another.
            guard profiles[profile.name] ?? profile == profile else {
                throw ConfigurationError("two profiles are called \(profile.name)", hint: "change the name in a file")
            }
            profiles[profile.name] = profile
            if profile.name != word { names.append("the profile in \(word) is called \(profile.name)") }
        }
        return (profiles, names)
    }

    /// Finds an unsuitable key at the start, not at the first request.
    ///
    /// - Parameter names: what the profiles in files are called, in sentences.
    private func requireUsable(
        _ configuration: ServiceConfiguration, _ names: [String]
    ) throws(ConfigurationError) {
        if let appId = configuration.appId { try Self.requireForm(of: appId, isSigned: configuration.hasTickets) }
        guard let order = try? OrderNumber("0"), let now = UTCTime(secondsSince1970: 0) else { return }
        var checker = ResultChecker(expecting: order, at: now)
        let keyFiles = configuration.keyFiles.map(Self.profileAndPath)
        for profile in profiles.values {
            let keys = video(profile)
            guard profile.acceptsSeveralKeys || keys.count <= 1 else {
                throw ConfigurationError("the profile \(profile) works with only one --key")
            }
            checker.profile = profile
            // In the place of those that requests bring: whether its length is right says nothing about the keys.
            checker.iv = profile.takesIVFromCaller ? [UInt8](repeating: 0, count: 16) : nil
            // One by one, so that it is known whose fault it is.
            let files = keyFiles.filter { $0.profile == profile.name }.map(\.path)
            let each =
                zip(files, keys).map { ($0, [$1], []) }
                + zip(configuration.compareKeyFiles, comparing).map { ($0, [], [$1]) }
            for (path, videoKeys, comparingKeys) in each {
                (checker.videoKeys, checker.comparingKeys) = (videoKeys, comparingKeys)
                try Self.reading(path) { () throws in
                    do throws(EvidenceError) { _ = try checker.receiver() } catch {
                        guard error.code == .profile, profile.takesIVFromCaller else { throw error }
                    }
                }
            }
        }
        if let unknown = video.keys.sorted().first(where: { profiles[$0] == nil }) {
            throw ConfigurationError(
                "a --key is for the profile \(unknown), which is not named",
                hint: names.isEmpty ? "give --profile \(unknown) as well" : names.joined(separator: "; "))
        }
        try refuseSharedKeys()
    }

    /// Refuses an appId that no sign, no statement and no device's signature has: it would be held against results.
    private static func requireForm(of appId: String, isSigned: Bool) throws(ConfigurationError) {
        try reading("--app-id") { () throws in
            if isSigned { _ = try AppId(appId) }
            // docs/FORMATS.md §4 and §7.
            guard (1...1_024).contains(appId.utf8.count) else {
                throw EvidenceError(.value, "an appId must have 1 to 1024 bytes")
            }
            guard !CheckedHead.absentValues.union(["true", "false"]).contains(appId) else {
                throw EvidenceError(.value, "it is the text \(appId), which programs write for an absent value")
            }
        }
    }

    /// What each key opens, a line each, for the operator: a service that opens none of the payloads that arrive starts
    /// all the same.
    func description(_ configuration: ServiceConfiguration) -> [String] {
        func named(_ path: String) -> String { Self.isOnToken(path) ? "on a token" : path }
        let keys = configuration.keyFiles.map { word in
            let (profile, path) = Self.profileAndPath(word)
            let asked = profile == Profile.evidenceV2.name ? "" : ", for requests with profile=\(profile)"
            return (profile, "key \(named(path)): opens videos sealed as \(profile)\(asked)")
        }
        var lines = keys.map(\.1) + configuration.compareKeyFiles.map { "key \(named($0)): opens statements" }
        if !keys.isEmpty, keys.allSatisfy({ $0.0 == Profile.evidenceV2.name }) {
            lines.append(
                "no key opens payloads of the vendor's SDK: they need a profile, which evidence-tool diagnose finds, "
                    + "and a key of its own (--profile FILE --key NAME=KEY, NAME as in the file)")
        }
        return lines
    }

    /// The keys for videos of a profile; by default, of `evidence-v2`.
    func video(_ profile: Profile?) -> [any DecryptionKey] { video[(profile ?? .evidenceV2).name] ?? [] }

    /// The refusal of a request whose profile no key is for.
    func noKey(of profile: Profile?) -> Problem {
        Problem(
            403, "not-enabled",
            "the service has no key for videos sealed as \(profile?.name ?? Profile.evidenceV2.name)",
            hint: otherKeys ?? "start it with --key FILE, for a profile --key NAME=FILE")
    }

    /// Which requests there are keys for; `nil` for none.
    var otherKeys: String? {
        let own = Profile.evidenceV2.name
        let others = video.keys.sorted().map { $0 == own ? "without profile" : "with profile=\($0)" }
        return others.isEmpty ? nil : "requests that it has keys for: \(others.joined(separator: ", "))"
    }

    /// What to try if a payload does not open as `evidence-v2`. It is the same for every payload.
    var otherProfiles: String {
        let names = video.keys.filter { $0 != Profile.evidenceV2.name }.sorted()
        let start = "it may be sealed under a profile, as payloads of the vendor's SDK are: "
        return start
            + (names.isEmpty
                ? "evidence-tool diagnose finds it, and the service is started with it (--profile FILE --key NAME=KEY)"
                : "send profile=\(names.joined(separator: " or "))")
    }

    /// Whether it is no file.
    static func isOnToken(_ path: String) -> Bool { path.hasPrefix("pkcs11:") }

    /// `PROFILE=FILE`, or `FILE` alone.
    static func profileAndPath(_ word: String) -> (profile: String, path: String) {
        let name = word.prefix { $0 != "=" }
        let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x2D...0x39).contains($0) && $0 != 0x2F }
        guard isName, !name.isEmpty, name.endIndex < word.endIndex else { return (Profile.evidenceV2.name, word) }
        return (String(name), String(word[word.index(after: name.endIndex)...]))
    }

    /// A key that opens payloads of two profiles makes each as weak as the other.
    private func refuseSharedKeys() throws(ConfigurationError) {
        let own = Profile.evidenceV2.name
        let keys = video.flatMap { profile, keys in keys.map { (profile, $0.publicKey) } }
        let all = (keys + comparing.map { (own, $0.publicKey) }).sorted { $0.0 < $1.0 }
        for (i, one) in all.enumerated() {
            for other in all[..<i] where other.0 != one.0 && other.1.sharesModulus(with: one.1) {
                throw ConfigurationError(
                    "\(one.1) is given for two profiles, \(other.0) and \(one.0)",
                    hint: "each profile needs an RSA key of its own: --key PROFILE=FILE")
            }
        }
    }

    private static func reading<Value>(
        _ path: String, _ read: () throws -> Value
    ) throws(ConfigurationError) -> Value {
        do { return try read() } catch let error as ConfigurationError { throw error } catch let error as EvidenceError
        {
            throw ConfigurationError(path, error)
        } catch { throw ConfigurationError("\(path): \(error)") }
    }

    private static func key(_ path: String, _ passphrases: String?) throws -> any DecryptionKey {
        let isURI = isOnToken(path)
        // A regular file: opening a FIFO would block.
        func encoded() throws -> SecretBytes {
            try SecretBytes(
                contentsOf: FileSource(regularFileAt: path), limit: Limits.keyFileBytes, name: path)
        }
        guard let passphrases else {
            return isURI ? try KeyStore.key(at: path) : try RSAPrivateKey(encoded: encoded())
        }
        func passphrase() throws -> SecretBytes {
            try SecretBytes(firstLineOf: FileSource(regularFileAt: passphrases), name: passphrases)
        }
        if isURI { return try KeyStore.key(at: path, pin: passphrase()) }
        return try RSAPrivateKey(encoded: encoded(), passphrase: passphrase())
    }
}

/// The keys for new requests. All of them are replaced, or none.
final class KeyRing: Sendable {
    private let keys: Mutex<Keys>

    init(_ keys: Keys) { self.keys = Mutex(keys) }

    var now: Keys { keys.withLock { $0 } }

    func replace(with keys: Keys) { self.keys.withLock { $0 = keys } }
}
