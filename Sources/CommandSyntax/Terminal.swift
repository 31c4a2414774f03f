// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import EvidenceStreams
internal import PlatformC
import Synchronization

/// Standard output and standard error.
///
/// The rules: results on standard output, each byte written and checked; messages on standard error, in lower case
/// and without a full stop, `command: error: …`, then `command: hint: …`. `print` is not used: it ignores
/// a full disk. Colour is for verdicts alone, and for a terminal alone.
public enum Terminal {
    private static let name = Mutex("")

    /// The name of the command that speaks.
    package static var command: String { name.withLock(\.self) }

    /// From now on it is this command that speaks.
    package static func speak(as command: String) { name.withLock { $0 = command } }

    /// Whether standard output is a terminal.
    package static var isOutputTerminal: Bool { isatty(1) == 1 }
    /// Whether standard error is a terminal.
    package static var isErrorTerminal: Bool { isatty(2) == 1 }
    /// Whether standard input is a terminal.
    package static var isInputTerminal: Bool { isatty(0) == 1 }

    /// Writes a result.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    public static func write(_ text: String) throws(EvidenceError) {
        clearStatus()
        let output = try DescriptorDestination(descriptor: 1, name: "standard output")
        let bytes = Array(text.utf8)
        try output.write(bytes.span)
        try output.finish()
    }

    /// A note.
    public static func say(_ message: String) { note("\(command): \(message)\n") }

    /// A warning.
    public static func warn(_ message: String) { note("\(command): warning: \(message)\n") }

    /// Why the command ends.
    public static func fail(_ error: CommandError) {
        clearStatus()
        // They may say why.
        for note in withheld.withLock({ $0.take() }) ?? [] { writeError(note) }
        writeError("\(command): \(coloured("error:", .bad, descriptor: 2)) \(error.message)\n")
        for hint in error.hint?.split(separator: "\n") ?? [] { writeError("\(command): hint: \(hint)\n") }
    }

    // MARK: - Quiet

    /// With `--quiet`, the notes and warnings so far, for a run that fails after all; `nil` without.
    private static let withheld = Mutex<[String]?>(nil)

    /// Keeps notes and warnings back, unless the run fails.
    package static func beQuiet() { withheld.withLock { $0 = [] } }

    /// Whether notes and warnings are kept back.
    package static var isQuiet: Bool { withheld.withLock { $0 != nil } }

    private static func note(_ text: String) {
        let isWithheld = withheld.withLock { notes in
            notes?.append(text)
            return notes != nil
        }
        guard !isWithheld else { return }
        clearStatus()
        writeError(text)
    }

    // MARK: - A line that comes and goes

    private struct Status {
        var isShown = false
        /// Whether the process ends.
        var isOver = false

        mutating func clear() {
            if isShown { Terminal.writeError("\r\u{1B}[K") }
            isShown = false
        }
    }

    private static let status = Mutex(Status())

    /// Shows a line on the terminal in place of the one before; everything else that is written removes it first.
    ///
    /// - Parameter line: makes the line, no longer than so many columns.
    package static func showStatus(_ line: (_ columns: Int) -> String) {
        status.withLock { status in
            guard !status.isOver, CommandProcess.isErrorWritable else { return }
            status.isShown = true
            // In its last column, a terminal may begin another line.
            writeError("\r\(line((CommandProcess.errorTerminalColumns ?? 80) - 1))\u{1B}[K")
        }
    }

    /// Removes that line.
    package static func clearStatus() { status.withLock { $0.clear() } }

    /// Removes it for good, before a signal ends the process, unless the terminal takes nothing.
    static func abandonStatus() {
        for _ in 0..<20 {
            let isDone: Void? = status.withLockIfAvailable { status in
                if CommandProcess.isErrorWritable { status.clear() }
                status.isOver = true
            }
            if isDone != nil { return }
            CommandProcess.pause()
        }
    }

    // MARK: - Colour

    /// What a verdict says, and so its colour.
    public enum Tone: Int, Sendable {
        /// Something fails.
        case bad = 31
        /// Everything holds.
        case good = 32
        /// Something is not known.
        case open = 33
    }

    /// A verdict for standard output, in its colour where that is a terminal with colours.
    public static func verdict(_ text: String, _ tone: Tone) -> String { coloured(text, tone, descriptor: 1) }

    private static func coloured(_ text: String, _ tone: Tone, descriptor: Int32) -> String {
        // https://no-color.org: any value but an empty one.
        let isAllowed = (CommandProcess.variable("NO_COLOR") ?? "").isEmpty
        let hasColours = !["", "dumb"].contains(CommandProcess.variable("TERM") ?? "")
        guard isAllowed, hasColours, isatty(descriptor) == 1 else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }

    /// If a message cannot be written, there is nobody to tell.
    package static func writeError(_ text: String) {
        let bytes = Array(text.utf8)
        try? DescriptorDestination(descriptor: 2, name: "standard error").write(bytes.span)
    }
}
