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

/// A file that the calling program has open, read by a descriptor of our own. The program's place in it stays.
final class OpenFile: ByteSource {
    let isSeekable: Bool
    let size: UInt64?
    private let number: Int32
    private var position: UInt64 = 0

    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    init(duplicating descriptor: Int32) throws(EvidenceError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure }
        let number = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard number >= 0 else { throw Self.failure }
        self.number = number
        isSeekable = status.st_mode & S_IFMT == S_IFREG
        size = isSeekable ? UInt64(status.st_size) : nil
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
        let failure = Self.failure
        buffer.removeLast(count - max(got, 0))
        if got < 0 { throw failure }
        position += UInt64(got)
        return got
    }

    func seek(to offset: UInt64) { position = offset }

    private static var failure: EvidenceError { EvidenceError(.cannotRead, stream: "the file", errno: errno) }
}
