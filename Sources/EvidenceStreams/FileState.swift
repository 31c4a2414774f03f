// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import PlatformC

/// What shows that a file was not changed since: whichever program writes to it, the system renews one of these.
package struct FileState: Equatable, Sendable {
    /// Size, inode, device, and the moments of the last change to its content and to anything of it.
    package let text: String
    /// Seconds since 1970 of the last change.
    private let changed: Int64

    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        text =
            "\(status.st_size) \(status.st_ino) \(status.st_dev) \(modified.tv_sec).\(modified.tv_nsec) "
            + "\(changed.tv_sec).\(changed.tv_nsec)"
        self.changed = Int64(changed.tv_sec)
    }

    /// Whether the last change is so recent that another one could come at the same moment, as a file system counts
    /// them: then nothing would show that.
    package var isTooRecent: Bool { Int64(time(nil)) - changed < 3 }
}

extension FileSource {
    /// Its state now.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package func state() throws(EvidenceError) -> FileState { try FileState(status) }

    /// Whether nobody but the user of this process and root can have written it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package func isOnlyOurs() throws(EvidenceError) -> Bool {
        let status = try status
        return (status.st_uid == geteuid() || status.st_uid == 0) && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }
}
