// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@discardableResult
private func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    do {
        try DescriptorDestination(descriptor: descriptor, name: "standard output").write(bytes.span)
        return true
    } catch { return false }
}

private func fail(_ status: Int32, _ message: String, _ hint: String) -> Never {
    write("evidence-sandbox: error: \(message)\nevidence-sandbox: hint: \(hint)\n", to: 2)
    exit(status)
}

private func help() -> String {
    let rows = Option.all.map { option in
        let name = "  \(option.name)\(option.value.map { " \($0)" } ?? "")"
        return name + String(repeating: " ", count: max(1, 26 - name.count)) + option.text
    }
    return """
        evidence-sandbox: simulate the vendor's server for a backend under test

        usage: evidence-sandbox [--port N] [options]

        It listens on 127.0.0.1 only, accepts no real appId, and says in every answer that
        it is not the vendor. http://127.0.0.1:8440/sandbox/log shows what it received, and
        why it refused. docs/VENDOR-SERVER.md has the scenarios of order numbers (SBX...).

          --port N                8440 by default; 0 for any free one
        \(rows.joined(separator: "\n"))

        It runs until it is interrupted. Exit status: 2 wrong use, 3 the port or a file
        cannot be used.

        """
}

// First, so that not even a message can end it by a signal.
do throws(EvidenceError) { try ProcessProtection.begin() } catch { fail(3, "\(error)", error.hint ?? "") }
private var settings = SandboxService.Settings()
private var port: UInt16 = 8_440
private var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    if word == "--help" || word == "-h" {
        exit(write(help(), to: 1) ? 0 : 3)
    }
    let hint = "see: evidence-sandbox --help"
    if word == "--port" {
        guard let number = words.popFirst().flatMap({ UInt16($0) }) else {
            fail(2, "--port must be a number from 0 to 65535", hint)
        }
        port = number
        continue
    }
    guard let option = Option.all.first(where: { $0.name == word }) else {
        fail(2, "an argument is not an option", hint)
    }
    var value = ""
    if option.value != nil {
        guard let next = words.popFirst() else { fail(2, "\(word) needs a value", hint) }
        value = next
    }
    do {
        guard try option.set(value, &settings) else { fail(2, "the value of \(word) is invalid", hint) }
    } catch let error as EvidenceError {
        fail(error.code.isSystem ? 3 : 2, "\(word): \(error)", error.hint ?? hint)
    }
}
do throws(EvidenceError) {
    let server = try LoopbackServer(SandboxService(settings), port: port)
    write(
        """
        evidence-sandbox: a test double, not the vendor
        listening on 127.0.0.1:\(server.port)
        appId: \(settings.appId)
        secret: \(settings.secret)

        """, to: 1)
    server.serve()
} catch {
    fail(error.code.isSystem ? 3 : 2, "\(error)", error.hint ?? "see: evidence-sandbox --help")
}
