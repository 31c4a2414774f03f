// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit

/// Where a ``TokenKeeper`` keeps what processes share: a file (``FileCredentialStore``), or a store of yours.
///
/// It stores one record of at most 4096 bytes. It holds the token and the SIGN tickets: encrypt it, or keep it where
/// nobody else reads.
public protocol CredentialStore: Sendable {
    /// The last saved record; `nil` if there is none.
    ///
    /// - Throws: anything; the keeper reports it as `.ticketStore`.
    func load() async throws -> SecretBytes?

    /// Replaces the record atomically and durably.
    ///
    /// - Throws: anything, and always if the lease was lost meanwhile; the keeper reports it as `.ticketStore`.
    func save(_ record: consuming SecretBytes) async throws

    /// The right to renew, which one process has at a time; `nil` if another has it. Does not wait.
    ///
    /// A lease that expires must last longer than two calls with their repeats: two minutes suffice.
    ///
    /// - Throws: anything; the keeper reports it as `.ticketStore`.
    func acquireLease() async throws -> (any CredentialLease)?
}

/// The right to renew.
public protocol CredentialLease: Sendable {
    /// Releases it.
    func release() async
}

/// A file of mode 0600 that the processes of one user on one machine share, with a lock file next to it.
///
/// - A record is replaced by a rename, so a process that ends while writing leaves the previous one.
/// - The lock (`flock` on `PATH.lock`) is released when its process ends, however it ends.
/// - Not for network file systems, whose locks are unreliable.
public struct FileCredentialStore: CredentialStore {
    /// The file's path.
    public let path: String

    /// A file, which need not exist yet; its folder must exist.
    public init(path: String) { self.path = path }

    /// See ``CredentialStore/load()``.
    ///
    /// - Throws: ``EvidenceError`` (`.ticketStore`) for a file that others can read, that another user owns, or a
    ///   symbolic link.
    public func load() throws(EvidenceError) -> SecretBytes? {
        guard let file = try OpenFile.ofOwner(path) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(KeptCredentials.byteLimit + 2)
        let source = try FileSource(descriptor: file.descriptor, name: path)
        while bytes.count <= KeptCredentials.byteLimit {
            let count = try source.read(KeptCredentials.byteLimit + 1 - bytes.count, to: &bytes)
            if count == 0 { break }
        }
        return SecretBytes(wiping: &bytes)
    }

    /// See ``CredentialStore/save(_:)``.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, `.foreignLink`.
    public func save(_ record: consuming SecretBytes) throws(EvidenceError) {
        let file = try WholeFile(path: path, replacing: true, access: .owner)
        try record.withExposedBytes { bytes throws(EvidenceError) in try file.write(bytes) }
        try file.finish()
    }

    /// See ``CredentialStore/acquireLease()``.
    ///
    /// - Throws: ``EvidenceError`` (`.ticketStore`).
    public func acquireLease() throws(EvidenceError) -> (any CredentialLease)? {
        try OpenFile.locked(path + ".lock").map(FileLease.init)
    }
}

/// A lock on a file.
private actor FileLease: CredentialLease {
    private var file: OpenFile?

    init(_ file: OpenFile) { self.file = file }

    func release() { file = nil }
}
