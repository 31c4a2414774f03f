// SPDX-License-Identifier: Apache-2.0
// Two kinds of input, timed in turns, and how surely their times differ: Welch's t, as dudect applies it
// (Reparaz, Balasch, Verbauwhede: Dude, is my code constant time?, 2017).

/// Something to time on two kinds of input that nobody may tell apart.
struct Comparison {
    let name: String
    /// Samples of both kinds together, for one round.
    let sampleCount: Int
    /// 64 inputs of the first kind, and 64 of the second.
    let first, second: [[UInt8]]
    /// Does the work on input `number` of either kind.
    let work: @MainActor (_ input: [UInt8], _ number: Int) -> Void

    @MainActor func run() -> Verdict {
        var random = SystemRandomNumberGenerator()
        var times: (first: [Double], second: [Double]) = ([], [])
        // The first samples warm caches and the processor up.
        for round in -sampleCount / 20..<sampleCount {
            let choice = random.next()
            let isSecond = choice & 1 == 1
            let number = Int(choice >> 1 & 63)
            // A copy in memory that was just free: where an input happens to lie must not tell the kinds apart.
            let input = (isSecond ? second : first)[number].map { $0 }
            let start = ContinuousClock.now
            work(input, number)
            let time = start.duration(to: .now) / .nanoseconds(1)
            if round < 0 { continue }
            if isSecond { times.second.append(time) } else { times.first.append(time) }
        }
        return Verdict(times.first, times.second)
    }
}

/// The outcome of a comparison.
struct Verdict {
    /// Slow samples are other processes and interrupts: everything above a percentile of all samples is cropped, for
    /// each of these percentiles, which are fixed beforehand.
    static let percentiles = [50.0, 75, 90, 95, 99, 100]

    let sampleCount: Int
    /// The largest t, whatever its sign, of all croppings, and its percentile.
    let largestT: Double
    let percentile: Double
    /// Difference of the means at that cropping, in nanoseconds.
    let difference: Double
    /// Median of all samples, in nanoseconds.
    let median: Double

    init(_ first: [Double], _ second: [Double]) {
        let all = (first + second).sorted()
        sampleCount = all.count
        median = all[all.count / 2]
        var found: (t: Double, percentile: Double, difference: Double) = (0, 100, 0)
        for percentile in Self.percentiles {
            let limit = all[min(all.count - 1, Int(Double(all.count) * percentile / 100))]
            let (one, two) = (Sample(first.filter { $0 <= limit }), Sample(second.filter { $0 <= limit }))
            // Where the kinds lie apart, cropping leaves nothing of one of them.
            guard one.count > 1, two.count > 1 else { continue }
            let error = (one.variance / one.count + two.variance / two.count).squareRoot()
            let difference = two.mean - one.mean
            let t = error > 0 ? difference / error : difference == 0 ? 0 : .infinity
            if abs(t) > abs(found.t) { found = (t, percentile, difference) }
        }
        (largestT, percentile, difference) = found
    }

    private struct Sample {
        let count, mean, variance: Double

        init(_ values: [Double]) {
            count = Double(values.count)
            let mean = values.reduce(0, +) / count
            self.mean = mean
            variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(count - 1, 1)
        }
    }
}
