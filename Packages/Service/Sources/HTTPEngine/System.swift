// SPDX-License-Identifier: Apache-2.0
import CServiceSystem
internal import Dispatch
public import EvidenceKit
import Glibc
internal import Synchronization
internal import VendorTypes

/// System calls of the service: sockets, signals, systemd.
public enum ServiceSystem {
    /// Runs something on a new thread.
    ///
    /// - Returns: whether the thread could be started.
    public static func onThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(ThreadBody(body)).toOpaque()
        let isStarted = unsafe service_start_thread(
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, context)
        if !isStarted { unsafe Unmanaged<ThreadBody>.fromOpaque(context).release() }
        return isStarted
    }

    private final class ThreadBody: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Notifies systemd, if it started the service.
    public static func notify(_ state: String) { unsafe service_notify(state) }

    /// Writes a text to standard output, or to another descriptor.
    ///
    /// - Returns: whether all of it was written.
    @discardableResult
    public static func write(_ text: String, to descriptor: Int32 = 1) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return true }
            return unsafe service_write(descriptor, base, buffer.count)
        }
    }

    /// Waits.
    public static func wait(seconds: UInt32) { sleep(seconds) }

    /// Ends the process.
    public static func end(_ status: Int32) -> Never { service_exit(status) }

    /// Whether the path is a folder.
    public static func isFolder(_ path: String) -> Bool { unsafe service_is_folder(path) }

    /// Whether every user of the machine may read the file, as far as its own mode goes.
    public static func isForAll(_ path: String) -> Bool { unsafe service_is_for_all(path) }

    /// Before there is another thread: uses fewer addresses, of which a limit (`ulimit -v`) may leave few.
    public static func saveAddresses() { service_save_addresses() }

    /// Raises the limit on descriptors as far as the system lets it.
    ///
    /// - Returns: how many the process may have.
    public static func raiseDescriptorLimit() -> Int { Int(service_raise_descriptors()) }

    /// How many bytes of addresses a limit on them (`ulimit -v`) left at ``saveAddresses()``; `nil` without one.
    public static var addresses: Int? {
        let count = Int(service_addresses())
        return count < 0 ? nil : count
    }

    /// Whether there is memory for a further request: its thread, its blocks, and what OpenSSL needs.
    public static func hasMemory() -> Bool { service_has_memory(16 << 20) }

    /// Whether there is memory to start with: for the service itself, for the stacks that the C library keeps of
    /// threads which have ended (40 MiB), and then for a request.
    public static func hasMemoryToStart() -> Bool { service_has_memory(96 << 20) }

    /// The time of the system clock.
    public static func now() -> UTCTime? { UTCTime(millisecondsSince1970: service_now()) }

    /// How many cores the process may use.
    public static var cores: Int { Int(service_cores()) }
}

/// What signals ask of the service, in their order.
public final class SignalQueue: Sendable {
    private let requests = Mutex<[ProcessProtection.Request]>([])
    private let isAsked = DispatchSemaphore(value: 0)
    private let hasBegun = Atomic(false)

    /// From now on signals are taken: call it first, before there is another thread. Until ``begin()``, one to stop
    /// ends the process, since nothing is in progress, and the start may wait for a disk.
    ///
    /// - Throws: ``EvidenceError``, as ``ProcessProtection/beginServing(_:)``.
    public init() throws(EvidenceError) {
        try ProcessProtection.beginServing { [self] request in
            if request == .stop, !hasBegun.load(ordering: .acquiring) { ServiceSystem.end(0) }
            requests.withLock { $0.append(request) }
            isAsked.signal()
        }
    }

    /// From now on ``next()`` is called.
    public func begin() { hasBegun.store(true, ordering: .releasing) }

    /// Waits for the next one.
    public func next() -> ProcessProtection.Request {
        isAsked.wait()
        return requests.withLock { $0.removeFirst() }
    }

    /// Whether another one to stop came within that time.
    public func isToldToStop(within milliseconds: Int) -> Bool {
        guard isAsked.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
        return requests.withLock { $0.removeFirst() } == .stop
    }
}

/// A socket that listens.
public struct Listener: Sendable {
    let descriptor: Int32
    /// Whether it is a Unix socket.
    public let isUnix: Bool
    /// The port of one on 127.0.0.1.
    public let port: Int?
    /// The path of a Unix socket that was created here, and which file it was: it is removed at the end.
    private let file: (path: String, identity: [UInt64])?

    /// A Unix socket.
    ///
    /// - Parameter group: the name of the group whose members may connect; `nil` for that of the process.
    /// - Throws: ``ListeningError``.
    public init(path: String, mode: UInt32, group: String?) throws(ListeningError) {
        let number =
            if let group {
                unsafe service_listen_unix(path, mode, group)
            } else {
                unsafe service_listen_unix(path, mode, nil)
            }
        if number == -2 { throw ListeningError(description: "cannot listen on \(path): the group does not exist") }
        guard number >= 0 else { throw ListeningError(path) }
        (descriptor, isUnix, port, file) = (number, true, nil, Self.identity(path).map { (path, $0) })
    }

    private static func identity(_ path: String) -> [UInt64]? {
        var identity: [UInt64] = [0, 0]
        let isThere = unsafe identity.withUnsafeMutableBufferPointer { buffer in
            unsafe service_file_identity(path, buffer.baseAddress)
        }
        return isThere ? identity : nil
    }

    /// A socket on 127.0.0.1.
    ///
    /// - Throws: ``ListeningError``.
    public init(port: UInt16) throws(ListeningError) {
        let number = service_listen_tcp(port)
        guard number >= 0 else { throw ListeningError("port \(port)") }
        (descriptor, isUnix, self.port, file) = (number, false, Int(port), nil)
    }

    private init(handed descriptor: Int32) throws(ListeningError) {
        guard service_is_listening(descriptor) else {
            throw ListeningError(
                description: "descriptor \(descriptor), which systemd passed, is no stream socket that listens: "
                    + "the unit of the socket needs ListenStream=, and Accept=no")
        }
        let number = Int(service_loopback_port(descriptor))
        (self.descriptor, isUnix, file) = (descriptor, service_is_unix(descriptor), nil)
        port = number > 0 ? number : nil
        guard isUnix || port != nil else {
            throw ListeningError(
                description: "descriptor \(descriptor), which systemd passed, is neither a Unix socket nor one on "
                    + "127.0.0.1: anybody in the network could send requests")
        }
    }

    /// The sockets that systemd passed.
    ///
    /// - Throws: ``ListeningError``.
    public static func handedOver() throws(ListeningError) -> [Listener] {
        var listeners: [Listener] = []
        for number in 0..<service_handed_sockets() { listeners.append(try Listener(handed: 3 + number)) }
        return listeners
    }

    /// Removes the socket, unless another service has put its own there, before new clients are refused.
    func close() {
        if let file, Self.identity(file.path) == file.identity { unsafe service_remove(file.path) }
        service_close(descriptor)
    }
}

/// Why a socket cannot listen.
public struct ListeningError: Error, CustomStringConvertible {
    /// The message, without a full stop.
    public let description: String

    init(_ name: String) {
        description = unsafe "cannot listen on \(name): \(String(cString: service_error_text()))"
    }

    init(description: String) { self.description = description }
}
