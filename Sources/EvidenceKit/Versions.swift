// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import SimpleMode

/// What is at work, as reports name it.
public enum EvidenceVersions {
    /// The version of this package.
    public static let evidenceKit = evidenceKitVersion
    /// What the OpenSSL that is linked calls itself.
    public static let openSSL = openSSLVersion
}
