import EvidenceKit
import EvidenceStreams
import Glibc

/// What the command asks of the system for itself: the second place beside EvidenceStreams that calls it.
enum Process {
    /// Once, before anything else.
    static func prepare() {
        closeGaps()
        // No core dump holds a key or a face.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A broken pipe, or a file over its limit, is an error of a write, to be cleaned up after.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        watchSignals()
    }

    /// Where standard input, output or error is closed, the next file that is opened would take its number. Something
    /// that fails when it is used takes the place instead.
    private static func closeGaps() {
        for (number, flags) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] where fcntl(Int32(number), F_GETFD) == -1 {
            _ = unsafe open("/dev/null", flags)
        }
    }

    /// A thread of its own waits for the signals that end us. It removes what has a name and is not finished, then
    /// lets the signal do what it does. Signals are blocked everywhere else, so no half-done work is interrupted by a
    /// handler. One that our caller had us ignore, as nohup does, stays ignored.
    private static func watchSignals() {
        var signals = endingSignals()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        _ = unsafe pthread_create(
            &thread, nil,
            { _ in
                var signals = Process.endingSignals()
                var number: Int32 = 0
                while unsafe sigwait(&signals, &number) != 0 {}
                WholeFile.removeUnfinished()
                Process.end(by: number)
            }, nil)
    }

    private static func endingSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !isIgnored(number) { unsafe sigaddset(&signals, number) }
        return signals
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        return unsafe sigaction(number, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Ends as if the signal had not been caught, so that the caller sees 128 + n.
    private static func end(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        _ = kill(getpid(), number)
        _exit(128 + number)
    }

    /// What the system's clock says.
    static var now: UTCTime? {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
        return UTCTime(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    static func isBrokenPipe(_ error: any Error) -> Bool {
        (error as? EvidenceError)?.errno == EPIPE
    }

    /// The reader has gone away, as `head` does: end silently, like every other command.
    static func endByBrokenPipe() -> Never {
        end(by: SIGPIPE)
    }
}
