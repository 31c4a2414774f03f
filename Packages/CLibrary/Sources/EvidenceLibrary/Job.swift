// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Synchronization

/// What is done with one document.
protocol Work: AnyObject {
    /// Takes a key, for a use that evidence.h names.
    func add(_ key: LoadedKey, for use: String) throws
    /// Takes a ticket.
    func add(_ ticket: Ticket) throws
    /// Takes a source of the calling program instead of bytes.
    func use(_ source: any ByteSource) throws
    /// Takes the next bytes; after the first, no key and no ticket.
    func append(_ bytes: Span<UInt8>) throws
    /// What can be read before the end, by name.
    var released: [String: any ByteSource] { get }
    /// After the last byte.
    func finish() throws -> Outcome
}

extension Work {
    func add(_ key: LoadedKey, for use: String) throws { throw Misuse(.argument, "this job takes no keys") }
    func add(_ ticket: Ticket) throws { throw Misuse(.argument, "only a check takes tickets") }
    func use(_ source: any ByteSource) throws {
        throw Misuse(
            .argument, "only a job of evidence_ranges_new or evidence_rewrap_new takes a file or a reader",
            hint: "append the bytes instead")
    }
    var released: [String: any ByteSource] { [:] }
}

/// The outcome of a job.
struct Outcome {
    /// What `evidence_job_finish` returns.
    var answer: Int32 = 0
    /// JSON.
    let report: String
    /// The parts that can be read, by name.
    var parts: [String: any ByteSource] = [:]
}

/// The processing of one document, as C drives it: keys, bytes, the end, parts.
final class Job: Sendable {
    private struct State {
        /// `nil` once it was finished, or has failed.
        var work: (any Work)?
        var hasBytes = false
        var report: CText?
        var parts: [String: any ByteSource] = [:]
    }
    private static let pieceByteCount = 256 << 10
    private let state: Mutex<State>
    private let process = processNumber()

    init(_ work: sending any Work) { state = Mutex(State(work: work)) }

    func add(_ key: LoadedKey, for use: String) throws {
        try alone { state in try Self.notBegun(state).add(key, for: use) }
    }

    func add(_ ticket: Ticket) throws {
        try alone { state in try Self.notBegun(state).add(ticket) }
    }

    /// Takes a source of the calling program. It is asked for once the job is known to take one.
    func use(_ source: () throws -> any ByteSource) throws {
        try alone { state in
            let work = try Self.notBegun(state)
            try work.use(source())
            state.hasBytes = true
        }
    }

    func append(_ bytes: Span<UInt8>) throws {
        try alone { state in
            let work = try Self.notEnded(state)
            state.hasBytes = true
            // Text that waits for its key is held in pieces of the size in which it came, whatever the memory limit.
            for start in stride(from: 0, to: max(bytes.count, 1), by: Self.pieceByteCount) {
                let end = min(start + Self.pieceByteCount, bytes.count)
                try work.append(bytes.extracting(start..<end))
            }
        }
    }

    /// Takes nothing more. Finished parts can still be read.
    func end() { _ = state.withLockIfAvailable { state in state.work = nil } }

    /// - Returns: the answer, and the report, which lives as long as the job.
    func finish() throws -> (answer: Int32, report: CText) {
        try alone { state in
            let work = try Self.notEnded(state)
            state.work = nil
            let outcome = try work.finish()
            let report = CText(outcome.report)
            state.report = report
            state.parts = outcome.parts
            return (outcome.answer, report)
        }
    }

    /// Appends up to `count` bytes of a part; none at its end.
    func read(_ part: String, _ count: Int, to buffer: inout [UInt8]) throws {
        try alone { state in
            let released = state.work?.released ?? [:]
            let source = try released.isEmpty ? Self.finished(part, state) : Self.source(part, of: released)
            _ = try source.read(count, to: &buffer)
        }
    }

    /// How many bytes a part has.
    func size(_ part: String) throws -> UInt64 { try alone { state in try Self.finished(part, state).size ?? 0 } }

    /// Sets where the next bytes of a part are read from.
    func seek(_ part: String, to offset: UInt64) throws {
        try alone { state in
            let source = try Self.finished(part, state)
            guard source.isSeekable else { throw Misuse(.argument, "this part is read once, from front to back") }
            try source.seek(to: offset)
        }
    }

    private static func finished(_ part: String, _ state: State) throws -> any ByteSource {
        guard state.report != nil else {
            throw Misuse(.state, "parts can be read only after evidence_job_finish, and not if the job failed")
        }
        return try source(part, of: state.parts)
    }

    private static func source(_ part: String, of parts: [String: any ByteSource]) throws -> any ByteSource {
        guard let source = parts[part] else {
            let names = parts.keys.sorted().joined(separator: ", ")
            throw Misuse(.argument, "no such part: this job has \(names.isEmpty ? "none" : names)")
        }
        return source
    }

    private static func notEnded(_ state: State) throws -> any Work {
        guard let work = state.work else {
            throw Misuse(.state, "the job was finished or has failed, and takes nothing more")
        }
        return work
    }

    private static func notBegun(_ state: State) throws -> any Work {
        if state.hasBytes {
            throw Misuse(
                .state, "the job already has bytes or a file: keys, tickets and a file come before the first byte")
        }
        return try notEnded(state)
    }

    /// Runs `body` while no other thread uses the job.
    private func alone<Result>(_ body: (inout sending State) throws -> sending Result) throws -> Result {
        // After a fork both processes share its file on disk, and its key would seal two different contents.
        guard process == processNumber() else {
            throw Misuse(.state, "the job was made by another process, before a fork")
        }
        guard let result = try state.withLockIfAvailable({ state in try body(&state) }) else {
            throw Misuse(.busy, "another thread is using the job")
        }
        return result
    }
}
