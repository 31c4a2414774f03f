// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import VendorSandbox

private let port = Option("--port", "N", numbers: 0...65_535, "8440 by default; 0 for any free one")

private let sandbox = Verb(
    name: "evidence-sandbox", summary: "simulate the vendor's server for a backend under test",
    discussion: """
        It listens on 127.0.0.1 only, accepts no real appId, and says in every answer that it is not the vendor.
        http://127.0.0.1:8440/sandbox/log shows what it received, and why it refused. docs/VENDOR-SERVER.md has the
        scenarios of order numbers (SBX...).
        """,
    options: [port] + Setting.all.map(\.option), operands: [],
    run: { arguments in
        let settings = try Setting.settings(arguments)
        let server: LoopbackServer
        do throws(EvidenceError) {
            server = try LoopbackServer(
                SandboxService(settings), port: arguments[port].flatMap { UInt16($0) } ?? 8_440)
        } catch {
            throw CommandError(
                error.code.isSystem ? .system : .usage, "\(error)",
                hint: error.code == .iv ? "give it with --iv" : error.hint ?? "see: evidence-sandbox --help")
        }
        try Terminal.write(
            """
            evidence-sandbox: a test double, not the vendor
            listening on 127.0.0.1:\(server.port)
            appId: \(settings.appId)
            secret: \(settings.secret)

            """)
        server.serve()
    })

// First, before anything allocates memory.
Command.endAtCrashes()
Command(
    sandbox, version: EvidenceVersions.evidenceKit,
    notes: """
        It runs until it is interrupted. Exit status: 2 usage error, 3 the port or a
        file cannot be used.
        """
).run(CommandLine.arguments)
