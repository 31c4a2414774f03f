// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import EvidenceToolCommands
import Foundation
import TestVectorSupport

extension FuzzTarget {
    /// The lines of a batch: one answer for each, in order, whatever they are, and the same however they arrive and
    /// whoever shares the work. An id is echoed as it was written.
    static let batch = FuzzTarget(name: "batch") { bytes in
        let limit = 512
        let answers = try Tool.inspections(of: MemorySource(bytes), longestLine: limit, jobs: 1)
        var generator = SeededGenerator(of: bytes)
        for (pieces, jobs) in [(generator.pieces(of: bytes), 2), (bytes.map { [$0] }, 1)] {
            let again = try Tool.inspections(of: PieceSource(pieces), longestLine: limit, jobs: jobs)
            try hold(again == answers, "pieces and jobs make no difference")
        }
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        var answered = answers.split(separator: 0x0A, omittingEmptySubsequences: false)
        try hold(answered.popLast()?.isEmpty ?? false, "the last answer ends with a line feed")
        try hold(answered.count == lines.count, "one answer for each line")
        for (line, answer) in zip(lines, answered) {
            guard let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any],
                let isOK = object["ok"] as? Bool, let kind = object["class"] as? String, let id = object["id"]
            else { throw Broken("an answer is an object with id, ok and class") }
            try hold(isOK == (kind == "ok") && isOK == (object["error"] == nil), "ok, class and error agree")
            if line.count > limit { try hold(object["error"] as? String == "line-too-long", "a long line is refused") }
            guard object["line"] == nil else {
                try hold(id is NSNull, "a line that is told by its number has no id")
                continue
            }
            let rest = answer.dropFirst(#"{"id":"#.utf8.count)
            let ending = Array(#","ok":"#.utf8)
            // An id may hold these characters itself: the first place of them is then inside it.
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: ending) }) else {
                throw Broken("ok follows the id")
            }
            let written = rest[..<end]
            try hold(
                line.indices.contains { line[$0...].starts(with: written) }, "an id is echoed as it was written")
        }
    }
}

/// Pieces, one at each reading.
private final class PieceSource: ByteSource {
    private var pieces: ArraySlice<[UInt8]>

    init(_ pieces: [[UInt8]]) { self.pieces = pieces.filter { !$0.isEmpty }[...] }

    let isSeekable = false
    let size: UInt64? = nil

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        guard let piece = pieces.popFirst() else { return 0 }
        buffer += piece
        return piece.count
    }

    func seek(to offset: UInt64) throws(EvidenceError) { throw EvidenceError(.cannotRead, stream: "pieces") }
}
