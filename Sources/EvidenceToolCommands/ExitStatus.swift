// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// The command's exit statuses, with their numbers and texts for help and manual. A signal ends the command
/// with 128 + n.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case rejected = 1
    case usage = 2
    case system = 3
    case unchecked = 4

    /// A short text for the help.
    var summary: String { words.summary }
    /// A sentence for the manual page.
    var meaning: String { words.meaning }

    private var words: (summary: String, meaning: String) {
        switch self {
        case .success:
            ("done", "done; check: all requirements hold and nothing fails; batch: every line has its answer")
        case .rejected:
            (
                "refused",
                "the payload or the sign is refused, or a check fails; inspect --order-no: "
                    + "the document is not a pass of that order"
            )
        case .usage:
            (
                "usage error",
                "usage error: options, values, a key of the wrong kind, a wrong passphrase, an output that exists or "
                    + "is an input"
            )
        case .system: ("cannot read or write", "something could not be read or written")
        case .unchecked:
            (
                "something required is unchecked",
                "check, archive verify: nothing fails, but something required was not checked or is too weak; inspect "
                    + "--order-no: a payload, which says nothing about a pass"
            )
        }
    }

    /// All of them in one line.
    static let overview = allCases.map { "\($0.rawValue) \($0.summary)" }.joined(separator: ", ")

    /// The status of a failure of the library: the last column of `docs/ERRORS.md`.
    init(_ code: EvidenceError.Code) {
        self =
            switch code {
            // An invalid sign of a claimed success is the result's fault; a callback comes from a browser.
            case .sign, .signForm, .callback: .rejected
            // The vendor's answer is a document.
            case .otherAnswer, .refused, .video, .launch: .rejected
            // What an archive holds.
            case .cmsSignature, .timeStamp, .notAnArchive, .bag, .noRecord, .erased, .notAnIndex, .staleIndex: .rejected
            // What the caller can correct: the name of an output, a wrong file.
            case .exists, .foreignLink, .tooLarge: .usage
            case _ where code.isSystem: .system
            // Keys, profiles, and values to be signed.
            case _ where code.number >= 400: .usage
            default: .rejected
            }
    }
}
