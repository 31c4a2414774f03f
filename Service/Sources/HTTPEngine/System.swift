// SPDX-License-Identifier: Apache-2.0
import CServiceSystem
public import EvidenceKit
internal import VendorTypes

/// System calls of the service: sockets, signals, systemd.
public enum ServiceSystem {
    /// What a signal asks for.
    public enum Signal: Sendable { case stop, reload }

    /// Call it first: see `service_prepare_process`.
    public static func prepareProcess() { service_prepare_process() }

    /// Waits for a signal.
    public static func nextSignal() -> Signal {
        while true {
            switch service_wait_signal(-1) {
            case 1: return .reload
            case 2, 15: return .stop
            default: continue
            }
        }
    }

    /// Whether another signal to stop came within that time.
    public static func isToldToStop(within milliseconds: Int32) -> Bool {
        let number = service_wait_signal(milliseconds)
        return number == 2 || number == 15
    }

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

    /// Writes a line to standard error.
    public static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe service_write(2, base, buffer.count) }
        }
    }

    /// Writes a text to standard output.
    public static func write(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe service_write(1, base, buffer.count) }
        }
    }

    /// Ends the process.
    public static func end(_ status: Int32) -> Never { service_exit(status) }

    /// Whether the path is a folder.
    public static func isFolder(_ path: String) -> Bool { unsafe service_is_folder(path) }

    /// The time of the system clock.
    public static func now() -> UTCTime? { UTCTime(millisecondsSince1970: service_now()) }

    /// How many cores the process may use.
    public static var cores: Int { Int(service_cores()) }
}

/// A socket that listens.
public struct Listener: Sendable {
    let descriptor: Int32
    /// Whether it is a Unix socket.
    public let isUnix: Bool
    /// The path of a Unix socket that was created here; it is removed at the end.
    private let path: String?

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
        (descriptor, isUnix, self.path) = (number, true, path)
    }

    /// A socket on 127.0.0.1.
    ///
    /// - Throws: ``ListeningError``.
    public init(port: UInt16) throws(ListeningError) {
        let number = service_listen_tcp(port)
        guard number >= 0 else { throw ListeningError("port \(port)") }
        (descriptor, isUnix, path) = (number, false, nil)
    }

    private init(handed descriptor: Int32) {
        (self.descriptor, isUnix, path) = (descriptor, service_is_unix(descriptor), nil)
    }

    /// The sockets that systemd passed.
    public static func handedOver() -> [Listener] {
        (0..<service_handed_sockets()).map { Listener(handed: 3 + $0) }
    }

    func close() {
        service_close(descriptor)
        if let path { _ = unsafe service_remove(path) }
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
