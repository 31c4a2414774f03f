// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
internal import EvidenceKit
package import EvidenceStreams

/// Shows the progress of a long run on the terminal: nothing in the first half second, nothing if standard error
/// is no terminal, and nothing with `--quiet`. Threads may share it.
public final class Progress: @unchecked Sendable {
    private let total: UInt64?
    private let noun: String?
    private let isShown: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// Held while reading or changing what follows.
    private let monitor = Monitor()
    private var next: ContinuousClock.Instant
    private var position: UInt64 = 0
    private var count: UInt64 = 0

    /// - Parameters:
    ///   - total: all bytes that are to be read, if known.
    ///   - noun: what is counted besides, such as results; `nil` to show the bytes.
    public init(total: UInt64?, counting noun: String? = nil) {
        self.total = total
        self.noun = noun
        isShown = Terminal.isErrorTerminal && !Terminal.isQuiet
        start = clock.now
        next = start + .milliseconds(500)
    }

    /// So many bytes are read since the beginning.
    package func update(_ position: UInt64) { change { $0.position = position } }

    /// So many more bytes, with which so many more things are done.
    public func advance(by byteCount: UInt64, counting things: UInt64 = 0) {
        change { progress in
            progress.position += byteCount
            progress.count += things
        }
    }

    private func change(_ change: (Progress) -> Void) {
        guard isShown else { return }
        monitor.lock()
        defer { monitor.unlock() }
        change(self)
        let now = clock.now
        guard now >= next else { return }
        next = now + .milliseconds(100)
        let line = line((now - start) / .milliseconds(1) / 1_000)
        Terminal.showStatus { line.text(columns: $0) }
    }

    private func line(_ seconds: Double) -> ProgressLine {
        let share = total.flatMap { $0 > 0 ? min(Double(position) / Double($0), 1) : nil }
        return ProgressLine(
            share: share,
            amount: noun.map { .things(count, $0) } ?? .bytes(position, of: share == nil ? nil : total),
            seconds: seconds)
    }

    /// Removes the bar.
    public func end() { Terminal.clearStatus() }
}

/// What the bar says. It is one line, however narrow the terminal is.
package struct ProgressLine {
    /// What was done so far.
    package enum Amount {
        /// Bytes, of all of them where that is known.
        case bytes(UInt64, of: UInt64?)
        /// Other things, and what they are called.
        case things(UInt64, String)
    }

    private let share: Double?
    private let amount: Amount
    private let seconds: Double

    /// - Parameters:
    ///   - share: 0 to 1; `nil` where nobody knows how much there is.
    ///   - seconds: since the beginning.
    package init(share: Double?, amount: Amount, seconds: Double) {
        (self.share, self.amount, self.seconds) = (share, amount, seconds)
    }

    /// The earliest moment at which the beginning says something about the rest.
    private static let secondsToLearn = 3.0
    private static let longestBar = 30

    /// The line, with as much as so many columns have room for: a bar last of all.
    package func text(columns: Int) -> String {
        let percent = share.map { "\(Int($0 * 100)) %" }
        let left = timeLeft.map { ", \($0) left" } ?? ""
        let (done, rate) = (doneText, rateText)
        var choices: [String]
        if let percent {
            choices = [
                percent + done + rate + left, percent + rate + left, percent + left, percent,
            ]
        } else {
            choices = [done + rate, done]
        }
        guard let text = choices.first(where: { $0.utf8.count <= columns }) ?? choices.last else { return "" }
        let room = columns - text.utf8.count - 3
        guard let share, room >= 10 else { return text }
        let length = min(Self.longestBar, room)
        let filled = Int(share * Double(length))
        return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: length - filled))] \(text)"
    }

    private var doneText: String {
        switch amount {
        case .bytes(_, of: let total?): " of \(megabytes(total))"
        case .bytes(let count, of: nil): megabytes(count)
        case .things(let count, let noun): "\(share == nil ? "" : ", ")\(count) \(noun)"
        }
    }

    private var rateText: String {
        // Whatever the size of a file is said to be, the number fits.
        func each(_ count: UInt64) -> UInt64 { UInt64(min(Double(count) / max(seconds, 0.001), 1e15)) }
        switch amount {
        case .bytes(let count, of: _): return ", \(megabytes(each(count)))/s"
        case .things(let count, _):
            let tenths = each(count.multipliedReportingOverflow(by: 10).partialValue)
            return tenths < 100 ? ", \(tenths / 10).\(tenths % 10)/s" : ", \(tenths / 10)/s"
        }
    }

    /// As a clock shows it, or in seconds; `nil` as long as it would be a guess.
    private var timeLeft: String? {
        guard let share, share > 0, seconds >= Self.secondsToLearn else { return nil }
        let left = seconds / share * (1 - share)
        // Beyond that it says nothing.
        guard left < 1_000 * 3_600 else { return nil }
        let whole = Int(left.rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if whole < 60 { return "\(whole) s" }
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
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
        progress.update(offset + UInt64(got))
        return got
    }

    package func seek(to offset: UInt64) throws(EvidenceError) {
        try source.seek(to: offset)
        position = offset
    }
}
