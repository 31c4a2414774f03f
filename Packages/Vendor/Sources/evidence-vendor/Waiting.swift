// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import Dispatch
import EvidenceKit
import Synchronization

/// Does something asynchronous while the main thread waits. An `await` in `main` is no way: the main thread of an
/// asynchronous `main` takes every signal, blocked or not.
///
/// - Throws: what `work` throws. The command line was checked before, so an answer that cannot be read is no mistake of
///   the caller's, as it is for a command that reads files (`CommandSyntax.ExitStatus`).
func waiting(for work: @escaping @Sendable () async throws -> Void) throws {
    final class Ending: Sendable {
        let failure = Mutex<(any Error)?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }
    let ending = Ending()
    Task.detached {
        do { try await work() } catch { ending.failure.withLock { $0 = error } }
        ending.isThere.signal()
    }
    ending.isThere.wait()
    do { if let error = ending.failure.withLock(\.self) { throw error } } catch let error as EvidenceError
        where ![.exists, .foreignLink, .tooLarge, .refused].contains(error.code) && ExitStatus(error.code) != .system
    {
        throw CommandError(.system, "\(error)", hint: error.hint ?? hintOfVendor(error), code: error.code)
    }
}
