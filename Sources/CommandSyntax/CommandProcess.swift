// SPDX-License-Identifier: Apache-2.0
internal import CCommit
internal import CSystem
package import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
internal import PlatformC
internal import Synchronization

/// The commands' own system calls; besides EvidenceStreams, the only place that makes any.
public enum CommandProcess {
    /// Called once, before anything else.
    ///
    /// - Throws: ``EvidenceError`` if the run would not be safe; nothing was opened yet.
    public static func prepare() throws(EvidenceError) {
        // If refused, OpenSSL was used before `main`, and wipes only what it wipes by itself.
        _ = OpenSSLMemory.wipeWhenFreed()
        try ProcessProtection.begin { number in
            if number == SIGTERM, termination.withLock({ $0.isTakenUp() }) { return true }
            Terminal.abandonStatus()
            return false
        }
    }

    /// How many columns the terminal at standard error has; `nil` if that is not known.
    static var errorTerminalColumns: Int? {
        let count = Int(system_terminal_columns(2))
        return count > 0 ? count : nil
    }

    /// Whether the terminal at standard error takes output now: it does not while a person has stopped it.
    static var isErrorWritable: Bool { system_is_writable(2) != 0 }

    /// Lets others run, for a few milliseconds.
    static func pause() { _ = poll(nil, 0, 5) }

    /// Begins questions at the terminal, which shows nothing that is typed until `endQuestions`. `false` where there is
    /// no terminal to ask at.
    package static func beginQuestions() -> Bool { system_begin_questions() == 0 }

    /// Ends them.
    package static func endQuestions() { system_end_questions() }

    /// Asks for a secret; `nil` at the end of the input.
    ///
    /// - Throws: ``CommandError`` for an answer that is too long.
    package static func ask(_ question: String) throws(CommandError) -> SecretBytes? {
        var count = 0
        let secret = SecretBytes(capacity: Limits.passphraseBytes) { out in
            count = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                guard let start = buffer.baseAddress else { return -1 }
                let count = unsafe system_ask(question, start, buffer.count)
                initialized = max(0, min(count, buffer.count))
                return count
            }
        }
        guard count <= secret.count else {
            throw CommandError(.usage, "a passphrase has at most \(Limits.passphraseBytes) bytes")
        }
        if count < 0 { return nil }
        return secret
    }

    /// The value of an environment variable.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// The commit that this was built from, as far as whoever built it said so.
    package static var commit: String? {
        let commit = unsafe String(cString: build_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The system's time in milliseconds since 1970; `nil` where the clock cannot be read.
    package static var millisecondsSince1970: Int64? {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether the reader of a pipe has gone away.
    package static func isBrokenPipe(_ error: any Error) -> Bool {
        (error as? EvidenceError)?.errno == EPIPE
    }

    /// The reader has gone away, as `head` does: end silently, like every other command.
    package static func endByBrokenPipe() -> Never {
        ProcessProtection.end(by: SIGPIPE)
    }

    /// Ends as SIGTERM does, after finishing what was begun.
    package static func endByTermination() -> Never {
        ProcessProtection.end(by: SIGTERM)
    }

    /// Ends with a status, silently.
    package static func endQuietly(_ status: ExitStatus) -> Never {
        exit(status.rawValue)
    }

    // MARK: - Working off records

    /// How a verb that processes records handles SIGTERM.
    private struct Termination {
        /// Closed on the first SIGTERM, which wakes threads that wait for input.
        var pipe: (reading: Int32, writing: Int32)?
        var isRequested = false

        /// Whether the verb ends by itself; a second signal ends it as usual.
        mutating func isTakenUp() -> Bool {
            guard let pipe, !isRequested else { return false }
            isRequested = true
            close(pipe.writing)
            return true
        }
    }

    private static let termination = Mutex(Termination())

    /// From now on a first SIGTERM only sets ``isTerminationRequested`` and ends ``waitForInput()``.
    ///
    /// - Throws: ``CommandError`` (`.system`).
    package static func takeUpTermination() throws(CommandError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe ends.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 else {
            throw CommandError(.system, "cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        termination.withLock { $0.pipe = (ends[0], ends[1]) }
    }

    /// Whether SIGTERM came.
    package static var isTerminationRequested: Bool { termination.withLock { $0.isRequested } }

    /// Whether reading standard input would return at once.
    public static var isInputReady: Bool { pollInput(milliseconds: 0) }

    /// Waits until reading standard input would return at once, or termination is requested.
    package static func waitForInput() { _ = pollInput(milliseconds: -1) }

    private static func pollInput(milliseconds: Int32) -> Bool {
        let stop = termination.withLock { $0.pipe?.reading ?? -1 }
        var files = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe files.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
        }
        // What cannot be polled is read, which then reports the fault.
        return count < 0 || files[0].revents != 0
    }

    /// Ends ``waitForInput()``, now and permanently.
    package static func stopWaitingForInput() {
        termination.withLock { termination in
            guard let pipe = termination.pipe, !termination.isRequested else { return }
            let byte: [UInt8] = [0]
            _ = unsafe byte.withUnsafeBytes { unsafe write(pipe.writing, $0.baseAddress, $0.count) }
        }
    }

    /// Checks, as far as possible, that there is so much memory for a line's record: if Swift cannot allocate memory,
    /// it ends the process without a report.
    ///
    /// - Throws: ``CommandError`` (`.system`).
    package static func requireMemory(_ byteCount: Int, for line: UInt64) throws(CommandError) {
        guard system_has_memory(byteCount) != 0 else {
            throw CommandError(
                .system, "line \(line) may need \(byteCount >> 20) MiB of memory, which are not available",
                hint: "check the memory limit (ulimit -v), or lower --max-line or --jobs, which set how much is needed")
        }
    }

    /// Runs something on so many threads at once, including this one; on fewer if they cannot be created.
    package static func concurrently(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let work = unsafe Unmanaged.passRetained(Work(body))
        var threads: [pthread_t] = []
        for _ in 1..<max(count, 1) {
            var thread = pthread_t()
            let failure = unsafe pthread_create(
                &thread, nil,
                { argument in
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().body()
                    }
                    return nil
                }, work.toOpaque())
            guard failure == 0 else { break }
            threads.append(thread)
        }
        body()
        for thread in threads { pthread_join(thread, nil) }
        unsafe work.release()
    }
}
