// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import VendorClient

// First, before anything allocates memory.
Command.endAtCrashes()
keepLoopbackFromProxies()
keepHomeClean()

private let words = CommandLine.arguments
// `keep` runs until it is told to stop.
if words.dropFirst().first == "keep", !words.contains(Option.once.name) {
    Command.evidenceVendor.run(words) {
        _ = OpenSSLMemory.wipeWhenFreed()
        try ProcessProtection.beginServing { if $0 == .stop { Calls.stop.finish() } }
    }
}
Command.evidenceVendor.run(words)
