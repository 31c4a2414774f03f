// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit

/// The time for a keeper: three clocks, read together.
public struct ClockReading: Sendable {
    /// Identifies the machine's boot: times since boot can only be compared within the same one. `nil` if the
    /// system does not tell.
    public let start: String?
    /// Time since boot. It includes sleep and cannot be set.
    public let sinceStart: Duration
    /// Time since 1970 by the machine's clock, which can be set forward and back.
    public let sinceEpoch: Duration
    /// The monotonic clock for tickets of this process.
    public let instant: ContinuousClock.Instant
    /// When something was, by the time since boot, as far as its age was known before: see ``Stamp/age(at:)``.
    var births: [Stamp: Duration] = [:]

    /// A reading.
    public init(start: String?, sinceStart: Duration, sinceEpoch: Duration, instant: ContinuousClock.Instant) {
        self.start = start
        self.sinceStart = sinceStart
        self.sinceEpoch = sinceEpoch
        self.instant = instant
    }
}

/// A keeper's clock; tests use one that is set by hand.
public protocol KeeperClock: Sendable {
    /// The time.
    var reading: ClockReading { get }
}

/// The system's clocks.
public struct SystemClock: KeeperClock {
    private let start: String?

    /// The system's clocks.
    public init() {
        let bytes = try? FileSource(path: "/proc/sys/kernel/random/boot_id").readAll(limit: 64, name: "boot_id")
        let text = bytes.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
        start = text.flatMap { Stamp.isStart($0) ? $0 : nil }
    }

    /// The time.
    public var reading: ClockReading {
        let clocks = systemClocks()
        return ClockReading(start: start, sinceStart: clocks.sinceStart, sinceEpoch: clocks.wall, instant: .now)
    }
}

/// When something happened, so that another process can tell its age, even after a restart of the machine.
struct Stamp: Hashable, Sendable {
    let start: String?
    let sinceStart: Int64
    let sinceEpoch: Int64

    /// How far the clocks of two machines that share a store may differ.
    static let tolerance = Duration.seconds(300)

    init(_ reading: ClockReading) {
        start = reading.start
        sinceStart = reading.sinceStart.milliseconds
        sinceEpoch = reading.sinceEpoch.milliseconds
    }

    /// `START/MILLISECONDS/MILLISECONDS`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[0] == "-" || Self.isStart(parts[0]), let sinceStart = Self.number(parts[1]),
            let sinceEpoch = Self.number(parts[2])
        else { return nil }
        start = parts[0] == "-" ? nil : parts[0]
        self.sinceStart = sinceStart
        self.sinceEpoch = sinceEpoch
    }

    var text: String { "\(start ?? "-")/\(sinceStart)/\(sinceEpoch)" }

    /// How long ago it was, by the clock that gives the longer time. So a clock that was set, or a machine that
    /// was suspended, makes nothing younger. What was before the machine was started is as old as it was when first
    /// seen, and what passed since. `nil` if no clock can tell.
    func age(at now: ClockReading) -> Duration? {
        let byWall = now.sinceEpoch - .milliseconds(sinceEpoch)
        guard start != nil, start == now.start, now.sinceStart >= .milliseconds(sinceStart) else {
            let seen = now.births[self].map { now.sinceStart - $0 }
            return byWall >= .zero - Self.tolerance ? max(byWall, seen ?? .zero, .zero) : seen
        }
        return max(now.sinceStart - .milliseconds(sinceStart), byWall)
    }

    static func isStart(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { "0123456789abcdefABCDEF-".utf8.contains($0) } && text != "-"
    }

    private static func number(_ text: String) -> Int64? {
        guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
