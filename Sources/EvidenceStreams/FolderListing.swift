// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import PlatformC

/// The names of the regular files in a folder, of links to such, and of links that lead nowhere, in the order of their
/// bytes; none that begins with a dot. A name that is not UTF-8 can open nothing: it has U+FFFD in it here, and no file
/// is found under it.
///
/// - Parameters:
///   - path: the folder.
///   - limit: how many entries a folder may have.
/// - Throws: ``EvidenceError``: `.tooLarge` beyond the limit, or `.cannotRead`, also where the system does not say what
///   is under a name.
package func fileNames(inFolder path: String, limit: Int) throws(EvidenceError) -> [String] {
    guard !path.utf8.contains(0), let folder = unsafe opendir(path) else {
        throw EvidenceError(.cannotRead, stream: path, errno: path.utf8.contains(0) ? EINVAL : errno)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    var count = 0
    while true {
        errno = 0
        guard let entry = unsafe readdir(folder) else {
            guard errno == 0 else { throw EvidenceError(.cannotRead, stream: path, errno: errno) }
            break
        }
        let (name, isText) = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
            unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                unsafe (String(cString: $0), String(validatingCString: $0) != nil)
            }
        }
        if name == "." || name == ".." { continue }
        count += 1
        guard count <= limit else { throw EvidenceError(.tooLarge, stream: path) }
        if name.utf8.starts(with: ".".utf8) { continue }
        // Nothing can open it by this name, but to leave it out would hide it.
        let isKept = isText ? unsafe try isFile(name, in: dirfd(folder), at: path) : true
        if isKept { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// Whether a name is that of a regular file, of a link to one, or of a link that leads nowhere.
private func isFile(_ name: String, in folder: Int32, at path: String) throws(EvidenceError) -> Bool {
    var status = stat()
    if unsafe fstatat(folder, name, &status, 0) == 0 { return status.st_mode & S_IFMT == S_IFREG }
    if errno == ENOENT || errno == ELOOP {
        if unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        // It has gone meanwhile.
        if errno == ENOENT { return false }
    }
    throw EvidenceError(.cannotRead, stream: path.hasSuffix("/") ? path + name : "\(path)/\(name)", errno: errno)
}
