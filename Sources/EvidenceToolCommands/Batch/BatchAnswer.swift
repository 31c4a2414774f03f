// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit

/// The class of an answer, from a closed list. `docs/BATCH.md` says what to do with each.
enum BatchClass: String, CaseIterable, Sendable {
    /// It was done, and all requirements hold.
    case ok
    /// The payload, the result or the sign is refused.
    case rejected
    /// Nothing fails, but something required was not checked.
    case unchecked
    /// The file cannot be read or written under that name, or was changed meanwhile.
    case path
    /// The line is not a request.
    case request
}

/// A fault of one record, which is its answer; other records may be valid.
struct BatchFault: Error, Sendable {
    let kind: BatchClass
    /// Its machine-readable name.
    let name: String
    /// The faulty member of the request.
    let member: BatchRequest.Member?
    let sentence: String
    /// What to do about it; `nil` where nothing is known.
    let hint: String?
    /// The items of a check that were required and are not met.
    let unmet: [String]

    init(
        _ kind: BatchClass, _ name: String, about member: BatchRequest.Member? = nil, _ sentence: String,
        hint: String? = nil, unmet: [String] = []
    ) {
        (self.kind, self.name, self.member, self.sentence) = (kind, name, member, sentence)
        (self.hint, self.unmet) = (hint, unmet)
    }

    /// A member of the request is invalid.
    init(_ member: BatchRequest.Member, _ sentence: String, hint: String? = nil) {
        self.init(.request, "bad-member", about: member, sentence, hint: hint)
    }

    /// A refusal of the library, with the hint of the command; `nil` if it says nothing about the record.
    ///
    /// - Parameter hint: replaces the command's.
    init?(_ error: EvidenceError, hint: String? = nil) {
        let hint = hint ?? Command.evidenceTool.failure(error).hint
        switch error.code {
        case .sign, .signForm: self.init(.rejected, error.code.name, "\(error)", hint: hint)
        // Another reading may tell what it is.
        case .changed: self.init(.path, error.code.name, about: .input, "\(error)", hint: hint)
        case _ where error.code.number < 400: self.init(.rejected, error.code.name, "\(error)", hint: hint)
        // Faults of the signed values, which come from the record.
        case _ where (600..<700).contains(error.code.number):
            self.init(.request, error.code.name, about: .values, "\(error)", hint: hint)
        default: return nil
        }
    }
}

/// The outcome of one line.
struct BatchAnswer: Sendable {
    let id: String?
    let line: UInt64
    let fault: BatchFault?
    /// The operation's own members.
    let members: [(String, JSONValue)]

    var kind: BatchClass { fault?.kind ?? .ok }

    /// One line with its line feed.
    var json: String {
        var all: [(String, JSONValue)] = [("id", .json(id ?? "null"))]
        // Such a line can only be identified by its position.
        if id == nil { all.append(("line", .number(line))) }
        all += [("ok", .bool(fault == nil)), ("class", .text(kind.rawValue))]
        if let fault {
            all.append(("error", .text(fault.name)))
            if let member = fault.member { all.append(("member", .text(member.rawValue))) }
            all.append(("message", .text(printable(fault.sentence))))
            if let hint = fault.hint { all.append(("hint", .text(hint))) }
        }
        return JSONValue.object(all + members).json
    }
}

/// The totals of a batch.
struct BatchCount {
    private(set) var lines: UInt64 = 0
    private var classes: [BatchClass: UInt64] = [:]
    private var errors: [String: UInt64] = [:]
    private var unmet: [String: UInt64] = [:]

    var isAllOK: Bool { classes[.ok, default: 0] == lines }

    mutating func add(_ answer: BatchAnswer) {
        lines += 1
        classes[answer.kind, default: 0] += 1
        guard let fault = answer.fault else { return }
        errors[fault.name, default: 0] += 1
        for item in fault.unmet { unmet[item, default: 0] += 1 }
    }

    var members: [(String, JSONValue)] {
        func object(_ counts: [String: UInt64]) -> JSONValue {
            .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })
        }
        return [("lines", .number(lines))]
            + BatchClass.allCases.map { ($0.rawValue, .number(classes[$0, default: 0])) }
            + [("errors", object(errors)), ("unmet", object(unmet))]
    }
}
