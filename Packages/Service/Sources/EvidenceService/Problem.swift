// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit

/// Why a request was refused: a problem document (RFC 9457).
struct Problem: Error {
    let status: Int
    /// `code`, `title` and further members.
    let members: [(String, JSONValue)]
    /// Whether the connection ends with this answer, because it is unclear where the next request begins, or the rest
    /// of the body is not worth reading.
    var closes = false
    /// Additional header fields of the answer.
    var fields: [(String, String)] = []

    /// A problem of the service itself; those of the library have the names of `docs/ERRORS.md`.
    init(_ status: Int, _ code: String, _ title: String, hint: String? = nil, closes: Bool = false) {
        self.status = status
        self.closes = closes
        var members: [(String, JSONValue)] = [("code", .text(code)), ("title", .text(title))]
        if let hint { members.append(("hint", .text(hint))) }
        self.members = members
    }

    /// A head that readers could understand differently.
    static func malformed(_ title: String) -> Problem { Problem(400, "bad-head", title, closes: true) }

    static let noSuchPath = Problem(404, "no-such-path", "no such path: see openapi.yaml for the paths of the service")

    /// An error of the library.
    ///
    /// - Parameters:
    ///   - stream: what clients may know of a file's name.
    ///   - hint: replaces the hint of the library.
    init(_ error: EvidenceError, naming stream: String? = nil, hint: String? = nil) {
        status = Self.status(of: error)
        // Clients must not learn where the service keeps its files. Only extract makes files with names.
        let isExtracted = error.code == .exists
        var members = error.members(naming: stream ?? Self.place(of: error))
        let ownHint = hint ?? (isExtracted ? Self.extractedHint : error.hint)
        let hints = [ownHint, Self.repairing(members)].compactMap(\.self)
        if !hints.isEmpty {
            members.removeAll { $0.0 == "hint" }
            members.append(("hint", .text(hints.joined(separator: "; "))))
        }
        self.members = members
    }

    /// Of which of the operator's options an error is: nothing in it depends on what was opened.
    private static func place(of error: EvidenceError) -> String {
        switch error.code {
        case .exists: "the folder that extract names"
        case .cannotWrite where error.streamName?.hasPrefix("a temporary file") == true: temporaryFile
        case .cannotWrite: "a file in the --extract-folder of the service"
        default: "a file of the service"
        }
    }

    static let temporaryFile = "a temporary file in TMPDIR of the service"

    /// How to read a text that was refused, which depends on that text alone.
    private static func repairing(_ members: [(String, JSONValue)]) -> String? {
        guard case .list(let repairs)? = members.first(where: { $0.0 == "repairs" })?.1 else { return nil }
        let names = repairs.compactMap { name -> String? in
            guard case .text(let name) = name else { return nil }
            return name
        }
        return "to read it nevertheless, send repair=\(names.joined(separator: ","))"
    }

    /// The refusal of a name for extract that an earlier check took; there may be no folder of that name.
    ///
    /// - Parameter error: about the file that takes the name.
    init(ofUsedName error: EvidenceError) {
        let isUsed = error.code == .exists
        self.init(
            error, naming: isUsed ? "a check under the name that extract gives" : nil,
            hint: isUsed ? Self.usedHint : nil)
    }

    private static let usedHint = """
        a check uses its name up, whatever became of it: if it was answered with 200, its folder is there only if the \
        result held; otherwise check again, under another name
        """

    private static let extractedHint = """
        it has what an earlier check extracted, perhaps for this very request, and was left unchanged: compare the \
        sha256 of the document in its report.json, or name another folder
        """

    /// The name that programs compare.
    var code: String { text("code") }

    /// The sentence for people.
    var title: String { text("title") }

    private func text(_ name: String) -> String {
        guard case .text(let text)? = members.first(where: { $0.0 == name })?.1 else { return "" }
        return text
    }

    private static func status(of error: EvidenceError) -> Int {
        switch error.code {
        case .json, .value, .profile, .iv: return 400
        case .exists: return 409
        case .cannotWrite:
            // ENOSPC, EDQUOT, EFBIG: the disk is full.
            return [28, 122, 27].contains(error.errno) ? 507 : 500
        case .unsuitableKey, .weakKey: return 500
        case _ where error.code.isSystem: return 500
        default: return 422
        }
    }
}
