// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import CServiceSystem
internal import EvidenceKit
public import EvidenceService
import Glibc
import Synchronization

/// Why the engine could not start.
public struct EngineError: Error, CustomStringConvertible {
    /// The message, without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// HTTP/1.1 with libmicrohttpd, one thread for each connection.
///
/// libmicrohttpd reads heads and frames bodies. It is less strict than it should be, so what it found is compared with
/// the bytes that arrived (``ReceivedBytes``), and ``EvidenceService`` checks each head before a byte of the body is
/// used. A timer here ends what takes too long.
public final class HTTPEngine: Sendable {
    private let service: EvidenceService
    private let listeners: [Listener]
    private let daemons = Mutex<[Daemon]>([])
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    private let isOver = Atomic(false)
    /// Connections for which there was no thread since the log said so.
    private let refusals = Mutex((count: 0, said: ContinuousClock.now - .seconds(60)))

    /// libmicrohttpd's handle, which may be used from any thread.
    @safe private struct Daemon: @unchecked Sendable { let pointer: OpaquePointer }

    /// Starts to listen.
    ///
    /// - Throws: ``EngineError``.
    public init(_ service: EvidenceService, _ listeners: [Listener]) throws(EngineError) {
        self.service = service
        self.listeners = listeners
        guard unsafe service_read_with(noteReceived) else {
            throw EngineError("what libmicrohttpd reads cannot be seen: another library has a function recv")
        }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        for listener in listeners {
            let places = UInt32(service.limits.connections + service.limits.surplusConnections)
            // The timer starts first, because it can send an answer.
            let silence = UInt32(max(service.limits.silenceSeconds, service.limits.headSeconds) + 5)
            guard
                let daemon = unsafe evidence_mhd_start(
                    listener.descriptor, places, silence, context,
                    handleRequest, beginTarget, endRequest, changeConnection)
            else { throw EngineError("libmicrohttpd cannot start") }
            let started = unsafe Daemon(pointer: daemon)
            daemons.withLock { $0.append(started) }
        }
        let watches = ServiceSystem.onThread { [self] in
            var before = ContinuousClock.now
            while !isOver.load(ordering: .relaxed) {
                let now = ContinuousClock.now
                cutTheSlow(at: now, after: before.duration(to: now))
                before = now
                usleep(250_000)
            }
        }
        guard watches else { throw EngineError("the system refuses to start a thread") }
    }

    // MARK: - The end

    /// Accepts no new connection, and waits for requests in progress.
    ///
    /// - Parameter isLate: whether to stop waiting; called repeatedly.
    /// - Returns: whether all requests were completed.
    public func drain(unless isLate: () -> Bool) -> Bool {
        service.stop()
        for daemon in daemons.withLock({ $0 }) { _ = unsafe MHD_quiesce_daemon(daemon.pointer) }
        // libmicrohttpd leaves the socket open: new clients would wait in its queue.
        for listener in listeners { listener.close() }
        while true {
            let all = connections.withLock { Array($0.values) }
            for connection in all { connection.endIfIdle() }
            if !all.contains(where: \.isAtWork) { break }
            if isLate() { break }
        }
        return !connections.withLock { Array($0.values) }.contains(where: \.isAtWork)
    }

    /// Cuts off what is left, after ``drain(unless:)``. A thread that the system keeps, such as one that writes to a
    /// disk that does not answer, is waited for.
    public func stop() {
        for connection in connections.withLock({ Array($0.values) }) { connection.endAnyway(stoppingAnswer) }
        for daemon in daemons.withLock({ $0 }) { unsafe MHD_stop_daemon(daemon.pointer) }
        isOver.store(true, ordering: .relaxed)
    }

    private func cutTheSlow(at now: ContinuousClock.Instant, after pause: Duration) {
        let all = connections.withLock { Array($0.values) }
        // Somebody stopped the process, as a container is paused, or the machine has no time for it.
        if pause > .seconds(1) { for connection in all { connection.forgive(pause) } }
        for connection in all { connection.cutIfSlow(service.limits, slowAnswer, at: now, service.metrics) }
    }

    // MARK: - Connections

    fileprivate func open(_ descriptor: Int32) -> Connection {
        let isUnix = service_is_unix(descriptor)
        let peer: RequestHead.Peer = isUnix ? .user(UInt32(clamping: service_peer_user(descriptor))) : .loopback
        let connection = Connection(descriptor, peer)
        readers.withLock { $0[descriptor] = connection }
        connections.withLock { connections in
            connections[ObjectIdentifier(connection)] = connection
            service.metrics.set(connections: connections.count)
        }
        return connection
    }

