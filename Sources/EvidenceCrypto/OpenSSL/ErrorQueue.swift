// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors

/// One thing that OpenSSL noted on this thread about a call that failed.
struct ErrorNote {
    private let code: UInt

    fileprivate init(_ code: UInt) { self.code = code }

    /// Whether it is this reason of this part of OpenSSL.
    func `is`(_ library: Int32, _ reason: Int32) -> Bool {
        ERR_GET_LIB(code) == library && ERR_GET_REASON(code) == reason
    }

    /// Whether it says that the system failed, whatever the call was given: no memory, no random bytes, an algorithm
    /// that no provider has.
    var isOfTheSystem: Bool {
        ERR_FATAL_ERROR(code) != 0 || ERR_GET_LIB(code) == ERR_LIB_RAND || ERR_GET_LIB(code) == ERR_LIB_SYS
            || self.is(ERR_LIB_EVP, Int32(ERR_R_FETCH_FAILED)) || self.is(ERR_LIB_EVP, Int32(ERR_R_UNSUPPORTED))
    }

    fileprivate var text: String? {
        unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
    }
}

/// Why a call of OpenSSL failed: `refusal` where all that was noted about it comes of what the call was given, else
/// ``EvidenceError/Code/engine``, so that nobody is accused of what the system did.
///
/// The queue must have been empty before the call (``clearErrors()``).
///
/// - Parameter comesOfTheInput: whether a note is one that this call makes for bad input.
func judgement(
    _ refusal: EvidenceError, _ what: String, where comesOfTheInput: (ErrorNote) -> Bool = { !$0.isOfTheSystem }
) -> EvidenceError {
    let notes = takeNotes()
    let isRefused = notes.isEmpty ? evidence_can_note_errors() != 0 : notes.allSatisfy(comesOfTheInput)
    return isRefused ? refusal : openSSLError(what, notes)
}

/// After a call that could not make sense of its input: throws where the system failed instead. Forgets all notes.
///
/// The queue must have been empty before the call (``clearErrors()``).
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
func throwIfSystemFailed(_ what: String) throws(EvidenceError) {
    let failure = judgement(.cannotOpen, what)
    if failure.code == .openSSL { throw failure }
}

/// The error for an OpenSSL call that should not have failed. It drains this thread's whole error queue, so that the
/// next failure does not report this one's reasons.
///
/// Never used where the reason depends on a secret: there it is ``EvidenceError/cannotOpen``, or a
/// ``judgement(_:_:where:)`` that knows which notes those are.
func openSSLError(_ what: String) -> EvidenceError {
    openSSLError(what, takeNotes())
}

private func openSSLError(_ what: String, _ notes: [ErrorNote]) -> EvidenceError {
    let reasons = notes.compactMap(\.text)
    let detail = reasons.isEmpty ? "" : " (OpenSSL: \(reasons.joined(separator: "; ")))"
    return EvidenceError(
        .openSSL, what + detail, hint: "the system or its OpenSSL failed; nothing is said about what was given")
}

private func takeNotes() -> [ErrorNote] {
    var notes: [ErrorNote] = []
    while case let code = ERR_get_error(), code != 0 { notes.append(ErrorNote(code)) }
    return notes
}

/// Forgets what OpenSSL noted on this thread, where it would say too much or does not matter.
func clearErrors() {
    // Looking costs less than clearing, and this is done for every chunk of a video.
    if ERR_peek_error() != 0 { ERR_clear_error() }
}
