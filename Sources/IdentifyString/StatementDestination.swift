// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
internal import EvidenceStreams

/// Receives the content of `identifyStr`, and keeps as much of it as a statement can have.
///
/// More content is no reason to stop: the tag must be checked before anything is said about the content.
package final class StatementDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private var bytes: [UInt8] = []
    private var byteCount: UInt64 = 0

    package init() {}

    func write(_ bytes: Span<UInt8>) {
        byteCount += UInt64(bytes.count)
        guard byteCount <= Limits.statementBytes else {
            self.bytes = []
            return
        }
        for i in bytes.indices { self.bytes.append(bytes[i]) }
    }

    func finish() {}

    func abandon() { bytes = [] }

    /// The content, once all of it was opened.
    ///
    /// - Throws: ``EvidenceError`` (`.statement`).
    package func statement() throws(EvidenceError) -> IdentifyStatement {
        guard byteCount <= Limits.statementBytes else {
            throw .noStatement("it has more than \(Limits.statementBytes) bytes")
        }
        let bytes = bytes
        return try IdentifyStatement(json: bytes.span)
    }
}
