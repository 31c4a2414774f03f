// SPDX-License-Identifier: Apache-2.0

/// The head of a request as an engine read it, not yet checked.
public struct RequestHead: Sendable {
    /// The client.
    public enum Peer: Sendable, Equatable {
        /// A process on a Unix socket, with its user id.
        case user(UInt32)
        /// A client on loopback TCP, which needs the token.
        case loopback
    }

    /// The method.
    public var method: String
    /// The target as it was sent, not decoded.
    public var target: [UInt8]
    /// `HTTP/1.1`.
    public var version: String
    /// The header fields in their order, as bytes, since they may contain any.
    public var fields: [(name: [UInt8], value: [UInt8])]
    /// The client.
    public var peer: Peer
    /// Whether the head has bytes that neither its first line nor its fields show, or lacks some: a line that goes on
    /// in the next one, a field without a name, a bare line feed, a NUL. Another server may see another request.
    public var isAmbiguous: Bool

    /// A head.
    public init(
        method: String, target: [UInt8], version: String, fields: [(name: [UInt8], value: [UInt8])], peer: Peer,
        isAmbiguous: Bool = false
    ) {
        self.isAmbiguous = isAmbiguous
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.peer = peer
    }
}
