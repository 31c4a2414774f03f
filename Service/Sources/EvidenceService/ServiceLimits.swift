// SPDX-License-Identifier: Apache-2.0

/// The bounds of the service: what it takes of strangers, of time and of the machine.
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
    /// Bytes that are kept in memory of one thing that waits; what is beyond goes to the disk, sealed.
    public let heldBytes = 256 << 10
    /// The same for everything that waits, of all requests together.
    public let heldBytesInAll = 16 << 20
    /// Bytes that all requests together may have on the disk.
    public var spoolBytes: UInt64 = 8 << 30
    /// Requests with a body that are at work at a time.
    public var requests = 64
    /// Connections. A few more are answered that there are too many.
    public var connections = 256
    /// Seconds from a connection, or the last answer, to the end of the next head.
    public var headSeconds = 10
    /// Seconds without a byte.
    public var silenceSeconds = 30
    /// Seconds for a body, and for an answer.
    public var bodySeconds = 600
    /// Bytes a second that a body must come in with, and an answer be taken with, after ``graceSeconds``.
    public var lowestRate: UInt64 = 16 << 10
    /// Seconds before the rate counts.
    public let graceSeconds = 10
    /// Seconds for what is at work when the service is to stop.
    public var drainSeconds = 30

    /// The bounds unless others are asked for.
    public init() {}
}
