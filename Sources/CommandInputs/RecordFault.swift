// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
internal import EvidenceErrors
public import EvidenceKit
internal import PlatformC

// Of many records, which faults are of one alone: the others are still looked at.

extension EvidenceError {
    /// Whether a path could not be reached for what it is (a mount point is busy). Whatever else fails (a disk, a
    /// mount, memory, descriptors) is the system.
    public var isOfPath: Bool {
        [ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EINVAL, EACCES, EPERM, EXDEV, ENXIO, EBUSY].contains(errno)
    }

    /// Whether it refuses the record; otherwise it says nothing about it.
    public var isOfRecord: Bool {
        // Another reading of what changed may tell what it is; faults of signed values come from the record.
        [.sign, .signForm, .changed].contains(code) || code.number < 400 || (600..<700).contains(code.number)
    }
}

extension CommandError {
    /// Of a path that a list gives: a list may have been taken for another file, so a path is named only where there is
    /// something, or where it is plainly a file's name.
    public init(listed error: EvidenceError) {
        let isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.errno)
        guard let path = error.streamName, !isThere, !mayBeRepeated(path, as: .secretPath) else {
            self.init(error)
            return
        }
        self.init(.usage, error.description(naming: "the path \(notRepeated)"))
    }
}
