// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

/// The results of a list, on their way into an archive: those that are available at the same time share the syncs.
struct ListAppending {
    private let writer: ArchiveWriter
    private let threads: Int?
    private let keepsRefused: Bool
    private let arguments: Arguments
    private var group: [LineSplitter.Line] = []
    /// The group before, which is prepared: it goes to the disk while the next one is.
    private var prepared: [(line: LineSplitter.Line, result: ListedResult)] = []
    private var worst = CheckState.holds
    private var unreadCount = 0
    private var isEmpty = true
    /// The last line that has its answer.
    private var lastAnswered: UInt64 = 0
    /// The line of each document, by its digest: a result that was sent twice makes two records.
    private var lines: [String: UInt64] = [:]

    /// Up to this many available records share the syncs.
    private static let recordsForASync = 128

    init(_ arguments: Arguments, _ writer: ArchiveWriter, keepingRefused: Bool) {
        self.writer = writer
        self.arguments = arguments
        threads = arguments.threads
        keepsRefused = keepingRefused
    }

    /// What became of a line of the list. The thread that makes one hands it over, and keeps nothing of it.
    private enum ListedResult: @unchecked Sendable {
        case checked(OrderNumber, PreparedResult)
        /// Why it could not be: of the line or its file alone, so that the next one is looked at.
        case unread(OrderNumber?, line: UInt64, any Error)

        var prepared: PreparedResult? {
            if case .checked(_, let result) = self { result } else { nil }
        }

        var line: String {
            switch self {
            case .checked(let order, let result):
                "\(result.record.map { "\($0)" } ?? "-") \(order) "
                    + "\(result.answer.reportForKeyHolder.verdict.rawValue)\n"
            case .unread(let order, _, _): "- \(order.map { "\($0)" } ?? "-") unread\n"
            }
        }
    }

    /// - Throws: what ends the list, or ``CommandError`` at its end for what was refused or unread.
    mutating func append(
        _ input: FileSource, isStandardInput: Bool, _ locked: LockedKey<ResultChecker>
    ) throws {
        let checker = try locked.unlocked()
        let progress = Progress(total: isStandardInput ? nil : input.size, counting: "results")
        defer { progress.end() }
        do { try appendLines(input, isStandardInput: isStandardInput, checker, progress) } catch {
            // What is on the disk by then has its answer.
            try settle()
            if lastAnswered > 0 {
                Terminal.say(
                    "the list was read up to line \(lastAnswered): give the rest again, tail -n +\(lastAnswered + 1)"
                )
            }
            throw error
        }
        progress.end()
        if isEmpty { Terminal.warn("the list is empty: nothing was archived") }
        let entries = unreadCount == 1 ? "one entry" : "\(unreadCount) entries"
        switch worst {
        case .fails:
            throw CommandError(
                .rejected,
                "some results are refused" + (unreadCount > 0 ? ", and \(entries) of the list could not be read" : ""),
                hint: "run evidence-tool check on one for details")
        case _ where unreadCount > 0:
            throw CommandError(.system, "\(entries) of the list could not be read; all others were processed")
        case .holds: return
        case .unchecked:
            throw CommandError(
                .unchecked, "some results do not meet all requirements",
                hint: "run evidence-tool check on one to see what is missing")
        }
    }

    private mutating func appendLines(
        _ input: FileSource, isStandardInput: Bool, _ checker: ResultChecker, _ progress: Progress
    ) throws {
        var splitter = LineSplitter(limit: Limits.batchLineBytes)
        var isAtEnd = false
        while true {
            if let line = splitter.next() ?? (isAtEnd ? splitter.last() : nil) {
                group.append(line)
                isEmpty = false
                if group.count == Self.recordsForASync { try commit(checker, progress) }
                continue
            }
            if isAtEnd { break }
            // An id is printed before waiting for the next line.
            if isStandardInput, !CommandProcess.isInputReady {
                try commit(checker, progress)
                try settle()
            }
            isAtEnd =
                try splitter.append { buffer throws(EvidenceError) in try input.read(1 << 16, to: &buffer) } == 0
        }
        try commit(checker, progress)
        try settle()
    }

