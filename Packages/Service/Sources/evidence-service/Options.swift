// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import EvidenceService

/// What the command line says.
struct Options {
    var configuration = ServiceConfiguration()
    var socket: String?
    var socketMode: UInt32 = 0o660
    var socketGroup: String?
    var port: UInt16?

    init(_ arguments: Arguments) throws(ConfigurationError) {
        for each in Setting.all {
            for text in arguments.all(each.option) { try each.set(&self, text) }
        }
        if let port { configuration.hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }
        let hasFiles = !configuration.ticketFiles.isEmpty
        guard !hasFiles || configuration.ticketFolder == nil else {
            throw ConfigurationError("--ticket-folder and --ticket-file exclude each other")
        }
        guard configuration.appId == nil else { return }
        for (option, isGiven, what) in [
            ("--ticket-file", hasFiles, "a sign"), ("--ticket-folder", configuration.ticketFolder != nil, "a sign"),
            ("--device-keys", configuration.deviceKeyFolder != nil, "a device's signature"),
        ] where isGiven {
            throw ConfigurationError("\(option) needs --app-id", hint: "\(what) covers the appId, too")
        }
    }
}

/// An option, and what it sets.
struct Setting: Sendable {
    let option: Option
    let set: @Sendable (inout Options, String) throws(ConfigurationError) -> Void

    private init(
        _ option: Option, _ set: @escaping @Sendable (inout Options, String) throws(ConfigurationError) -> Void
    ) {
        self.option = option
        self.set = set
    }

    private init(_ option: Option, _ path: any WritableKeyPath<Options, String?> & Sendable) {
        self.init(option) { $0[keyPath: path] = $1 }
    }

    private init(
        several option: (name: String, value: String, text: String),
        _ path: any WritableKeyPath<Options, [String]> & Sendable
    ) {
        self.init(Option(option.name, option.value, isRepeatable: true, option.text)) { $0[keyPath: path].append($1) }
    }

    private static func count(
        _ name: String, _ text: String, _ range: ClosedRange<Int>,
        _ path: any WritableKeyPath<ServiceLimits, Int> & Sendable
    ) -> Setting {
        let usual = ServiceLimits()[keyPath: path]
        // The command line was read: it is a number of the range.
        return Setting(Option(name, "N", numbers: range, "\(text), \(usual) by default")) {
            $0.configuration.limits[keyPath: path] = Int($1) ?? usual
        }
    }

    private static func size(
        _ name: String, _ text: String, _ path: any WritableKeyPath<ServiceLimits, UInt64> & Sendable
    ) -> Setting {
        let usual = ServiceLimits()[keyPath: path]
        let shown = usual % (1 << 30) == 0 ? "\(usual >> 30)G" : "\(usual >> 10)K"
        return Setting(Option(name, "BYTES", "\(text), \(shown) by default")) {
            options, text throws(ConfigurationError) in
            options.configuration.limits[keyPath: path] = try bytes(name, text)
        }
    }

    /// A number of bytes: digits, or digits and `K`, `M` or `G`.
    private static func bytes(_ name: String, _ text: String) throws(ConfigurationError) -> UInt64 {
        let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let count = UInt64(digits), (1...1 << 20).contains(count) || unit == nil && count > 0 else {
            throw ConfigurationError("\(name) must be a number of bytes, such as 64M (K, M and G are 1024-based)")
        }
        return count * (unit ?? 1)
    }

    static let all = doors + subjects + bounds

