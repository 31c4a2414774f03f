// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC

/// The identity of a file, independent of its name: two names of one file have the same identity.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The file a path leads to now, or `nil` where there is none.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`) if the system cannot tell: a caller that took this for "none"
    ///   could replace one of its inputs.
    public init?(ofFileAt path: String) throws(EvidenceError) {
        guard let status = try fileStatus(at: path, else: .cannotRead) else { return nil }
        self.init(status)
    }
}

/// What a path leads to, following links; `nil` if nothing.
///
/// - Throws: ``EvidenceError`` of this code if the system cannot tell.
func fileStatus(at path: String, else code: EvidenceError.Code) throws(EvidenceError) -> stat? {
    var status = stat()
    guard unsafe stat(path, &status) != 0 else { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw EvidenceError(code, stream: path, errno: errno)
}

/// Whether this is a symbolic link of a user other than us and root, who could have placed it to redirect our output.
func isForeignLink(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFLNK && status.st_uid != geteuid() && status.st_uid != 0
}

/// The number in `/dev/fd/N` and its other spellings. Such a path names an inherited descriptor, which is used as it
/// is; opening the path again would start a file from its front, or replace it.
func inheritedDescriptor(named path: String) -> Int32? {
    switch path {
    case "/dev/stdin": return 0
    case "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default:
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let digits = path.dropFirst(folder.count)
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int32(digits) : nil
        }
        return nil
    }
}