    fileprivate func close(_ connection: Connection) {
        connection.close()
        // Its descriptor is closed only afterwards.
        readers.withLock { $0[connection.descriptor] = nil }
        connections.withLock { connections in
            connections[ObjectIdentifier(connection)] = nil
            service.metrics.set(connections: connections.count)
        }
        // libmicrohttpd closes what it has no thread for, and every other thread reads at least the end.
        if !connection.wasRead.load(ordering: .relaxed), !isStopping { noteRefusal() }
    }

    /// Says that a connection was closed unread, every few seconds at most.
    private func noteRefusal() {
        let count = refusals.withLock { refusals -> Int? in
            refusals.count += 1
            guard refusals.said.duration(to: .now) > .seconds(10) else { return nil }
            defer { refusals = (0, .now) }
            return refusals.count
        }
        if let count {
            service.note("connections: \(count) closed unanswered, because the system refuses to start a thread")
        }
    }

    fileprivate func begin(_ head: RequestHead) -> RequestWork {
        service.begin(head, isOverfull: connections.withLock { $0.count } > service.limits.connections)
    }

    fileprivate var isStopping: Bool { service.isAboutToStop }
}

/// Who reads from which descriptor.
private let readers = Mutex<[Int32: Connection]>([:])

/// Takes what libmicrohttpd is about to read.
private func noteReceived(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    guard let connection = readers.withLock({ $0[descriptor] }), let bytes = unsafe bytes else { return }
    connection.wasRead.store(true, ordering: .relaxed)
    let span = unsafe UnsafeBufferPointer(start: bytes, count: count).span
    connection.received.withLock { $0.append(span) }
}

/// The answer that is sent in the middle of a request.
private let slowAnswer = Cut.slow.answer.wholeText
private let stoppingAnswer = Cut.stopping.answer.wholeText

/// One request: the state that libmicrohttpd's callbacks share.
private final class Exchange {
    let connection: Connection
    let target: [UInt8]
    var work: RequestWork?
    /// Takes chunks apart that libmicrohttpd does not.
    var chunks: ChunkReader?
    /// The answer to a HEAD has no body.
    var isHead = false
    var isAnswered = false
    var lingers = false
    /// Bytes of the answer that were sent, and their total.
    var byteCount: UInt64 = 0
    var wholeByteCount: UInt64 = 0

    init(_ connection: Connection, _ target: [UInt8]) { (self.connection, self.target) = (connection, target) }

    /// - Returns: whether more of the body is wanted.
    func take(_ bytes: Span<UInt8>, _ work: RequestWork) -> Bool {
        if connection.received.withLock({ $0.isBroken }) {
            work.refuseChunks()
            return false
        }
        guard chunks != nil else { return work.append(bytes) }
        let goesOn = chunks?.take(bytes) { work.append($0) } ?? true
        if chunks?.isBroken == true { work.refuseChunks() }
        return goesOn
    }

    /// Answers where libmicrohttpd does not see that the body is over; the connection ends with it.
    func answer(_ work: RequestWork) {
        guard connection.beginWork() else { return }
        let answer = work.finish()
        guard connection.beginAnswer() else { return }
        (isAnswered, lingers, wholeByteCount) = (true, true, answer.body.byteCount)
        var piece = answer.head
        switch answer.body {
        case .bytes(let bytes):
            if connection.write(piece + bytes) { byteCount = wholeByteCount }
        case .source(let source, _):
            while connection.write(piece) {
                piece.removeAll(keepingCapacity: true)
                guard let count = try? source.read(pieceByteCount, to: &piece), count > 0 else { return }
                byteCount += UInt64(count)
            }
        }
    }
}

/// An answer that is read while it is sent.
private final class Reading {
    let source: any ByteSource
    let exchange: Exchange
    var buffer: [UInt8] = []

