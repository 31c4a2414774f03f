// SPDX-License-Identifier: Apache-2.0
import CSystem
package import EvidenceErrors
internal import PlatformC

/// A folder that no path leaves: `..`, absolute paths and symbolic links to the outside are refused by the
/// kernel (`openat2` with `RESOLVE_BENEATH`), however the folders beneath are changed meanwhile.
///
/// Only regular files are read and replaced.
package final class RootFolder: Sendable {
    private let descriptor: Descriptor
    private let witnesses: [(path: String, name: FileName)]

    /// Opens the folder.
    ///
    /// - Parameter witnesses: files beneath it whose presence shows that its disks are mounted.
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also where the system cannot confine paths, or a witness is no
    ///   regular file.
    package convenience init(path: String, witnesses: [String] = []) throws(EvidenceError) {
        let descriptor = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY, code: .cannotRead)
        let probe = unsafe system_open_beneath(descriptor.number, ".", O_RDONLY | O_DIRECTORY)
        guard probe >= 0 else {
            let failure = errno
            // The call does not exist, or a system-call filter blocks it.
            guard [ENOSYS, EPERM, ENOTSUP].contains(failure) else {
                throw EvidenceError(.cannotRead, stream: path, errno: failure)
            }
            throw EvidenceError(
                .cannotRead,
                "this system cannot confine paths to a folder: \(unsafe String(cString: strerror(failure)))",
                hint: "use Linux 5.6 or later (openat2), in a container that allows it")
        }
        close(probe)
        let root = RootFolder(descriptor, [])
        var found: [(String, FileName)] = []
        for path in witnesses {
            do throws(EvidenceError) { _ = try root.source(path) } catch {
                guard error.errno == ENOENT else { throw error }
                throw EvidenceError(
                    .cannotRead, stream: path, errno: error.errno,
                    because: "there is no such file beneath the root folder; perhaps its disk is not mounted")
            }
            do throws(EvidenceError) { found.append((path, try root.place(path).name)) } catch {
                // Through a link, which could later lead to another file.
                throw EvidenceError(
                    .cannotRead, stream: path, errno: error.errno, because: "it leads to the file by a symbolic link")
            }
        }
        self.init(descriptor, found)
    }

    private init(_ descriptor: Descriptor, _ witnesses: [(path: String, name: FileName)]) {
        (self.descriptor, self.witnesses) = (descriptor, witnesses)
    }

    /// Checks that the path still leads to this folder and the witnesses exist: otherwise a missing file says nothing.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package func requirePresence() throws(EvidenceError) {
        let ours = FileIdentity(try descriptor.status)
        guard try FileIdentity(ofFileAt: descriptor.name) == ours else {
            throw EvidenceError(
                .cannotRead, "\(printable(descriptor.name)) is no longer the folder that it was at the start",
                hint: "check whether a disk was unmounted")
        }
        for witness in witnesses {
            do throws(EvidenceError) { _ = try source(witness.path) } catch {
                throw EvidenceError(
                    .cannotRead,
                    "\(printable(witness.path)), which shows that its disk is mounted, has disappeared since the start",
                    hint: "check whether the disk was unmounted")
            }
        }
    }

    /// Whether a name is that of a witness, which may be missing for the moment.
    package func isWitness(_ name: FileName) -> Bool { witnesses.contains { $0.name == name } }

    /// Opens a file for reading.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`, with the system's number; `EXDEV` for a path that leads out).
    package func source(_ path: String) throws(EvidenceError) -> FileSource {
        let file = try open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        try file.requireRegular(.cannotRead)
        return try FileSource(file)
    }

    /// A name for a file to be written, in an existing folder.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`, with the system's number), also where something has the name that
    ///   is no regular file.
    package func place(_ path: String) throws(EvidenceError) -> Entry {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        if name.isEmpty || name == "." || name == ".." {
            throw EvidenceError(
                .cannotWrite, stream: path, errno: name == ".." ? EXDEV : EISDIR, because: "it is not a file name")
        }
        try Self.refuseNUL(in: path, .cannotWrite)
        let parent = slash.map { String(path[...$0]) } ?? "."
        let folder: Descriptor
        do throws(EvidenceError) {
            folder = try open(parent, O_RDONLY | O_DIRECTORY, code: .cannotWrite)
        } catch { throw EvidenceError(.cannotWrite, stream: path, errno: error.errno) }
        return try Entry(path, folder, name)
    }

    private func open(_ path: String, _ flags: Int32, code: EvidenceError.Code) throws(EvidenceError) -> Descriptor {
        try Self.refuseNUL(in: path, code)
        // The kernel would take some of them: a link to a folder may go up again inside.
        if path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) {
            throw EvidenceError(code, stream: path, errno: EXDEV)
        }
        let number = unsafe system_open_beneath(descriptor.number, path, flags)
        guard number >= 0 else { throw EvidenceError(code, stream: path, errno: errno) }
        return Descriptor(number, name: path)
    }

    /// The system would take the part before the NUL for the whole path.
    private static func refuseNUL(in path: String, _ code: EvidenceError.Code) throws(EvidenceError) {
        guard path.utf8.contains(0) else { return }
        throw EvidenceError(code, stream: path, errno: EINVAL, because: "its name contains a NUL")
    }

    /// Where a file will be.
    package struct Entry {
        private let path: String
        private let opened: Descriptor
        /// The name itself, whether a file has it or not.
        package let name: FileName
        /// The file that has the name now.
        package let identity: FileIdentity?

        fileprivate init(_ path: String, _ opened: Descriptor, _ name: String) throws(EvidenceError) {
            (self.path, self.opened) = (path, opened)
            self.name = FileName(name, in: FileIdentity(try opened.status))
            var there = stat()
            guard unsafe fstatat(opened.number, name, &there, AT_SYMLINK_NOFOLLOW) == 0 else {
                guard errno == ENOENT else { throw EvidenceError(.cannotWrite, stream: path, errno: errno) }
                identity = nil
                return
            }
            switch there.st_mode & S_IFMT {
            case S_IFREG: identity = FileIdentity(there)
            case S_IFLNK:
                throw EvidenceError(
                    .cannotWrite, stream: path, errno: ELOOP,
                    because: "it is a symbolic link, and links are not replaced")
            case S_IFDIR: throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR)
            default: throw EvidenceError(.cannotWrite, stream: path, errno: EINVAL, because: Descriptor.isNotRegular)
            }
        }

        /// The file that has the name now, for reading; `nil` where there is none.
        package func existing() throws(EvidenceError) -> FileSource? {
            let number = unsafe openat(opened.number, name.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else {
                if errno == ENOENT { return nil }
                throw EvidenceError(.cannotRead, stream: path, errno: errno)
            }
            let file = Descriptor(number, name: path)
            try file.requireRegular(.cannotWrite)
            return try FileSource(file)
        }

        /// Starts a file that will have the name.
        ///
        /// - Parameter replacing: in place of what has it then; else finishing fails with `.exists`.
        package func start(replacing: Bool) throws(EvidenceError) -> WholeFile {
            try WholeFile(
                path: path, folder: Folder(opened), name: name.name, replacing: replacing, access: .owner,
                isInSet: false, asNamed: false)
        }
    }
}
