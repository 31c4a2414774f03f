// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

/// The digests of the long fields' characters, after JSON unescaping, while a payload passes.
final class FieldTexts {
    private(set) var digests: [PayloadField: ContentDigest] = [:]
    private var field: PayloadField?
    private var begun: Set<PayloadField> = []
    private var doubled: Set<PayloadField> = []
    private var digester: ContentDigester

    init() throws(EvidenceError) { digester = try ContentDigester() }

    func begin(_ field: PayloadField) throws(EvidenceError) {
        try end()
        self.field = field
        // In two objects: the payload is refused, and of neither is there a digest.
        if !begun.insert(field).inserted { doubled.insert(field) }
    }

    func append(_ text: Span<UInt8>) { digester.append(text) }

    /// The field that passed last is over.
    func end() throws(EvidenceError) {
        guard let field = field.take() else { return }
        let digest = try digester.finalizeAndRestart()
        digests[field] = doubled.contains(field) ? nil : digest
    }
}
