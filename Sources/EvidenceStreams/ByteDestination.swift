// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC

/// Where bytes go, in pieces from front to back, once. After ``finish()`` or ``abandon()`` it accepts nothing more, so
/// the remains of a failed run can never become part of a later one.
public protocol ByteDestination: AnyObject {
    /// Whether nobody can see what was written before ``finish()``, or ever if that is not reached.
    ///
    /// Only to such a destination may bytes be written before their tag is verified.
    var isWithheldUntilFinished: Bool { get }
    /// Writes all of `bytes`.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, or a failure of your own (`underlying`).
    func write(_ bytes: Span<UInt8>) throws(EvidenceError)
    /// Makes what was written final. Called once, after everything was written.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, or a failure of your own (`underlying`).
    func finish() throws(EvidenceError)
    /// Discards what was written and is not final. The writer calls this when it fails.
    func abandon()
}

extension ByteDestination {
    /// Writes all of a buffer and empties it for the next use.
    package func take(_ bytes: inout [UInt8]) throws(EvidenceError) {
        if bytes.isEmpty { return }
        try write(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Runs a body that writes here, and abandons the destination if it fails.
    package func orAbandon<Result>(
        _ body: () throws(EvidenceError) -> Result
    ) throws(EvidenceError) -> Result {
        do throws(EvidenceError) { return try body() } catch {
            abandon()
            throw error
        }
    }
}

/// Writes to something that is open already: standard output, a pipe, a device.
///
/// What is written cannot be taken back, so code that opens sealed bytes checks all of them before it writes the first.
public final class DescriptorDestination: ByteDestination {
    /// Never: a reader may be waiting at the other end.
    public let isWithheldUntilFinished = false
    /// The identity of the file, if it is a regular one, to find out whether it is also an input.
    package let identity: FileIdentity?
    private let descriptor: Descriptor

    /// Writes to a descriptor that stays open.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`) when it is not open.
    public init(descriptor: Int32, name: String) throws(EvidenceError) {
        self.descriptor = Descriptor(descriptor, name: name, closes: false)
        identity = try Self.identity(of: self.descriptor)
    }

    /// Writes to a path that is not a regular file: a device, a FIFO, a descriptor's name such as
    /// `/dev/fd/3`.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`, or `.foreignLink`).
    package init(deviceAt path: String) throws(EvidenceError) {
        if let number = inheritedDescriptor(named: path) {
            descriptor = try Descriptor(inherited: number, name: path, code: .cannotWrite)
        } else {
            var status = stat()
            if unsafe lstat(path, &status) == 0, isForeignLink(status) {
                throw EvidenceError(.foreignLink, stream: path)
            }
            descriptor = try Descriptor(opening: path, flags: O_WRONLY | O_NOCTTY, code: .cannotWrite)
        }
        identity = try Self.identity(of: descriptor)
    }

    private static func identity(of descriptor: Descriptor) throws(EvidenceError) -> FileIdentity? {
        do throws(EvidenceError) {
            let status = try descriptor.status
            return status.st_mode & S_IFMT == S_IFREG ? FileIdentity(status) : nil
        } catch { throw EvidenceError(.cannotWrite, stream: descriptor.name, errno: error.errno) }
    }

    /// Whether a path is to be written like standard output: it names a descriptor, or something that is neither a
    /// regular file nor a folder.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`) if the system cannot tell.
    package static func isDevice(at path: String) throws(EvidenceError) -> Bool {
        if inheritedDescriptor(named: path) != nil { return true }
        guard let status = try fileStatus(at: path, else: .cannotWrite) else { return false }
        let kind = status.st_mode & S_IFMT
        return kind != S_IFREG && kind != S_IFDIR
    }

    /// See ``ByteDestination/write(_:)``.
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try descriptor.write(bytes)
    }

    /// Waits for the disk, where standard output was redirected to a file.
    ///
    /// - Throws: ``EvidenceError``: `.cannotWrite`, or a failure of your own (`underlying`).
    public func finish() throws(EvidenceError) {
        try descriptor.sync()
    }

    /// Does nothing: what was written cannot be taken back.
    public func abandon() {}
}

/// Collects bytes in memory, for content that is known to be small.
public final class MemoryDestination: ByteDestination {
    /// Always: ``bytes`` is empty before ``finish()``.
    public let isWithheldUntilFinished = true
    /// Everything that was written, once it is final.
    public private(set) var bytes: [UInt8] = []
    private var withheld: [UInt8] = []
    private var isSpent = false

    /// An empty destination.
    public init() {}

    /// See ``ByteDestination/write(_:)``.
    ///
    /// - Throws: ``EvidenceError`` (`.spent`).
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, stream: "memory") }
        unsafe bytes.withUnsafeBufferPointer { unsafe withheld.append(contentsOf: $0) }
    }

    /// Moves what was written to ``bytes``.
    ///
    /// - Throws: ``EvidenceError`` (`.spent`).
    public func finish() throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, stream: "memory") }
        isSpent = true
        swap(&bytes, &withheld)
    }

    /// Discards what was written.
    public func abandon() {
        isSpent = true
        withheld = []
    }
}

/// Discards bytes: for measuring, and for checking content without keeping it.
public final class DiscardingDestination: ByteDestination {
    /// Always: nobody can ever see them.
    public let isWithheldUntilFinished = true

    /// A destination that keeps nothing.
    public init() {}

    /// Does nothing.
    public func write(_ bytes: Span<UInt8>) {}

    /// Does nothing.
    public func finish() {}

    /// Does nothing.
    public func abandon() {}
}
