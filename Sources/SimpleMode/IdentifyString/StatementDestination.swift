// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Takes what `identifyStr` opens to, and keeps as much of it as a statement can have.
///
/// More is no reason to stop: whether the tag is right must be known before anything is said about the content.
final class StatementDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private var bytes: [UInt8] = []
    private var byteCount: UInt64 = 0

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

    /// What was opened, once all of it was.
    ///
    /// - Throws: ``EvidenceError`` (`.statement`).
    func statement() throws(EvidenceError) -> IdentifyStatement {
        guard byteCount <= Limits.statementBytes else {
            throw .noStatement("it has more than \(Limits.statementBytes) bytes")
        }
        let bytes = bytes
        return try IdentifyStatement(json: bytes.span)
    }
}
