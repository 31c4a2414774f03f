// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
internal import EvidenceStreams

/// Seals one part of a record into its file as the plaintext comes, and takes its commitment.
///
/// The file is not there before the first byte. Whether it becomes a part of the record, the record decides.
package final class PartSealer: ByteDestination {
    package let isWithheldUntilFinished = true
    let name: String
    private let folder: ConfinedFolder
    private var sealing: Sealing?
    private var file: NewFile?
    private var byteCount: UInt64 = 0
    private var sealed: [UInt8]
    /// Once it is finished.
    private(set) var part: RecordStatement.Part?

    /// What seals the plaintext, and digests it behind its salt.
    private struct Sealing: ~Copyable {
        var sealer: ChunkSealer
        var digester: Digester

        init(_ name: String, of record: RecordID, under key: borrowing RecordKey) throws(EvidenceError) {
            let (context, salt) = (RecordKey.context(record, name), try key.salt(of: name))
            self.init(
                sealer: try ChunkSealer(try key.key(of: name), context: context.span), digester: try Digester(.sha256))
            digester.append(salt.span)
        }

        private init(sealer: consuming ChunkSealer, digester: consuming Digester) {
            self.sealer = sealer
            self.digester = digester
        }

        consuming func finish(to sealed: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
            try sealer.finish(to: &sealed)
            return try digester.finalize()
        }
    }

    convenience init(
        _ name: String, of record: RecordID, under key: borrowing RecordKey, in folder: ConfinedFolder
    ) throws(EvidenceError) {
        self.init(name, try Sealing(name, of: record, under: key), folder)
    }

    private init(_ name: String, _ sealing: consuming Sealing, _ folder: ConfinedFolder) {
        self.name = name
        self.folder = folder
        sealed = sealing.sealer.header
        self.sealing = consume sealing
    }

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard sealing != nil else { throw EvidenceError(.spent, stream: name) }
        guard UInt64(bytes.count) <= Limits.archivedPartBytes - byteCount else {
            throw EvidenceError(
                .tooLarge, "\(name) has more than \(Limits.archivedPartBytes >> 30) GiB, which an archive does not keep"
            )
        }
        sealing?.digester.append(bytes)
        byteCount += UInt64(bytes.count)
        try sealing?.sealer.append(bytes, to: &sealed)
        if sealed.count >= chunkByteCount { try flush() }
    }

    /// Seals the end. The file is written, and not synced.
    package func finish() throws(EvidenceError) {
        guard let last = sealing.take() else { throw EvidenceError(.spent, stream: name) }
        let digest = try last.finish(to: &sealed)
        try flush()
        // Closed, since many records are prepared at a time.
        file = nil
        part = RecordStatement.Part(name: name, byteCount: byteCount, commitment: Hex.encode(digest.span))
    }

    /// Nothing: what is not finished goes with the record, or is finished after all where a refused result is kept.
    package func abandon() {}

    private func flush() throws(EvidenceError) {
        let file: NewFile
        if let there = self.file { file = there } else { file = try folder.create(name + Layout.sealed) }
        self.file = file
        // Moved out while it is read, and moved back to keep its capacity.
        var bytes = exchange(&sealed, with: [])
        try file.write(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        sealed = bytes
    }

    func sync() throws(EvidenceError) { try folder.sync(name + Layout.sealed) }

    /// Takes the file away of what was not finished, and is no part.
    func discard() throws(EvidenceError) {
        if file != nil { try folder.remove(name + Layout.sealed) }
        file = nil
    }
}