    init(_ source: any ByteSource, _ exchange: Exchange) { (self.source, self.exchange) = (source, exchange) }
}

// MARK: - What libmicrohttpd calls

private func engine(_ context: UnsafeMutableRawPointer?) -> HTTPEngine? {
    unsafe context.map { unsafe Unmanaged<HTTPEngine>.fromOpaque($0).takeUnretainedValue() }
}

private func changeConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let engine = unsafe engine(context), let place = unsafe place else { return }
    if let known = unsafe place.pointee {
        // The second and last call for it.
        let connection = unsafe Unmanaged<Connection>.fromOpaque(known).takeRetainedValue()
        unsafe place.pointee = nil
        engine.close(connection)
    } else {
        let opened = unsafe engine.open(evidence_mhd_descriptor(connection))
        unsafe place.pointee = Unmanaged.passRetained(opened).toOpaque()
    }
}

private func beginTarget(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let known = unsafe evidence_mhd_context(connection), let target = unsafe target else { return nil }
    let connection = unsafe Unmanaged<Connection>.fromOpaque(known).takeUnretainedValue()
    connection.beginHead()
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    return unsafe Unmanaged.passRetained(Exchange(connection, bytes)).toOpaque()
}

private func endRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let known = unsafe place?.pointee else { return }
    unsafe place?.pointee = nil
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    let cut = exchange.connection.cut ?? (evidence_mhd_timed_out(code) ? .slow : nil)
    let status = unsafe connection.map { unsafe evidence_mhd_status($0) } ?? 0
    if let cut {
        exchange.work?.cut(cut, isAnswered: exchange.isAnswered)
    } else if !exchange.isAnswered, status > 0 {
        // Chunks that are stricter read there than here.
        exchange.work?.refuse(asEngineDid: Int(clamping: status))
    }
    exchange.work?.sent(exchange.byteCount)
    // libmicrohttpd also reports an error if the client closes right after the last byte.
    exchange.work?.end(isWhole: exchange.isAnswered && exchange.byteCount == exchange.wholeByteCount)
    if exchange.lingers || cut != nil { exchange.connection.linger() }
    exchange.connection.endRequest()
}

private func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    let (yes, no) = (evidence_mhd_result(1), evidence_mhd_result(0))
    guard let engine = unsafe engine(context), let known = unsafe place?.pointee, let count = unsafe count,
        let connection = unsafe connection
    else { return no }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    guard let work = exchange.work else {
        var head = unsafe RequestHead(
            method: method.map { unsafe String(cString: $0) } ?? "", target: exchange.target,
            version: version.map { unsafe String(cString: $0) } ?? "",
            fields: fields(of: connection), peer: exchange.connection.peer)
        let byteCount = exchange.connection.received.withLock { [head] in $0.take(head) }
        head.isAmbiguous = unsafe byteCount != evidence_mhd_head_size(connection)
        let work = engine.begin(head)
        (exchange.work, exchange.isHead) = (work, head.method == "HEAD")
        guard work.refusesBody else {
            // Now, since libmicrohttpd would ask for a body, and take the next request for it. It closes after that.
            if work.expectsContinue, exchange.connection.received.withLock({ $0.hasNoBody }) {
                return unsafe answer(work, connection, exchange, closes: true)
            }
            guard exchange.connection.beginBody() else { return no }
            // libmicrohttpd knows only one spelling of either.
            if work.expectsContinue, !head.first("expect", is: "100-continue") { exchange.connection.invite() }
            if work.isChunked, !head.first("transfer-encoding", is: "chunked") { exchange.chunks = ChunkReader() }
            return yes
        }
        exchange.lingers = true
        return unsafe queue(work.finish(), connection, exchange, closes: true) ? yes : no
    }
    if unsafe count.pointee > 0 {
        let size = unsafe count.pointee
        unsafe count.pointee = 0
        exchange.connection.passed(size)
        exchange.connection.isWorking(true)
        let goesOn = unsafe bytes.map { start in
            let raw = unsafe UnsafeRawBufferPointer(start: start, count: size)
            return unsafe exchange.take(raw.bindMemory(to: UInt8.self).span, work)
        }
        exchange.connection.isWorking(false)
        guard goesOn == false else {
            guard exchange.chunks?.isOver == true else { return yes }
            work.take(trailers: exchange.connection.received.withLock { $0.trailers })
            exchange.answer(work)
            return no
        }
        // In the middle of a body, libmicrohttpd accepts no answer.
        let answer = work.finish()
        guard exchange.connection.endBody(answer.wholeText) else { return no }
        (exchange.isAnswered, exchange.lingers) = (true, true)
        (exchange.byteCount, exchange.wholeByteCount) = (answer.body.byteCount, answer.body.byteCount)
        return no
    }
    work.take(trailers: exchange.connection.received.withLock { $0.trailers })
    return unsafe answer(work, connection, exchange, closes: engine.isStopping)
}

