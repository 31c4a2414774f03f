// SPDX-License-Identifier: Apache-2.0
/// The configuration of the service. The files that it names are read at the start and at each reload.
public struct ServiceConfiguration: Sendable {
    /// Files of private keys for videos; for each payload, the one that fits is used. `PROFILE=FILE` is for videos of
    /// that profile, `FILE` alone for those of `evidence-v2`.
    public var keyFiles: [String] = []
    /// Files of the comparing service's private keys, for statements.
    public var compareKeyFiles: [String] = []
    /// The file with the passphrase of encrypted keys.
    public var passphraseFile: String?
    /// Files of SIGN tickets, the current one first.
    public var ticketFiles: [String] = []
    /// The folder of the current SIGN tickets (`TicketFolder`), read anew for each request; instead of `ticketFiles`.
    public var ticketFolder: String?
    /// The integrator's appId.
    public var appId: String?
    /// Names or files of the profiles that a request may name, besides `evidence-v2`.
    public var profiles: [String] = []
    /// The folder with the public keys of devices, each in a file named by its thumbprint.
    public var deviceKeyFolder: String?
    /// The folder in which `extract` makes folders.
    public var extractFolder: String?
    /// Whether values may be signed.
    public var allowsSigning = false
    /// Whether videos may be sealed, for tests.
    public var allowsSealing = false
    /// The users who may use the Unix socket; empty for all whom its mode admits.
    public var allowedUsers: Set<UInt32> = []
    /// The file with the token for TCP.
    public var tokenFile: String?
    /// The values of `Host` that are accepted on TCP.
    public var hosts: Set<String> = []
    /// The limits.
    public var limits = ServiceLimits()

    /// Whether signs can be compared.
    var hasTickets: Bool { ticketFolder != nil || !ticketFiles.isEmpty }

    /// An empty configuration.
    public init() {}
}
