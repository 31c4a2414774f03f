// SPDX-License-Identifier: Apache-2.0
import CEvidence
import EvidenceEncoding
import EvidenceKit

/// The numbers that calls answer with, and what is said about them.
enum Answers {
    /// The stable name of every answer.
    static let names: [Int32: String] = {
        var names = [EVIDENCE_OK: "ok", EVIDENCE_FAILS: "fails", EVIDENCE_UNCHECKED: "unchecked"]
        for kind in Misuse.Kind.allCases { names[kind.rawValue] = kind.name }
        for code in EvidenceError.Code.all { names[Int32(code.number)] = code.name }
        return names
    }()

    /// What is in the process.
    static let version = JSONValue.object([
        ("evidenceKit", .text(EvidenceVersions.evidenceKit)), ("openSSL", .text(EvidenceVersions.openSSL)),
    ]).json

    /// An answer that is not 0, and the words for it.
    struct Failure {
        let answer: Int32
        let json: String

        init(_ error: EvidenceError) {
            answer = Int32(error.code.number)
            json = error.json
        }

        init(_ misuse: Misuse) {
            self.init(misuse.kind.rawValue, misuse.kind.name, misuse.reason, hint: misuse.hint)
        }

        init(verdict: Int32) {
            self.init(
                verdict, Answers.names[verdict] ?? "unknown",
                verdict == EVIDENCE_FAILS
                    ? "something about the result is wrong" : "not all that is required was checked",
                hint: "the report says which items")
        }

        /// In the form of the library's errors, whose numbers are never negative.
        private init(_ answer: Int32, _ name: String, _ title: String, hint: String?) {
            self.answer = answer
            var members: [(String, JSONValue)] = [
                ("code", .text(name)), ("number", .json("\(answer)")), ("title", .text(title)),
            ]
            if let hint { members.append(("hint", .text(hint))) }
            json = JSONValue.object(members).json
        }
    }
}
