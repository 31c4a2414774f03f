// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
package import EvidenceCrypto
import EvidenceKit

extension CertificateFacts {
    /// Warns about a certificate that is not, or not now, for sealing. Its key is used nevertheless: the user may
    /// have no other, and the signature over these dates is not checked.
    package func warn(at path: String) {
        for warning in warnings(now: Clock.now.map { $0.millisecondsSince1970 / 1_000 }) {
            Terminal.warn("\(quoted(path)): \(warning)")
        }
    }

    private func warnings(now: Int64?) -> [String] {
        var warnings: [String] = []
        if let now, let notAfter, now > notAfter { warnings.append("the certificate expired on \(day(notAfter))") }
        if let now, let notBefore, now < notBefore {
            warnings.append("the certificate is not valid before \(day(notBefore))")
        }
        if !permitsEncipherment {
            warnings.append("according to its key usage, the certificate's key is not for encryption")
        }
        return warnings
    }

    private func day(_ seconds: Int64) -> String {
        UTCTime(secondsSince1970: Double(seconds)).map { String($0.description.prefix(10)) } ?? "an invalid date"
    }
}
