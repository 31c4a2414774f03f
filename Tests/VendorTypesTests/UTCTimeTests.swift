// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing
import VendorTypes

/// Moments as Foundation's calendar has them.
@Suite struct UTCTimeTests {
    @Test func textAndNumberSayTheSame() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var generator = SeededGenerator(seed: 3339)
        for _ in 0..<2_000 {
            // From 1583 on, when Foundation's calendar and the proleptic one are the same.
            let milliseconds = Int64.random(in: -12_212_553_600_000...253_402_300_799_999, using: &generator)
            let time = try #require(UTCTime(millisecondsSince1970: milliseconds))
            #expect(UTCTime("\(time)") == time)
            let date = try #require(formatter.date(from: "\(time)"))
            #expect(abs(date.timeIntervalSince1970 * 1_000 - Double(milliseconds)) < 1)
        }
        #expect(UTCTime("0001-01-01T00:00:00.000Z")?.millisecondsSince1970 == -62_135_596_800_000)
        #expect(UTCTime("1970-01-01T00:00:00.000Z")?.millisecondsSince1970 == 0)
        #expect(UTCTime("9999-12-31T23:59:59.999Z")?.millisecondsSince1970 == 253_402_300_799_999)
        #expect(UTCTime(millisecondsSince1970: -62_135_596_800_001) == nil)
        #expect(UTCTime(millisecondsSince1970: 253_402_300_800_000) == nil)
        #expect(UTCTime(secondsSince1970: -0.0005)?.description == "1969-12-31T23:59:59.999Z")
        #expect(UTCTime(secondsSince1970: .nan) == nil && UTCTime(secondsSince1970: 1e300) == nil)
    }

    @Test(arguments: [
        "", "2026-11-21T08:30:00Z", "2026-11-21t08:30:00.000Z", "2026-11-21T08:30:00.000z", "2026-02-29T00:00:00.000Z",
        "1900-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z", "2026-01-00T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z", "2016-12-31T23:59:60.000Z", "0000-01-01T00:00:00.000Z",
        "2026-11-21T08:30:00.000+00:00", "２026-11-21T08:30:00.000Z",
    ])
    func whatIsNoMomentIsRefused(_ text: String) { #expect(UTCTime(text) == nil) }

    @Test func leapDaysExist() {
        #expect(UTCTime("2024-02-29T00:00:00.000Z") != nil && UTCTime("2000-02-29T00:00:00.000Z") != nil)
    }

    /// Both sides of each month's and each leap year's end.
    @Test(arguments: [
        ("2023-02-28T23:59:59.999Z", "2023-03-01T00:00:00.000Z"),
        ("2024-02-28T23:59:59.999Z", "2024-02-29T00:00:00.000Z"),
        ("2100-02-28T23:59:59.999Z", "2100-03-01T00:00:00.000Z"),
        ("2000-02-29T23:59:59.999Z", "2000-03-01T00:00:00.000Z"),
        ("2026-04-30T23:59:59.999Z", "2026-05-01T00:00:00.000Z"),
        ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"),
        ("0004-12-31T23:59:59.999Z", "0005-01-01T00:00:00.000Z"),
    ]) func aDayFollowsAnother(_ last: String, _ first: String) throws {
        let (before, after) = (try #require(UTCTime(last)), try #require(UTCTime(first)))
        #expect(before < after && after.millisecondsSince1970 - before.millisecondsSince1970 == 1)
        #expect(UTCTime(millisecondsSince1970: after.millisecondsSince1970 - 1)?.description == last)
        #expect(UTCTime(millisecondsSince1970: before.millisecondsSince1970 + 1)?.description == first)
    }

    /// Cut, not rounded: a moment is never later than it was.
    @Test(arguments: [
        (0.9999, "1970-01-01T00:00:00.999Z"), (1.0, "1970-01-01T00:00:01.000Z"), (-0.0001, "1969-12-31T23:59:59.999Z"),
        (1_795_249_800.123_9, "2026-11-21T08:30:00.123Z"),
    ]) func secondsAreCutToTheMillisecond(_ seconds: Double, _ text: String) {
        #expect(UTCTime(secondsSince1970: seconds)?.description == text)
    }
}
