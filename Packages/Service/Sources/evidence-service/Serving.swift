// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import Dispatch
import EvidenceKit
import EvidenceService
import HTTPEngine

/// The service's run, from the start to its last answer.
enum Serving {
    private static let signals = Result { try SignalQueue() }

    /// Before anything is opened, and before there is another thread.
    static func prepare() throws {
        // A thread that allocates before would fix how much is reserved, and signals have a thread.
        ServiceSystem.saveAddresses()
        _ = try signals.get()
        guard OpenSSLMemory.wipeWhenFreed() else {
            throw CommandError(.system, "OpenSSL cannot be told to wipe the memory that it frees")
        }
    }

    /// Serves until it is told to stop.
    ///
    /// - Throws: ``ConfigurationError``, and ``CommandError`` if it cannot start.
    static func run(_ options: Options) throws -> Never {
        let signals = try signals.get()
        guard let log = ServiceLog() else { throw refusedThread }
        let (service, engine): (EvidenceService, HTTPEngine)
        do { (service, engine) = try start(options, log) } catch {
            log.flush()
            if error is ConfigurationError { throw error }
            throw CommandError(.system, "\(error)")
        }
        // A hardware token or a file system may be slow: SIGTERM must not wait for it.
        let reloads = DispatchSemaphore(value: 0)
        let canReload = ServiceSystem.onThread {
            while true {
                reloads.wait()
                ServiceSystem.notify("RELOADING=1")
                do throws(ConfigurationError) {
                    try service.reload()
                    log.say("keys: reloaded")
                    service.keyDescription.forEach(log.say)
                } catch { log.say("keys: not reloaded, the old ones stay in use: \(error)") }
                ServiceSystem.notify("READY=1")
            }
        }
        guard canReload else { throw refusedThread }
        signals.begin()
        service.keyDescription.forEach(log.say)
        log.say("evidence-service \(EvidenceVersions.evidenceKit), OpenSSL \(EvidenceVersions.openSSL): ready")
        ServiceSystem.notify("READY=1")
        while signals.next() == .reload { reloads.signal() }
        stop(engine, log, signals, within: options.configuration.limits.drainSeconds)
    }

    private static let refusedThread = CommandError(.system, "the system refuses to start a thread")

    private static func start(_ options: Options, _ log: ServiceLog) throws -> (EvidenceService, HTTPEngine) {
        let handed = try Listener.handedOver()
        var configuration = options.configuration
        for port in handed.compactMap(\.port) {
            configuration.hosts.formUnion(["127.0.0.1:\(port)", "localhost:\(port)"])
        }
        try fit(&configuration.limits, handed.count + [options.socket != nil, options.port != nil].count { $0 }, log)
        let service = try EvidenceService(
            configuration, cores: ServiceSystem.cores, clock: ServiceSystem.now, log: log.say,
            droppedLines: { log.droppedLines }, hasMemory: ServiceSystem.hasMemory)
        for (name, folder) in [
            ("--extract-folder", options.configuration.extractFolder),
            ("--device-keys", options.configuration.deviceKeyFolder),
        ] {
            guard let folder, !ServiceSystem.isFolder(folder) else { continue }
            throw ConfigurationError("\(name): \(folder) is not a folder")
        }
        if let folder = options.configuration.extractFolder {
            // It is not finished, and leaves nothing. Nothing has its name.
            let name = ".start-\(UInt64.random(in: .min ... .max))"
            do { _ = try WholeFile(path: "\(folder)/\(name)") } catch {
                throw ConfigurationError(
                    "--extract-folder: \(error)", hint: "name a folder in which the service's user may make folders")
            }
        }
        do { try HeldContent.requireFolder() } catch {
            throw ConfigurationError(
                "TMPDIR: \(error)", hint: "large bodies wait there: name a folder that can be written")
        }
        for file in service.secretFiles where ServiceSystem.isForAll(file) {
            log.say("files: every user of this machine may read \(file)")
        }
        // Last, so that what does not start leaves no socket.
        let listeners = try listeners(options, handed)
        if configuration.tokenFile != nil, listeners.allSatisfy(\.isUnix) {
            log.say("--token-file: nobody needs the token, since no socket is TCP")
        }
        return (service, try HTTPEngine(service, listeners))
    }

    private static func fit(
        _ limits: inout ServiceLimits, _ listeners: Int, _ log: ServiceLog
    ) throws(ConfigurationError) {
        // To open or to check, a body needs twice its length.
        if limits.bodyBytes > limits.spoolBytes / 2 {
            log.say("limits: bodies of more than \(limits.spoolBytes / 2) bytes may get 507, because of --max-spool")
        }
        let addresses = ServiceSystem.addresses
        guard ServiceSystem.hasMemoryToStart(),
            let isShort = addresses.map({ limits.fit(addresses: $0, listeners: listeners) }) ?? false
        else {
            throw ConfigurationError(
                "the system gives too little memory for a request", hint: "see the limits that ulimit -v and -d show")
        }
        if isShort, let addresses {
            log.say(
                "limits: \(limits.connections) connections at the same time, because the system leaves "
                    + "\(addresses >> 20) MiB of addresses (ulimit -v)")
        }
        let descriptors = ServiceSystem.raiseDescriptorLimit()
        guard let isLowered = limits.fit(descriptors: descriptors, listeners: listeners) else {
            throw ConfigurationError(
                "the system allows \(descriptors) descriptors (ulimit -n), too few for a connection")
        }
        guard isLowered else { return }
        log.say(
            "limits: \(limits.connections) connections and \(limits.requests) requests at the same time, because the "
                + "system allows \(descriptors) descriptors (ulimit -n)")
    }

    private static func listeners(_ options: Options, _ handed: [Listener]) throws -> [Listener] {
        var listeners = handed
        if options.port != nil || listeners.contains(where: { !$0.isUnix }), options.configuration.tokenFile == nil {
            throw ConfigurationError(
                "listening on TCP needs --token-file",
                hint: "without a token, every user of this machine could send requests")
        }
        if let path = options.socket {
            listeners.append(try Listener(path: path, mode: options.socketMode, group: options.socketGroup))
        }
        if let port = options.port { listeners.append(try Listener(port: port)) }
        guard !listeners.isEmpty else {
            throw ConfigurationError(
                "no socket to listen on", hint: "give --socket PATH, or start the service by a systemd socket")
        }
        return listeners
    }

    /// Finishes the requests in progress, and ends the process.
    private static func stop(
        _ engine: HTTPEngine, _ log: ServiceLog, _ signals: SignalQueue, within seconds: Int
    ) -> Never {
        ServiceSystem.notify("STOPPING=1")
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        let isClean = engine.drain { signals.isToldToStop(within: 50) || ContinuousClock.now > deadline }
        log.say(isClean ? "stopped" : "stopped before all requests were done")
        // A thread may wait for a disk that does not answer.
        let isLate = ServiceSystem.onThread {
            log.flush()
            ServiceSystem.wait(seconds: 3)
            ServiceSystem.end(1)
        }
        if isLate { engine.stop() }
        // A log that nobody reads does not keep it.
        log.flush()
        ServiceSystem.end(isClean ? 0 : 1)
    }
}
