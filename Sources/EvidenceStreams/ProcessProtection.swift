// SPDX-License-Identifier: Apache-2.0
import CSystem
public import EvidenceErrors
internal import PlatformC
import Synchronization

/// Protects a process that has keys or opened content in its memory, and removes its unfinished files when a signal
/// ends it. For a program's `main`, before anything else: the settings affect the whole process, so the library itself
/// never makes them.
public enum ProcessProtection {
    /// Removes the Swift runtime's crash handlers, so that a crash ends the process by its signal and does nothing
    /// else. The handlers print registers and memory, start another program, and stop the other threads with SIGUSR1,
    /// which ``begin()`` would treat as a request to end.
    public static func endAtCrashes() {
        for number in [SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGQUIT]
        where system_ignores_signal(number) == 0 {
            _ = signal(number, SIG_DFL)
        }
    }

    /// Disables core dumps, which could contain a key or a face, and keeps the user's other processes from attaching to
    /// this one or reading its memory.
    package static func hideMemory() {
        _ = system_write_no_core()
        _ = system_refuse_tracing()
    }

    /// Begins all of it: ``endAtCrashes()``, `hideMemory()`, a place for closed standard streams, a broken pipe or a
    /// file over its limit as an error of the write, and a thread that waits for the signals which end a process. That
    /// thread removes the unfinished files that have names, then lets the signal take effect.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`) if the run would not be safe. Nothing was opened yet.
    public static func begin() throws(EvidenceError) { try begin { _ in false } }

    /// What a signal asks of a program that serves others.
    public enum Request: Sendable {
        /// SIGTERM, SIGINT or SIGQUIT.
        case stop
        /// SIGHUP.
        case reload
    }

    /// The same for a program that serves others. Signals that do not concern it no longer end it: of a limit of the
    /// system, of a timer or a terminal, or sent by habit.
    ///
    /// - Parameter handle: takes each request, one at a time, on a thread of its own.
    /// - Throws: ``EvidenceError``, as ``begin()``.
    public static func beginServing(_ handle: @escaping @Sendable (Request) -> Void) throws(EvidenceError) {
        // A terminal would stop it, and with it everybody's requests.
        for number in [SIGTTOU, SIGTTIN, SIGTSTP] { _ = signal(number, SIG_IGN) }
        // A shell's background process inherits SIGINT as ignored, one under nohup SIGHUP.
        try begin(always: [SIGTERM, SIGINT, SIGHUP]) { number in
            switch number {
            case SIGTERM, SIGINT, SIGQUIT: handle(.stop)
            case SIGHUP: handle(.reload)
            case SIGTRAP, SIGSYS: return false
            default: break
            }
            return true
        }
    }

    /// - Parameters:
    ///   - numbers: signals that are waited for even if our caller made us ignore them.
    ///   - isTakenUp: whether the program itself handles a signal, which then does not end it.
    package static func begin(
        always numbers: [Int32] = [], unless isTakenUp: @escaping @Sendable (Int32) -> Bool
    ) throws(EvidenceError) {
        endAtCrashes()
        try closeGaps()
        hideMemory()
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        exception.withLock { $0 = (numbers, isTakenUp) }
        try watchSignals()
    }

    private static let exception = Mutex<(always: [Int32], isTakenUp: @Sendable (Int32) -> Bool)>(([], { _ in false }))

    /// If standard input, output or error is closed, the next opened file would take its number, and receive our
    /// messages. A descriptor that can be neither read nor written, and needs no device, takes its place.
    private static func closeGaps() throws(EvidenceError) {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
            let places: [String] = ["/dev/null", "/"]
            let isFilled = places.contains { place in unsafe system_open_for_nothing(place) == number }
            guard isFilled else {
                throw EvidenceError(
                    .cannotWrite, "standard input, output or error is closed, and cannot be replaced",
                    hint: "redirect it to /dev/null")
            }
        }
    }

    /// Signals are blocked everywhere but in the waiting thread, so no handler interrupts half-done work. A signal that
    /// our caller made us ignore, as nohup does, stays ignored.
    private static func watchSignals() throws(EvidenceError) {
        var signals = endingSignals()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, nil,
            { _ in
                var signals = ProcessProtection.endingSignals()
                var number: Int32 = 0
                repeat {
                    while unsafe sigwait(&signals, &number) != 0 {}
                } while ProcessProtection.exception.withLock { $0 }.isTakenUp(number)
                WholeFile.undoUnfinished { ProcessProtection.end(by: number) }
                return nil
            }, nil)
        // Without it, signals would be ignored, or leave unfinished files.
        guard failure == 0 else {
            throw EvidenceError(
                .cannotWrite, "cannot start a thread: \(unsafe String(cString: strerror(failure)))",
                hint: "check the process limit of this user (ulimit -u) or of the container")
        }
    }

    private static func endingSignals() -> sigset_t {
        let always = exception.withLock { $0.always }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        let ending = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2, SIGIO, SIGPWR,
            SIGSTKFLT, SIGTRAP, SIGSYS,
        ]
        // Real-time signals also end a process. Below 34, the C library reserves two.
        for number in ending + Array(34...64) where always.contains(number) || system_ignores_signal(number) == 0 {
            unsafe sigaddset(&signals, number)
        }
        return signals
    }

    /// Ends as if the signal had not been caught, so that the caller sees 128 + n.
    package static func end(by number: Int32) -> Never {
        system_restore_terminal()
        _ = signal(number, SIG_DFL)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        _ = kill(getpid(), number)
        _exit(128 + number)
    }
}