    private mutating func commit(_ checker: ResultChecker, _ progress: Progress) throws {
        let preparing = Preparing(
            writer: writer, checker: checker, keepsRefused: keepsRefused,
            until: try arguments.day(ArchiveOption.until), faceUntil: try arguments.day(ArchiveOption.faceUntil))
        let (lines, before) = (group, prepared)
        (group, prepared) = ([], [])
        let results = try writer.commit(before.compactMap(\.result.prepared)) {
            Result { () throws(EvidenceError) in
                try concurrentMap(lines, threads: threads) { line throws(EvidenceError) in
                    defer { progress.advance(by: line.byteCount, counting: 1) }
                    return Result { try preparing.result(of: line) }
                }
            }
        }
        try answer(before)
        for (line, result) in zip(lines, try results.get()) {
            switch result {
            case .success(let result): prepared.append((line, result))
            // The lines before one that ends the list get their answer.
            case .failure(let error): throw error
            }
        }
    }

    /// Commits the group that is prepared, and answers for it.
    private mutating func settle() throws {
        let group = prepared
        prepared = []
        try writer.commit(group.compactMap(\.result.prepared))
        try answer(group)
    }

    /// Answers for a group that is on the disk.
    private mutating func answer(_ group: [(line: LineSplitter.Line, result: ListedResult)]) throws {
        try Terminal.write(group.map(\.result.line).joined())
        for (line, result) in group {
            count(result, ofLine: line.number)
            lastAnswered = line.number
        }
    }

    private mutating func count(_ result: ListedResult, ofLine number: UInt64) {
        switch result {
        case .checked(_, let prepared):
            let report = prepared.answer.reportForKeyHolder
            switch report.verdict {
            case .fails: Terminal.say("line \(number) of the list: refused; failed items: \(report.failedItems)")
            case .unchecked:
                Terminal.say("line \(number) of the list: these requirements are not met: \(report.unmetRequirements)")
            case .holds: break
            }
            if report.verdict == .fails || report.verdict == .unchecked && worst == .holds { worst = report.verdict }
            guard prepared.record != nil, let digest = report.document?.hex else { break }
            if let first = lines[digest] {
                Terminal.warn(
                    "line \(number) of the list: the same document as in line \(first), which now has two records")
            } else {
                lines[digest] = number
            }
        case .unread(_, let number, let error):
            unreadCount += 1
            Terminal.say("line \(number) of the list: \(CommandError(error).message)")
        }
    }

    /// What the threads share.
    private struct Preparing: @unchecked Sendable {
        let writer: ArchiveWriter
        let checker: ResultChecker
        let keepsRefused: Bool
        let until: ArchiveDay?
        let faceUntil: ArchiveDay?

        /// - Throws: what ends the list: the system, the keys or the archive fail.
        func result(of line: LineSplitter.Line) throws -> ListedResult {
            if line.number == 1 { try Self.requireText(line.bytes ?? []) }
            let order: OrderNumber
            let source: FileSource
            do {
                let path: String
                (order, path) = try Self.words(of: line)
                do throws(EvidenceError) { source = try FileSource(regularFileAt: path) } catch {
                    guard error.isOfPath else { throw error }
                    let named = Self.oddity(of: path).map { why in
                        CommandError(.usage, "the path \(why): expected an order number, one blank and a path")
                    }
                    return .unread(order, line: line.number, named ?? CommandError(listed: error))
                }
            } catch let error as CommandError { return .unread(nil, line: line.number, error) }
            let now = try Clock.requireNow()
            do throws(EvidenceError) {
                return .checked(
                    order,
                    try writer.prepare(
                        source, checkedBy: checker.expecting(order, at: now), keepingRefused: keepsRefused,
                        until: until, faceUntil: faceUntil, at: now))
            } catch {
                guard error.isOfRecord else { throw error }
                return .unread(order, line: line.number, CommandError(.rejected, "\(error)"))
            }
        }

