// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import PlatformC

/// Where the file of a path is, or will be: an open folder, and a name in it.
struct FilePlace {
    private(set) var folder: Folder
    private(set) var name: String

    /// - Throws: ``EvidenceError``: `.foreignLink`, else `.cannotWrite`.
    init(of path: String, followingLinks: Bool) throws(EvidenceError) {
        (folder, name) = try Self.step(to: path, from: nil, of: path)
        guard followingLinks else { return }
        // As many links as the system itself follows.
        for hops in 0...40 {
            guard let there = try folder.status(of: name, for: path), there.st_mode & S_IFMT == S_IFLNK else {
                // A dangling link is not what was meant.
                if hops > 0, try folder.status(of: name, for: path) == nil { break }
                return
            }
            guard !isForeignLink(there) else { throw EvidenceError(.foreignLink, stream: path) }
            guard let target = folder.target(ofLink: name) else {
                throw EvidenceError(.cannotWrite, stream: path, errno: EINVAL)
            }
            (folder, name) = try Self.step(to: target, from: folder, of: path)
        }
        let isThere = try folder.status(of: name, for: path) != nil
        throw EvidenceError(.cannotWrite, stream: path, errno: isThere ? ELOOP : ENOENT)
    }

    private static func step(
        to target: String, from folder: Folder?, of path: String
    ) throws(EvidenceError) -> (Folder, String) {
        // The system would take the part before the NUL for the whole name.
        if target.utf8.contains(0) { throw EvidenceError(.cannotWrite, stream: path, errno: EINVAL) }
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(target[target.utf8.index(after: $0)...]) } ?? target
        if name.isEmpty || name == "." || name == ".." {
            throw EvidenceError(.cannotWrite, stream: path, errno: EISDIR)
        }
        do throws(EvidenceError) {
            return (try Folder(path: slash.map { String(target[...$0]) } ?? ".", from: folder), name)
        } catch { throw EvidenceError(.cannotWrite, stream: path, errno: error.errno) }
    }
}

/// A name in a folder, whether a file has it or not, so that two paths to it compare equal.
package struct FileName: Hashable, Sendable {
    private let folder: FileIdentity
    let name: String

    init(_ name: String, in folder: FileIdentity) { (self.name, self.folder) = (name, folder) }

    /// The name that a path ends with, not following a link there; `nil` if that is unknown.
    package init?(ofFileAt path: String) {
        guard let place = try? FilePlace(of: path, followingLinks: false), let folder = place.folder.identity
        else { return nil }
        self.init(place.name, in: folder)
    }
}