    /// Where it listens, and who may come in.
    private static let doors: [Setting] = [
        Setting(Option("--socket", "PATH", "listen on this Unix socket"), \.socket),
        Setting(Option("--socket-mode", "OCTAL", "the mode of the socket, 660 by default")) {
            options, text throws(ConfigurationError) in
            guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
                throw ConfigurationError("--socket-mode must be an octal number such as 660")
            }
            options.socketMode = mode
        },
        Setting(Option("--socket-group", "GROUP", "its group, the service's by default"), \.socketGroup),
        Setting(
            Option("--allow-uid", "UID", numbers: 0...0xFFFF_FFFE, isRepeatable: true, "accept only this user")
        ) {
            if let user = UInt32($1) { $0.configuration.allowedUsers.insert(user) }
        },
        Setting(Option("--tcp", "PORT", numbers: 1...65_535, "also listen on 127.0.0.1; needs --token-file")) {
            $0.port = UInt16($1)
        },
        Setting(Option("--token-file", "FILE", "the first line is the token for TCP"), \.configuration.tokenFile),
    ]

    /// With what it opens, checks and signs, and what it may do.
    private static let subjects: [Setting] = [
        Setting(
            several: ("--key", "[PROFILE=]FILE", "a private key for videos, of evidence-v2 or of that profile"),
            \.configuration.keyFiles),
        Setting(several: ("--compare-key", "FILE", "a private key for statements"), \.configuration.compareKeyFiles),
        Setting(
            Option("--passphrase-file", "FILE", "the first line is the passphrase of encrypted keys"),
            \.configuration.passphraseFile),
        Setting(Option("--app-id", "ID", "the integrator's appId"), \.configuration.appId),
        Setting(
            several: ("--ticket-file", "FILE", "the first line is a SIGN ticket, the current one first"),
            \.configuration.ticketFiles),
        Setting(
            Option("--ticket-folder", "DIR", "the SIGN tickets of evidence-vendor keep, read anew"),
            \.configuration.ticketFolder),
        Setting(
            Option("--device-keys", "DIR", "the devices' public keys, each THUMBPRINT.pem"),
            \.configuration.deviceKeyFolder),
        Setting(
            several: ("--profile", "PROFILE", "a profile that requests may name"), \.configuration.profiles),
        Setting(
            Option("--extract-folder", "DIR", "where extract may make folders (API: /v1/check)"),
            \.configuration.extractFolder),
        Setting(Option(flag: "--allow-sign", "enable /v1/sign, which computes signs")) { options, _ in
            options.configuration.allowsSigning = true
        },
        Setting(Option(flag: "--allow-seal", "enable /v1/test/seal, which seals for the first key")) { options, _ in
            options.configuration.allowsSealing = true
        },
    ]

    private static let bounds: [Setting] = [
        size("--max-body", "the longest request body", \.bodyBytes),
        size("--max-spool", "disk for all requests together, in TMPDIR", \.spoolBytes),
        count("--max-requests", "requests with a body at the same time", 1...10_000, \.requests),
        count("--max-connections", "connections at the same time", 1...10_000, \.connections),
        count("--head-seconds", "for a request head, or idle", 1...3_600, \.headSeconds),
        count("--silence-seconds", "without a byte", 1...3_600, \.silenceSeconds),
        count("--body-seconds", "for a request body, and for a response", 1...86_400, \.bodySeconds),
        size("--lowest-rate", "bytes per second after ten seconds", \.lowestRate),
        count("--drain-seconds", "for requests in progress at SIGTERM", 0...3_600, \.drainSeconds),
    ]
}

extension Verb {
    static let service = Verb(
        name: "evidence-service", summary: "open, check and verify payloads over HTTP on a Unix socket",
        discussion: """
            Listens on --socket, or on the sockets that systemd passes. SIGHUP reads keys, tickets, profiles and the
            token again; if one of them is wrong, all old ones stay in use. SIGTERM waits for requests in progress; a
            second one does not. docs/SERVICE.md says more; openapi.yaml and clients in five languages are in
            share/doc/evidence-service, where this was installed from a package or a tarball.
            """,
        options: Setting.all.map(\.option), operands: [],
        run: { arguments in
            do {
                try Serving.run(Options(arguments))
            } catch let error as ConfigurationError {
                throw CommandError(.usage, error.description, hint: error.hint)
            }
        })
}
