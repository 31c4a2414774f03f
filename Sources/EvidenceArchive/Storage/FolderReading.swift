// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

extension ConfinedFolder {
    /// A small file, whole. What is not there, is no file or is too long is the archive's fault, not the system's.
    ///
    /// - Parameter path: what it is called in a message.
    func contents(of name: String, at path: String? = nil, limit: Int) throws(EvidenceError) -> [UInt8] {
        let path = path ?? name
        try requireFile(name, at: path)
        do throws(EvidenceError) { return try source(name).readAll(limit: limit, name: name) } catch {
            guard error.code == .tooLarge else { throw error }
            throw .tooLong(path, limit)
        }
    }

    func requireFile(_ name: String, at path: String? = nil) throws(EvidenceError) {
        switch try kind(of: name) {
        case .file: return
        case nil: throw EvidenceError(.bag, "\(path ?? name) is missing")
        default: throw EvidenceError(.bag, "\(path ?? name) is not a regular file")
        }
    }

    /// A folder that must be there.
    func inner(_ name: String) throws(EvidenceError) -> ConfinedFolder {
        switch try kind(of: name) {
        case .folder: return try folder(name)
        case nil: throw EvidenceError(.bag, "\(name) is missing")
        default: throw EvidenceError(.bag, "\(name) is not a folder")
        }
    }

    /// The names in it; whatever is too much is the archive's fault.
    func entries(limit: Int) throws(EvidenceError) -> [[UInt8]] {
        do throws(EvidenceError) { return try names(limit: limit) } catch {
            throw error.code == .tooLarge
                ? EvidenceError(.bag, "\(printable(name)) has more than \(limit) entries") : error
        }
    }

    /// The statement of a record, whose folder this is.
    func statement(of record: RecordID) throws(EvidenceError) -> RecordStatement {
        try RecordStatement(contents(of: Layout.statement, limit: Limits.archiveStatementBytes), of: record)
    }

    /// The manifest of a bag, whose folder this is: the one that its tag manifest lists, which is signed.
    func signedManifest(listedIn tags: [UInt8]? = nil) throws(EvidenceError) -> Manifest {
        let tags = if let tags { tags } else { try contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes) }
        let bytes = try contents(of: Layout.manifest, limit: Limits.manifestBytes)
        try Manifest.require(bytes, of: Layout.manifest, listedIn: tags)
        return try Manifest(bytes, of: Layout.manifest)
    }

    /// SHA-256 of a small file in hexadecimal digits, and its size.
    func digest(of name: String) throws(EvidenceError) -> (sha256: String, byteCount: UInt64) {
        let bytes = try contents(of: name, limit: Limits.signatureFileBytes)
        return (try EvidenceArchive.sha256(bytes), UInt64(bytes.count))
    }

    /// Writes a small file that is on the disk when this returns.
    func store(_ bytes: [UInt8], as name: String) throws(EvidenceError) {
        let file = try create(name)
        try file.write(bytes.span)
        try file.sync()
    }
}

/// Runs code about something in the archive, and names it in the error of what is wrong there.
func naming<Result>(
    _ path: String, _ body: () throws(EvidenceError) -> Result
) throws(EvidenceError) -> Result {
    do throws(EvidenceError) { return try body() } catch {
        // The system's errors name a path themselves, those about keys concern what was given.
        guard error.code == .bag || error.code == .cannotOpen else { throw error }
        throw EvidenceError(error.code, "\(path): \(error)", hint: error.hint)
    }
}

extension EvidenceError {
    static func tooLong(_ path: String, _ limit: Int) -> EvidenceError {
        EvidenceError(.bag, "\(path) is too long: it may have \(limit) bytes")
    }
}
