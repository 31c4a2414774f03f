// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
internal import PlatformC

/// Standard output and standard error.
///
/// The rules: results on standard output, each byte written and checked; messages on standard error, in lower case
/// and without a full stop, `evidence-tool: error: …`, then `evidence-tool: hint: …`. `print` is not used: it ignores
/// a full disk.
enum Terminal {
    static var isOutputTerminal: Bool { isatty(1) == 1 }
    static var isErrorTerminal: Bool { isatty(2) == 1 }
    static var isInputTerminal: Bool { isatty(0) == 1 }

    /// Writes a result.
    static func write(_ text: String) throws(EvidenceError) {
        let output = try DescriptorDestination(descriptor: 1, name: "standard output")
        let bytes = Array(text.utf8)
        try output.write(bytes.span)
        try output.finish()
    }

    static func say(_ message: String) {
        writeError("evidence-tool: \(message)\n")
    }

    static func warn(_ message: String) {
        writeError("evidence-tool: warning: \(message)\n")
    }

    static func fail(_ error: CommandError) {
        writeError("evidence-tool: error: \(error.message)\n")
        for hint in error.hint?.split(separator: "\n") ?? [] { writeError("evidence-tool: hint: \(hint)\n") }
    }

    /// Where a message cannot be written there is nobody to tell.
    static func writeError(_ text: String) {
        let bytes = Array(text.utf8)
        try? DescriptorDestination(descriptor: 2, name: "standard error").write(bytes.span)
    }
}
