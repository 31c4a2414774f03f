// SPDX-License-Identifier: Apache-2.0
/// A time in UTC, to the millisecond, as in `capturedAt`: `2026-11-21T08:30:00.000Z` (RFC 3339 §5.6, one form of
/// it).
public struct UTCTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted; before it, negative.
    public let millisecondsSince1970: Int64

    /// A time in the years 0001 to 9999, or `nil` outside of them.
    public init?(millisecondsSince1970 milliseconds: Int64) {
        guard (Self.first...Self.last).contains(milliseconds) else { return nil }
        millisecondsSince1970 = milliseconds
    }

    /// The time of Foundation's `Date().timeIntervalSince1970`, cut to the millisecond; `nil` outside of the years
    /// 0001 to 9999.
    public init?(secondsSince1970 seconds: Double) {
        guard let milliseconds = Int64(exactly: (seconds * 1_000).rounded(.down)) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    /// An existing time in exactly the form `YYYY-MM-DDThh:mm:ss.sssZ`; else `nil`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.form.count else { return nil }
        for (byte, wanted) in zip(bytes, Self.form) {
            let isRight = wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
            guard isRight else { return nil }
        }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { 10 * $0 + Int($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = Self.days(before: year, month) + day - 1
        let seconds = ((days - Self.daysBefore1970) * 24 + hour) * 3_600 + minute * 60 + second
        millisecondsSince1970 = Int64(seconds * 1_000 + number(20..<23))
    }

    /// The time as text.
    public var description: String {
        let (days, rest) = Self.quotient(millisecondsSince1970, 86_400_000)
        var left = days + Self.daysBefore1970
        // A year is at most 366 days long, so this is at most a few years too early.
        var year = left / 366 + 1
        while Self.days(before: year + 1, 1) <= left { year += 1 }
        left -= Self.days(before: year, 1)
        var month = 1
        while left >= Self.days(in: month, of: year) {
            left -= Self.days(in: month, of: year)
            month += 1
        }
        let (seconds, milliseconds) = (rest / 1_000, rest % 1_000)
        return Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-" + Self.digits(left + 1, 2) + "T"
            + Self.digits(seconds / 3_600, 2) + ":" + Self.digits(seconds / 60 % 60, 2) + ":"
            + Self.digits(seconds % 60, 2) + "." + Self.digits(milliseconds, 3) + "Z"
    }

    /// The earlier one first.
    public static func < (left: UTCTime, right: UTCTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    // MARK: - The calendar

    private static let form = Array("0000-00-00T00:00:00.000Z".utf8)
    private static let daysBefore1970 = days(before: 1970, 1)
    private static let first = Int64(-daysBefore1970) * 86_400_000
    private static let last = Int64(days(before: 10_000, 1) - daysBefore1970) * 86_400_000 - 1

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 0001-01-01 to the first of a month.
    private static func days(before year: Int, _ month: Int) -> Int {
        let past = year - 1
        return (1..<month).reduce(past * 365 + past / 4 - past / 100 + past / 400) { $0 + days(in: $1, of: year) }
    }

    /// Divides rounding down, so that the remainder is never negative.
    private static func quotient(_ number: Int64, _ divisor: Int64) -> (Int, Int) {
        let rest = (number % divisor + divisor) % divisor
        return (Int((number - rest) / divisor), Int(rest))
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: count - text.count) + text
    }
}
