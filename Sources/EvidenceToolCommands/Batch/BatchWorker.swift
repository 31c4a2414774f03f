// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams

/// How a batch is told to begin no further record.
struct BatchStop {
    /// Whether it is told to.
    var isRequested: () -> Bool = { false }
    /// Returns when input is ready, the batch is told to stop, or after `stopWaiting`.
    var waitForInput: () -> Void = {}
    /// Called if a job failed while another may be waiting for input.
    var stopWaiting: () -> Void = {}
}

/// Processes a batch: lines in, as many answers out, in the same order, each as soon as it and those before it
/// are ready.
final class BatchWorker: @unchecked Sendable {
    private let operation: BatchOperation
    private let jobs: Int
    private let source: any ByteSource
    private let destination: any ByteDestination
    private let stop: BatchStop
    private let progress: Progress?

    /// Held while taking a line.
    private let input = Monitor()
    private var splitter: LineSplitter
    private var taken: UInt64 = 0
    private var isAtEnd = false

    /// Held while delivering an answer, or reading the members below.
    private let output = Monitor()
    private var waiting: [UInt64: (answer: BatchAnswer, json: String, byteCount: UInt64)] = [:]
    private var written: UInt64 = 0
    private var answered = BatchCount()
    /// The first line without an answer, and why.
    private var failure: (line: UInt64, error: any Error)?

    /// How many bytes are read at a time.
    private static let inputByteCount = 64 << 10
    /// How many lines for each job may be taken before the first of them is answered.
    private static let linesForAJob = 32

    /// - Parameters:
    ///   - stop: how it is told to begin no further record.
    ///   - progress: told of each line that was answered.
    init(
        _ operation: BatchOperation, jobs: Int, longestLine: Int, from source: any ByteSource,
        into destination: any ByteDestination, stop: BatchStop = BatchStop(), progress: Progress? = nil
    ) {
        (self.operation, self.jobs, self.source, self.destination) = (operation, jobs, source, destination)
        (self.stop, self.progress) = (stop, progress)
        splitter = LineSplitter(limit: longestLine)
    }

    /// The counts of written answers.
    var count: BatchCount {
        output.lock()
        defer { output.unlock() }
        return answered
    }

    /// Answers all lines of the source.
    ///
    /// - Throws: if the system failed; the answers to the lines before have been written.
    func run() throws {
        CommandProcess.concurrently(jobs) { [self] in
            while let line = take() {
                hand(
                    Result {
                        // The text, its decoded bytes, and their reader; besides, blocks and OpenSSL's memory.
                        try CommandProcess.requireMemory((8 << 20) + 4 * (line.bytes?.count ?? 0), for: line.number)
                        let answer = try operation.answer(line)
                        return (answer, answer.json, line.byteCount)
                    }, for: line.number)
            }
        }
        if let failure { throw failure.error }
    }

    // MARK: - Lines

    /// The next line; `nil` if no further one should begin.
    private func take() -> LineSplitter.Line? {
        input.lock()
        defer { input.unlock() }
        guard waitForRoom(), !stop.isRequested() else { return nil }
        do {
            guard let line = try nextLine() else { return nil }
            taken = line.number
            return line
        } catch {
            hand(.failure(error), for: taken + 1)
            return nil
        }
    }

    private func nextLine() throws -> LineSplitter.Line? {
        while true {
            if let line = splitter.next() ?? (isAtEnd ? splitter.last() : nil) { return line }
            if isAtEnd { return nil }
            stop.waitForInput()
            if stop.isRequested() || hasFailed { return nil }
            if splitter.heldByteCount > Self.inputByteCount {
                // A growing array is copied into one of twice its size.
                try CommandProcess.requireMemory(3 * splitter.heldByteCount, for: taken + 1)
            }
            isAtEnd =
                try splitter.append { buffer throws(EvidenceError) in
                    try source.read(Self.inputByteCount, to: &buffer)
                } == 0
        }
    }

    /// Waits while too many answers wait for a slow one. Returns whether to take another line.
    private func waitForRoom() -> Bool {
        output.lock()
        defer { output.unlock() }
        while failure == nil, taken - written >= UInt64(jobs * Self.linesForAJob) { output.wait() }
        return failure == nil
    }

    private var hasFailed: Bool {
        output.lock()
        defer { output.unlock() }
        return failure != nil
    }

    // MARK: - Answers

    private func hand(
        _ result: Result<(answer: BatchAnswer, json: String, byteCount: UInt64), any Error>, for line: UInt64
    ) {
        output.lock()
        defer {
            if failure != nil { stop.stopWaiting() }
            output.broadcast()
            output.unlock()
        }
        switch result {
        case .success(let made): waiting[line] = made
        case .failure(let error):
            if failure.map({ line < $0.line }) ?? true { failure = (line, error) }
        }
        var bytes: [UInt8] = []
        var ready = answered
        var last = written
        var byteCount: UInt64 = 0
        while last + 1 < failure?.line ?? .max, let (answer, json, count) = waiting.removeValue(forKey: last + 1) {
            bytes += json.utf8
            byteCount += count
            ready.add(answer)
            last += 1
        }
        guard last > written else { return }
        do throws(EvidenceError) {
            try destination.write(bytes.span)
            progress?.advance(by: byteCount, counting: last - written)
            (answered, written) = (ready, last)
        } catch { failure = (written + 1, error) }
    }
}