/// Answers a request that has arrived.
private func answer(
    _ work: RequestWork, _ connection: OpaquePointer, _ exchange: Exchange, closes: Bool
) -> MHD_Result {
    let endsHere = exchange.connection.received.withLock { $0.endBody() }
    if !endsHere { work.refuseChunks() }
    guard exchange.connection.beginWork() else { return evidence_mhd_result(0) }
    let isQueued = unsafe queue(work.finish(), connection, exchange, closes: closes || !endsHere)
    return evidence_mhd_result(isQueued ? 1 : 0)
}

private func fields(of connection: OpaquePointer) -> [(name: [UInt8], value: [UInt8])] {
    typealias Found = [(name: [UInt8], value: [UInt8])]
    var found: Found = []
    unsafe withUnsafeMutablePointer(to: &found) { found in
        _ = unsafe evidence_mhd_fields(
            connection,
            { context, _, name, nameCount, value, valueCount in
                let nameBytes = unsafe name.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: nameCount)) }
                let valueBytes = unsafe value.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: valueCount)) }
                unsafe context?.assumingMemoryBound(to: Found.self).pointee.append((nameBytes ?? [], valueBytes ?? []))
                return evidence_mhd_result(1)
            }, found)
    }
    return found
}

private func queue(_ answer: Answer, _ connection: OpaquePointer, _ exchange: Exchange, closes: Bool) -> Bool {
    guard exchange.connection.beginAnswer() else { return false }
    exchange.wholeByteCount = exchange.isHead ? 0 : answer.body.byteCount
    let response: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
        unsafe response = bytes.withUnsafeBytes { buffer in
            unsafe evidence_mhd_response(buffer.count, buffer.baseAddress)
        }
        exchange.byteCount = exchange.wholeByteCount
    case .source(let source, let size):
        let reading = unsafe Unmanaged.passRetained(Reading(source, exchange)).toOpaque()
        unsafe response = MHD_create_response_from_callback(size, pieceByteCount, readAnswer, reading, endReading)
        if unsafe response == nil { unsafe endReading(reading) }
    }
    guard let response = unsafe response else { return false }
    defer { unsafe MHD_destroy_response(response) }
    for (name, value) in answer.fields { _ = unsafe MHD_add_response_header(response, name, value) }
    if closes || answer.closes { _ = unsafe MHD_add_response_header(response, "Connection", "close") }
    exchange.isAnswered = unsafe evidence_mhd_queue(connection, UInt32(answer.status), response)
    return exchange.isAnswered
}

private let pieceByteCount = 64 << 10

private func readAnswer(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ place: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    // MHD_CONTENT_READER_END_WITH_ERROR: the connection ends before its Content-Length, so clients can see the error.
    let failure = -2
    guard let context = unsafe context, let place = unsafe place else { return failure }
    let reading = unsafe Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
    reading.buffer.removeAll(keepingCapacity: true)
    do {
        let count = try reading.source.read(min(room, pieceByteCount), to: &reading.buffer)
        guard count > 0 else { return failure }
        unsafe reading.buffer.withUnsafeBytes { buffer in
            unsafe UnsafeMutableRawBufferPointer(start: place, count: count).copyMemory(from: buffer)
        }
        reading.exchange.connection.passed(count)
        reading.exchange.byteCount += UInt64(count)
        return count
    } catch { return failure }
}

private func endReading(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<Reading>.fromOpaque(context).release() }
}

extension RequestHead {
    /// Whether the first field of that name, the only one at which libmicrohttpd looks, has this value alone.
    fileprivate func first(_ name: String, is value: String) -> Bool {
        let first = fields.first { String(decoding: $0.name, as: UTF8.self).lowercased() == name }
        return first.map { String(decoding: $0.value, as: UTF8.self).lowercased() == value } ?? false
    }
}

extension Answer {
    /// The bytes of its head, where libmicrohttpd does not write it.
    fileprivate var head: [UInt8] {
        let reason = status < 400 ? "OK" : "Refused"
        var text = "HTTP/1.1 \(status) \(reason)\r\nConnection: close\r\nContent-Length: \(body.byteCount)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// All of it, if it is in memory.
    fileprivate var wholeText: [UInt8] {
        guard case .bytes(let bytes) = body else { return [] }
        return head + bytes
    }
}
