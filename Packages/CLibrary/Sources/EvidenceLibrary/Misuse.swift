// SPDX-License-Identifier: Apache-2.0

/// A call that is wrong whatever the data is: a mistake in the calling program.
struct Misuse: Error {
    /// What kind of mistake; evidence.h has the numbers.
    enum Kind: Int32, CaseIterable {
        case argument = -1
        case handle = -2
        case state = -3
        case busy = -4
        case options = -5

        var name: String {
            switch self {
            case .argument: "wrong-argument"
            case .handle: "wrong-handle"
            case .state: "wrong-state"
            case .busy: "busy"
            case .options: "bad-options"
            }
        }
    }

    let kind: Kind
    let reason: String
    let hint: String?

    init(_ kind: Kind, _ reason: String, hint: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.hint = hint
    }
}
