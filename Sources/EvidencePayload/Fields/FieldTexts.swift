// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// Digests the long fields' characters, after JSON unescaping, while a payload is read.
package final class FieldTexts {
    package private(set) var digests: [PayloadField: ContentDigest] = [:]
    private var field: PayloadField?
    private var begun: Set<PayloadField> = []
    private var doubled: Set<PayloadField> = []
    private var digester: ContentDigester

    package init() throws(EvidenceError) { digester = try ContentDigester() }

    func begin(_ field: PayloadField) throws(EvidenceError) {
        try end()
        self.field = field
        // The field is in two objects: the payload is refused, and neither gets a digest.
        if !begun.insert(field).inserted { doubled.insert(field) }
    }

    func append(_ text: Span<UInt8>) { digester.append(text) }

    /// Ends the current field.
    func end() throws(EvidenceError) {
        guard let field = field.take() else { return }
        let digest = try digester.finalizeAndRestart()
        digests[field] = doubled.contains(field) ? nil : digest
    }
}
