public import EvidenceErrors
import Glibc
import Synchronization

/// A file that appears under its name whole, or not at all.
///
/// Bytes go to a nameless file in the same folder (`O_TMPFILE`). ``finish()`` syncs it, gives it its name and syncs the
/// folder. Until then nobody can open it, and when the process ends for whatever reason, `SIGKILL` included, the
/// system takes it away. Where the file system has no nameless files, an exclusive file of mode 0600 (or as `access`
/// says) with a name of its own stands in; that one a `SIGKILL` leaves behind.
public final class WholeFile: ByteDestination {
    /// Who may read the file.
    public enum Access: Sendable {
        /// The owner alone (mode 0600): keys, opened videos and photos.
        case owner
        /// Whom the process's umask lets (mode 0666 less the umask): sealed payloads, public keys.
        case umask

        var mode: mode_t {
            switch self {
            case .owner: 0o600
            case .umask: 0o666
            }
        }
    }

    /// Always: that is what this type is for.
    public let isWithheldUntilFinished = true
    private let path: String
    private let name: String
    private let folder: Folder
    private let isReplacing: Bool
    private let file: Descriptor
    /// The stand-in's name, where there are no nameless files.
    private let temporaryName: String?
    private var state = State.open

    private enum State { case open, published, abandoned }

    /// Starts a file that will be called `path`.
    ///
    /// - Parameters:
    ///   - replacing: whether a file of that name may be replaced. A symbolic link is followed then, and the file it
    ///     leads to is replaced.
    ///   - access: who may read it.
    /// - Throws: ``EvidenceError``: `.exists` when there is such a file and `replacing` is false, else `.cannotWrite`.
    public convenience init(path: String, replacing: Bool = false, access: Access = .owner) throws(EvidenceError) {
        try self.init(path: path, replacing: replacing, access: access, testOnlyNamed: false)
    }

    package init(path: String, replacing: Bool, access: Access, testOnlyNamed: Bool) throws(EvidenceError) {
        if path.utf8.contains(0) { throw EvidenceError(.cannotWrite, stream: path, errno: EINVAL) }
        self.path = path
        isReplacing = replacing
        let target = replacing ? Self.resolved(path) : path
        let folderPath: String
        if let slash = target.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folderPath = String(target[...slash])
            name = String(target[target.utf8.index(after: slash)...])
        } else {
            folderPath = "."
            name = target
        }
        if name.isEmpty || name == "." || name == ".." {
            throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR)
        }
        do { folder = try Folder(path: folderPath) } catch {
            throw EvidenceError(.cannotWrite, stream: path, errno: error.errno)
        }
        if let there = folder.status(of: name) {
            if there.st_mode & S_IFMT == S_IFDIR { throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR) }
            // A link that is still here leads nowhere.
            if replacing && there.st_mode & S_IFMT == S_IFLNK {
                throw EvidenceError(.cannotWrite, stream: path, errno: ENOENT)
            }
            if !replacing { throw EvidenceError(.exists, stream: path, errno: EEXIST) }
        }
        if !testOnlyNamed, let nameless = folder.createNameless(mode: access.mode) {
            file = Descriptor(nameless, name: path)
            temporaryName = nil
        } else {
            let temporary = Folder.freshName()
            let folder = folder
            file = try unfinished.withLock { files throws(EvidenceError) in
                guard let number = folder.createExclusively(temporary, mode: access.mode) else {
                    throw EvidenceError(.cannotWrite, stream: path, errno: errno)
                }
                files[temporary] = folder
                return Descriptor(number, name: path)
            }
            temporaryName = temporary
        }
    }

    deinit { abandon() }

    /// See ``ByteDestination/write(_:)``.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, or `.spent`.
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard state == .open else { throw EvidenceError(.spent, stream: path) }
        try file.write(bytes)
    }

    /// Syncs the file, gives it its name, and syncs the folder.
    ///
    /// - Throws: ``EvidenceError``: `.exists` when a file of that name has appeared meanwhile, `.spent`, else
    ///   `.cannotWrite`. The file is not there then; only where another was replaced and the folder cannot be synced,
    ///   it is.
    public func finish() throws(EvidenceError) {
        guard state == .open else { throw EvidenceError(.spent, stream: path) }
        try file.sync()
        // A signal that arrives now waits for the lock: the file then has its name, or nothing is left.
        try unfinished.withLock { files throws(EvidenceError) in
            if let temporaryName {
                try publish(named: temporaryName, in: &files)
            } else {
                try publishNameless(in: &files)
            }
        }
        state = .published
        do throws(EvidenceError) { try folder.sync() } catch {
            withdraw()
            throw EvidenceError(.cannotWrite, stream: path, errno: error.errno)
        }
    }

    /// Gives up what is not finished: the file will not be.
    public func abandon() {
        guard state == .open else { return }
        state = .abandoned
        if let temporaryName { unfinished.withLock { Self.remove(temporaryName, from: &$0) } }
    }

    /// Takes a file away again that ``finish()`` has made, when what belongs with it could not be made. One that has
    /// replaced another stays: there would be neither.
    package func withdraw() {
        guard state == .published, !isReplacing else { return }
        folder.remove(name)
        state = .abandoned
    }

    /// Removes the stand-ins of all files that are not finished: for a process that a signal ends.
    package static func removeUnfinished() {
        unfinished.withLock { files in
            for name in Array(files.keys) { remove(name, from: &files) }
        }
    }

    // MARK: - Publishing

    private func publishNameless(in files: inout [String: Folder]) throws(EvidenceError) {
        if !isReplacing {
            guard folder.link(file, as: name) else { throw failure() }
            return
        }
        // Linking never replaces, renaming does: so the file gets a name of its own for a moment.
        let temporary = Folder.freshName()
        guard folder.link(file, as: temporary) else { throw failure() }
        files[temporary] = folder
        try replace(with: temporary, in: &files)
    }

    private func publish(named temporary: String, in files: inout [String: Folder]) throws(EvidenceError) {
        if isReplacing { return try replace(with: temporary, in: &files) }
        if folder.link(temporary, as: name) { return Self.remove(temporary, from: &files) }
        guard errno != EEXIST else { throw failure() }
        // No hard links here. Taking the name exclusively first makes the rename safe; for that moment the file is
        // empty.
        guard let placeholder = folder.createExclusively(name, mode: 0o600) else { throw failure() }
        _ = close(placeholder)
        do { try replace(with: temporary, in: &files) } catch {
            folder.remove(name)
            throw error
        }
    }

    private func replace(with temporary: String, in files: inout [String: Folder]) throws(EvidenceError) {
        guard folder.rename(temporary, to: name) else {
            let failure = failure()
            Self.remove(temporary, from: &files)
            throw failure
        }
        files[temporary] = nil
    }

    private func failure() -> EvidenceError {
        let number = errno
        return EvidenceError(number == EEXIST ? .exists : .cannotWrite, stream: path, errno: number)
    }

    private static func remove(_ name: String, from files: inout [String: Folder]) {
        guard let folder = files.removeValue(forKey: name) else { return }
        folder.remove(name)
    }

    /// Where a path leads once links are followed; itself, where it leads nowhere.
    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}

/// The stand-ins that have a name and are not finished, each with the descriptor of its folder.
private let unfinished = Mutex<[String: Folder]>([:])
