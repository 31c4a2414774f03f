// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
internal import VendorTypes

/// The secret that the vendor issued to an integrator for an appId: its holder can act as the integrator.
///
/// It is wiped when destroyed, and never printed. It is used in one place, the URL of ``AccessTokenCall``.
public final class AppSecret: Sendable, Concealed {
    private let value: SecretBytes

    /// A secret.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) if the bytes are malformed.
    public init(_ value: consuming SecretBytes) throws(EvidenceError) {
        try value.withExposedBytes { bytes throws(EvidenceError) in try ValueForm.appSecret.require(bytes, "a secret") }
        self.value = value
    }

    /// Lends the value to `body`, which must not keep it.
    ///
    /// - Throws: what `body` throws.
    package func withExposedValue<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withExposedBytes(body)
    }

    /// Says what it is, never the value.
    public var description: String { "app secret" }
}

/// An access token, with which tickets are fetched. When it expires, so do the tickets fetched with it (1007/57603).
///
/// It is wiped when destroyed, and never printed. Times are monotonic: what counts is `expire_in`, not `expire_time`.
public final class AccessToken: Sendable, Concealed {
    /// How long a token is valid if the answer does not say (1007/57603).
    public static let lifetime = Duration.seconds(7_200)

    /// When its call was made: the token is at least that old.
    public let issued: ContinuousClock.Instant
    /// When it expires.
    public let expires: ContinuousClock.Instant
    private let value: SecretBytes

    /// A token.
    ///
    /// - Parameters:
    ///   - value: the token.
    ///   - issued: when the answer that brought it arrived.
    ///   - lifetime: the `expire_in` of the answer that brought it.
    /// - Throws: ``EvidenceError`` (`.value`) if the bytes are malformed.
    public init(
        _ value: consuming SecretBytes, issued: ContinuousClock.Instant, lifetime: Duration = AccessToken.lifetime
    ) throws(EvidenceError) {
        try value.withExposedBytes { bytes throws(EvidenceError) in
            try ValueForm.accessToken.require(bytes, "an access token")
        }
        self.value = value
        self.issued = issued
        expires = issued.advanced(by: lifetime)
    }

    /// Whether it has expired at a given time.
    package func isExpired(at now: ContinuousClock.Instant = .now) -> Bool { now >= expires }

    /// Lends the value to `body`, which must not keep it.
    ///
    /// - Throws: what `body` throws.
    public func withExposedValue<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withExposedBytes(body)
    }

    /// Says what it is, never the value.
    public var description: String { "access token" }
}

extension ValueForm {
    /// - Throws: `.value` with the rule, never the value.
    fileprivate func require(_ bytes: Span<UInt8>, _ what: String) throws(EvidenceError) {
        guard accepts(bytes) else { throw EvidenceError(.value, "\(what) \(rule)") }
    }
}
