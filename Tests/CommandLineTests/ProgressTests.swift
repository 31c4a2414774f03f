// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import Testing

/// What a bar says at each width of a terminal.
@Suite struct ProgressTests {
    private let videos = ProgressLine(share: 0.42, amount: .bytes(42_000_000, of: 100_000_000), seconds: 10)

    @Test(arguments: [
        (79, "[############..................] 42 % of 100.0 MB, 4.2 MB/s, 14 s left"),
        (65, "[##########...............] 42 % of 100.0 MB, 4.2 MB/s, 14 s left"),
        (50, "[####......] 42 % of 100.0 MB, 4.2 MB/s, 14 s left"),
        (49, "42 % of 100.0 MB, 4.2 MB/s, 14 s left"), (36, "42 %, 4.2 MB/s, 14 s left"),
        (35, "42 %, 4.2 MB/s, 14 s left"), (24, "42 %, 14 s left"), (19, "42 %, 14 s left"), (5, "42 %"), (1, "42 %"),
    ]) func aNarrowTerminalGetsLess(_ columns: Int, _ text: String) { #expect(videos.text(columns: columns) == text) }

    /// Never longer than the terminal is wide, whatever is read.
    @Test func itIsAlwaysOneLine() {
        for columns in 19...120 {
            for share in [nil, 0, 0.001, 0.5, 1] as [Double?] {
                for seconds in [0.5, 3, 90_000] {
                    for amount in [
                        ProgressLine.Amount.bytes(.max / 2, of: share == nil ? nil : .max), .bytes(0, of: nil),
                        .things(9_999_999, "results"),
                    ] {
                        let line = ProgressLine(share: share, amount: amount, seconds: seconds).text(columns: columns)
                        // Only a number that no file has is longer.
                        #expect(line.utf8.count <= columns || line.hasPrefix("9223372036854."), "\(columns): \(line)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (2.9, "50 %, 12 lines, 4.1/s"), (3.0, "50 %, 12 lines, 4.0/s, 3 s left"),
        (60.0, "50 %, 12 lines, 0.2/s, 1:00 left"), (3_723.0, "50 %, 12 lines, 0.0/s, 1:02:03 left"),
        (1e9, "50 %, 12 lines, 0.0/s"),
    ]) func theTimeLeftIsSaidOnceItIsKnown(_ seconds: Double, _ text: String) {
        let line = ProgressLine(share: 0.5, amount: .things(12, "lines"), seconds: seconds)
        #expect(line.text(columns: 79).hasSuffix("] " + text))
    }

    @Test func withoutASizeThereIsNoShare() {
        let line = ProgressLine(share: nil, amount: .things(120, "lines"), seconds: 10)
        #expect(line.text(columns: 79) == "120 lines, 12/s")
        let bytes = ProgressLine(share: nil, amount: .bytes(2_500_000, of: nil), seconds: 1)
        #expect(bytes.text(columns: 19) == "2.5 MB, 2.5 MB/s")
    }
}
