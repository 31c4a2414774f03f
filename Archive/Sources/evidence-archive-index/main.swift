// SPDX-License-Identifier: Apache-2.0
import EvidenceArchiveIndex
import EvidenceKit

hardenProcess()
// Before OpenSSL allocates anything; where it cannot be had, the keys are still wiped in our own memory.
_ = OpenSSLMemory.wipeWhenFreed()
do {
    try Command.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    let failure = Failure(error)
    Terminal.fail(failure)
    exitProcess(failure.status.rawValue)
}
