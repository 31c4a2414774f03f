// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
import EvidenceKit
internal import SimpleMode
internal import VendorTypes

/// Why the command ends, in the words for the user.
struct CommandError: Error {
    let status: ExitStatus
    let message: String
    /// What to try; each line is a separate hint.
    let hint: String?
    /// The library's code; `nil` for the command's own errors.
    let code: EvidenceError.Code?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil, code: EvidenceError.Code? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
        self.code = code
    }

    /// An error of the library.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as EvidenceError: self.init(error)
        default: self.init(.system, "\(error)")
        }
    }

    private init(_ error: EvidenceError) {
        if let name = error.streamName, isLongerThanAnyName(name) {
            self.init(
                .system, error.description(naming: shown(name)),
                hint: "it is too long for a file name: give the name of the file, not its content")
        } else {
            self.init(
                ExitStatus(error.code), error.description(naming: error.streamName.map(shown) ?? ""),
                hint: Self.hint(for: error), code: error.code)
        }
    }

    /// The command's own hint for an error of the library.
    private static func hint(for error: EvidenceError) -> String? {
        switch error.code {
        case .notSealed:
            "anyone could have put an unsealed video there; if the app was given no public key, extract it with --plain"
        case .sealed: "open it with --key KEY, without --plain"
        case .iv: "give it with --iv: it is in the configuration of the app that sealed the content"
        case .otherOrder: "evidence-tool inspect shows which order the document is for"
        case .exists: "it was left unchanged; replace it with --force, or give another name"
        case .profile where error.hint == EvidenceError.base64IVHint:
            "this looks like base64: give it as --iv base64:TEXT"
        case .profile where error.hint == EvidenceError.hexIVHint:
            "this looks like hex digits: give them as --iv hex:TEXT"
        case .repair where error.hint == EvidenceError.androidKeyHint:
            "rename the field to \(FieldName.videoEncryptAESKey), or let evidence-tool diagnose do it with --repair "
                + "android-key-name --repaired FILE"
        case .json where error.hint == nil: wrongFileHint
        default: error.hint
        }
    }

    private static let wrongFileHint =
        "give the payload or the result exactly as it was received: one JSON object"

    /// Runs code that opens a video. If it fails for a reason that diagnosis can explain, adds a hint.
    static func openingVideo<Result>(
        sealedAs profile: Profile?, with keys: PrivateKeys, hint: String? = nil,
        _ open: () throws(EvidenceError) -> Result
    ) throws -> Result {
        do throws(EvidenceError) { return try open() } catch {
            try keys.refuseToJudge(error)
            guard [.cannotOpen, .base64, .hex, .length].contains(error.code) else { throw error }
            var hints = [error.hint].compactMap(\.self)
            if error.code == .cannotOpen {
                hints = [
                    "check that this key belongs to the public key in the app, and that orderNo in the payload was "
                        + "not changed"
                ]
                if let hint { hints.append(hint) }
                if profile == nil || profile == .evidenceV2 || profile == .evidenceV1 {
                    hints.append(
                        "it may be sealed under another profile, as payloads of the vendor's SDK are: see --profile")
                }
            }
            // Content that opened, but is not in the profile's inner encoding, has no place.
            hints =
                error.code == .base64 && error.path == nil
                ? ["to look at the content, use --inner none"]
                : hints + ["to find out why the payload does not open: evidence-tool diagnose --key KEY PAYLOAD"]
            throw CommandError(.rejected, error.description, hint: hints.joined(separator: "\n"))
        }
    }

    /// Runs code that opens a statement, which is sealed for another key than the video; diagnosis concerns the video.
    static func openingStatement<Result>(
        with keys: PrivateKeys, _ open: () throws(EvidenceError) -> Result
    ) throws -> Result {
        do throws(EvidenceError) { return try open() } catch {
            try keys.refuseToJudge(error)
            guard error.code == .cannotOpen else { throw error }
            throw CommandError(
                .rejected, error.description,
                hint: """
                    check that this is the comparing service's private key, and that orderNo was not changed
                    the vendor's SDK seals its own \(FieldName.identifyStr) differently from this toolkit
                    """)
        }
    }

    /// The fault of a key, with its file's name if that may be shown.
    init(keyAt path: String?, _ error: EvidenceError) {
        // A key without a path is on a token.
        let secret = path == nil ? "the token's PIN" : "its passphrase"
        let hint = error.code == .passphraseNeeded ? "give \(secret) with --passphrase-file" : error.hint
        self.init(
            ExitStatus(error.code), (path.map { "\(quoted($0)): " } ?? "") + "\(error)", hint: hint, code: error.code)
    }
}
