// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// The versions in use, for reports.
public enum EvidenceVersions {
    /// The version of this package.
    public static let evidenceKit = evidenceKitVersion
    /// The version text of the linked OpenSSL.
    public static let openSSL = openSSLVersion
}
