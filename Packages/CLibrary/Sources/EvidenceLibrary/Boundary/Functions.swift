// SPDX-License-Identifier: Apache-2.0
// The functions of evidence.h: pointers become values here, and errors become numbers. Nothing else does either.

import CEvidence
import EvidenceKit

private let keys = HandleTable<LoadedKey>(first: 1)
private let jobs = HandleTable<Job>(first: 2)

// MARK: - The library

/// See evidence.h.
@c @implementation
public func evidence_abi() -> UInt32 { UInt32(EVIDENCE_ABI) }

private let version = CText(Answers.version)

/// See evidence.h.
@c @implementation
public func evidence_version() -> UnsafePointer<CChar>? { unsafe version.pointer }

private let names = Answers.names.mapValues { CText($0) }
private let unknownName = CText("unknown")

/// See evidence.h.
@c @implementation
public func evidence_name(_ answer: Int32) -> UnsafePointer<CChar>? { unsafe (names[answer] ?? unknownName).pointer }

private let noError = CText("{}")

/// See evidence.h.
@c @implementation
public func evidence_last_error() -> UnsafePointer<CChar>? { unsafe (ThreadText.error.current ?? noError).pointer }

// MARK: - Keys

/// See evidence.h.
@c @implementation
public func evidence_key_load(
    _ kind: UnsafePointer<CChar>?, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ passphrase: UnsafePointer<UInt8>?,
    _ passphraseCount: Int, _ key: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(key, by: keys) {
        let kind = try unsafe text(kind, "the kind of the key")
        let bytes = SecretBytes(copying: try unsafe copied(bytes, count, "the key").span)
        if unsafe passphrase == nil && passphraseCount == 0 { return try LoadedKey(kind, bytes, passphrase: nil) }
        let phrase = SecretBytes(copying: try unsafe copied(passphrase, passphraseCount, "the passphrase").span)
        return try LoadedKey(kind, bytes, passphrase: phrase)
    }
}

/// See evidence.h.
@c @implementation
public func evidence_key_find(
    _ uri: UnsafePointer<CChar>?, _ pin: UnsafePointer<UInt8>?, _ pinCount: Int,
    _ key: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(key, by: keys) {
        let uri = try unsafe text(uri, "the URI")
        if unsafe pin == nil && pinCount == 0 { return try LoadedKey(at: uri, pin: nil) }
        return try LoadedKey(at: uri, pin: SecretBytes(copying: unsafe copied(pin, pinCount, "the PIN").span))
    }
}

/// See evidence.h.
@c @implementation
public func evidence_key_free(_ key: OpaquePointer?) { keys.remove(UInt(bitPattern: key)) }

// MARK: - Jobs

