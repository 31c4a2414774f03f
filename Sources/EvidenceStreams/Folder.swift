// SPDX-License-Identifier: Apache-2.0
import CSystem
internal import EvidenceErrors
internal import PlatformC

/// An open folder and the system calls on names in it. Each sets `errno` when it fails.
final class Folder: Sendable {
    let descriptor: Descriptor

    /// - Parameters:
    ///   - folder: where a relative path begins; the working folder by default.
    ///   - name: what it is called in messages, if not by its path.
    init(path: String, from folder: Folder? = nil, named name: String? = nil) throws(EvidenceError) {
        descriptor = try Descriptor(
            opening: path, from: folder?.descriptor.number ?? AT_FDCWD, named: name, flags: O_RDONLY | O_DIRECTORY,
            code: .cannotWrite)
    }

    /// Which folder it is; `nil` where the system does not say.
    var identity: FileIdentity? { (try? descriptor.status).map(FileIdentity.init) }

    /// Whether both are one folder.
    func isSame(as other: Folder) -> Bool { identity.map { $0 == other.identity } ?? false }

    /// A folder that is open already.
    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// A new file without a name (`O_TMPFILE`), or `nil` where this file system, or this process, cannot have one.
    func createNameless(mode: mode_t) -> Int32? {
        // It gets its name through /proc later.
        guard unsafe access("/proc/self/fd", X_OK) == 0 else { return nil }
        let number = unsafe system_open_nameless(descriptor.number, ".", O_WRONLY, Int32(mode))
        return number < 0 ? nil : number
    }

    /// A new file, or `nil` if the name is taken or it cannot be created.
    func createExclusively(_ name: String, mode: mode_t) -> Int32? {
        let number = unsafe openat(descriptor.number, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        return number < 0 ? nil : number
    }

    /// Gives an open nameless file a name, if the name is free.
    func link(_ file: Descriptor, as name: String) -> Bool {
        unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", descriptor.number, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Gives a file a second name, if the name is free and this file system supports it.
    func link(_ name: String, as newName: String) -> Bool {
        unsafe linkat(descriptor.number, name, descriptor.number, newName, 0) == 0
    }

    /// Renames a file, replacing what has the new name.
    func rename(_ name: String, to newName: String) -> Bool {
        unsafe renameat(descriptor.number, name, descriptor.number, newName) == 0
    }

    /// Renames a file, if the new name is free and this file system supports it.
    func renameExclusively(_ name: String, to newName: String) -> Bool {
        unsafe system_rename_exclusively(descriptor.number, name, newName) == 0
    }

    /// Swaps the names of two files, or fails if this file system does not support it.
    func exchange(_ name: String, with other: String) -> Bool {
        unsafe system_exchange_names(descriptor.number, name, other) == 0
    }

    /// A new folder, or `nil` if the name is taken or it cannot be created.
    ///
    /// - Parameter path: what it is called in messages.
    func createFolder(_ name: String, for path: String) -> Folder? {
        guard unsafe mkdirat(descriptor.number, name, 0o700) == 0 else { return nil }
        // A umask can take the owner's own rights away. Where this fails, nobody has more than was asked for.
        _ = unsafe fchmodat(descriptor.number, name, 0o700, AT_SYMLINK_NOFOLLOW)
        do throws(EvidenceError) { return try Folder(path: name, from: self, named: path) } catch {
            removeFolder(name)
            return nil
        }
    }

    /// Removes an empty folder.
    func removeFolder(_ name: String) {
        _ = unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR)
    }

    /// Renames a folder of ours; nothing that has the new name is replaced, an empty folder perhaps excepted.
    func renameFolder(_ name: String, to newName: String) -> Bool {
        if unsafe system_rename_exclusively(descriptor.number, name, newName) == 0 { return true }
        // Where the file system cannot do that: a plain rename replaces no file and no folder that has something in it.
        guard errno == EINVAL || errno == ENOTSUP || errno == ENOSYS else { return false }
        var there = stat()
        guard unsafe fstatat(descriptor.number, newName, &there, AT_SYMLINK_NOFOLLOW) != 0 else {
            errno = EEXIST
            return false
        }
        return errno == ENOENT && rename(name, to: newName)
    }

    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor.number, name, 0)
    }

    /// Removes a name, if it is still that file's.
    func remove(_ name: String, of file: Descriptor) {
        guard let there = try? status(of: name, for: name), let ours = try? file.status else { return }
        if FileIdentity(there) == FileIdentity(ours) { remove(name) }
    }

    /// Where a symbolic link leads, in its own words; `nil` where that cannot be read, or is not UTF-8.
    func target(ofLink name: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return -1 }
            return unsafe readlinkat(descriptor.number, name, start.assumingMemoryBound(to: CChar.self), memory.count)
        }
        return count > 0 ? String(validating: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// What a name itself is, without following a link; `nil` if nothing.
    ///
    /// - Parameter path: what messages call it.
    /// - Throws: ``EvidenceError`` (`.cannotWrite`) if the system cannot tell.
    func status(of name: String, for path: String) throws(EvidenceError) -> stat? {
        var status = stat()
        guard unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else { return status }
        if errno == ENOENT { return nil }
        throw EvidenceError(.cannotWrite, stream: path, errno: errno)
    }

    func sync() throws(EvidenceError) {
        try descriptor.sync()
    }

    static let temporaryPrefix = ".evidence-"

    /// A free temporary name.
    static func freshName() -> String {
        temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
