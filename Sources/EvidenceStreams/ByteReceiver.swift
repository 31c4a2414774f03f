// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Something that is made of bytes which arrive in pieces, from front to back: once.
public protocol ByteReceiver: AnyObject {
    /// What came of it.
    associatedtype Report: Sendable
    /// Takes the next bytes. After an error it takes nothing more.
    ///
    /// - Throws: ``EvidenceError``: what is wrong with the bytes, or what the system failed at.
    func append(_ bytes: Span<UInt8>) throws(EvidenceError)
    /// After the last byte.
    ///
    /// - Throws: ``EvidenceError``, as ``append(_:)``.
    func finish() throws(EvidenceError) -> Report
    /// Gives up: nothing is left of what was taken. After ``finish()`` it does nothing.
    func abandon()
}

/// A receiver that says what it found before it releases anything.
package protocol ConcludingReceiver: ByteReceiver {
    /// After the last byte: what was found.
    func conclude() throws(EvidenceError) -> Report
    /// Releases what it kept, as far as the report allows, whole or not at all.
    func release(_ report: Report) throws(EvidenceError)
}
