// SPDX-License-Identifier: Apache-2.0
public import VendorTypes

/// Records which nonces were used: a table in the caller's database, with a unique index.
public protocol NonceStore: Sendable {
    /// Records that a nonce is used.
    ///
    /// - Parameters:
    ///   - nonce: the nonce of the statement.
    ///   - capturedAt: the statement's time. A nonce may be deleted once statements of that age are
    ///     refused.
    /// - Returns: true the first time, false every time after. Of two concurrent calls only one may get true.
    /// - Throws: anything, if the store cannot tell; then the check has no answer.
    func claim(_ nonce: SignNonce, capturedAt: UTCTime) async throws -> Bool
}
