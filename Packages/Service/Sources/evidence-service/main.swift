// SPDX-License-Identifier: Apache-2.0
import Dispatch
import EvidenceKit
import EvidenceService
import HTTPEngine

ProcessProtection.endAtCrashes()
let signals: SignalQueue
do { signals = try SignalQueue() } catch {
    ServiceSystem.write("evidence-service: error: \(error)\n", to: 2)
    ServiceSystem.end(3)
}
ServiceSystem.saveAddresses()
guard let log = ServiceLog() else {
    ServiceSystem.write("evidence-service: error: the system refuses to start a thread\n", to: 2)
    ServiceSystem.end(3)
}
/// Ends the process. A log that nobody reads does not keep it.
@MainActor func end(_ status: Int32) -> Never {
    log.flush()
    ServiceSystem.end(status)
}
/// Prints an error for the operator and ends the process.
@MainActor func fail(_ sentence: String, hint: String? = nil, status: Int32) -> Never {
    log.say("evidence-service: error: \(sentence)")
    if let hint { log.say("evidence-service: hint: \(hint)") }
    end(status)
}

guard OpenSSLMemory.wipeWhenFreed() else {
    fail("OpenSSL cannot be told to wipe the memory that it frees", status: 3)
}

let options: Options
do { options = try Options(Array(CommandLine.arguments.dropFirst())) } catch {
    fail(error.description, hint: error.hint ?? "see: evidence-service --help", status: 2)
}
if let text = options.textToPrint {
    guard ServiceSystem.write(text) else { fail("cannot write to standard output", status: 3) }
    ServiceSystem.end(0)
}

let service: EvidenceService
let engine: HTTPEngine
do {
    service = try EvidenceService(
        options.configuration, cores: ServiceSystem.cores, clock: ServiceSystem.now, log: log.say,
        droppedLines: { log.droppedLines }, hasMemory: ServiceSystem.hasMemory)
    for (name, folder) in [
        ("--extract-folder", options.configuration.extractFolder),
        ("--device-keys", options.configuration.deviceKeyFolder),
    ] {
        guard let folder, !ServiceSystem.isFolder(folder) else { continue }
        throw ConfigurationError("\(name): \(folder) is not a folder")
    }
    do { try HeldContent.requireFolder() } catch {
        throw ConfigurationError("TMPDIR: \(error)", hint: "large bodies wait there: name a folder that can be written")
    }
    // Last, so that what does not start leaves no socket.
    var listeners = try Listener.handedOver()
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
    engine = try HTTPEngine(service, listeners)
} catch let error as ConfigurationError {
    fail(error.description, hint: error.hint, status: 2)
} catch { fail("\(error)", status: 3) }

// A hardware token or a file system may be slow: SIGTERM must not wait for it.
let reloads = DispatchSemaphore(value: 0)
let canReload = ServiceSystem.onThread { [service] in
    while true {
        reloads.wait()
        ServiceSystem.notify("RELOADING=1")
        do throws(ConfigurationError) {
            try service.reload()
            log.say("keys: reloaded")
        } catch { log.say("keys: not reloaded, the old ones stay in use: \(error)") }
        ServiceSystem.notify("READY=1")
    }
}
if !canReload { fail("the system refuses to start a thread", status: 3) }

signals.begin()
service.keyDescription.forEach(log.say)
log.say("evidence-service \(EvidenceVersions.evidenceKit), OpenSSL \(EvidenceVersions.openSSL): ready")
ServiceSystem.notify("READY=1")

while true {
    switch signals.next() {
    case .reload: reloads.signal()
    case .stop:
        ServiceSystem.notify("STOPPING=1")
        let deadline = ContinuousClock.now.advanced(by: .seconds(options.configuration.limits.drainSeconds))
        let isClean = engine.drain { signals.isToldToStop(within: 50) || ContinuousClock.now > deadline }
        log.say(isClean ? "stopped" : "stopped before all requests were done")
        // A thread may wait for a disk that does not answer.
        let isLate = ServiceSystem.onThread { [log] in
            log.flush()
            ServiceSystem.wait(seconds: 3)
            ServiceSystem.end(1)
        }
        if isLate { engine.stop() }
        end(isClean ? 0 : 1)
    }
}
