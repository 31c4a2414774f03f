// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Consumes bytes that arrive in pieces, from front to back, once, and makes a result of them.
public protocol ByteReceiver: AnyObject {
    /// The result.
    associatedtype Report: Sendable
    /// Takes the next bytes. After an error it accepts nothing more.
    ///
    /// - Throws: ``EvidenceError``: what is wrong with the bytes, or why the system failed.
    func append(_ bytes: Span<UInt8>) throws(EvidenceError)
    /// After the last byte.
    ///
    /// - Throws: ``EvidenceError``, as ``append(_:)``.
    func finish() throws(EvidenceError) -> Report
    /// Abandons the work: nothing is left of what was taken. After ``finish()`` it does nothing.
    func abandon()
}

/// A receiver that reports its findings before it releases anything.
package protocol ConcludingReceiver: ByteReceiver {
    /// After the last byte: the findings.
    func conclude() throws(EvidenceError) -> Report
    /// Releases what it kept, as far as the report allows, all or nothing.
    func release(_ report: Report) throws(EvidenceError)
}
