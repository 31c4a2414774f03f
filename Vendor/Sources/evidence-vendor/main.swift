// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorClient

hardenProcess()
keepLoopbackFromProxies()
let words = Array(CommandLine.arguments.dropFirst())
do {
    try await Command.run(words)
} catch {
    let failure = Failure(error)
    Terminal.fail(failure)
    Terminal.exit(failure.status)
}
