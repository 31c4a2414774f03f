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
    private let path: String

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
                self.path = path
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

    deinit {
        // Not by closing alone: a process that was begun meanwhile has the file, too, until it is another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Makes the file that is locked, an index, its owner's alone.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    func makePrivate() throws(EvidenceError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw EvidenceError(.cannotWrite, stream: path, errno: errno) }
    }
}

/// Ends the process, for a program's `main`.
package func exitProcess(_ status: Int32) -> Never { exit(status) }
