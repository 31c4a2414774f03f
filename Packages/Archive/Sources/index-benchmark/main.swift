// SPDX-License-Identifier: Apache-2.0
// index-benchmark ARCHIVE INDEX KEY COUNT: what look-ups cost in a process that has the index open. The archive's own
// records are of the orders order0, order1 and so on, COUNT of them, and refused: Benchmarks/index.py makes it.
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[4]) else { exitProcess(2) }
let (path, key) = (words[2], try RSAPrivateKey(contentsOf: words[3]))
let archive = try Archive(path: words[1])
let clock = ContinuousClock()

func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

/// Two decimals, without Foundation.
func text(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100)." + String(String(100 + hundredths % 100).dropFirst())
}

func say(_ text: String) throws {
    let bytes = Array((text + "\n").utf8)
    try DescriptorDestination(descriptor: 1, name: "standard output").write(bytes.span)
}

var opening: [Double] = []
for _ in 0..<5 {
    opening.append(milliseconds(try clock.measure { _ = try ArchiveIndex(path: path, of: archive, openedBy: key) }))
}
let index = try ArchiveIndex(path: path, of: archive, openedBy: key)
var first = ArchiveQuery()
first.order = try OrderNumber("order0")
let warm = milliseconds(try clock.measure { _ = try index.find(first) })
try say("open \(text(opening.sorted()[2])) ms, first look-up by order \(text(warm)) ms")

/// Median, 99th percentile and longest of many look-ups.
func measure(_ name: String, _ wanted: Int?, _ make: (Int) throws -> ArchiveQuery) throws {
    var times: [Double] = []
    for number in 0..<2_000 {
        let query = try make(number)
        let begun = clock.now
        let answer = try index.find(query)
        times.append(milliseconds(clock.now - begun))
        guard wanted == nil || answer.records.count == wanted else { exitProcess(1) }
    }
    times.sort()
    try say("| \(name) | \(text(times[1_000])) | \(text(times[1_980])) | \(text(times[1_999])) |")
}

var everything = ArchiveQuery()
everything.verdict = .fails
everything.limit = 10_000
let kept = try index.find(everything).records
guard kept.count == count else { exitProcess(1) }
try say("| look-up | median ms | p99 ms | longest ms |\n| --- | --: | --: | --: |")
try measure("an order that is there", 1) { number in
    var query = ArchiveQuery()
    query.order = try OrderNumber("order\(number * 7 % count)")
    return query
}
try measure("an order that is not", 0) { number in
    var query = ArchiveQuery()
    query.order = try OrderNumber("none\(number)")
    return query
}
for limit in [1, 10, 100] {
    try measure("the first \(limit) of an interval", limit) { number in
        var query = ArchiveQuery()
        query.from = kept[number * 7 % (count - limit)].time
        query.until = kept[count - 1].time
        query.limit = limit
        return query
    }
    try measure("the first \(limit) of a verdict since a moment", nil) { number in
        var query = ArchiveQuery()
        query.verdict = .fails
        query.from = kept[number * 7 % (count - limit)].time
        query.limit = limit
        return query
    }
}
