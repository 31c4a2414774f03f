// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import VendorSandbox

/// An option, and what it sets.
struct Setting: Sendable {
    let option: Option
    let set: @Sendable (String, inout SandboxService.Settings) throws -> Void

    private init(_ option: Option, _ set: @escaping @Sendable (String, inout SandboxService.Settings) throws -> Void) {
        self.option = option
        self.set = set
    }

    private static func number(
        _ name: String, _ value: String, _ range: ClosedRange<Int>, _ text: String,
        _ set: @escaping @Sendable (Int, inout SandboxService.Settings) -> Void
    ) -> Setting {
        // The command line was read: it is a number of the range.
        Setting(Option(name, value, numbers: range, text)) { set(Int($0) ?? range.lowerBound, &$1) }
    }

    private static func flag(
        _ name: String, _ text: String, _ set: @escaping @Sendable (inout SandboxService.Settings) -> Void
    ) -> Setting { Setting(Option(flag: name, text)) { set(&$1) } }

    static let all: [Setting] = [
        Setting(Option("--app-id", "ID", "its appId, TIDA0001 by default; real ones are refused")) { $1.appId = $0 },
        Setting(
            Option("--secret", "TEXT", "its secret, SANDBOX-SECRET-OF-NO-VENDOR by default; never a real one")
        ) {
            guard $0.utf8.count <= 64 else { throw CommandError(.usage, "--secret: it has more than 64 bytes") }
            $1.secret = $0
        },
        number("--seed", "N", 0...999_999_999, "the seed of random events") { $1.seed = UInt64($0) },
        number("--faults", "PERCENT", 0...100, "the share of calls that are late, lost, 502, empty or slow") {
            $1.faults = $0
        },
        number("--latency", "MS", 0...60_000, "the delay of every answer") { $1.latency = Double($0) / 1_000 },
        flag("--vary", "vary the form of answers, as the vendor is said to do") { $0.varies = true },
        flag("--strict", "require the query parameter orderNo in calls") { $0.isStrict = true },
        flag("--sign-ticket-launches", "accept launches that are signed with a SIGN ticket") {
            $0.acceptsSignTicketAtLaunch = true
        },
        number("--calls-per-second", "N", 1...100_000, "limit of calls, 20 by default; others get 400506") {
            $1.callsPerSecond = $0
        },
        number("--attempts-per-day", "N", 1...100_000, "limit for each user, 10 by default; others get 66660017") {
            $1.attemptsPerDay = $0
        },
        number("--files-late-by", "MS", 0...600_000, "delay of photo and video after the verdict, 1500 by default") {
            $1.filesLateBy = Double($0) / 1_000
        },
        number("--retention", "SECONDS", 0...9_999_999, "how long results are kept, 3 days by default") {
            $1.retention = Double($0)
        },
        number("--sign-ticket-life", "SECONDS", 1...3_600, "how long a SIGN ticket is valid, 3600 by default") {
            $1.signTicketLife = $0
        },
        Setting(Option("--public", "FILE", "simple mode: the phone seals its video for this public key")) {
            $1.recipient = try RSAPublicKey(contentsOf: $0)
        },
        Setting(Option("--compare-public", "FILE", "seals identifyStr for this one; by default for nobody")) {
            $1.comparingService = try RSAPublicKey(contentsOf: $0)
        },
        Setting(
            Option(
                "--profile", "PROFILE", "how it is sealed: a built-in profile (evidence-tool profiles), or a file")
        ) {
            do {
                $1.profile =
                    try Profile.preset(named: $0)
                    ?? Profile(json: FileSource(path: $0).readAll(limit: 64 << 10, name: $0))
            } catch let error as EvidenceError where error.code == .cannotRead {
                throw CommandError(
                    .system, "--profile: \(error)",
                    hint: "give the file of a profile, or a name of this list: evidence-tool profiles")
            }
        },
        Setting(Option("--iv", "IV", "the IV as text, for a profile that takes it from the caller")) {
            $1.iv = Array($0.utf8)
        },
        number("--large-photos", "KB", 0...10_000, "makes photos larger by so much") { $1.extraPhotoKilobytes = $0 },
    ]

    /// What the options of a command line set.
    ///
    /// - Throws: ``CommandError``, with the option's name.
    static func settings(_ arguments: Arguments) throws -> SandboxService.Settings {
        var settings = SandboxService.Settings()
        for each in all {
            guard let text = arguments[each.option] else { continue }
            do { try each.set(text, &settings) } catch let error as EvidenceError {
                let status: ExitStatus = error.code.isSystem ? .system : .usage
                throw CommandError(status, "\(each.option.name): \(error)", hint: error.hint)
            }
        }
        return settings
    }
}
