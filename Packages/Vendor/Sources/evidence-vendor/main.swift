// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorClient

ProcessProtection.endAtCrashes()
// Before OpenSSL allocates anything; if that is refused, secrets are still wiped in our own memory.
_ = OpenSSLMemory.wipeWhenFreed()
keepLoopbackFromProxies()
keepHomeClean()
do {
    try ProcessProtection.begin()
    try await Command.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    let failure = Failure(error)
    Terminal.fail(failure)
    Terminal.exit(failure.status)
}
