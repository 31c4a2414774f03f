// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// Reads bags in their order, each while the one before it is being checked: that one and the next are in memory.
final class BagsAhead {
    private let archive: Archive
    private let meter: Meter?
    private var rest: ArraySlice<Int>
    private var ahead: (number: Int, bag: Reading, thread: HelperThread)?

    init(of archive: Archive, _ numbers: [Int], _ meter: Meter?) {
        (self.archive, rest, self.meter) = (archive, numbers[...], meter)
    }

    deinit { ahead?.thread.join() }

    /// - Parameter number: the first of those that are left.
    func contents(_ number: Int) throws(EvidenceError) -> BagContents {
        let outcome: Result<BagContents, EvidenceError>?
        if let ahead = ahead.take(), ahead.number == number {
            ahead.thread.join()
            outcome = ahead.bag.outcome
        } else {
            outcome = Reading(archive, number, meter).run()
        }
        rest = rest.drop { $0 <= number }
        if let next = rest.first {
            let bag = Reading(archive, next, meter)
            // Where there can be no thread, it is read when it is its turn.
            ahead = HelperThread { bag.run() }.map { (next, bag, $0) }
        }
        guard let outcome else { throw EvidenceError(.bag, "bag \(number) was not read") }
        return try outcome.get()
    }

    /// One bag: written by the thread that reads it, and read once that has ended.
    private final class Reading: @unchecked Sendable {
        private let archive: Archive
        private let number: Int
        private let meter: Meter?
        private(set) var outcome: Result<BagContents, EvidenceError>?

        init(_ archive: Archive, _ number: Int, _ meter: Meter?) {
            (self.archive, self.number, self.meter) = (archive, number, meter)
        }

        @discardableResult
        func run() -> Result<BagContents, EvidenceError> {
            let outcome: Result<BagContents, EvidenceError>
            do throws(EvidenceError) { outcome = .success(try BagContents(archive.bag(number), meter)) } catch {
                outcome = .failure(error)
            }
            self.outcome = outcome
            return outcome
        }
    }
}
