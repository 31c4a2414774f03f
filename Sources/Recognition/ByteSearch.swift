// SPDX-License-Identifier: Apache-2.0

// The standard library searches collections of any kind by generic code, which took longer here than all else that is
// done with a text.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Where some bytes stand first.
    func place(of word: [UInt8]) -> Range<Int>? {
        guard let first = word.first, count >= word.count else { return nil }
        for start in startIndex...(endIndex - word.count) where self[start] == first {
            if word.indices.allSatisfy({ self[start + $0] == word[$0] }) { return start..<start + word.count }
        }
        return nil
    }

    /// With others in the place of some bytes, wherever they stand.
    func exchanging(_ word: [UInt8], for other: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var start = startIndex
        while let place = self[start...].place(of: word) {
            out += self[start..<place.lowerBound]
            out += other
            start = place.upperBound
        }
        return out + self[start...]
    }
}
