// SPDX-License-Identifier: Apache-2.0
import EvidenceArchiveIndex
import EvidenceKit

// First, before anything allocates memory.
ProcessProtection.endAtCrashes()
// Before OpenSSL allocates anything; if that is refused, keys are still wiped in our own memory.
_ = OpenSSLMemory.wipeWhenFreed()
do {
    try ProcessProtection.begin()
    try Command.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    let failure = Failure(error)
    Terminal.fail(failure)
    exitProcess(failure.status.rawValue)
}
