// SPDX-License-Identifier: Apache-2.0

/// Which earlier bag a bag names besides the one before it, so that a path from a late bag to an early one is short:
/// `docs/ARCHIVE.md` §1.4.
package enum BagSkips {
    /// The bag that a bag names besides the one before it; `nil` where it names no other.
    ///
    /// The bag's number is written greedily as a sum of numbers 2^k − 1, of which the last is the width of its step.
    package static func target(of number: Int) -> Int? {
        var (rest, width) = (number, 0)
        while rest > 0 {
            width = 1
            while 2 * width + 1 <= rest { width = 2 * width + 1 }
            rest -= width
        }
        return 1 < width && width < number ? number - width : nil
    }

    /// The bags from a later one down to an earlier one, both included, each of which names the next.
    package static func path(from later: Int, to earlier: Int) -> [Int] {
        var path = [later]
        var number = later
        while number > earlier {
            let target = target(of: number)
            number = target.map { $0 >= earlier ? $0 : number - 1 } ?? number - 1
            path.append(number)
        }
        return path
    }
}
