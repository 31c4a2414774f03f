// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
import EvidenceKit
import Synchronization

/// Works off a batch: lines in, as many answers out, in the same order.
struct BatchWorker {
    private let operation: BatchOperation
    private let jobs: Int
    private var splitter: LineSplitter
    private var output: [UInt8] = []
    private let destination: any ByteDestination
    private(set) var count = BatchCount()

    /// How many bytes of answers wait at most for more of them.
    static let outputByteCount = 64 << 10
    /// How many bytes are read at a time.
    private static let inputByteCount = 64 << 10
    /// How many lines each thread gets before all wait for the last, and how many bytes of lines all get.
    private static let linesForAJob = 32
    private static let roundByteCount = 4 << 20

    init(_ operation: BatchOperation, jobs: Int, longestLine: Int, into destination: any ByteDestination) {
        self.operation = operation
        self.jobs = jobs
        self.destination = destination
        splitter = LineSplitter(limit: longestLine)
    }

    /// Answers all that a source has.
    ///
    /// - Parameters:
    ///   - isReady: whether reading would return at once. Where it would not, all answers there are go out first.
    ///   - mayGoOn: whether to begin with another record; while there is none, it waits for input.
    /// - Throws: ``EvidenceError`` where the system failed: the answers to the lines before have gone out.
    mutating func run(
        _ source: any ByteSource, isReady: () -> Bool, mayGoOn: @escaping @Sendable (_ waiting: Bool) -> Bool
    ) throws {
        var isAtEnd = false
        while mayGoOn(false) {
            var lines: [LineSplitter.Line] = []
            var byteCount = 0
            while lines.count < (jobs == 1 ? 1 : jobs * Self.linesForAJob), byteCount < Self.roundByteCount {
                if let line = splitter.next() ?? (isAtEnd ? splitter.last() : nil) {
                    byteCount += line.bytes?.count ?? 0
                    lines.append(line)
                    continue
                }
                if isAtEnd { break }
                if !isReady() {
                    if !lines.isEmpty { break }
                    try flush()
                    guard mayGoOn(true) else { return }
                }
                isAtEnd =
                    try splitter.append { buffer throws(EvidenceError) in
                        try source.read(Self.inputByteCount, to: &buffer)
                    } == 0
            }
            if lines.isEmpty { break }
            try answer(lines, mayGoOn)
        }
        try flush()
    }

    private mutating func answer(
        _ lines: [LineSplitter.Line], _ mayGoOn: @escaping @Sendable (_ waiting: Bool) -> Bool
    ) throws {
        let answers = jobs == 1 || lines.count == 1 ? lines.map(result) : results(lines, mayGoOn)
        for answer in answers {
            do {
                let answer = try answer.get()
                count.add(answer)
                output += Array(answer.json.utf8)
            } catch {
                try flush()
                throw error
            }
            if output.count >= Self.outputByteCount { try flush() }
        }
    }

    private func result(_ line: LineSplitter.Line) -> Result<BatchAnswer, any Error> {
        Result { try operation.answer(line) }
    }

    /// The answers in the order of the lines, up to the first that there is none of.
    private func results(
        _ lines: [LineSplitter.Line], _ mayGoOn: @escaping @Sendable (_ waiting: Bool) -> Bool
    ) -> [Result<BatchAnswer, any Error>] {
        let board = Board(lines.count)
        let operation = operation
        Process.concurrently(min(jobs, lines.count)) {
            while mayGoOn(false), let index = board.take() {
                board.put(Result { try operation.answer(lines[index]) }, at: index)
            }
        }
        return board.answers
    }

    private mutating func flush() throws {
        if output.isEmpty { return }
        defer { output.removeAll(keepingCapacity: true) }
        try destination.write(output.span)
    }

    /// What the threads of a round share.
    private final class Board: Sendable {
        private let state: Mutex<(next: Int, answers: [Result<BatchAnswer, any Error>?])>

        init(_ count: Int) { state = Mutex((0, Array(repeating: nil, count: count))) }

        /// The next line that nobody has; `nil` where there is none, or an earlier one failed the system.
        func take() -> Int? {
            state.withLock { state in
                guard state.next < state.answers.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        func put(_ answer: Result<BatchAnswer, any Error>, at index: Int) {
            state.withLock { state in
                state.answers[index] = answer
                if case .failure = answer { state.next = state.answers.count }
            }
        }

        var answers: [Result<BatchAnswer, any Error>] {
            state.withLock { state in state.answers.prefix { $0 != nil }.compactMap(\.self) }
        }
    }
}
