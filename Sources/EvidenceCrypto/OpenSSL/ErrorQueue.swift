// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import EvidenceErrors

/// One entry of OpenSSL's error queue of this thread.
///
/// An empty queue is no proof that the input is at fault: without memory, OpenSSL may be unable to record an entry.
/// Under PKCS#1 v1.5 the queue is not read, since the time to read it would depend on the padding.
package struct ErrorNote {
    private let code: UInt
    /// Why a certificate was not accepted, where it is about one.
    private let data: String?

    fileprivate init(_ code: UInt, _ data: String?) {
        self.code = code
        self.data = data
    }

    /// Whether it is this reason of this part of OpenSSL.
    package func `is`(_ library: Int32, _ reason: Int32) -> Bool {
        ERR_GET_LIB(code) == library && ERR_GET_REASON(code) == reason
    }

    /// Whether it says that the system failed, whatever the input: no memory (as of an algorithm that cannot begin), no
    /// random bytes, an algorithm that no provider has.
    package var isOfTheSystem: Bool {
        isFatal || self.is(ERR_LIB_EVP, EVP_R_INITIALIZATION_ERROR) || self.is(ERR_LIB_EVP, Int32(ERR_R_FETCH_FAILED))
            || self.is(ERR_LIB_EVP, Int32(ERR_R_UNSUPPORTED))
    }

    /// Whether no input makes it.
    fileprivate var isFatal: Bool {
        ERR_FATAL_ERROR(code) != 0 || ERR_GET_LIB(code) == ERR_LIB_RAND || ERR_GET_LIB(code) == ERR_LIB_SYS
    }

    /// Whether it says that a block does not have the padding that was asked for.
    var isOfPadding: Bool {
        self.is(ERR_LIB_RSA, RSA_R_OAEP_DECODING_ERROR) || self.is(ERR_LIB_RSA, RSA_R_PKCS_DECODING_ERROR)
    }

    /// Whether RSA adds it to whatever else went wrong, which may have left no note: no memory for a number.
    fileprivate var isConsequence: Bool { self.is(ERR_LIB_PROV, PROV_R_FAILED_TO_DECRYPT) }

    fileprivate var text: String? {
        unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
    }

    /// Whether a certificate was not accepted, whatever it signed.
    fileprivate var isOfCertificate: Bool {
        self.is(ERR_LIB_CMS, CMS_R_CERTIFICATE_VERIFY_ERROR) || self.is(ERR_LIB_TS, TS_R_CERTIFICATE_VERIFY_ERROR)
    }

    /// The reason of a signature or a time stamp that does not hold.
    fileprivate var verificationText: String? {
        guard isOfCertificate, let data else { return text }
        let words = data.hasPrefix("Verify error:") ? data.dropFirst(13) : data[...]
        return String(words.drop { $0 == " " })
    }
}

/// Why a call of OpenSSL failed: `refusal` if all entries are due to the input, else
/// ``EvidenceError/Code/openSSL``, so that the input is not blamed for the system's failure.
///
/// The queue must have been empty before the call (``clearErrors()``).
///
/// - Parameters:
///   - notesRefusals: whether the call notes whatever it refuses, so that an empty queue shows that the system failed.
///   - comesOfTheInput: whether a note is one that this call makes for bad input.
package func judgement(
    _ refusal: EvidenceError, _ what: String, notesRefusals: Bool = false,
    where comesOfTheInput: (ErrorNote) -> Bool = { !$0.isOfTheSystem }
) -> EvidenceError {
    let notes = takeNotes()
    let causes = notes.filter { !$0.isConsequence }
    let isRefused =
        causes.isEmpty ? !notesRefusals && evidence_can_note_errors() != 0 : causes.allSatisfy(comesOfTheInput)
    return isRefused ? refusal : openSSLError(what, notes)
}

/// After a call that could not parse its input: throws if the system failed instead. Clears the queue.
///
/// The queue must have been empty before the call (``clearErrors()``).
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
package func throwIfSystemFailed(
    _ what: String, notesRefusals: Bool = false, where comesOfTheInput: (ErrorNote) -> Bool = { !$0.isOfTheSystem }
) throws(EvidenceError) {
    let failure = judgement(.cannotOpen, what, notesRefusals: notesRefusals, where: comesOfTheInput)
    if failure.code == .openSSL { throw failure }
}

/// The error for an OpenSSL call that should not have failed. It empties this thread's error queue, so that the
/// next failure does not report this one's reasons.
///
/// Never used where the reason depends on a secret: there it is ``EvidenceError/cannotOpen``, or a
/// ``judgement(_:_:where:)`` that knows which notes those are.
package func openSSLError(_ what: String) -> EvidenceError {
    openSSLError(what, takeNotes())
}

private func openSSLError(_ what: String, _ notes: [ErrorNote]) -> EvidenceError {
    let reasons = notes.compactMap(\.text)
    let detail = reasons.isEmpty ? "" : " (OpenSSL: \(reasons.joined(separator: "; ")))"
    return EvidenceError(
        .openSSL, what + detail, hint: "the system or its OpenSSL failed; this says nothing about the input")
}

private func takeNotes() -> [ErrorNote] {
    var notes: [ErrorNote] = []
    var code: UInt = 0
    while true {
        let data = unsafe evidence_error_data(&code)
        guard code != 0 else { return notes }
        notes.append(ErrorNote(code, unsafe data.map { unsafe String(cString: $0) }))
    }
}

/// Why a signature or a time stamp does not verify. Everything a stranger wrote counts as input, an unknown
/// algorithm as well; only memory, randomness and the system itself do not.
///
/// The queue must have been empty before the call (``clearErrors()``).
package func verificationFailure(_ code: EvidenceError.Code, _ what: String) -> EvidenceError {
    let notes = takeNotes()
    if notes.contains(where: \.isFatal) || notes.isEmpty && evidence_can_note_errors() == 0 {
        return openSSLError("cannot verify", notes)
    }
    var reasons: [String] = []
    for reason in notes.compactMap(\.verificationText) where !reasons.contains(reason) { reasons.append(reason) }
    let what =
        notes.contains(where: \.isOfCertificate)
        ? certificateRefused + (code == .timeStamp ? " time-stamping authority" : " signer") + " was not accepted"
        : what
    return EvidenceError(code, what + (reasons.isEmpty ? "" : ": \(reasons.joined(separator: "; "))"))
}

private let certificateRefused = "the certificate of the"

extension EvidenceError {
    /// Whether a signature or a time stamp does not verify because of its certificate, which may be a matter of time.
    package var isOfCertificate: Bool { description.hasPrefix(certificateRefused) }
}

/// Clears OpenSSL's error queue of this thread, if it would say too much or does not matter.
package func clearErrors() {
    // Checking is cheaper than clearing, and this runs for every chunk of a video.
    if ERR_peek_error() != 0 { ERR_clear_error() }
}
