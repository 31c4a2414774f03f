// SPDX-License-Identifier: Apache-2.0
/// What the service was told when it was started. What of it is in files is read at the start, and again on request.
public struct ServiceConfiguration: Sendable {
    /// Files of private keys for videos, of which each payload has one.
    public var keyFiles: [String] = []
    /// Files of the comparing service's private keys, for statements.
    public var compareKeyFiles: [String] = []
    /// A file with the passphrase of those of these keys that are encrypted.
    public var passphraseFile: String?
    /// Files of SIGN tickets, the current one first.
    public var ticketFiles: [String] = []
    /// The integrator's appId.
    public var appId: String?
    /// Names or files of the profiles that a request may name, besides the toolkit's own two.
    public var profiles: [String] = []
    /// The folder with devices' public keys, each in a file of its thumbprint's name.
    public var deviceKeyFolder: String?
    /// The folder in which `extract` makes folders.
    public var extractFolder: String?
    /// Whether values may be signed.
    public var allowsSigning = false
    /// Whether videos may be sealed, for tests.
    public var allowsSealing = false
    /// The users who may ask on the Unix socket; empty for all whom the socket's mode lets in.
    public var allowedUsers: Set<UInt32> = []
    /// The file with the token of TCP.
    public var tokenFile: String?
    /// What `Host` may be on TCP.
    public var hosts: Set<String> = []
    /// The bounds.
    public var limits = ServiceLimits()

    /// Nothing is given as yet.
    public init() {}
}