/// See evidence.h.
@c @implementation
public func evidence_open_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Opening(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_stream_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Streaming(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_check_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Checking(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_inspect_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Inspecting(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_seal_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Sealing(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_ranges_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Ranges(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_rewrap_new(
    _ options: UnsafePointer<CChar>?, _ job: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe giving(job, by: jobs) { Job(try Rewrapping(unsafe optional(options))) }
}

/// See evidence.h.
@c @implementation
public func evidence_job_add_key(_ job: OpaquePointer?, _ use: UnsafePointer<CChar>?, _ key: OpaquePointer?) -> Int32 {
    unsafe taking(job) { job in
        try job.add(keys.object(UInt(bitPattern: key)), for: unsafe text(use, "the use of the key"))
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_add_ticket(_ job: OpaquePointer?, _ ticket: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    unsafe taking(job) { job in
        try job.add(Ticket(.sign, SecretBytes(copying: unsafe copied(ticket, count, "the ticket").span)))
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_use_file(_ job: OpaquePointer?, _ descriptor: Int32) -> Int32 {
    unsafe taking(job) { job in try job.use { try OpenFile(duplicating: descriptor) } }
}

/// See evidence.h.
@c @implementation
public func evidence_job_use_reader(
    _ job: OpaquePointer?, _ readAt: evidence_read_at?, _ context: UnsafeMutableRawPointer?, _ size: UInt64
) -> Int32 {
    unsafe taking(job) { job in
        guard let readAt = unsafe readAt else { throw Misuse(.argument, "read_at is NULL") }
        try job.use { unsafe CallerReader(readAt, context, byteCount: size) }
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_append(_ job: OpaquePointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    unsafe taking(job) { job in try unsafe job.append(buffer(bytes, count, "the bytes").span) }
}

/// See evidence.h.
@c @implementation
public func evidence_job_finish(
    _ job: OpaquePointer?, _ report: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> Int32 {
    unsafe report?.pointee = nil
    return answering {
        let (answer, text) = try jobs.object(UInt(bitPattern: job)).finish()
        // Another thread may free the job before this one has read it. Without a place for it, the last one stays.
        if let report = unsafe report {
            ThreadText.report.current = text
            unsafe report.pointee = text.pointer
        }
        return answer
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_read(
    _ job: OpaquePointer?, _ part: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<UInt8>?, _ room: Int,
    _ got: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe got?.pointee = 0
    return answering {
        let job = try jobs.object(UInt(bitPattern: job))
        guard let got = unsafe got else { throw Misuse(.argument, "got is NULL: pass the address of a size_t") }
        let room = Int(min(UInt(bitPattern: room), readByteCount))
        guard let buffer = unsafe buffer, room > 0 else { throw Misuse(.argument, "buffer is NULL, or room is 0") }
        var piece: [UInt8] = []
        try job.read(unsafe text(part, "the part"), room, to: &piece)
        _ = unsafe UnsafeMutableBufferPointer(start: buffer, count: room).update(fromContentsOf: piece)
        unsafe got.pointee = piece.count
        return EVIDENCE_OK
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_seek(_ job: OpaquePointer?, _ part: UnsafePointer<CChar>?, _ offset: UInt64) -> Int32 {
    answering {
        let job = try jobs.object(UInt(bitPattern: job))
        try job.seek(unsafe text(part, "the part"), to: offset)
        return EVIDENCE_OK
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_size(
    _ job: OpaquePointer?, _ part: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    unsafe size?.pointee = 0
    return answering {
        let job = try jobs.object(UInt(bitPattern: job))
        guard let size = unsafe size else { throw Misuse(.argument, "size is NULL: pass the address of a uint64_t") }
        unsafe size.pointee = try job.size(unsafe text(part, "the part"))
        return EVIDENCE_OK
    }
}

/// See evidence.h.
@c @implementation
public func evidence_job_free(_ job: OpaquePointer?) { jobs.remove(UInt(bitPattern: job)) }

// MARK: - Signs

/// See evidence.h.
@c @implementation
public func evidence_sign(
    _ recipe: UnsafePointer<CChar>?, _ values: UnsafePointer<CChar>?, _ ticket: UnsafePointer<UInt8>?, _ count: Int,
    _ sign: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int32 {
    answering {
        let input = try unsafe Signs.input(text(recipe, "the recipe"), text(values, "the values"))
        let ticket = try Signs.ticket(unsafe copied(ticket, count, "the ticket").span, for: input)
        let needed = 2 * Sign.byteCount + 1
        guard let sign = unsafe sign, UInt(bitPattern: room) >= needed else {
            throw Misuse(.argument, "sign is NULL, or room is less than \(needed)")
        }
        let digits = try input.sign(with: ticket).description.utf8CString
        _ = unsafe UnsafeMutableBufferPointer(start: sign, count: needed).update(fromContentsOf: digits)
        return EVIDENCE_OK
    }
}

/// See evidence.h.
@c @implementation
public func evidence_verify(
    _ recipe: UnsafePointer<CChar>?, _ values: UnsafePointer<CChar>?, _ ticket: UnsafePointer<UInt8>?, _ count: Int,
    _ sign: UnsafePointer<CChar>?
) -> Int32 {
    answering {
        let input = try unsafe Signs.input(text(recipe, "the recipe"), text(values, "the values"))
        let ticket = try Signs.ticket(unsafe copied(ticket, count, "the ticket").span, for: input)
        try Signs.require(Signs.verify(unsafe text(sign, "the sign"), input, [ticket]))
        return EVIDENCE_OK
    }
}

/// See evidence.h.
@c @implementation
public func evidence_verify_any(
    _ recipe: UnsafePointer<CChar>?, _ values: UnsafePointer<CChar>?,
    _ tickets: UnsafePointer<UnsafePointer<UInt8>?>?, _ counts: UnsafePointer<Int>?, _ number: Int,
    _ sign: UnsafePointer<CChar>?, _ report: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) -> Int32 {
    unsafe report?.pointee = nil
    return answering {
        let input = try unsafe Signs.input(text(recipe, "the recipe"), text(values, "the values"))
        guard (1...ticketCount).contains(number) else {
            throw Misuse(.argument, "number is \(UInt(bitPattern: number)): pass 1 to \(ticketCount) tickets")
        }
        guard let tickets = unsafe tickets, let counts = unsafe counts else {
            throw Misuse(.argument, "tickets or counts is NULL")
        }
        let given = try (0..<number).map { index in
            try Signs.ticket(unsafe copied(tickets[index], counts[index], "tickets[\(index)]").span, for: input)
        }
        let found = try Signs.verify(unsafe text(sign, "the sign"), input, given)
        if let report = unsafe report {
            let text = CText(input.json(of: found))
            ThreadText.report.current = text
            // Only the thread keeps it, if it can.
            if ThreadText.report.current === text { unsafe report.pointee = text.pointer }
        }
        try Signs.require(found)
        return EVIDENCE_OK
    }
}

// MARK: - Pointers and errors

/// How many bytes are handed out at a time: the rest of a larger buffer stays as it is.
private let readByteCount: UInt = 256 << 10
/// More bytes than any process has, and few enough to compute with.
private let addressableByteCount = 1 << 56
/// How many bytes of a key, passphrase or ticket are copied: more than any of them may have.
private let copiedByteCount = 1 << 20
/// How many tickets a sign is compared under.
private let ticketCount = 1_000

/// Runs a call, and turns what it throws into its answer and the thread's last error.
private func answering(_ body: () throws -> Int32) -> Int32 {
    let failure: Answers.Failure
    do {
        let answer = try body()
        if answer == EVIDENCE_OK { return answer }
        failure = Answers.Failure(verdict: answer)
    } catch let misuse as Misuse {
        failure = Answers.Failure(misuse)
    } catch {
        // Nothing below throws anything else than these two.
        failure = Answers.Failure(error as? EvidenceError ?? EvidenceError(.openSSL, "unexpected error"))
    }
    ThreadText.error.current = CText(failure.json)
    return failure.answer
}

/// Runs a call that hands a job something. Where that is refused the job ends: it would go on without it.
private func taking(_ job: OpaquePointer?, _ body: (Job) throws -> Void) -> Int32 {
    answering {
        let job = try jobs.object(UInt(bitPattern: job))
        do { try body(job) } catch {
            if (error as? Misuse)?.kind != .busy { job.end() }
            throw error
        }
        return EVIDENCE_OK
    }
}

/// Runs a call that makes something, and gives out a handle of it; NULL where it fails.
private func giving<Object>(
    _ place: UnsafeMutablePointer<OpaquePointer?>?, by table: HandleTable<Object>, _ make: () throws -> Object
) -> Int32 {
    unsafe place?.pointee = nil
    return answering {
        guard let place = unsafe place else {
            throw Misuse(.argument, "the last argument is NULL: pass the address of a handle")
        }
        let number = table.insert(try make())
        unsafe place.pointee = OpaquePointer(bitPattern: number)
        return EVIDENCE_OK
    }
}

private func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(Misuse) -> String {
    guard let pointer = unsafe pointer else { throw Misuse(.argument, "\(what) is NULL") }
    guard let text = unsafe String(validatingCString: pointer) else { throw Misuse(.argument, "\(what) is not UTF-8") }
    return text
}

private func optional(_ options: UnsafePointer<CChar>?) throws(Misuse) -> String? {
    unsafe options == nil ? nil : try unsafe text(options, "the options")
}

private func buffer(
    _ pointer: UnsafePointer<UInt8>?, _ count: Int, _ what: String, atMost limit: Int = addressableByteCount
) throws(Misuse) -> UnsafeBufferPointer<UInt8> {
    guard (0...limit).contains(count) else {
        throw Misuse(.argument, "the count of \(what) is \(UInt(bitPattern: count)): at most \(limit) bytes are taken")
    }
    guard unsafe pointer != nil || count == 0 else {
        throw Misuse(.argument, "\(what) is NULL, but its count is \(count)")
    }
    return unsafe UnsafeBufferPointer(start: pointer, count: count)
}

/// Bytes that are then copied in one piece.
private func copied(
    _ pointer: UnsafePointer<UInt8>?, _ count: Int, _ what: String
) throws(Misuse) -> UnsafeBufferPointer<UInt8> {
    unsafe try buffer(pointer, count, what, atMost: copiedByteCount)
}
