// SPDX-License-Identifier: Apache-2.0
import Dispatch
import EvidenceKit
import EvidenceService
import HTTPEngine

ServiceSystem.prepareProcess()
/// Ends the process with a sentence for whoever started it.
func fail(_ sentence: String, hint: String? = nil, status: Int32) -> Never {
    ServiceSystem.say("evidence-service: error: \(sentence)")
    if let hint { ServiceSystem.say("evidence-service: hint: \(hint)") }
    ServiceSystem.end(status)
}

guard OpenSSLMemory.wipeWhenFreed() else {
    fail("OpenSSL had memory before it could be told to wipe what it frees", status: 3)
}

let options: Options
do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
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
    if let folder = options.configuration.extractFolder, !ServiceSystem.isFolder(folder) {
        throw ConfigurationError("--extract-folder \(folder): there is no such folder")
    }
    guard !listeners.isEmpty else {
        throw ConfigurationError(
            "there is nothing to listen at", hint: "--socket PATH, or a socket of systemd's")
    }
    if listeners.contains(where: { !$0.isUnix }), options.configuration.tokenFile == nil {
        throw ConfigurationError("TCP needs --token-file", hint: "whoever is on this machine could ask otherwise")
    }
    engine = try HTTPEngine(service, listeners)
} catch let error as ConfigurationError {
    fail(error.description, hint: error.hint, status: 2)
} catch { fail("\(error)", status: 3) }

// A token or a file system may take its time: SIGTERM is not to wait for it.
let reloads = DispatchSemaphore(value: 0)
let canReload = ServiceSystem.onThread { [service] in
    while true {
        reloads.wait()
        ServiceSystem.notify("RELOADING=1")
        do throws(ConfigurationError) {
            try service.reload()
            ServiceSystem.say("keys: read again")
        } catch { ServiceSystem.say("keys: the old ones stay: \(error)") }
        ServiceSystem.notify("READY=1")
    }
}
if !canReload { fail("no thread can be started", status: 3) }

ServiceSystem.say("evidence-service \(EvidenceVersions.evidenceKit), OpenSSL \(EvidenceVersions.openSSL): ready")
ServiceSystem.notify("READY=1")

while true {
    switch ServiceSystem.nextSignal() {
    case .reload: reloads.signal()
    case .stop:
        ServiceSystem.notify("STOPPING=1")
        let deadline = ContinuousClock.now.advanced(by: .seconds(options.configuration.limits.drainSeconds))
        let isClean = engine.stop { ServiceSystem.isToldToStop(within: 50) || ContinuousClock.now > deadline }
        ServiceSystem.say(isClean ? "stopped" : "stopped with requests at work")
        ServiceSystem.end(isClean ? 0 : 1)
    }
}
