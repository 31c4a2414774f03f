// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC

/// The names of the regular files in a folder, and of links to such, in the order of their bytes; none that begins with
/// a dot.
///
/// - Parameter limit: how many entries a folder may have.
/// - Throws: ``EvidenceError``: `.cannotRead`, or `.tooLarge` beyond the limit.
public func fileNames(inFolder path: String, limit: Int) throws(EvidenceError) -> [String] {
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
        count += 1
        guard count <= limit else { throw EvidenceError(.tooLarge, stream: path) }
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
            unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        var status = stat()
        let isFile = unsafe fstatat(dirfd(folder), name, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile && !name.utf8.starts(with: ".".utf8) { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
