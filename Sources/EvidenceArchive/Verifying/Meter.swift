// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Counts the bytes that a verification reads.
final class Meter: Sendable {
    private let done = Atomic<UInt64>(0)
    private let total: UInt64
    private let report: @Sendable (_ done: UInt64, _ total: UInt64) -> Void

    init(total: UInt64, _ report: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void) {
        (self.total, self.report) = (total, report)
    }

    func add(_ byteCount: UInt64) {
        report(done.wrappingAdd(byteCount, ordering: .relaxed).newValue, total)
    }
}
