// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams
internal import MediaStructure
internal import PlatformC
internal import VendorTypes

/// The work on each record of a batch.
struct BatchOperation: Sendable {
    /// A finding: a fault or success, with further members.
    typealias Outcome = (fault: BatchFault?, members: [(String, JSONValue)])

    /// The members that its requests can have.
    let members: [BatchRequest.Member]
    /// - Throws: ``BatchFault`` or ``EvidenceError``.
    let perform: @Sendable (BatchRequest) throws -> Outcome

    /// The answer to a line; faults of the line or its record are answers.
    ///
    /// - Throws: ``EvidenceError`` if the system failed; this says nothing about the record.
    func answer(_ line: LineSplitter.Line) throws -> BatchAnswer {
        var request: BatchRequest?
        func answer(_ fault: BatchFault?, _ members: [(String, JSONValue)] = []) -> BatchAnswer {
            BatchAnswer(id: request?.id, line: line.number, fault: fault, members: members)
        }
        do {
            guard let bytes = line.bytes else {
                throw BatchFault(
                    .request, "line-too-long", "the line is longer than --max-line allows",
                    hint: "give --max-line BYTES: 4/3 of the largest document that is inline, and 1,000")
            }
            var fault: BatchFault?
            request = try BatchRequest(bytes, knowing: members, fault: &fault)
            if let fault { throw fault }
            guard let request else { return answer(nil) }
            let (found, members) = try perform(request)
            return answer(found, members)
        } catch let fault as BatchFault {
            return answer(fault)
        } catch let error as EvidenceError {
            guard let fault = BatchFault(error) else { throw error }
            return answer(fault)
        }
    }
}

/// The files that a batch may touch.
struct BatchFiles: Sendable {
    let root: RootFolder?
    let files: Files
    let skipsExisting: Bool

    /// The record's document.
    func document(_ request: BatchRequest) throws -> (source: any ByteSource, identity: FileIdentity?) {
        switch (request[.input], request.bytes(.inline)) {
        case (let path?, nil):
            let source = try reaching(.input) { root throws(EvidenceError) in try root.source(path) }
            return (source, source.identity)
        case (nil, let text?):
            do throws(EvidenceError) { return (MemorySource(try Base64.decode(text.span)), nil) } catch {
                throw BatchFault(.inline, "\(error)")
            }
        case (nil, nil):
            throw BatchFault(
                .request, "bad-member", about: .input, "neither in nor inline is present",
                hint: "in is a path beneath --root, inline the document in base64")
        default: throw BatchFault(.inline, "in is present, too")
        }
    }

    /// Writes the output of `body` to the record's `out`, complete and synced.
    ///
    /// - Parameter input: what `body` reads, which is never replaced.
    func write(
        _ request: BatchRequest, besides input: FileIdentity?, _ body: (DigestingDestination) throws -> Void
    ) throws -> (members: [(String, JSONValue)], media: MediaContent) {
        let path = try request.required(.out)
        let (place, file) = try reaching(.out) { root throws(EvidenceError) in
            let place = try root.place(path)
            return (place, try place.start(replacing: !skipsExisting))
        }
        defer { file.abandon() }
        let isInput = place.identity.map { $0 == input } ?? false
        if try isInput || root?.isWitness(place.name) ?? false || files.isInUse(place.name, place.identity) {
            throw BatchFault(
                .path, "also-an-input", about: .out, "it is also an input, standard output or standard error")
        }
        let destination = try DigestingDestination(keeping: [file])
        try body(destination)
        let (digest, media) = try destination.finalize()
        let isWritten = try publish(file, at: place, digest)
        return (
            [
                ("bytes", .number(digest.byteCount)), ("sha256", .text(digest.hex)), ("written", .bool(isWritten)),
            ], media
        )
    }

    /// Gives a file its name, unless an identical file that should be kept has it.
    private func publish(_ file: WholeFile, at place: RootFolder.Entry, _ digest: ContentDigest) throws -> Bool {
        guard skipsExisting else {
            try reaching(.out) { _ throws(EvidenceError) in try file.finish() }
            return true
        }
        if try isThere(place, digest) { return false }
        do {
            try reaching(.out) { _ throws(EvidenceError) in try file.finish() }
            return true
        } catch let error as EvidenceError where error.code == .exists {
            // Another worker was faster.
            if try isThere(place, digest) { return false }
            throw BatchFault(
                .path, EvidenceError.Code.changed.name, about: .out, "a file with this name has just disappeared")
        }
    }

    /// Whether an identical file has the name.
    ///
    /// - Throws: ``BatchFault`` if a different file has it.
    private func isThere(_ place: RootFolder.Entry, _ digest: ContentDigest) throws -> Bool {
        guard let there = try reaching(.out, { _ throws(EvidenceError) in try place.existing() }) else { return false }
        guard there.size == digest.byteCount, try ContentDigest(of: there) == digest else {
            throw BatchFault(
                .path, EvidenceError.Code.exists.name, about: .out, "a file with other content exists",
                hint: "name another output; without --skip-existing it is replaced")
        }
        return true
    }

    /// Finds a file, or gives it its name. If that fails, it is the record's fault, provided that the root is
    /// unchanged.
    private func reaching<Found>(
        _ member: BatchRequest.Member, _ find: (RootFolder) throws(EvidenceError) -> Found
    ) throws -> Found {
        guard let root else {
            throw BatchFault(
                .path, "outside-root", about: member, "no --root was given: nothing can be read or written",
                hint: "give --root DIR, the folder of the paths")
        }
        do throws(EvidenceError) { return try find(root) } catch {
            guard error.isOfPath else { throw error }
            try root.requirePresence()
            throw error.errno == EXDEV
                ? BatchFault(
                    .path, "outside-root", about: member, "it leads out of --root",
                    hint: "paths are relative to --root, without .. or a slash in front")
                : BatchFault(
                    .path, error.code.name, about: member,
                    error.description(naming: "the file named by '\(member.rawValue)'")
                )
        }
    }
}