        /// Refuses a list that is none, by its first line: every other one would be unread for the same reason.
        private static func requireText(_ line: [UInt8]) throws {
            let saved = savedForm(of: line)
            guard saved.isUTF8 else {
                throw CommandError(
                    .usage, "the list is \(saved.name)",
                    hint: "convert it: iconv -f \(saved.charset) -t UTF-8 LIST > COPY")
            }
            guard !line.contains(where: { 0x01..<0x09 ~= $0 || 0x0E..<0x20 ~= $0 }) else {
                throw CommandError(
                    .usage, "the list is no text", hint: "give a list in UTF-8: on each line an order number and a path"
                )
            }
        }

        private static func words(of line: LineSplitter.Line) throws -> (OrderNumber, String) {
            var bytes = line.bytes ?? []
            if bytes.last == 0x0D { bytes.removeLast() }
            if line.number == 1 { bytes.removeFirst(savedForm(of: bytes).markByteCount) }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw CommandError(
                    .usage, "the list is not UTF-8 (GBK?): convert it: iconv -f GB18030 -t UTF-8 LIST > COPY")
            }
            let words = bytes.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let path = String(validating: words[1], as: UTF8.self),
                let order = try? OrderNumber(String(decoding: words[0], as: UTF8.self))
            else {
                throw CommandError(.usage, "expected an order number and a path, found \(found(in: bytes))")
            }
            return (order, path)
        }

        /// What a line has that is no entry.
        private static func found(in bytes: [UInt8]) -> String {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.allSatisfy(\.isWhitespace) { return text.isEmpty ? "an empty line" : "only blanks" }
            let kinds: [(isThere: Bool, name: String)] = [
                (bytes.contains(0), "a zero byte: the list may be UTF-16, or written with -print0"),
                (bytes.contains(0x0D), "a carriage return within the line: end lines in LF"),
                (bytes.first == 0x20 || bytes.first == 0x09, "a blank before them"),
                (bytes.first == UInt8(ascii: "#"), "a comment, which a list does not have"),
                (bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "["), "JSON"),
                (bytes.contains(0x09), "a tab between them, not a blank"),
                (text.contains("\u{A0}") || text.contains("\u{3000}"), "a blank beyond ASCII between them"),
                (text.first.map { "\"'“‘".contains($0) } ?? false, "quotation marks"),
                (text.contains(","), "a comma between them, not a blank"),
                (text.contains(";"), "a semicolon between them, not a blank"),
                (text.contains("="), "an equals sign: give the values without names"),
                (!text.contains(" "), "no blank"), (text.hasPrefix("/"), "a path before the order number"),
            ]
            return kinds.first(where: \.isThere)?.name ?? "an order number that no order has"
        }

        /// What is around a path that is no file's; `nil` for a plain one.
        private static func oddity(of path: String) -> String? {
            if path.first.map({ "\"'“‘".contains($0) }) ?? false { return "is in quotation marks" }
            if path.hasPrefix(" ") || path.hasPrefix("\t") { return "has a blank before it" }
            if path.last?.isWhitespace ?? false { return "has a blank after it" }
            if path.hasSuffix(",") || path.hasSuffix(";") { return "has a comma or a semicolon after it" }
            if path.contains("\0") { return "has a zero byte" }
            if path.contains("\r") { return "has a carriage return: end lines in LF" }
            if path.lowercased().hasPrefix("file:") { return "is an address (file:)" }
            if path.hasPrefix("~/") { return "begins with ~, which only a shell replaces" }
            if path.contains("://") { return "is an address, not the path of a file here" }
            if path.dropFirst().hasPrefix(":\\") || path.contains("\\") { return "has backslashes, as on Windows" }
            return nil
        }
    }
}
