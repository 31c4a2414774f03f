import COpenSSL
internal import EvidenceErrors

/// The error for an OpenSSL call that should not have failed. It drains this thread's whole error queue, so that the
/// next failure does not report this one's reasons.
///
/// Never used where the reason depends on a secret: there it is ``EvidenceError/cannotOpen`` and the queue is only
/// cleared.
func openSSLError(_ what: String) -> EvidenceError {
    var reasons: [String] = []
    while true {
        let code = ERR_get_error()
        if code == 0 { break }
        if let reason = unsafe ERR_reason_error_string(code) {
            unsafe reasons.append(String(cString: reason))
        }
    }
    let detail = reasons.isEmpty ? "" : " (OpenSSL: \(reasons.joined(separator: "; ")))"
    return EvidenceError(.openSSL, what + detail)
}

/// Forgets what OpenSSL noted on this thread, where it would say too much or does not matter.
func clearErrors() {
    ERR_clear_error()
}
