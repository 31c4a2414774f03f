// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC
import Synchronization

/// Files that appear together: all of them, or none.
///
/// Only a `SIGKILL`, a crash or a power cut while the names are being given leaves some of them without the others: the
/// first ones, in the order in which they were added.
package final class WholeFileSet {
    private var files: [WholeFile] = []

    package init() {}

    /// Starts a file, as ``WholeFile/init(path:replacing:access:)`` does. Its `finish()` only syncs it.
    package func add(path: String, replacing: Bool, access: WholeFile.Access) throws(EvidenceError) -> WholeFile {
        try add(path: path, replacing: replacing, access: access, asNamed: false)
    }

    package func add(
        path: String, replacing: Bool, access: WholeFile.Access, asNamed: Bool
    ) throws(EvidenceError) -> WholeFile {
        let file = try WholeFile(
            path: path, replacing: replacing, access: access, isInSet: true, asNamed: asNamed)
        files.append(file)
        return file
    }

    /// Whether no other file of the set will have this name, however it is spelled.
    package func isOnlyOne(_ file: WholeFile) -> Bool {
        files.allSatisfy { other in
            other === file || other.name != file.name || !other.folder.isSame(as: file.folder)
        }
    }

    /// Gives all finished files their names. One that is not finished does not appear.
    ///
    /// - Parameter last: an action that belongs with the files and cannot be undone, such as text for a pipe: called
    ///   once they have their names; where it fails, they lose them again.
    /// - Throws: ``EvidenceError``: then everything is as it was before. Replacing several files needs a file system
    ///   that can exchange two names (`RENAME_EXCHANGE`).
    package func finish(_ last: (() throws(EvidenceError) -> Void)? = nil) throws(EvidenceError) {
        defer { files = [] }
        try UnfinishedFiles.publish(files.filter { $0.state == .synced }, last)
    }
}

/// What the unfinished files of this process have in their folders: every change of a name is made and recorded under
/// one lock. So a failure, or a signal that ends the process, finds everything to undo, and nothing half-recorded.
enum UnfinishedFiles {
    /// How a file has changed its folder so far.
    private struct Traces {
        let folder: Folder
        let name: String
        let file: Descriptor
        /// The temporary name holds the stand-in or, after a swap, the replaced file.
        var temporaryName: String?
        var change = Change.none

        enum Change { case none, made, exchanged }

        func undo() {
            switch change {
            case .none: break
            case .made: folder.remove(name, of: file)
            case .exchanged:
                // Where it cannot be undone, the old file must not go as well.
                guard let temporaryName, folder.exchange(temporaryName, with: name) else { return }
            }
            if let temporaryName { folder.remove(temporaryName) }
        }
    }

    /// A folder that is not finished.
    private struct FolderTraces {
        let parent: Folder
        /// What it is called now.
        var name: String

        /// Removes it with what is in it. Where a signal ends the process, others may be writing there.
        func undo() {
            let parent = ConfinedFolder(parent.descriptor)
            for _ in 0..<100 {
                do throws(EvidenceError) { return try parent.removeFolder(name, depth: 5) } catch {
                    guard error.errno == ENOTEMPTY else { return }
                }
            }
        }
    }

    /// By temporary name.
    private static let all = Mutex<[String: Traces]>([:])
    /// By temporary name. Lock order: the files' lock first.
    private static let folders = Mutex<[String: FolderTraces]>([:])

    /// Creates a folder under a temporary name.
    static func createFolder(
        _ temporaryName: String, in parent: Folder, for path: String
    ) throws(EvidenceError) -> Folder {
        try folders.withLock { folders throws(EvidenceError) in
            guard let folder = parent.createFolder(temporaryName, for: path) else {
                throw EvidenceError(.cannotWrite, stream: path, errno: errno)
            }
            folders[temporaryName] = FolderTraces(parent: parent, name: temporaryName)
            return folder
        }
    }

    /// Names the files of an unfinished folder and the folder itself, durably: all or nothing.
    static func publish(
        _ files: [WholeFile], in temporaryName: String, as name: String, of parent: Folder, path: String,
        _ last: (() throws(EvidenceError) -> Void)?
    ) throws(EvidenceError) {
        try publish(files) { () throws(EvidenceError) in
            try folders.withLock { folders throws(EvidenceError) in
                guard parent.renameFolder(temporaryName, to: name) else {
                    let number = errno
                    throw EvidenceError(number == EEXIST ? .exists : .cannotWrite, stream: path, errno: number)
                }
                folders[temporaryName]?.name = name
            }
            do throws(EvidenceError) { try parent.sync() } catch {
                throw EvidenceError(.cannotWrite, stream: path, errno: error.errno)
            }
            try last?()
        }
        folders.withLock { _ = $0.removeValue(forKey: temporaryName) }
    }

    /// Removes an unfinished folder.
    static func undoFolder(_ temporaryName: String) {
        folders.withLock { folders in folders.removeValue(forKey: temporaryName)?.undo() }
    }

    /// Creates a file with a temporary name, where the system has no nameless files.
    static func createStandIn(
        _ temporaryName: String, in folder: Folder, mode: mode_t, for path: String
    ) throws(EvidenceError) -> Descriptor {
        try all.withLock { all throws(EvidenceError) in
            guard let number = folder.createExclusively(temporaryName, mode: mode) else {
                throw EvidenceError(.cannotWrite, stream: path, errno: errno)
            }
            let file = Descriptor(number, name: path)
            file.lockTemporaryName()
            all[temporaryName] = Traces(folder: folder, name: "", file: file, temporaryName: temporaryName)
            return file
        }
    }

