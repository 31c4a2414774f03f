// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
internal import EvidenceKit
package import EvidenceStreams

/// Shows the progress of a long run on the terminal: nothing in the first half second, nothing if standard error
/// is no terminal, and nothing with `--quiet`.
package final class Progress {
    private let total: UInt64?
    private let isShown = Terminal.isErrorTerminal && !Terminal.isQuiet
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var next: ContinuousClock.Instant
    private var hasDrawn = false

    /// - Parameter total: all bytes of the input, if known.
    package init(total: UInt64?) {
        self.total = total
        start = clock.now
        next = start + .milliseconds(500)
    }

    /// `position` bytes of the input are read.
    package func update(_ position: UInt64) {
        guard isShown else { return }
        let now = clock.now
        guard now >= next else { return }
        next = now + .milliseconds(100)
        hasDrawn = true
        let seconds = Double((now - start) / .milliseconds(1)) / 1_000
        let rate = "\(megabytes(UInt64(Double(position) / max(seconds, 0.001))))/s"
        if let total, total > 0 {
            let share = min(Double(position) / Double(total), 1)
            let filled = Int(share * 30)
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
            Terminal.writeError("\r[\(bar)] \(Int(share * 100)) % of \(megabytes(total)), \(rate) \u{1B}[K")
        } else {
            Terminal.writeError("\r\(megabytes(position)), \(rate) \u{1B}[K")
        }
    }

    /// Removes the bar.
    package func end() {
        if hasDrawn { Terminal.writeError("\r\u{1B}[K") }
        hasDrawn = false
    }

    private func megabytes(_ count: UInt64) -> String {
        "\(count / 1_000_000).\(count / 100_000 % 10) MB"
    }
}

/// A source that reports how far it was read.
package final class MeteredSource: PositionedSource {
    private let source: any PositionedSource
    private let progress: Progress
    private var position: UInt64 = 0
    /// For concurrent reads.
    private let monitor = Monitor()

    /// Reads from there.
    package init(_ source: any PositionedSource, _ progress: Progress) {
        self.source = source
        self.progress = progress
    }

    package var isSeekable: Bool { source.isSeekable }
    package var size: UInt64? { source.size }

    package func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let got = try source.read(count, to: &buffer)
        position += UInt64(got)
        progress.update(position)
        return got
    }

    package func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let got = try source.read(count, at: offset, to: &buffer)
        monitor.lock()
        defer { monitor.unlock() }
        progress.update(offset + UInt64(got))
        return got
    }

    package func seek(to offset: UInt64) throws(EvidenceError) {
        try source.seek(to: offset)
        position = offset
    }
}
