// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// What to try where the library says nothing.
func hintOfVendor(_ error: EvidenceError) -> String? {
    switch error.code {
    case .noAnswer: "check --host, the network, and the proxy of the environment (https_proxy, no_proxy)"
    case .json, .missing, .type, .unknownDocument, .ambiguous, .otherAnswer, .limit:
        "this is no answer of the vendor's to this call: check --host, and what is in between"
    case .ticketStore:
        "--store names a file of this user's in a folder that is there: mkdir -p the folder, or name another"
    case .refused: "what the code means: evidence-tool error CODE"
    case .cannotRead: "give the file's path as seen from here, and let this user read it"
    case .cannotWrite: "name a file in a folder that is there and that this user can write to"
    default: nil
    }
}

/// Two codes are the sandbox's own, in no list of the vendor's: `docs/VENDOR-SERVER.md`.
func hintAtSandbox(_ error: EvidenceError) -> String? {
    guard error.code == .refused, ["77770001", "77770002"].contains(where: error.description.contains) else {
        return nil
    }
    return "the code is the sandbox's own: /sandbox/log at its address says why"
}