    /// Names files durably: all of them, or none.
    static func publish(
        _ files: [WholeFile], _ last: (() throws(EvidenceError) -> Void)? = nil
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            for file in files {
                try publish(file, isAlone: files.count == 1 && last == nil)
                // Each is synced before the next is named: even a power cut leaves only the first ones.
                do throws(EvidenceError) { try file.folder.sync() } catch {
                    throw EvidenceError(.cannotWrite, stream: file.path, errno: error.errno)
                }
            }
            try last?()
        } catch {
            for file in files { file.abandon() }
            throw error
        }
        all.withLock { all in
            for file in files {
                file.wasPublished()
                file.file.unlock()
                guard let replaced = all.removeValue(forKey: file.temporaryName)?.temporaryName else { continue }
                file.folder.remove(replaced)
            }
        }
    }

    static func undo(_ files: [WholeFile]) {
        all.withLock { all in
            for file in files { all.removeValue(forKey: file.temporaryName)?.undo() }
        }
    }

    /// Undoes the changes of all unfinished files, and ends the process before new ones can be made.
    static func undoAll(andThen end: () -> Void) {
        all.withLock { all in
            for traces in all.values { traces.undo() }
            all = [:]
            folders.withLock { folders in
                for traces in folders.values { traces.undo() }
                folders = [:]
                end()
            }
        }
    }

    private static func publish(_ file: WholeFile, isAlone: Bool) throws(EvidenceError) {
        try all.withLock { all throws(EvidenceError) in
            let (folder, name, temporary) = (file.folder, file.name, file.temporaryName)
            var traces = Traces(folder: folder, name: name, file: file.file)
            if file.isNamed { traces.temporaryName = temporary }
            defer { all[temporary] = traces }

            if !file.isReplacing && !file.isNamed {
                guard folder.link(file.file, as: name) else { throw failure(file) }
                traces.change = .made
                return
            }
            // Linking never replaces, renaming does: so a nameless file gets a name of its own for a moment.
            if !file.isNamed {
                file.file.lockTemporaryName()
                guard folder.link(file.file, as: temporary) else {
                    // Also where that name is taken, which is not the file's.
                    throw EvidenceError(.cannotWrite, stream: file.path, errno: errno)
                }
                traces.temporaryName = temporary
            }
            if file.isReplacing && isAlone {
                guard folder.rename(temporary, to: name) else { throw failure(file) }
                traces.temporaryName = nil
            } else if folder.link(temporary, as: name) {
                traces.change = .made
                folder.remove(temporary)
                traces.temporaryName = nil
            } else if file.isReplacing, try folder.status(of: name, for: file.path) != nil {
                // What is replaced keeps a name until all the others have theirs.
                guard folder.exchange(temporary, with: name) else { throw failure(file) }
                traces.change = .exchanged
            } else if !file.isReplacing, folder.renameExclusively(temporary, to: name) {
                traces.change = .made
                traces.temporaryName = nil
            } else {
                // No hard links here. Taking the name exclusively first makes the rename safe; for that moment the file
                // is empty.
                guard let number = folder.createExclusively(name, mode: 0o600) else { throw failure(file) }
                let placeholder = Descriptor(number, name: file.path)
                guard folder.rename(temporary, to: name) else {
                    let failure = failure(file)
                    folder.remove(name, of: placeholder)
                    throw failure
                }
                traces.change = .made
                traces.temporaryName = nil
            }
        }
    }

    private static func failure(_ file: WholeFile) -> EvidenceError {
        let number = errno
        return EvidenceError(number == EEXIST ? .exists : .cannotWrite, stream: file.path, errno: number)
    }
}

extension WholeFile {
    /// Removes what the unfinished files of this process have in their folders: before a host ends the process
    /// in a way that runs no more code.
    ///
    /// A file without a name vanishes with the process anyway; one that is still being written may yet be finished.
    package static func removeUnfinished() { UnfinishedFiles.undoAll {} }

    /// Removes files that a killed process left beside a path, under the temporary name that a file has for a moment
    /// when it replaces another. Where a process is about to finish a file, it stays.
    ///
    /// - Parameters:
    ///   - path: that of the file which was to be replaced.
    ///   - isLeftBehind: whether a file with such a name, whose path it gets, is one of them.
    /// - Throws: ``EvidenceError``: `.foreignLink`, `.cannotRead` or `.cannotWrite`.
    public static func removeLeftBehind(
        beside path: String, where isLeftBehind: (String) -> Bool
    ) throws(EvidenceError) {
        let folder = try ConfinedFolder.ofFile(at: path)
        for entry in try folder.listing(limit: .max) where entry.kind == .file {
            let name = String(decoding: entry.name, as: UTF8.self)
            guard name.hasPrefix(Folder.temporaryPrefix), isLeftBehind("\(folder.name)/\(name)") else { continue }
            do throws(EvidenceError) {
                if try !folder.isLocked(name) { try folder.remove(name) }
            } catch {
                // Finished, or removed by another process.
                if try folder.kind(of: name) != nil { throw error }
            }
        }
    }

    /// Removes what unfinished files have made, and calls `end` while nothing new can be made: for a process
    /// that a signal ends.
    package static func undoUnfinished(andThen end: () -> Void) {
        UnfinishedFiles.undoAll(andThen: end)
    }
}

extension Descriptor {
    /// Shows other processes that a file with a temporary name is not left behind. Where there are no locks, it is not
    /// shown.
    fileprivate func lockTemporaryName() { _ = flock(number, LOCK_EX | LOCK_NB) }

    fileprivate func unlock() { _ = flock(number, LOCK_UN) }
}
