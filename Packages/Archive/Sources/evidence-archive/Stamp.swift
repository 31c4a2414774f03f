// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let bag = Option("--bag", "N", "the bag; by default the newest")
    private static let query = Option(
        "--query", "FILE", "write the query here; with --reply, the query that was written")
    private static let reply = Option("--reply", "FILE", "the authority's answer")
    private static let more = Option(
        "--more", "NAME=FILE",
        "instead of a query, keep this file (a revocation list, for instance) beside the newest bag's signature, under "
            + "this name")

    static let stamp = Verb(
        name: "stamp",
        summary: "get a time stamp for a bag, and keep it",
        discussion: """
            --query writes a query for a time-stamping authority (RFC 3161), to be sent with curl, for instance. --query
            with --reply checks the answer against the query and the bag, and keeps it.
            """,
        options: [bag, query, reply, ArchiveOption.authorityCA, more],
        operands: [ArchiveOption.folder],
        examples: ["A --query q.tsq", "A --query q.tsq --reply r.tsr --tsa-ca tsa-ca.pem"],
        run: { arguments in
            let archive = try Archive(path: arguments.archive)
            let number = try bagNumber(arguments, of: archive)
            var files = Files()
            if let text = arguments[more] {
                guard arguments[query] == nil, arguments[reply] == nil else {
                    throw CommandError(
                        .usage, "\(more.name) and \(query.name) are two requests: make one after the other")
                }
                let (name, file) = try Arguments.named(text, more)
                let bytes = try files.input(file, as: "the file").readAll(
                    limit: Limits.furtherSignatureBytes, name: file)
                return try ArchiveWriter(path: arguments.archive, at: Clock.requireNow()).keep(
                    bytes, named: name, besideSignatureOfBag: number)
            }
            guard let queryPath = arguments[query] else {
                throw CommandError(.usage, "\(arguments.title) needs \(query.spelling) or \(more.spelling)")
            }
            guard let replyPath = arguments[reply] else {
                if arguments[ArchiveOption.authorityCA] != nil {
                    throw CommandError(ArchiveOption.authorityCA, needs: [reply])
                }
                return try writeQuery(to: queryPath, archive, number, files)
            }
            try keep(replyPath, to: queryPath, number, arguments, &files)
        })

    private static func bagNumber(_ arguments: Arguments, of archive: Archive) throws -> Int {
        let newest = try archive.bagCount()
        guard let text = arguments[bag] else { return newest }
        guard let number = Int(text), String(number) == text, (1...max(newest, 1)).contains(number) else {
            let bags =
                newest < 2
                ? newest == 0 ? "it has none yet" : "its only bag is 1" : "its bags are 1 to \(newest)"
            throw CommandError(.usage, "\(bag.name): the archive has no such bag; \(bags)")
        }
        return number
    }

    private static func writeQuery(to path: String, _ archive: Archive, _ number: Int, _ files: Files) throws {
        try Archive.requireOutside(fileAt: path)
        let query = try archive.timeStampQuery(forBag: number)
        let now = try Clock.requireNow()
        Terminal.warn(ofLapsed: try archive.lapsedBags(through: number, at: now), at: "\(now)")
        let output = try replacingNothing { try files.output(path, .publicText, replacing: false) }
        do {
            try output.write(query.der.span)
            try output.finish()
        } catch {
            output.abandon()
            throw error
        }
    }

    private static func keep(
        _ replyPath: String, to queryPath: String, _ number: Int, _ arguments: Arguments, _ files: inout Files
    ) throws {
        guard let authority = arguments[ArchiveOption.authorityCA] else {
            throw CommandError(reply, needs: [ArchiveOption.authorityCA], ", with which its signature is verified")
        }
        let query = try TimeStampQuery(der: files.small(queryPath, as: "the query"))
        let answer = TimeStampReply(received: try files.small(replyPath, as: "the reply"))
        let now = try Clock.requireNow()
        let writer = try ArchiveWriter(path: arguments.archive, at: now)
        let trusted = try files.certificates(authority)
        let token = try writer.keep(answer, answering: query, forBag: number, trusting: trusted, at: now)
        try Terminal.write("bag \(number): \(token.time) serial \(token.serial)\n")
        Terminal.warn(ofLapsed: try writer.archive.lapsedBags(through: number, at: token.time), at: "\(token.time)")
    }
}
