// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that the calling program has open. It is read through a descriptor of our own, without moving the program's.
final class OpenFile: ByteSource {
    let isSeekable = true
    let size: UInt64?
    private let name: String
    private let number: Int32
    private var position: UInt64 = 0

    /// - Throws: ``EvidenceError``: `.cannotRead`, or `.noRanges` if it is not a regular file.
    init(duplicating descriptor: Int32) throws(EvidenceError) {
        name = "file descriptor \(descriptor)"
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EvidenceError(
                .noRanges, "\(name) is not a regular file, but a pipe, a folder or a device",
                hint: "append its bytes to the job instead")
        }
        let number = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw failure(name) }
        self.number = number
        size = UInt64(clamping: status.st_size)
    }

    deinit { _ = close(number) }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: count))
        var got: Int
        repeat {
            got = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(number, bytes.baseAddress?.advanced(by: before), count, off_t(clamping: position))
            }
        } while got < 0 && errno == EINTR
        let failure = failure(name)
        buffer.removeLast(count - max(got, 0))
        if got < 0 { throw failure }
        position += UInt64(got)
        return got
    }

    func seek(to offset: UInt64) { position = offset }
}

private func failure(_ name: String) -> EvidenceError { EvidenceError(.cannotRead, stream: name, errno: errno) }
