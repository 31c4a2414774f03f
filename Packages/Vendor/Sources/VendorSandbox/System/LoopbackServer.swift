// SPDX-License-Identifier: Apache-2.0
// Sockets and threads: the only place of this module with pointers.
public import EvidenceKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Listens on 127.0.0.1 only: one thread and one request for each connection.
public final class LoopbackServer: Sendable {
    /// Where it listens.
    public let port: UInt16
    private let descriptor: Int32
    private let service: SandboxService

    /// Starts to listen.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: ``EvidenceError`` (`.noAnswer`) if the port is taken.
    public init(_ service: SandboxService, port: UInt16) throws(EvidenceError) {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listening = socket(AF_INET, stream, 0)
        var yes: Int32 = 1
        unsafe setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listening, address, length) == 0 && listen(listening, 512) == 0
                    && getsockname(listening, address, &length) == 0
            }
        }
        guard isBound else {
            close(listening)
            throw EvidenceError(
                .noAnswer, "port \(port) of 127.0.0.1 cannot be used", hint: "choose another one with --port")
        }
        self.port = UInt16(bigEndian: address.sin_port)
        self.service = service
        descriptor = listening
    }

    deinit { close(descriptor) }

    /// Starts serving in a separate thread.
    public func start() {
        _ = Self.inThread { [self] in serve() }
    }

    /// Stops serving; open connections are finished.
    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Serves until ``stop()``.
    public func serve() {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection < 0 {
                // Anything but the end of the socket passes: no descriptors, no memory, a client that left.
                guard ![EINVAL, EBADF].contains(errno) else { return }
                usleep(10_000)
                continue
            }
            let isTaken = Self.inThread { [service, port] in
                Self.answer(connection, service, port)
                close(connection)
            }
            if !isTaken { close(connection) }
        }
    }

    private static func answer(_ connection: Int32, _ service: SandboxService, _ port: UInt16) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        let answer: SandboxService.Answer
        do throws(HTTPRequest.Refusal) {
            var end = HTTPRequest.headEnd(in: bytes)
            while end == nil {
                guard bytes.count <= HTTPRequest.headLimit else {
                    throw HTTPRequest.Refusal(431, "the head is too long")
                }
                guard receive(connection, &bytes) else { return }
                end = HTTPRequest.headEnd(in: bytes)
            }
            guard let end else { return }
            var request = try HTTPRequest(head: bytes[..<end])
            if request.expectsContinue, bytes.count < end + request.bodyLength {
                write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), connection)
            }
            while bytes.count < end + request.bodyLength {
                guard receive(connection, &bytes) else { return }
            }
            request.body = Array(bytes[end..<(end + request.bodyLength)])
            answer = service.answer(to: request, port: port)
        } catch {
            answer = SandboxService.Answer(.page(error.status, "HTTP", error.reason))
        }
        if answer.delay > 0 { usleep(UInt32(answer.delay * 1_000_000)) }
        guard !answer.isLost else { return }
        let all = answer.response.bytes(withBody: answer.hasBody)
        guard answer.isSlow else { return write(all, connection) }
        for start in stride(from: 0, to: all.count, by: max(all.count / 10, 1)) {
            write(Array(all[start..<min(start + max(all.count / 10, 1), all.count)]), connection)
            usleep(50_000)
        }
    }

    private static func receive(_ connection: Int32, _ bytes: inout [UInt8]) -> Bool {
        var block = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(connection, &block, block.count, 0)
        guard count > 0 else { return false }
        bytes.append(contentsOf: block[..<count])
        return true
    }

    private static func write(_ bytes: [UInt8], _ connection: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = unsafe rest.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func inThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = unsafe pthread_create(
            &thread, nil,
            { argument in
                #if canImport(Darwin)
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                #else
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    }
                #endif
                return nil
            }, work)
        guard failure == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(work).release()
            return false
        }
        #if canImport(Darwin)
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }
}
