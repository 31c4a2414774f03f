// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// What the command's exit status says: a case, a number, and its words for help and manual. A signal ends the command
/// with 128 + n.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case rejected = 1
    case usage = 2
    case system = 3
    case unchecked = 4

    /// In a few words, for the help.
    var summary: String { words.summary }
    /// In a sentence, for the manual page.
    var meaning: String { words.meaning }

    private var words: (summary: String, meaning: String) {
        switch self {
        case .success: ("done", "everything was handled, and what was to be checked holds")
        case .rejected:
            (
                "refused",
                "the payload or the sign is refused, or what was to be checked does not hold; inspect --order-no: "
                    + "the document is no pass of that order"
            )
        case .usage:
            (
                "wrong use",
                "wrong use: flags, values, a wrong kind of key or passphrase, an output that exists or is an input"
            )
        case .system: ("cannot read or write", "something could not be read or written")
        case .unchecked:
            (
                "not all was checked",
                "check: nothing fails, but something that is required was not checked; inspect --order-no: a payload, "
                    + "which says nothing about a pass"
            )
        }
    }

    /// All of them in one line.
    static let overview = allCases.map { "\($0.rawValue) \($0.summary)" }.joined(separator: ", ")

    /// The status of a failure of the library: the last column of `docs/ERRORS.md`.
    init(_ code: EvidenceError.Code) {
        self =
            switch code {
            // A claimed success whose sign does not hold is the result's fault; a callback is what a browser brought.
            case .sign, .signForm, .callback: .rejected
            // What the vendor answered is a document.
            case .otherAnswer, .refused, .video, .launch: .rejected
            // What an archive holds.
            case .cmsSignature, .timeStamp, .notAnArchive, .bag, .noRecord, .erased, .notAnIndex, .staleIndex: .rejected
            // What the caller can put right: the name of an output, a file that is not what it should be.
            case .exists, .foreignLink, .tooLarge: .usage
            case _ where code.isSystem: .system
            // Keys, profiles, and values to be signed.
            case _ where code.number >= 400: .usage
            default: .rejected
            }
    }
}
