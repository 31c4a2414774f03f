// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import PlatformC

/// What an answer is about: a closed list. `docs/BATCH.md` says what to do with each.
enum BatchClass: String, CaseIterable, Sendable {
    /// It was done, and what was to hold holds.
    case ok
    /// The payload, the result or the sign is refused.
    case rejected
    /// Nothing fails, but something required was not checked.
    case unchecked
    /// The file cannot be had under that name, or not be written, or was changed meanwhile.
    case path
    /// The line is no request.
    case request
}

/// Why a record gets no other answer than that: what is wrong is the record's, and another record may be right.
struct BatchFault: Error, Sendable {
    let kind: BatchClass
    /// The name that programs compare.
    let name: String
    /// The member of the request that it is about.
    let member: BatchRequest.Member?
    let sentence: String

    init(_ kind: BatchClass, _ name: String, about member: BatchRequest.Member? = nil, _ sentence: String) {
        (self.kind, self.name, self.member, self.sentence) = (kind, name, member, sentence)
    }

    /// A member of the request is not as it must be.
    init(_ member: BatchRequest.Member, _ sentence: String) {
        self.init(.request, "bad-member", about: member, sentence)
    }

    /// Whether a path could not be reached for what it is (a mount point is busy). Whatever else fails (a disk, a
    /// mount, memory, descriptors) is the system.
    static func isOfPath(_ error: EvidenceError) -> Bool {
        [ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EINVAL, EACCES, EPERM, EXDEV, ENXIO, EBUSY].contains(error.errno)
    }

    /// What the library refuses; `nil` where that says nothing about the record.
    init?(_ error: EvidenceError) {
        switch error.code {
        case .sign, .signForm: self.init(.rejected, error.code.name, "\(error)")
        // What it is, another reading may tell.
        case .changed: self.init(.path, error.code.name, about: .input, "\(error)")
        case _ where error.code.number < 400: self.init(.rejected, error.code.name, "\(error)")
        // Values to be signed, which the record brings.
        case _ where (600..<700).contains(error.code.number):
            self.init(.request, error.code.name, about: .values, "\(error)")
        default: return nil
        }
    }
}

/// What came of one line.
struct BatchAnswer: Sendable {
    let id: String?
    let line: UInt64
    let fault: BatchFault?
    /// What the operation has to say.
    let members: [(String, JSONValue)]

    var kind: BatchClass { fault?.kind ?? .ok }

    /// One line with its line feed.
    var json: String {
        var all: [(String, JSONValue)] = [("id", .json(id ?? "null"))]
        // By its place alone can such a line be told.
        if id == nil { all.append(("line", .number(line))) }
        all += [("ok", .bool(fault == nil)), ("class", .text(kind.rawValue))]
        if let fault {
            all.append(("error", .text(fault.name)))
            if let member = fault.member { all.append(("member", .text(member.rawValue))) }
            all.append(("message", .text(printable(fault.sentence))))
        }
        return JSONValue.object(all + members).json
    }
}

/// What a batch came to.
struct BatchCount {
    private(set) var lines: UInt64 = 0
    private var classes: [BatchClass: UInt64] = [:]
    private var errors: [String: UInt64] = [:]

    var isAllOK: Bool { classes[.ok, default: 0] == lines }

    mutating func add(_ answer: BatchAnswer) {
        lines += 1
        classes[answer.kind, default: 0] += 1
        if let fault = answer.fault { errors[fault.name, default: 0] += 1 }
    }

    var members: [(String, JSONValue)] {
        [("lines", .number(lines))]
            + BatchClass.allCases.map { ($0.rawValue, .number(classes[$0, default: 0])) }
            + [("errors", .object(errors.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) }))]
    }
}
