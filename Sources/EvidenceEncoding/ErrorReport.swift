// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

extension EvidenceError {
    /// What programs and people need of it: `code` (the name), `number`, `title` (the sentence), and `hint`, `errno`
    /// and `repairs` (the names of those after which a refused text is readable) where there are some. A problem
    /// document (RFC 9457) is these and what its service adds.
    ///
    /// - Parameter name: what to call a file or another stream that failed; `nil` for its own name.
    public func members(naming name: String? = nil) -> [(String, JSONValue)] {
        let title = name.map(description(naming:)) ?? description
        var members: [(String, JSONValue)] = [
            ("code", .text(code.name)), ("number", .number(UInt64(code.number))), ("title", .text(printable(title))),
        ]
        if let hint { members.append(("hint", .text(printable(hint)))) }
        if errno != 0 { members.append(("errno", .number(UInt64(errno.magnitude)))) }
        if !repairs.isEmpty { members.append(("repairs", .list(repairs.map { .text($0) }))) }
        return members
    }

    /// ``members(naming:)`` as one JSON object on one line.
    public var json: String { JSONValue.object(members()).json }
}
