// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// Digests the long fields' characters, after JSON unescaping, while a payload is read.
package final class FieldTexts {
    package private(set) var digests: [PayloadField: ContentDigest] = [:]
    /// Those that a report has: what else was digested depends on how the payload came.
    package var reported: [PayloadField: ContentDigest] { isEager ? digests : [:] }
    private let isEager: Bool
    /// The field that is being digested.
    private var field: PayloadField?
    private var begun: Set<PayloadField> = []
    private var digester: ContentDigester

    /// - Parameter isEager: whether every field is digested, or only one that will be read a second time.
    package init(isEager: Bool) throws(EvidenceError) {
        self.isEager = isEager
        digester = try ContentDigester()
    }

    func begin(_ field: PayloadField, isReadTwice: Bool) throws(EvidenceError) {
        try end()
        guard begun.insert(field).inserted else {
            // The field is in two objects: the payload is refused, and neither gets a digest.
            digests[field] = nil
            return
        }
        if isEager || isReadTwice { self.field = field }
    }

    func append(_ text: Span<UInt8>) {
        if field != nil { digester.append(text) }
    }

    /// Ends the current field.
    func end() throws(EvidenceError) {
        guard let field = field.take() else { return }
        digests[field] = try digester.finalizeAndRestart()
    }
}
