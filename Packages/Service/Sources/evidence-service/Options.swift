// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceService

/// The command line.
struct Options {
    var configuration = ServiceConfiguration()
    var socket: String?
    var socketMode: UInt32 = 0o660
    var socketGroup: String?
    var port: UInt16?
    /// The text of --help or --version.
    var textToPrint: String?

    private struct Option {
        let name: String
        let value: String?
        let help: String
        let set: (inout Options, String) throws(ConfigurationError) -> Void
    }

    init(_ words: [String]) throws(ConfigurationError) {
        var rest = words[...]
        var seen: Set<String> = []
        while let word = rest.popFirst() {
            guard let option = Self.all.first(where: { $0.name == word }) else {
                // The word itself may be a secret in the wrong place.
                throw ConfigurationError("argument \(words.count - rest.count) is not an option")
            }
            guard seen.insert(word).inserted || option.help.hasSuffix("(several)") else {
                throw ConfigurationError("\(word) was given twice")
            }
            guard option.value != nil else {
                try option.set(&self, "")
                continue
            }
            guard let value = rest.popFirst() else { throw ConfigurationError("\(word) needs a value") }
            try option.set(&self, value)
        }
        if let port { configuration.hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }
        guard textToPrint == nil else { return }
        let hasFiles = !configuration.ticketFiles.isEmpty
        guard !hasFiles || configuration.ticketFolder == nil else {
            throw ConfigurationError("--ticket-folder and --ticket-file exclude each other")
        }
        if hasFiles || configuration.ticketFolder != nil, configuration.appId == nil {
            throw ConfigurationError(
                "--ticket-\(hasFiles ? "file" : "folder") needs --app-id", hint: "a sign covers the appId, too")
        }
    }

    private static func number(
        _ name: String, _ text: String, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
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

    private static func option(
        _ name: String, _ value: String?, _ help: String,
        _ set: @escaping (inout Options, String) throws(ConfigurationError) -> Void
    ) -> Option { Option(name: name, value: value, help: help, set: set) }

    private static func count(
        _ name: String, _ help: String, _ range: ClosedRange<Int>,
        _ path: WritableKeyPath<ServiceLimits, Int>
    ) -> Option {
        option(name, "N", help + " (default: \(ServiceLimits()[keyPath: path]))") {
            options, text throws(ConfigurationError) in
            options.configuration.limits[keyPath: path] = try number(name, text, range)
        }
    }

    private static func size(
        _ name: String, _ help: String, _ path: WritableKeyPath<ServiceLimits, UInt64>
    ) -> Option {
        let usual = ServiceLimits()[keyPath: path]
        let text = usual % (1 << 30) == 0 ? "\(usual >> 30)G" : "\(usual >> 10)K"
        return option(name, "BYTES", help + " (default: \(text))") { options, text throws(ConfigurationError) in
            options.configuration.limits[keyPath: path] = try bytes(name, text)
        }
    }

    private static var all: [Option] { doors + subjects + bounds + [version, help] }

    /// Where it listens, and who may come in.
    private static var doors: [Option] {
        [
            option("--socket", "PATH", "listen on this Unix socket; sockets from systemd need no option") {
                $0.socket = $1
            },
            option("--socket-mode", "OCTAL", "the mode of the socket (default: 660)") {
                options, text throws(ConfigurationError) in
                guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
                    throw ConfigurationError("--socket-mode must be an octal number such as 660")
                }
                options.socketMode = mode
            },
            option("--socket-group", "GROUP", "the group of the socket (default: that of the service)") {
                $0.socketGroup = $1
            },
            option("--allow-uid", "UID", "accept only this user (several)") {
                options, text throws(ConfigurationError) in
                options.configuration.allowedUsers.insert(UInt32(try number("--allow-uid", text, 0...0xFFFF_FFFE)))
            },
            option("--tcp", "PORT", "also listen on 127.0.0.1; needs --token-file") {
                options, text throws(ConfigurationError) in
                options.port = UInt16(try number("--tcp", text, 1...65_535))
            },
            option("--token-file", "FILE", "the first line is the token for TCP") {
                $0.configuration.tokenFile = $1
            },
        ]
    }

