// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams

extension Verb {
    private static let ownFile = Option("--check", "FILE", "read your own profile and explain it")

    static let profiles = Verb(
        name: "profiles",
        summary: "list the built-in profiles, and check your own",
        discussion: """
            Lists the built-in profiles, or shows one. --json prints it in the form that --profile reads from a
            file: change that to make your own (docs/PROFILES.md), and test it with --check.
            """,
        options: [ownFile, .json],
        operands: [Operand("NAME", known: Profile.presets.map(\.name), "a built-in profile")],
        examples: ["", "java-default", "java-default --json > mine.json", "--check mine.json"],
        run: { arguments in
            var files = Files()
            if let path = arguments[ownFile] {
                guard arguments.operand == nil else {
                    throw CommandError(.usage, "--check and a NAME cannot be used together")
                }
                let profile = try files.profile(inFile: path)
                return try Terminal.write(arguments.has(.json) ? profile.json : text(of: profile))
            }
            if let name = arguments.operand {
                guard let profile = Profile.preset(named: name) else {
                    throw CommandError(
                        unknown: "profile", name, among: Profile.presets.map(\.name),
                        hint: "list them with: evidence-tool profiles")
                }
                return try Terminal.write(arguments.has(.json) ? profile.json : text(of: profile))
            }
            guard !arguments.has(.json) else {
                let profiles = JSONValue.list(Profile.presets.map(\.value))
                return try Terminal.write(
                    JSONValue.object([("schema", .text("evidence-profiles-1")), ("profiles", profiles)]).json)
            }
            let width = Profile.presets.map(\.name.count).max() ?? 0
            let lines = Profile.presets.map { "\($0.name.padded(to: width))  \(printable($0.about ?? ""))" }
            try Terminal.write(lines.joined(separator: "\n") + "\n")
        })

    /// A profile for people.
    static func text(of profile: Profile) -> String {
        let document = ProfileDocument(profile)
        let width = ProfileDocument.Member.allCases.map(\.rawValue.count).max() ?? 0
        var lines = ProfileDocument.Member.allCases.filter { $0 != .schema }.compactMap { member in
            document[member].map { "\(member.rawValue.padded(to: width))  \(printable("\($0)"))" }
        }
        if !profile.isAuthenticated {
            lines.append("no tag: nothing shows that content was not altered")
        } else if !profile.coversOrder {
            lines.append("the tag does not cover the order: nothing shows which order the content was sealed for")
        }
        lines += profile.weaknesses.map { "weak: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
