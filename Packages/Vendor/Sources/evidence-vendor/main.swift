// SPDX-License-Identifier: Apache-2.0
import Dispatch
import EvidenceKit
import VendorClient

ProcessProtection.endAtCrashes()
// Before OpenSSL allocates anything; if that is refused, secrets are still wiped in our own memory.
_ = OpenSSLMemory.wipeWhenFreed()
keepLoopbackFromProxies()
keepHomeClean()

do {
    let words = Array(CommandLine.arguments.dropFirst())
    let end: @Sendable (any Error) -> Never = { error in
        let failure = Failure(error)
        Terminal.fail(failure)
        Terminal.exit(failure.status)
    }
    do {
        if Command.serves(words) {
            try ProcessProtection.beginServing { if $0 == .stop { Command.stop.finish() } }
        } else {
            try ProcessProtection.begin()
        }
    } catch { end(error) }
    // Without an `await` here: the main thread of an asynchronous `main` takes every signal, blocked or not.
    Task.detached {
        do { try await Command.run(words) } catch { end(error) }
        Terminal.exit(.success)
    }
    while true { DispatchSemaphore(value: 0).wait() }
}
