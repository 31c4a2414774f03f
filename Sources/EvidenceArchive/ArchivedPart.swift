// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams

/// One part of an archived record, opened: any range of it alone, or all of it, which is compared with its commitment.
public final class ArchivedPart {
    /// What the statement says.
    package let part: RecordStatement.Part
    /// What stands before the plaintext in the commitment.
    let salt: [UInt8]
    private let source: FileSource
    private let keys: ChunkKeys
    private let sealedByteCount: UInt64
    private let path: String

    /// - Parameter dataPath: what the folder of records is called in a message.
    init(
        _ part: RecordStatement.Part, of record: RecordID, under key: borrowing RecordKey, in folder: ConfinedFolder,
        at dataPath: String = Layout.data
    ) throws(EvidenceError) {
        self.part = part
        let name = part.name + Layout.sealed
        path = "\(dataPath)/\(record)/\(name)"
        try folder.requireFile(name, at: path)
        source = try folder.source(name)
        salt = try key.salt(of: part.name)
        guard let size = source.size, part.fits(size) else {
            throw EvidenceError(.bag, "the size of \(path) differs from the one in the record's statement")
        }
        sealedByteCount = size
        var header: [UInt8] = []
        while header.count < SealedChunks.headerByteCount {
            guard try source.read(SealedChunks.headerByteCount - header.count, to: &header) > 0 else {
                throw Self.changed(path)
            }
        }
        let context = RecordKey.context(record, part.name)
        keys = try ChunkKeys(
            try key.key(of: part.name), salt: header.span.extracting(..<SealedChunks.saltByteCount),
            context: context.span)
        guard keys.isCommitted(by: header.span.extracting(SealedChunks.saltByteCount...)) else {
            throw Self.changed(path)
        }
    }

    /// The record's key is its own, so that only a change keeps it from opening a part.
    private static func changed(_ path: String) -> EvidenceError {
        EvidenceError(.bag, "\(path) has changed since it was sealed")
    }

    /// Some bytes of it: intact, and in their place. The rest may be damaged.
    ///
    /// - Parameter range: in bytes of the plaintext.
    /// - Throws: ``EvidenceError``: `.length` for a range that is not inside, `.bag` where it was changed, or
    ///   `.cannotRead`.
    public func bytes(_ range: Range<UInt64>) throws(EvidenceError) -> [UInt8] {
        guard range.upperBound <= part.byteCount else {
            throw EvidenceError(.length, "\(part.name) has \(part.byteCount) bytes")
        }
        var opener = try ChunkOpener(keys)
        // The last one proves the length: it alone is not full.
        let last = part.byteCount / UInt64(SealedChunks.fullByteCount)
        var end: [UInt8] = []
        try open(last, &opener, to: &end)
        guard UInt64(end.count) == part.byteCount % UInt64(SealedChunks.fullByteCount) else {
            throw Self.changed(path)
        }
        if range.isEmpty { return [] }
        let full = UInt64(SealedChunks.fullByteCount)
        let (first, final) = (range.lowerBound / full, (range.upperBound - 1) / full)
        var content: [UInt8] = []
        for number in first...final { try open(number, &opener, to: &content) }
        let start = Int(range.lowerBound - first * full)
        return Array(content[start..<start + range.count])
    }

    /// All of it, once more compared with its commitment.
    ///
    /// - Parameter destination: it must withhold what it gets; it is finished only where all is right.
    /// - Throws: ``EvidenceError``: `.bag` where it was changed, or is not what the statement commits to, or what the
    ///   destination throws.
    public func write(to destination: any ByteDestination) throws(EvidenceError) {
        guard destination.isWithheldUntilFinished else {
            throw EvidenceError(.cannotWrite, "a part goes only where nobody sees it before all of it was checked")
        }
        try destination.orAbandon { () throws(EvidenceError) in
            guard try copy(to: destination) == part.commitment else {
                throw EvidenceError(.bag, "\(path) opens, but its content is not what the statement commits to")
            }
            try destination.finish()
        }
    }

    /// Its commitment, once all of it was written.
    private func copy(to destination: any ByteDestination) throws(EvidenceError) -> String {
        var digester = try Digester(.sha256)
        let salt = salt
        digester.append(salt.span)
        var opener = try ChunkOpener(keys)
        var content: [UInt8] = []
        for number in 0...part.byteCount / UInt64(SealedChunks.fullByteCount) {
            try open(number, &opener, to: &content)
            guard content.count >= chunkByteCount else { continue }
            digester.append(content.span)
            try destination.take(&content)
        }
        digester.append(content.span)
        try destination.take(&content)
        let digest = try digester.finalize()
        return Hex.encode(digest.span)
    }

    private func open(
        _ number: UInt64, _ opener: inout ChunkOpener, to content: inout [UInt8]
    ) throws(EvidenceError) {
        let place = SealedChunks.place(of: number..<number + 1, inSealed: sealedByteCount)
        var chunk: [UInt8] = []
        while chunk.count < place.count {
            let at = place.lowerBound + UInt64(chunk.count)
            guard try source.read(place.count - chunk.count, at: at, to: &chunk) > 0 else { throw Self.changed(path) }
        }
        do throws(EvidenceError) { try opener.open(chunk.span, number: number, to: &content) } catch {
            throw error.code == .cannotOpen ? Self.changed(path) : error
        }
    }
}

extension RecordStatement.Part {
    /// Whether so many sealed bytes hold it.
    func fits(_ sealedByteCount: UInt64?) -> Bool {
        sealedByteCount.flatMap { SealedChunks.contentByteCount(ofSealed: $0) } == byteCount
    }
}

extension Archive {
    /// A part of a record, opened.
    ///
    /// - Parameters:
    ///   - name: the name of the part, such as `video.mp4`.
    ///   - record: the record that has the part.
    ///   - archiveKey: the archive's private key.
    /// - Throws: ``EvidenceError``: `.noRecord`, `.erased`, also where its key was put back, `.unsuitableKey`,
    ///   `.cannotOpen`, `.bag` or `.cannotRead`.
    public func part(
        _ name: String, of record: RecordID, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> ArchivedPart {
        let (bag, folder) = try place(of: record)
        let statement = try folder.statement(of: record)
        guard let part = statement.parts.first(where: { $0.name == name }) else {
            throw Self.noPart(of: statement)
        }
        let wanted = PartKey(sealing: name)
        let living = try livingKey(of: record, inBag: bag, for: archiveKey.publicKey)
        if wanted == .face, living.isReduced {
            throw EvidenceError(.erased, "record \(record) was reduced: the key of \(name) is destroyed")
        }
        let key = try RecordKey(unwrapping: living, [wanted], by: archiveKey)
        return try ArchivedPart(part, of: record, under: key, in: folder)
    }
}

extension Archive {
    /// Refuses names that are no parts of any of some records.
    ///
    /// - Throws: ``EvidenceError`` (`.noRecord`).
    func requireParts(_ names: Set<String>, of records: Set<RecordID>) throws(EvidenceError) {
        var names = names
        var last: RecordStatement?
        for record in records.sorted() where !names.isEmpty {
            let statement = try statement(of: record)
            names.subtract(statement.parts.map(\.name))
            last = statement
        }
        if !names.isEmpty, let last { throw Self.noPart(of: last) }
    }

    fileprivate static func noPart(of statement: RecordStatement) -> EvidenceError {
        EvidenceError(
            .noRecord, "record \(statement.record) has no part of that name",
            hint: statement.parts.isEmpty
                ? "it has none" : "it has: \(statement.parts.map(\.name).joined(separator: ", "))")
    }
}
