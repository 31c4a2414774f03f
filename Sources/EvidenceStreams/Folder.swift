internal import EvidenceErrors
import Glibc

/// An open folder, and the system calls on names in it. Each leaves its reason in `errno` when it fails.
final class Folder: Sendable {
    private let descriptor: Descriptor

    init(path: String) throws(EvidenceError) {
        descriptor = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY, code: .cannotWrite)
    }

    /// A new file without a name (`O_TMPFILE`), or `nil` where this file system, or this process, cannot have one.
    func createNameless(mode: mode_t) -> Int32? {
        // It gets its name through /proc later.
        guard unsafe access("/proc/self/fd", X_OK) == 0 else { return nil }
        let number = unsafe openat(descriptor.number, ".", O_WRONLY | O_CLOEXEC | Self.namelessFlag, mode)
        return number < 0 ? nil : number
    }

    /// A new file that nothing of that name was in the way of, or `nil`.
    func createExclusively(_ name: String, mode: mode_t) -> Int32? {
        let number = unsafe openat(descriptor.number, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        return number < 0 ? nil : number
    }

    /// Gives an open nameless file a name, if nothing has it.
    func link(_ file: Descriptor, as name: String) -> Bool {
        unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", descriptor.number, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Gives a file a second name, if nothing has it and this file system can.
    func link(_ name: String, as newName: String) -> Bool {
        unsafe linkat(descriptor.number, name, descriptor.number, newName, 0) == 0
    }

    /// Renames a file, replacing what has the new name.
    func rename(_ name: String, to newName: String) -> Bool {
        unsafe renameat(descriptor.number, name, descriptor.number, newName) == 0
    }

    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor.number, name, 0)
    }

    /// What is under a name itself, not where a link there leads.
    func status(of name: String) -> stat? {
        var status = stat()
        return unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    func sync() throws(EvidenceError) {
        try descriptor.sync()
    }

    /// A name that nothing has, for what gets its own name later or none at all.
    static func freshName() -> String {
        ".evidence-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// `O_TMPFILE`, a macro that Swift does not import.
    static let namelessFlag: Int32 = 0o20_000_000 | O_DIRECTORY
}
