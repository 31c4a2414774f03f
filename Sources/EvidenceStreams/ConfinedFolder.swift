// SPDX-License-Identifier: Apache-2.0
import CSystem
package import EvidenceErrors
internal import PlatformC

/// An open folder that never leads outside: entries are opened by single names, symbolic links are not
/// followed, and only regular files are read.
///
/// So a folder that a stranger made cannot lead elsewhere, even if it is changed meanwhile.
package final class ConfinedFolder: Sendable {
    let descriptor: Descriptor

    /// Its name in messages.
    package var name: String { descriptor.name }

    /// Opens a folder by its path, following links: the caller is trusted.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package init(path: String) throws(EvidenceError) {
        descriptor = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY, code: .cannotRead)
    }

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// Splits the path of something new into its folder and its name.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    package static func place(of path: String) throws(EvidenceError) -> (folder: ConfinedFolder, name: String) {
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(trimmed[trimmed.utf8.index(after: $0)...]) } ?? String(trimmed)
        if name.isEmpty || name == "." || name == ".." {
            throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR)
        }
        do throws(EvidenceError) {
            return (try ConfinedFolder(path: slash.map { String(trimmed[...$0]) } ?? "."), name)
        } catch { throw EvidenceError(.cannotWrite, stream: path, errno: error.errno) }
    }

    /// The folder in which a ``WholeFile`` of that path will be, whether or not it replaces another.
    ///
    /// - Throws: ``EvidenceError``: `.foreignLink` or `.cannotWrite`.
    package static func ofFile(at path: String) throws(EvidenceError) -> ConfinedFolder {
        ConfinedFolder(try FilePlace(of: path, followingLinks: true).folder.descriptor)
    }

    /// What a name in a folder refers to.
    package enum Kind: Sendable {
        case file, folder
        /// A link, a FIFO, a socket or a device.
        case other
    }

    // MARK: - Looking

    /// What a name refers to; `nil` for nothing.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`) if the system cannot tell.
    package func kind(of name: String) throws(EvidenceError) -> Kind? {
        var status = stat()
        guard isSingle(name), unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let failure = isSingle(name) ? errno : EINVAL
            if failure == ENOENT { return nil }
            throw EvidenceError(.cannotRead, stream: path(name), errno: failure)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// A name in a folder, and what it stands for.
    package struct Entry: Sendable {
        package let name: [UInt8]
        package let kind: Kind
    }

    /// All names in it, as bytes and in their order, with what each stands for.
    ///
    /// - Throws: ``EvidenceError``: `.cannotRead`, or `.tooLarge` beyond the limit.
    package func listing(limit: Int) throws(EvidenceError) -> [Entry] {
        // A descriptor of its own, since reading moves the place in it.
        let copy = unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let folder = unsafe fdopendir(copy) else {
            let failure = errno
            if copy >= 0 { close(copy) }
            throw EvidenceError(.cannotRead, stream: name, errno: failure)
        }
        defer { unsafe closedir(folder) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                guard errno == 0 else { throw EvidenceError(.cannotRead, stream: name, errno: errno) }
                break
            }
            let bytes = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                    unsafe Array(
                        UnsafeBufferPointer(
                            start: bytes,
                            count: strlen(
                                UnsafeRawPointer(bytes)
                                    .assumingMemoryBound(to: CChar.self))))
                }
            }
            if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
            // DT_REG and DT_DIR, which have these numbers everywhere; a file system that does not say is asked.
            switch unsafe entry.pointee.d_type {
            case 8: entries.append(Entry(name: bytes, kind: .file))
            case 4: entries.append(Entry(name: bytes, kind: .folder))
            case 0:
                let text = String(validating: bytes, as: UTF8.self)
                entries.append(
                    Entry(
                        name: bytes,
                        kind: try text.flatMap { text throws(EvidenceError) in try kind(of: text) } ?? .other))
            default: entries.append(Entry(name: bytes, kind: .other))
            }
            guard entries.count <= limit else { throw EvidenceError(.tooLarge, stream: name) }
        }
        return entries.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    /// The same without what they stand for.
    package func names(limit: Int) throws(EvidenceError) -> [[UInt8]] { try listing(limit: limit).map(\.name) }

    /// Bytes of a regular file; `nil` where there is none of that name.
    package func size(of name: String) -> UInt64? {
        var status = stat()
        guard isSingle(name), unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return UInt64(status.st_size)
    }

    /// Whether it is, or is in, a folder such as is wanted, at any depth.
    package func isWithinFolder(
        where isWanted: (ConfinedFolder) throws(EvidenceError) -> Bool
    ) throws(EvidenceError) -> Bool {
        var (current, identity) = (descriptor, try FileIdentity(descriptor.status))
        while try !isWanted(ConfinedFolder(current)) {
            let number = system_open_above(current.number)
            guard number >= 0 else { throw EvidenceError(.cannotRead, stream: path(".."), errno: errno) }
            let above = Descriptor(number, name: path(".."))
            let next = try FileIdentity(above.status)
            // The root is its own parent.
            if next == identity { return false }
            (current, identity) = (above, next)
        }
        return true
    }

    // MARK: - Going and reading

    /// A folder in it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also for a link.
    package func folder(_ name: String) throws(EvidenceError) -> ConfinedFolder {
        ConfinedFolder(try open(name, O_RDONLY | O_DIRECTORY, code: .cannotRead))
    }

    /// A folder in it; `nil` where no folder has that name, not even when it is opened.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package func existingFolder(_ name: String) throws(EvidenceError) -> ConfinedFolder? {
        guard try kind(of: name) == .folder else { return nil }
        do throws(EvidenceError) { return try folder(name) } catch {
            // Somebody renamed it in between.
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }

    /// Opens a regular file in it for reading.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also if it is not a regular file.
    package func source(_ name: String) throws(EvidenceError) -> FileSource {
        // A device is not even opened, since that can have effects.
        if try kind(of: name) == .other { throw EvidenceError(.cannotRead, stream: path(name), errno: EINVAL) }
        let file = try open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        guard try file.status.st_mode & S_IFMT == S_IFREG else {
            throw EvidenceError(.cannotRead, stream: path(name), errno: EINVAL)
        }
        return try FileSource(file)
    }

    /// Hands out the bytes of a regular file that ``listing(limit:)`` just named as one: those that it has when it is
    /// opened, however it grows meanwhile.
    ///
    /// - Parameters:
    ///   - buffer: to be used again for the next file.
    ///   - isWanted: whether a file of a size is read at all.
    ///   - body: gets each block.
    /// - Returns: the size.
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also for what is no regular file, or what `body` throws.
    @discardableResult
    package func read(
        listed name: String, through buffer: inout [UInt8], if isWanted: (UInt64) -> Bool = { _ in true },
        _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) -> UInt64 {
        let file = try open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        let status = try file.status
        try file.requireRegular(.cannotRead, status)
        let size = UInt64(status.st_size)
        guard isWanted(size) else { return size }
        var rest = size
        while rest > 0 {
            buffer.removeAll(keepingCapacity: true)
            // A small file gets a small buffer.
            let count = try file.read(Int(min(rest, UInt64(chunkByteCount))), to: &buffer)
            if count == 0 { break }
            rest -= UInt64(count)
            try body(buffer.span)
        }
        return size
    }

    // MARK: - Changing

    /// A new folder in it, mode 0700.
    ///
    /// - Throws: ``EvidenceError``: `.exists` or `.cannotWrite`.
    package func makeFolder(_ name: String) throws(EvidenceError) -> ConfinedFolder {
        try change(name) { () in unsafe mkdirat(descriptor.number, name, 0o700) }
        // A umask can take the owner's own rights away.
        _ = unsafe fchmodat(descriptor.number, name, 0o700, 0)
        return try folder(name)
    }

    /// A folder in it, made where it is missing.
    package func folderMadeIfMissing(_ name: String) throws(EvidenceError) -> ConfinedFolder {
        do throws(EvidenceError) { return try makeFolder(name) } catch {
            guard error.code == .exists else { throw error }
            return try folder(name)
        }
    }

    /// A new file in it, mode 0600, which remains even if the writer fails.
    ///
    /// - Throws: ``EvidenceError``: `.exists` or `.cannotWrite`.
    package func create(_ name: String) throws(EvidenceError) -> NewFile {
        let file = try open(name, O_WRONLY | O_CREAT | O_EXCL, code: .cannotWrite)
        _ = fchmod(file.number, 0o600)
        return NewFile(file)
    }

    /// Renames an entry, in the same folder or into another; an existing entry is never replaced.
    ///
    /// - Throws: ``EvidenceError``: `.exists` or `.cannotWrite`.
    package func rename(
        _ name: String, to newName: String, in other: ConfinedFolder? = nil
    ) throws(EvidenceError) {
        let target = other ?? self
        // The names in archives are random, or counted under a lock.
        guard try target.kind(of: newName) == nil else {
            throw EvidenceError(.exists, stream: target.path(newName), errno: EEXIST)
        }
        try change(name) { () in
            unsafe renameat(descriptor.number, name, target.descriptor.number, newName)
        }
    }

    /// Moves a file to another folder, where it replaces the one of its name, or of another one.
    package func replace(
        _ name: String, in other: ConfinedFolder, as newName: String? = nil
    ) throws(EvidenceError) {
        try change(name) { () in unsafe renameat(descriptor.number, name, other.descriptor.number, newName ?? name) }
    }

    /// Removes a file; does nothing if there is none.
    package func remove(_ name: String) throws(EvidenceError) {
        try change(name, ignoring: ENOENT) { () in unsafe unlinkat(descriptor.number, name, 0) }
    }

    /// Destroys the end of a file: overwrites it with zeros in place, and then cuts it off. Each is on the disk before
    /// the next is begun, and none needs free space. Does nothing to a file that is not longer.
    ///
    /// - Returns: `false` where the file has other names (hard links), which would lose their end as well: nothing was
    ///   done.
    /// - Throws: ``EvidenceError`` (`.cannotWrite`), also for what is no regular file.
    package func destroyEnd(of name: String, after byteCount: UInt64) throws(EvidenceError) -> Bool {
        let file = try open(name, O_RDWR | O_NOCTTY | O_NONBLOCK, code: .cannotWrite)
        try file.requireRegular(.cannotWrite)
        let status = try file.status
        let (size, start) = (status.st_size, off_t(byteCount))
        guard size > start else { return true }
        guard status.st_nlink == 1 else { return false }
        guard lseek(file.number, start, SEEK_SET) == start else {
            throw EvidenceError(.cannotWrite, stream: path(name), errno: errno)
        }
        let zeros = [UInt8](repeating: 0, count: chunkByteCount)
        var rest = Int(size - start)
        while rest > 0 {
            let count = min(rest, zeros.count)
            try file.write(zeros.span.extracting(..<count))
            rest -= count
        }
        try file.sync()
        var outcome: Int32
        repeat { outcome = ftruncate(file.number, start) } while outcome != 0 && errno == EINTR
        guard outcome == 0 else { throw EvidenceError(.cannotWrite, stream: path(name), errno: errno) }
        try file.sync()
        return true
    }

    /// Removes a folder with its files and folders, to the given depth; does nothing if there is none.
    package func removeFolder(_ name: String, depth: Int = 2) throws(EvidenceError) {
        guard let kind = try kind(of: name) else { return }
        guard kind == .folder else { return try remove(name) }
        let inner = try folder(name)
        for entry in try inner.names(limit: .max) {
            guard let entry = String(validating: entry, as: UTF8.self), depth > 0 else {
                throw EvidenceError(.cannotWrite, stream: path(name), errno: ENOTEMPTY)
            }
            try inner.removeFolder(entry, depth: depth - 1)
        }
        try change(name, ignoring: ENOENT) { () in unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR) }
    }

    /// Removes a folder if it is empty.
    package func removeEmptyFolder(_ name: String) throws(EvidenceError) {
        try change(name, ignoring: ENOENT, ENOTEMPTY) { () in unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR) }
    }

    /// Waits until the names in it are on the disk.
    package func sync() throws(EvidenceError) { try descriptor.sync() }

    /// The same of a file in it.
    package func sync(_ name: String) throws(EvidenceError) { try open(name, O_RDONLY, code: .cannotWrite).sync() }

    /// Waits until everything written to its file system is on the disk; false if the system cannot do that.
    package func syncFileSystem() throws(EvidenceError) -> Bool {
        if system_sync_file_system(descriptor.number) == 0 { return true }
        guard errno == ENOTSUP || errno == ENOSYS else {
            throw EvidenceError(.cannotWrite, stream: name, errno: errno)
        }
        return false
    }

    /// Locks a file in it against other processes, until the lock is let go of or the process ends. Readers are waited
    /// for: they hold it for a moment. A file that may be somebody else's as well is locked, and not changed.
    ///
    /// - Returns: the lock; `nil` where another process has it to write, or one does not stop reading.
    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    package func lock(_ name: String) throws(EvidenceError) -> FolderLock? {
        let file = try open(name, O_RDWR | O_CREAT | O_NOCTTY | O_NONBLOCK, code: .cannotWrite)
        try file.requireRegular(.cannotWrite)
        var tries = FolderLock.tries
        while try !file.lock(LOCK_EX, code: .cannotWrite) {
            // Where one can read, only readers are there.
            guard tries > 0, try file.lock(LOCK_SH, code: .cannotWrite) else { return nil }
            flock(file.number, LOCK_UN)
            tries -= 1
            usleep(FolderLock.pauseMicroseconds)
        }
        if try file.isLeftByLock() {
            _ = fchmod(file.number, 0o600)
            // The owner's process number, for whoever finds it locked.
            _ = ftruncate(file.number, 0)
            try file.write(Array("\(getpid())\n".utf8).span)
        }
        return FolderLock(file)
    }

    /// Whether some process has locked a file in it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also for what is no regular file.
    package func isLocked(_ name: String) throws(EvidenceError) -> Bool {
        let file = try open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        try file.requireRegular(.cannotRead)
        guard try file.lock(LOCK_EX, code: .cannotRead) else { return true }
        flock(file.number, LOCK_UN)
        return false
    }

    /// Locks a file in it against those who write, as long as the lock is held on to. A writer is waited for, a few
    /// seconds.
    ///
    /// - Returns: the lock; `nil` where a writer does not end, or the file system has no locks.
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also for what is no regular file.
    package func readingLock(_ name: String) throws(EvidenceError) -> FolderLock? {
        let file = try open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        try file.requireRegular(.cannotRead)
        for _ in 0..<FolderLock.tries {
            if try file.lock(LOCK_SH, code: .cannotRead) { return FolderLock(file) }
            usleep(FolderLock.pauseMicroseconds)
        }
        return nil
    }

    // MARK: -

    private func path(_ entry: String) -> String { "\(name)/\(entry)" }

    private func isSingle(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(0x2F)
    }

    private func open(_ name: String, _ flags: Int32, code: EvidenceError.Code) throws(EvidenceError) -> Descriptor {
        guard isSingle(name) else { throw EvidenceError(code, stream: path(name), errno: EINVAL) }
        var number: Int32
        repeat {
            number = unsafe openat(descriptor.number, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        } while number < 0 && errno == EINTR
        guard number >= 0 else {
            let failure = errno
            throw EvidenceError(failure == EEXIST ? .exists : code, stream: path(name), errno: failure)
        }
        return Descriptor(number, name: path(name))
    }

    private func change(
        _ name: String, ignoring ignored: Int32..., by call: () -> Int32
    ) throws(EvidenceError) {
        guard isSingle(name) else { throw EvidenceError(.cannotWrite, stream: path(name), errno: EINVAL) }
        guard call() != 0 else { return }
        let failure = errno
        if ignored.contains(failure) { return }
        throw EvidenceError(failure == EEXIST ? .exists : .cannotWrite, stream: path(name), errno: failure)
    }
}

