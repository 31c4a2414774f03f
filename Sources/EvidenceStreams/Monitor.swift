// SPDX-License-Identifier: Apache-2.0
internal import PlatformC

/// A lock with a condition that its holder can wait for, which Swift's `Mutex` does not have.
@safe
package final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    /// An unlocked monitor.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe change = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(change, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(change)
        unsafe mutex.deallocate()
        unsafe change.deallocate()
    }

    /// Acquires the lock.
    package func lock() { unsafe pthread_mutex_lock(mutex) }

    /// Releases the lock.
    package func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Releases the lock until ``signal()`` or ``broadcast()``, or a spurious wake-up: the caller checks again.
    package func wait() { unsafe pthread_cond_wait(change, mutex) }

    /// Wakes one waiting thread.
    package func signal() { unsafe pthread_cond_signal(change) }

    /// Wakes all waiting threads.
    package func broadcast() { unsafe pthread_cond_broadcast(change) }
}

/// A thread of our own. The starter either joins or detaches it.
@safe
package final class HelperThread {
    private let thread: pthread_t

    /// Starts a thread; `nil` if the system cannot create one.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let held = unsafe Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { body in
                guard let body = unsafe body else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        guard result == 0 else {
            unsafe held.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the thread to end.
    package func join() { pthread_join(thread, nil) }

    /// Detaches the thread.
    package func detach() { pthread_detach(thread) }

    /// Yields the core to another thread.
    package static func yield() { sched_yield() }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
