// SPDX-License-Identifier: Apache-2.0
import Dispatch
import EvidenceKit
import EvidenceService
import HTTPEngine

ProcessProtection.endAtCrashes()
ProcessProtection.hideMemory()
ServiceSystem.prepareProcess()
/// Prints an error for the operator and ends the process.
func fail(_ sentence: String, hint: String? = nil, status: Int32) -> Never {
    ServiceSystem.say("evidence-service: error: \(sentence)")
    if let hint { ServiceSystem.say("evidence-service: hint: \(hint)") }
    ServiceSystem.end(status)
}

guard OpenSSLMemory.wipeWhenFreed() else {
    fail("OpenSSL cannot be told to wipe the memory that it frees", status: 3)
}

let options: Options
do { options = try Options(Array(CommandLine.arguments.dropFirst())) } catch {
    fail(error.description, hint: error.hint ?? "see: evidence-service --help", status: 2)
}
if let text = options.textToPrint {
    ServiceSystem.write(text)
    ServiceSystem.end(0)
}

let service: EvidenceService
let engine: HTTPEngine
do {
    service = try EvidenceService(
        options.configuration, cores: ServiceSystem.cores, clock: ServiceSystem.now, log: ServiceSystem.say)
    let handed = Listener.handedOver()
    var listeners = handed
    if let path = options.socket {
        listeners.append(try Listener(path: path, mode: options.socketMode, group: options.socketGroup))
    }
    if let port = options.port { listeners.append(try Listener(port: port)) }
    for (name, folder) in [
        ("--extract-folder", options.configuration.extractFolder),
        ("--device-keys", options.configuration.deviceKeyFolder),
    ] {
        guard let folder, !ServiceSystem.isFolder(folder) else { continue }
        throw ConfigurationError("\(name): \(folder) is not a folder")
    }
    guard !listeners.isEmpty else {
        throw ConfigurationError(
            "no socket to listen on", hint: "give --socket PATH, or start the service by a systemd socket")
    }
    if listeners.contains(where: { !$0.isUnix }), options.configuration.tokenFile == nil {
        throw ConfigurationError(
            "listening on TCP needs --token-file",
            hint: "without a token, every user of this machine could send requests")
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
            ServiceSystem.say("keys: reloaded")
        } catch { ServiceSystem.say("keys: not reloaded, the old ones stay in use: \(error)") }
        ServiceSystem.notify("READY=1")
    }
}
if !canReload { fail("the system refuses to start a thread", status: 3) }

ServiceSystem.say("evidence-service \(EvidenceVersions.evidenceKit), OpenSSL \(EvidenceVersions.openSSL): ready")
ServiceSystem.notify("READY=1")

while true {
    switch ServiceSystem.nextSignal() {
    case .reload: reloads.signal()
    case .stop:
        ServiceSystem.notify("STOPPING=1")
        let deadline = ContinuousClock.now.advanced(by: .seconds(options.configuration.limits.drainSeconds))
        let isClean = engine.stop { ServiceSystem.isToldToStop(within: 50) || ContinuousClock.now > deadline }
        ServiceSystem.say(isClean ? "stopped" : "stopped before all requests were done")
        ServiceSystem.end(isClean ? 0 : 1)
    }
}