extension EvidenceError {
    /// Whether no space was left to write to.
    package var isOfFullDisk: Bool { errno == ENOSPC || errno == EDQUOT }
}

/// A file that is being written in a ``ConfinedFolder``.
package final class NewFile {
    private let file: Descriptor

    init(_ file: Descriptor) { self.file = file }

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) { try file.write(bytes) }

    /// Waits until it is on the disk.
    package func sync() throws(EvidenceError) { try file.sync() }
}

/// A lock on a folder, held for as long as this object lives.
package final class FolderLock: Sendable {
    /// How often, and after what, one asks again: five seconds in all.
    fileprivate static let tries = 500
    fileprivate static let pauseMicroseconds: UInt32 = 10_000
    private let file: Descriptor

    init(_ file: Descriptor) { self.file = file }

    // Not by closing alone: a process that was begun meanwhile has the file, too, until it is another program.
    deinit { flock(file.number, LOCK_UN) }
}

extension Descriptor {
    /// Whether it is what a lock leaves: a file with no other name, and nothing in it but a process number.
    fileprivate func isLeftByLock() throws(EvidenceError) -> Bool {
        let status = try status
        guard status.st_nlink == 1, status.st_size <= 20 else { return false }
        var content: [UInt8] = []
        _ = try read(20, at: 0, to: &content)
        return content.allSatisfy { $0 == 0x0A || (0x30...0x39).contains($0) }
    }

    /// Locks it with `flock(2)` unless somebody else has it; whether that was done.
    fileprivate func lock(_ kind: Int32, code: EvidenceError.Code) throws(EvidenceError) -> Bool {
        while flock(number, kind | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw EvidenceError(code, stream: name, errno: errno)
            }
        }
        return true
    }
}
