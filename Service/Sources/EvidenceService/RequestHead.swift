// SPDX-License-Identifier: Apache-2.0

/// The head of a request, as an engine read it: nothing in it was judged.
public struct RequestHead: Sendable {
    /// Who is at the other end.
    public enum Peer: Sendable, Equatable {
        /// A process on a Unix socket, by its user.
        case user(UInt32)
        /// Somebody on loopback TCP, who needs the token.
        case loopback
    }

    /// The method.
    public var method: String
    /// The target as it was sent, before anything was decoded or cut.
    public var target: [UInt8]
    /// `HTTP/1.1`.
    public var version: String
    /// The header's fields in their order. Bytes, since they can be anything.
    public var fields: [(name: [UInt8], value: [UInt8])]
    /// Who asks.
    public var peer: Peer

    /// A head.
    public init(
        method: String, target: [UInt8], version: String, fields: [(name: [UInt8], value: [UInt8])], peer: Peer
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.peer = peer
    }
}
