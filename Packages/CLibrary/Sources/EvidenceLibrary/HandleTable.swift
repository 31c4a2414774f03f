// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The objects that C has handles of. A handle is a number that is looked up and never dereferenced, so a wrong one is
/// an error, not a crash. No number is used twice.
final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    private struct Entries {
        var next: UInt
        var objects: [UInt: Object] = [:]
    }
    private let entries: Mutex<Entries>

    /// A table whose numbers are odd or even, as the first one is: those of two tables differ.
    init(first: UInt) { entries = Mutex(Entries(next: first)) }

    func insert(_ object: Object) -> UInt {
        entries.withLock { entries in
            let number = entries.next
            entries.next += 2
            entries.objects[number] = object
            return number
        }
    }

    /// - Throws: ``Misuse`` for a number that is not, or no longer, one of this table.
    func object(_ number: UInt) throws(Misuse) -> Object {
        guard let object = entries.withLock({ $0.objects[number] }) else {
            throw Misuse(
                .handle, "the handle is NULL, was freed, or is of the other kind (a key for a job, or a job for a key)")
        }
        return object
    }

    func remove(_ number: UInt) {
        // What goes with it goes after the lock was released.
        _ = entries.withLock { $0.objects.removeValue(forKey: number) }
    }
}
