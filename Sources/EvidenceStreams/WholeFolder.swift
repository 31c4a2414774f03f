// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import PlatformC

/// A folder of files that appears under its name with all of them, or not at all.
///
/// It is built next to its final name with mode 0700, the files that are added have no names until ``finish()``, and
/// one rename that replaces nothing publishes it. A `SIGKILL` before that leaves at most a folder (`.evidence-…`) with
/// what was put into ``contents``; one in the moment between the first name and the rename leaves also the files that
/// have their names.
package final class WholeFolder {
    private let path: String
    private let parent: Folder
    private let name: String
    private let folder: Folder
    /// For folders in it, and for files that may be seen before the others: all of it goes with an unfinished folder.
    package let contents: ConfinedFolder
    private let temporaryName = Folder.freshName()
    private var files: [WholeFile] = []
    private var isOpen = true

    /// Starts a folder that will be called `path`.
    ///
    /// - Throws: ``EvidenceError``: `.exists` where something has that name, else `.cannotWrite`.
    package init(path: String) throws(EvidenceError) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        self.path = String(trimmed)
        let place = try FilePlace(of: self.path, followingLinks: false)
        (parent, name) = (place.folder, place.name)
        guard try parent.status(of: name, for: self.path) == nil else {
            throw EvidenceError(.exists, stream: self.path, errno: EEXIST)
        }
        folder = try UnfinishedFiles.createFolder(temporaryName, in: parent, for: self.path)
        contents = ConfinedFolder(folder.descriptor)
    }

    deinit { abandon() }

    /// Starts a file in it, or in a folder of its ``contents``, for the owner alone. One that is not finished does not
    /// appear.
    package func add(_ name: String, in inner: ConfinedFolder? = nil) throws(EvidenceError) -> WholeFile {
        try add(name, in: inner, asNamed: false)
    }

    package func add(
        _ name: String, in inner: ConfinedFolder? = nil, asNamed: Bool
    ) throws(EvidenceError) -> WholeFile {
        let file = try WholeFile(
            path: "\(inner?.name ?? path)/\(name)", folder: inner.map { Folder($0.descriptor) } ?? folder, name: name,
            replacing: false, access: .owner, isInSet: true, asNamed: asNamed)
        files.append(file)
        return file
    }

    /// Tries whether there is room for so many bytes more: writes them to a file, and gives them back.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`).
    package func requireRoom(byteCount: Int) throws(EvidenceError) {
        // Not one of the files, whose descriptors stay open.
        let file = try WholeFile(
            path: path, folder: folder, name: "room", replacing: false, access: .owner, isInSet: true, asNamed: false)
        let zeros = [UInt8](repeating: 0, count: byteCount)
        try file.write(zeros.span)
        file.abandon()
    }

    /// Publishes the folder with all finished files.
    ///
    /// - Parameter last: an action that cannot be undone, called once the folder has its name; if it fails, the folder
    ///   goes again.
    /// - Throws: ``EvidenceError``: `.exists` where something has got that name meanwhile, `.spent`, else
    ///   `.cannotWrite`. Nothing is there then.
    package func finish(_ last: (() throws(EvidenceError) -> Void)? = nil) throws(EvidenceError) {
        guard isOpen else { throw EvidenceError(.spent, stream: path) }
        let finished = files.filter { $0.state == .synced }
        for file in files where file.state == .open { file.abandon() }
        do throws(EvidenceError) {
            try UnfinishedFiles.publish(finished, in: temporaryName, as: name, of: parent, path: path, last)
            isOpen = false
        } catch {
            abandon()
            throw error
        }
    }

    /// Discards an unfinished folder: it never appears.
    package func abandon() {
        guard isOpen else { return }
        isOpen = false
        for file in files { file.abandon() }
        UnfinishedFiles.undoFolder(temporaryName)
    }
}
