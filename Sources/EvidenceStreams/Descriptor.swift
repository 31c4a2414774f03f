// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import PlatformC

/// An open file, closed when its last owner releases it: the only place that reads and writes through the system.
final class Descriptor: Sendable {
    let number: Int32
    /// Its name in messages.
    let name: String
    private let closes: Bool

    init(_ number: Int32, name: String, closes: Bool = true) {
        self.number = number
        self.name = name
        self.closes = closes
    }

    deinit {
        if closes { _ = close(number) }
    }

    /// Opens a path, relative to the working folder or to an open one.
    ///
    /// - Parameter name: what it is called in messages, if not by that path.
    convenience init(
        opening path: String, from folder: Int32 = AT_FDCWD, named name: String? = nil, flags: Int32,
        code: EvidenceError.Code
    ) throws(EvidenceError) {
        // The system would take the part before the NUL for the whole name.
        if path.utf8.contains(0) { throw EvidenceError(code, stream: path, errno: EINVAL) }
        var number: Int32
        repeat { number = unsafe openat(folder, path, flags | O_CLOEXEC) } while number < 0 && errno == EINTR
        guard number >= 0 else {
            let failure = errno
            throw EvidenceError(failure == EEXIST ? .exists : code, stream: path, errno: failure)
        }
        self.init(number, name: name ?? path)
    }

    /// A descriptor that our caller opened for us. One of our own is refused, since the caller cannot mean it: all of
    /// ours are closed on exec.
    convenience init(inherited number: Int32, name: String, code: EvidenceError.Code) throws(EvidenceError) {
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else { throw EvidenceError(code, stream: name, errno: EBADF) }
        self.init(number, name: name, closes: false)
    }

    var status: stat {
        get throws(EvidenceError) {
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else {
                throw EvidenceError(.cannotRead, stream: name, errno: errno)
            }
            return status
        }
    }

    func requireRegular(_ code: EvidenceError.Code) throws(EvidenceError) { try requireRegular(code, status) }

    func requireRegular(_ code: EvidenceError.Code, _ status: stat) throws(EvidenceError) {
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw EvidenceError(
                code, stream: name, errno: kind == S_IFDIR ? EISDIR : EINVAL,
                because: kind == S_IFDIR ? nil : Self.isNotRegular)
        }
    }

    static let isNotRegular = "it is not a regular file"

    /// Appends at most `count` bytes to `buffer`; 0 only at the end.
    ///
    /// - Parameter offset: their position; `nil` to continue where the last read ended.
    func read(_ count: Int, at offset: UInt64? = nil, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        var failure: Int32 = 0
        let before = buffer.count
        buffer.append(addingCapacity: count) { out in
            unsafe out.withUnsafeMutableBufferPointer { memory, initialized in
                var got: Int
                repeat {
                    if let offset {
                        got = unsafe pread(number, memory.baseAddress, count, off_t(clamping: offset))
                    } else {
                        got = unsafe PlatformC.read(number, memory.baseAddress, count)
                    }
                } while got < 0 && errno == EINTR
                if got < 0 { failure = errno }
                initialized = max(got, 0)
            }
        }
        guard failure == 0 else { throw EvidenceError(.cannotRead, stream: name, errno: failure) }
        return buffer.count - before
    }

    /// Writes all of `bytes`.
    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        let failure = unsafe bytes.withUnsafeBytes { memory -> Int32 in
            var written = 0
            while written < memory.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: memory[written...])
                let count = unsafe PlatformC.write(number, rest.baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                // No file returns 0 here; one that did would loop for ever.
                if count == 0 { return EIO }
                written += count
            }
            return 0
        }
        guard failure == 0 else { throw EvidenceError(.cannotWrite, stream: name, errno: failure) }
    }

    func seek(to offset: UInt64) throws(EvidenceError) {
        guard lseek(number, off_t(clamping: offset), SEEK_SET) >= 0 else {
            throw EvidenceError(.cannotRead, stream: name, errno: errno)
        }
    }

    /// Waits until what was written is on the disk. What cannot be synced (a pipe, a terminal) needs no sync.
    func sync() throws(EvidenceError) {
        while fsync(number) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, EROFS, ENOTSUP: return
            default: throw EvidenceError(.cannotWrite, stream: name, errno: errno)
            }
        }
    }
}

extension Span<UInt8> {
    /// The first position of a byte, from the given index on.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe withUnsafeBytes { memory in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: memory[start...])
            guard let base = rest.baseAddress, let found = unsafe memchr(base, Int32(byte), rest.count) else {
                return nil
            }
            return unsafe start + base.distance(to: found)
        }
    }
}
