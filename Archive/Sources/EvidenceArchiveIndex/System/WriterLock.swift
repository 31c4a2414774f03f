// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The right to replace an index: a lock on its file, which the system releases when the process ends.
final class WriterLock {
    private let descriptor: Int32

    /// - Throws: ``EvidenceError``: `.archiveInUse` where another process has it, `.cannotRead`.
    init(path: String) throws(EvidenceError) {
        while true {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw EvidenceError(.cannotRead, stream: path, errno: errno) }
            let failure = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
            var (mine, there) = (stat(), stat())
            let isSame =
                unsafe fstat(descriptor, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino
                && mine.st_dev == there.st_dev
            if failure == 0 && isSame {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
            // Whoever had it replaced the file: the lock is that of the new one.
            if failure == 0 || failure == EINTR { continue }
            guard failure == EWOULDBLOCK else { throw EvidenceError(.cannotRead, stream: path, errno: failure) }
            throw EvidenceError(
                .archiveInUse, "another process is writing the index",
                hint: "try again when it is done: an index has one writer at a time")
        }
    }

    deinit { close(descriptor) }
}

/// Disables core dumps, which could contain a key, and turns the signals for a closed pipe and for a file size limit
/// into errors of `write`: for a program's `main`.
package func hardenProcess() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
        unsafe setrlimit(RLIMIT_CORE, &none)
    #endif
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
}

/// Ends the process, for a program's `main`.
package func exitProcess(_ status: Int32) -> Never { exit(status) }
