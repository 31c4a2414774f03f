// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC

/// A file that appears under its name complete, or not at all.
///
/// Bytes go to a nameless file in the same folder (`O_TMPFILE`). ``finish()`` syncs it, gives it its name and syncs the
/// folder. Until then nobody can open it, and when the process ends for whatever reason, `SIGKILL` included, the
/// system takes it away. Where the file system has no nameless files, an exclusive file of mode 0600 (or as `access`
/// says) with a temporary name is used instead, which a `SIGKILL` leaves behind.
public final class WholeFile: ByteDestination {
    /// Who may read the file.
    public enum Access: Sendable {
        /// The owner alone (mode 0600): keys, opened videos and photos.
        case owner
        /// As the process's umask allows (mode 0666 less the umask): sealed payloads, public keys.
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
    let path: String
    let name: String
    let folder: Folder
    let isReplacing: Bool
    let file: Descriptor
    /// The temporary name of the stand-in, and of a nameless file at the moment it replaces another.
    let temporaryName = Folder.freshName()
    /// Whether a stand-in is used because the system has no nameless files.
    let isNamed: Bool
    private let isInSet: Bool
    private(set) var state = State.open

    enum State { case open, synced, published, abandoned }

    /// Starts a file that will be called `path`.
    ///
    /// - Parameters:
    ///   - path: where the file will be.
    ///   - replacing: whether a file of that name may be replaced. A symbolic link is followed then, and the file it
    ///     leads to is replaced; but not one that another user made (root's are followed).
    ///   - access: who may read it.
    /// - Throws: ``EvidenceError``: `.exists` when there is such a file and `replacing` is false, `.foreignLink`, else
    ///   `.cannotWrite`.
    public convenience init(path: String, replacing: Bool = false, access: Access = .owner) throws(EvidenceError) {
        try self.init(path: path, replacing: replacing, access: access, isInSet: false, asNamed: false)
    }

    package convenience init(
        path: String, replacing: Bool, access: Access, isInSet: Bool, asNamed: Bool
    ) throws(EvidenceError) {
        let place = try FilePlace(of: path, followingLinks: replacing)
        if !replacing, let there = try place.folder.status(of: place.name, for: path), there.st_mode & S_IFMT != S_IFDIR
        {
            throw EvidenceError(.exists, stream: path, errno: EEXIST)
        }
        try self.init(
            path: path, folder: place.folder, name: place.name, replacing: replacing, access: access, isInSet: isInSet,
            asNamed: asNamed)
    }

    /// Whether it will have this name, however it is spelled.
    package func isForFile(at path: String) throws(EvidenceError) -> Bool {
        let place = try FilePlace(of: path, followingLinks: true)
        return place.name == name && place.folder.isSame(as: folder)
    }

    /// - Parameter path: what messages call it.
    init(
        path: String, folder: Folder, name: String, replacing: Bool, access: Access, isInSet: Bool, asNamed: Bool
    ) throws(EvidenceError) {
        self.path = path
        self.folder = folder
        self.name = name
        self.isInSet = isInSet
        isReplacing = replacing
        if let there = try folder.status(of: name, for: path), there.st_mode & S_IFMT == S_IFDIR {
            throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR)
        }
        if !asNamed, let nameless = folder.createNameless(mode: access.mode) {
            file = Descriptor(nameless, name: path)
            isNamed = false
        } else {
            file = try UnfinishedFiles.createStandIn(temporaryName, in: folder, mode: access.mode, for: path)
            isNamed = true
        }
        // A umask can take the owner's own rights away. Where this fails, nobody has more than was asked for.
        if access == .owner { _ = fchmod(file.number, access.mode) }
    }

    deinit { abandon() }

    /// See ``ByteDestination/write(_:)``.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, or `.spent`.
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard state == .open else { throw EvidenceError(.spent, stream: path) }
        try file.write(bytes)
    }

    /// Syncs the file, gives it its name, and syncs the folder. One of several that belong together gets its name with
    /// the others.
    ///
    /// - Throws: ``EvidenceError``: `.exists` when a file of that name has appeared meanwhile, `.spent`, else
    ///   `.cannotWrite`. The file is not there then; only where another was replaced and the folder cannot be synced,
    ///   it is.
    public func finish() throws(EvidenceError) {
        guard state == .open else { throw EvidenceError(.spent, stream: path) }
        try file.sync()
        state = .synced
        if !isInSet { try UnfinishedFiles.publish([self]) }
    }

    /// Discards an unfinished file: it never appears.
    public func abandon() {
        guard state == .open || state == .synced else { return }
        state = .abandoned
        UnfinishedFiles.undo([self])
    }

    func wasPublished() { state = .published }
}
