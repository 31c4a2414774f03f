// SPDX-License-Identifier: Apache-2.0
// System calls: the only place of this module with pointers.
internal import EvidenceKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An open file, closed when destroyed.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // What may be locked: a process that was begun meanwhile has the file, too, until it is another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Opens a file for reading, which only this user may own and read; `nil` if there is none.
    ///
    /// - Throws: `.ticketStore`.
    static func ofOwner(_ path: String) throws(EvidenceError) -> OpenFile? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP {
                throw EvidenceError(
                    .ticketStore, "\(path) is a symbolic link", hint: "give the path of the file itself")
            }
            throw failure("cannot open \(path)", errno)
        }
        let file = OpenFile(descriptor)
        let status = try file.status(path)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EvidenceError(.ticketStore, "\(path) is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw EvidenceError(
                .ticketStore, "\(path) belongs to another user",
                hint: "run every process that shares it as the same user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw EvidenceError(
                .ticketStore, "\(path) can be read or written by others",
                hint: "run chmod 600 on it; if others have used this machine, also change the secret")
        }
        return file
    }

    /// Opens and locks a file for this process; `nil` if another process has the lock.
    ///
    /// The lock belongs to the open file, so it is released when the process ends, however it ends.
    ///
    /// - Throws: `.ticketStore`.
    static func locked(_ path: String) throws(EvidenceError) -> OpenFile? {
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600 as mode_t)
            guard descriptor >= 0 else {
                if errno == ELOOP {
                    throw EvidenceError(.ticketStore, "the lock \(path) is a symbolic link", hint: "remove the link")
                }
                throw failure("cannot open the lock \(path)", errno)
            }
            let file = OpenFile(descriptor)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                if errno == EWOULDBLOCK { return nil }
                if errno == EINTR { continue }
                throw failure("cannot lock \(path)", errno)
            }
            // Deleting the file does not release its holder's lock.
            let mine = try file.status(path)
            var there = stat()
            if unsafe lstat(path, &there) == 0, there.st_ino == mine.st_ino, there.st_dev == mine.st_dev { return file }
        }
    }

    /// Makes a folder that only this user may enter, unless it is there.
    ///
    /// - Throws: `.ticketStore`, also for one that others may enter or that another user owns.
    static func requirePrivateFolder(_ path: String) throws(EvidenceError) {
        if unsafe mkdir(path, 0o700 as mode_t) != 0, errno != EEXIST { throw failure("cannot make \(path)", errno) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw failure("cannot open the folder \(path)", errno) }
        let status = try OpenFile(descriptor).status(path)
        guard status.st_uid == geteuid() else {
            throw EvidenceError(
                .ticketStore, "the folder \(path) belongs to another user",
                hint: "run what keeps it and what reads it as the same user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw EvidenceError(
                .ticketStore, "the folder \(path) can be entered by others", hint: "run chmod 700 on it")
        }
    }

    private func status(_ path: String) throws(EvidenceError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("cannot examine \(path)", errno) }
        return status
    }

    private static func failure(_ what: String, _ number: Int32) -> EvidenceError {
        EvidenceError(.ticketStore, "\(what): \(unsafe String(cString: strerror(number)))")
    }
}

/// The system's two clocks: since 1970 and since boot.
func systemClocks() -> (wall: Duration, sinceStart: Duration) {
    #if os(Linux)
        let clock = CLOCK_BOOTTIME
    #else
        let clock = CLOCK_MONOTONIC
    #endif
    var (wall, start) = (timespec(), timespec())
    unsafe clock_gettime(CLOCK_REALTIME, &wall)
    unsafe clock_gettime(clock, &start)
    func duration(_ time: timespec) -> Duration {
        .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    return (duration(wall), duration(start))
}

/// Keeps requests to this machine, which are not encrypted, away from the environment's proxy.
public func keepLoopbackFromProxies() {
    let there = unsafe getenv("no_proxy").map { unsafe String(cString: $0) + "," } ?? ""
    unsafe setenv("no_proxy", there + "localhost,127.0.0.1", 1)
}

/// Keeps Foundation from making folders for caches and cookies in the user's home, which nothing here uses. For a
/// program's `main`.
public func keepHomeClean() {
    for name in ["XDG_CACHE_HOME", "XDG_DATA_HOME"] { unsafe setenv(name, "/dev/null/none", 1) }
}
