// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors

/// The order a verification belongs to, `orderNo` in every vendor document: ASCII letters or digits, as many as
/// `Limits.orderNumberCharacters` says.
///
/// Sources: the vendor's sign pages (1007/114144, 655/13835) and iOS error 12006, which refuses no characters and too
/// many.
public struct OrderNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number as text. It is not secret, but identifies a person's verification: think before logging it.
    public let value: String

    /// An order number.
    ///
    /// It throws instead of returning `nil`, because an optional order that is `nil` means any order.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) when the text does not have the form of one.
    public init(_ text: String) throws(EvidenceError) {
        guard ValueForm.orderNo.accepts(text) else {
            throw EvidenceError(
                .type, "an order number \(ValueForm.orderNo.rule)", hint: RoundedNumber.hint("it", text))
        }
        value = text
    }

    /// The number as text.
    public var description: String { value }
}
