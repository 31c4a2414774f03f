// SPDX-License-Identifier: Apache-2.0

/// The limits of the service: sizes, counts and times.
public struct ServiceLimits: Sendable {
    /// Fields in a head.
    public let fields = 64
    /// Bytes in one line of a head.
    public let lineBytes = 8 << 10
    /// Bytes in a head.
    public let headBytes = 16 << 10
    /// Bytes of a body that is read whole: values to be signed.
    public let smallBodyBytes: UInt64 = 16 << 10
    /// Bytes of any other body.
    public var bodyBytes: UInt64 = 1 << 30
    /// Bytes of one held content that stay in memory; the rest goes to disk, sealed.
    public let heldBytes = 256 << 10
    /// The same for all held content of all requests together.
    public let heldBytesInAll = 16 << 20
    /// Bytes of disk space for all requests together.
    public var spoolBytes: UInt64 = 8 << 30
    /// Requests with a body at the same time.
    public var requests = 64
    /// Requests for each core that compute at the same time. With one, a core would idle while the next thread wakes
    /// up.
    public let computingPerCore = 2
    /// Connections.
    public var connections = 256
    /// So many more are accepted at each socket, to tell them that there are too many.
    public private(set) var surplusConnections = 16
    /// Seconds from the connection, or the last answer, to the end of the next head.
    public var headSeconds = 10
    /// Seconds without a byte.
    public var silenceSeconds = 30
    /// Seconds for a body, and for an answer.
    public var bodySeconds = 600
    /// The lowest rate, in bytes per second, at which a body is sent and an answer is read, after ``graceSeconds``.
    public var lowestRate: UInt64 = 16 << 10
    /// Seconds before the rate is checked.
    public let graceSeconds = 10
    /// Seconds that a stopping service waits for requests in progress.
    public var drainSeconds = 30

    /// The default limits.
    public init() {}

    /// Lowers what a limit on descriptors cannot carry: a server without any left for a connection that waits would ask
    /// for it without end.
    ///
    /// - Parameters:
    ///   - descriptors: how many the process may have.
    ///   - listeners: at how many sockets it listens.
    /// - Returns: whether something was lowered; `nil` if no connection is left.
    public mutating func fit(descriptors: Int, listeners: Int) -> Bool? {
        // Those of the process itself, and of a request: its body, what is made of it, a folder of five files.
        let room = descriptors - 16 - 4 * listeners, forOne = 12
        let places = listeners * (connections + surplusConnections)
        guard places + min(requests, connections) * forOne > room else { return false }
        requests = min(requests, max(1, room / 3 / forOne, (room - places) / forOne))
        return lower(to: (room - requests * forOne) / max(1, listeners))
    }

    /// Lowers what a limit on addresses cannot carry: for want of them the process would end, and with it everybody's
    /// request.
    ///
    /// - Parameters:
    ///   - addresses: how many bytes the process may have besides those that it began with.
    ///   - listeners: at how many sockets it listens.
    /// - Returns: as ``fit(descriptors:listeners:)``.
    public mutating func fit(addresses: Int, listeners: Int) -> Bool? {
        // Kept for the threads of the service itself, content that is held, and the work of requests. A connection has
        // a thread with a stack of 1 MiB, and buffers.
        let kept = 80 << 20, forOne = 5 << 18
        let rest = (addresses - kept) / forOne / max(1, listeners)
        return connections + surplusConnections > rest ? lower(to: rest) : false
    }

    /// Lowers connections so that each socket has so many, with those that are only refused.
    private mutating func lower(to places: Int) -> Bool? {
        surplusConnections = max(1, min(surplusConnections, places / 4))
        connections = min(connections, places - surplusConnections)
        return connections > 0 ? true : nil
    }
}
