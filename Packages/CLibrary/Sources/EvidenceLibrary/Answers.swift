// SPDX-License-Identifier: Apache-2.0
import CEvidence
import EvidenceEncoding
import EvidenceKit

/// The return values of calls, with their names and messages.
enum Answers {
    /// The stable name of every return value.
    static let names: [Int32: String] = {
        var names = [EVIDENCE_OK: "ok", EVIDENCE_FAILS: "fails", EVIDENCE_UNCHECKED: "unchecked"]
        for kind in Misuse.Kind.allCases { names[kind.rawValue] = kind.name }
        for code in EvidenceError.Code.allCases { names[Int32(code.number)] = code.name }
        return names
    }()

    /// The versions of the toolkit and of OpenSSL in this process.
    static let version = JSONValue.object([
        ("evidenceKit", .text(EvidenceVersions.evidenceKit)), ("openSSL", .text(EvidenceVersions.openSSL)),
    ]).json

    /// A return value that is not 0, and its message.
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
                    ? "the result fails the check" : "not everything that is required could be checked",
                hint: "the report lists the items")
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
