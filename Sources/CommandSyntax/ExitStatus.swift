// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// The commands' exit statuses. A signal ends a command with 128 + n.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done, and all that was required holds.
    case success = 0
    /// What was given, or what was found, is refused.
    case rejected = 1
    /// The command line is wrong, or a key that it names.
    case usage = 2
    /// The system failed.
    case system = 3
    /// Nothing is refused, but something required is not known.
    case unchecked = 4

    /// A short text for the help.
    package var summary: String {
        switch self {
        case .success: "done"
        case .rejected: "refused"
        case .usage: "usage error"
        case .system: "cannot read or write"
        case .unchecked: "something required is unchecked"
        }
    }

    /// The status of a failure of the library: the last column of `docs/ERRORS.md`.
    public init(_ code: EvidenceError.Code) {
        self =
            switch code {
            // An invalid sign of a claimed success is the result's fault; a callback comes from a browser.
            case .sign, .signForm, .callback: .rejected
            // The vendor's answer is a document.
            case .otherAnswer, .refused, .video, .launch: .rejected
            // What an archive holds.
            case .cmsSignature, .timeStamp, .notAnArchive, .bag, .noRecord, .erased, .notAnIndex, .staleIndex: .rejected
            case .newerFormat: .unchecked
            // What the caller can correct: the name of an output, a wrong file.
            case .exists, .foreignLink, .tooLarge: .usage
            case _ where code.isSystem: .system
            // Keys, profiles, and values to be signed.
            case _ where code.number >= 400: .usage
            default: .rejected
            }
    }
}
