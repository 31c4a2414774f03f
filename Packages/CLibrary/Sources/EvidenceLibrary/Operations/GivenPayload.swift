// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// A payload that is read at any place: a source of the calling program, or bytes that are held here.
struct GivenPayload {
    private var source: (any ByteSource)?
    private var held: HeldContent?

    mutating func use(_ source: any ByteSource) { self.source = source }

    mutating func append(_ bytes: Span<UInt8>) throws {
        guard source == nil else { throw Misuse(.state, "the job has a file or a reader: it takes no other bytes") }
        let held = try held ?? HeldContent()
        self.held = held
        try held.write(bytes)
    }

    func complete() throws -> any ByteSource {
        try held?.finish()
        return source ?? held ?? MemorySource([])
    }
}
