// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit

/// What a keeper goes by: three clocks, read at one moment.
public struct ClockReading: Sendable {
    /// Which start of which machine: times since it can only be compared with others of the same. `nil` where the
    /// system does not say.
    public let start: String?
    /// Since that start. It runs while the machine sleeps, and nobody sets it.
    public let sinceStart: Duration
    /// Since 1970, as the machine's clock has it. It can be set, forward and back.
    public let sinceEpoch: Duration
    /// What tickets of this process live by.
    public let instant: ContinuousClock.Instant

    /// A reading.
    public init(start: String?, sinceStart: Duration, sinceEpoch: Duration, instant: ContinuousClock.Instant) {
        self.start = start
        self.sinceStart = sinceStart
        self.sinceEpoch = sinceEpoch
        self.instant = instant
    }
}

/// What tells a keeper the time; a test gives one that it sets by hand.
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

/// When something happened, so that another process can tell its age, after a restart of the machine, too.
struct Stamp: Equatable, Sendable {
    let start: String?
    let sinceStart: Int64
    let sinceEpoch: Int64

    /// How far the clocks of two machines that share a store may be apart.
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

    /// How long ago it was: what the clock says that says it was longer ago. So a clock that was set, or a machine that
    /// was frozen and thawed, makes nothing younger. `nil` where no clock can tell.
    func age(at now: ClockReading) -> Duration? {
        let byWall = now.sinceEpoch - .milliseconds(sinceEpoch)
        guard start != nil, start == now.start, now.sinceStart >= .milliseconds(sinceStart) else {
            return byWall >= .zero - Self.tolerance ? max(byWall, .zero) : nil
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
