// SPDX-License-Identifier: Apache-2.0
import CSystem
package import EvidenceErrors
internal import PlatformC

/// A file without a name: it disappears with this object, or with the process, however that ends.
///
/// It has mode 0600 and lies in `TMPDIR`, or `/var/tmp`. Where the file system has no nameless files it has a name
/// until just before the first byte is written.
package final class TemporaryFile {
    private let file: Descriptor

    /// Its name in messages.
    package var name: String { file.name }

    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    package convenience init() throws(EvidenceError) { try self.init(asNamed: false) }

    package init(asNamed: Bool) throws(EvidenceError) {
        let wanted = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let folder = wanted.isEmpty ? "/var/tmp" : wanted
        let name = "a temporary file in \(folder)"
        if !asNamed {
            let nameless = unsafe system_open_nameless(AT_FDCWD, folder, O_RDWR | O_EXCL, 0o600)
            if nameless >= 0 {
                file = try Self.aboveStandardStreams(nameless, name)
                return
            }
        }
        let path = folder + "/" + Folder.freshName()
        let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw EvidenceError(.cannotWrite, stream: name, errno: errno) }
        file = try Self.aboveStandardStreams(number, name)
        guard unsafe unlink(path) == 0 else { throw EvidenceError(.cannotWrite, stream: name, errno: errno) }
    }

    /// Tries whether one could be made, with something in it. That no descriptor is free says nothing about the folder,
    /// and passes.
    package static func requireFolder() throws(EvidenceError) {
        do throws(EvidenceError) {
            let file = try TemporaryFile()
            try file.write([UInt8](repeating: 0, count: 64 << 10).span)
        } catch {
            guard error.errno == EMFILE || error.errno == ENFILE else { throw error }
        }
    }

    /// In a program that runs without one of the standard streams, a new file would become that stream, and what the
    /// program prints would go into it.
    private static func aboveStandardStreams(_ number: Int32, _ name: String) throws(EvidenceError) -> Descriptor {
        let file = Descriptor(number, name: name)
        guard number <= STDERR_FILENO else { return file }
        let moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard moved >= 0 else { throw EvidenceError(.cannotWrite, stream: name, errno: errno) }
        return Descriptor(moved, name: name)
    }

    /// Appends to what was written.
    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) { try file.write(bytes) }

    /// See ``ByteSource/read(_:to:)``.
    package func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        try file.read(count, to: &buffer)
    }

    /// See ``ByteSource/seek(to:)``.
    package func seek(to offset: UInt64) throws(EvidenceError) { try file.seek(to: offset) }
}