    /// With what it opens, checks and signs, and what it may do.
    private static var subjects: [Option] {
        [
            option("--key", "[PROFILE=]FILE", "a private key for videos, of evidence-v2 or of that profile (several)") {
                $0.configuration.keyFiles.append($1)
            },
            option("--compare-key", "FILE", "a private key for statements (several)") {
                $0.configuration.compareKeyFiles.append($1)
            },
            option("--passphrase-file", "FILE", "the first line is the passphrase of encrypted keys") {
                $0.configuration.passphraseFile = $1
            },
            option("--app-id", "ID", "the integrator's appId") { $0.configuration.appId = $1 },
            option("--ticket-file", "FILE", "the first line is a SIGN ticket, the current one first (several)") {
                $0.configuration.ticketFiles.append($1)
            },
            option("--ticket-folder", "FOLDER", "the SIGN tickets that evidence-vendor keep leaves there, read anew") {
                $0.configuration.ticketFolder = $1
            },
            option("--device-keys", "FOLDER", "the registered public keys of devices, each as THUMBPRINT.pem") {
                $0.configuration.deviceKeyFolder = $1
            },
            option("--profile", "NAME", "a profile that requests may name: a built-in name, or a file (several)") {
                $0.configuration.profiles.append($1)
            },
            option("--extract-folder", "FOLDER", "the folder in which extract may make folders (API: /v1/check)") {
                $0.configuration.extractFolder = $1
            },
            option("--allow-sign", nil, "enable /v1/sign, which computes signs") { options, _ in
                options.configuration.allowsSigning = true
            },
            option("--allow-seal", nil, "enable /v1/test/seal, which seals videos for the first key") { options, _ in
                options.configuration.allowsSealing = true
            },
        ]
    }

    private static var bounds: [Option] {
        [
            size("--max-body", "the longest request body", \.bodyBytes),
            size("--max-spool", "disk space for all requests together, in TMPDIR", \.spoolBytes),
            count("--max-requests", "requests with a body at the same time", 1...10_000, \.requests),
            count("--max-connections", "connections at the same time", 1...10_000, \.connections),
            count(
                "--head-seconds", "seconds for a request head, and until an idle connection is closed", 1...3_600,
                \.headSeconds),
            count(
                "--silence-seconds", "seconds without a byte, then the connection is closed", 1...3_600,
                \.silenceSeconds),
            count("--body-seconds", "seconds for a request body, and for a response", 1...86_400, \.bodySeconds),
            size("--lowest-rate", "bytes per second that a client must reach after ten seconds", \.lowestRate),
            count("--drain-seconds", "seconds that SIGTERM waits for requests in progress", 0...3_600, \.drainSeconds),
        ]
    }

    private static var version: Option {
        option("--version", nil, "print the version") { options, _ in
            options.textToPrint = "evidence-service \(EvidenceVersions.evidenceKit)\n"
        }
    }

    private static var help: Option {
        option("--help", nil, "print this") { options, _ in options.textToPrint = helpText }
    }

    private static var helpText: String {
        let names = all.map { $0.name + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = zip(names, all).map { name, option in
            "  " + name + String(repeating: " ", count: width - name.count) + option.help
        }
        return """
            evidence-service: opens, checks and verifies face-verification payloads, over HTTP on a Unix socket.

            usage: evidence-service --socket PATH [options]

            \(lines.joined(separator: "\n"))

            Options marked (several) may be repeated. SIGHUP reads keys, tickets, profiles and the token again; if
            one of them is wrong, all old ones stay in use. SIGTERM stops accepting connections, waits for requests in
            progress, and exits; a second SIGTERM does not wait.

            docs/SERVICE.md says more, openapi.yaml describes all requests, and there are clients in five languages,
            each a file to copy: in Packages/Service of the source, beside bin in the tarball, or, in Debian, in
            /usr/share/doc/evidence-service.

            """
    }
}
