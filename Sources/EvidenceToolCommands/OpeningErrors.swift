// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import VendorDocuments
internal import VendorTypes

extension CommandError {
    /// Runs code that opens a video. If it fails for a reason that diagnosis can explain, adds a hint.
    static func openingVideo<Result>(
        sealedAs profile: Profile, with keys: PrivateKeys, hint: String? = nil,
        _ open: () throws(EvidenceError) -> Result
    ) throws -> Result {
        do throws(EvidenceError) { return try open() } catch {
            try keys.refuseToJudge(error)
            guard let hint = videoHint(of: error, sealedAs: profile, otherwise: hint) else {
                if error.repairs.isEmpty || error.code == .missing { throw error }
                throw CommandError(.rejected, error.description, hint: wayOut(error.repairs), code: error.code)
            }
            throw CommandError(.rejected, error.description, hint: hint)
        }
    }

    /// How a text is read that needs repairs.
    static func wayOut(_ repairs: [String]) -> String {
        "to read it nevertheless, add" + repairs.map { " --repair \($0)" }.joined()
    }

    /// What to do about a video that does not open, a line each; `nil` for what diagnosis cannot explain.
    ///
    /// - Parameter other: what may be wrong besides, where nothing says what is.
    static func videoHint(
        of error: EvidenceError, sealedAs profile: Profile, otherwise other: String? = nil
    ) -> String? {
        guard [.cannotOpen, .base64, .hex, .length].contains(error.code) else { return nil }
        // Content that opened, but is not in the profile's inner encoding, has no place.
        if error.code == .base64, error.path == nil { return "to look at the content, use --set inner=none" }
        var hints = [error.hint].compactMap(\.self)
        // A hint of its own says what stands in place of sealed bytes: nothing is guessed beside it.
        let isUnnamed = error.code == .cannotOpen && error.hint == EvidenceError.cannotOpen.hint
        if isUnnamed {
            hints = [
                "check that this key belongs to the public key in the app, and that orderNo in the payload was not "
                    + "changed"
            ]
            if let other { hints.append(other) }
        }
        let mayBeOther = isUnnamed || error.hint?.hasPrefix("it was sealed in another way") ?? false
        if mayBeOther, profile == .evidenceV2 {
            hints.append("it may be sealed under another profile, as payloads of the vendor's SDK are: see --profile")
        }
        // A text with one fault may have another, which shows once this one is repaired.
        if !error.repairs.isEmpty {
            hints.append(wayOut(error.repairs))
        }
        hints.append("to find out why the payload does not open: evidence-tool diagnose --key KEY PAYLOAD")
        return hints.joined(separator: "\n")
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
}
