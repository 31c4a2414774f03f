// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

/// A nonce as the vendor's sign pages ask for it: 32 ASCII letters or digits (iOS error 12007: "nonce is not 32 long").
public struct SignNonce: Hashable, Sendable, CustomStringConvertible {
    /// The nonce as text.
    public let value: String

    /// A nonce, or `nil` when the text does not have the form of one.
    public init?(_ text: String) {
        guard ValueForm.nonce.accepts(text) else { return nil }
        value = text
    }

    /// The nonce as text.
    public var description: String { value }

    /// One whose text has the form of a nonce.
    package init(unchecked text: String) { value = text }
}
