// SPDX-License-Identifier: Apache-2.0
internal import PlatformC

/// A lock, and a change that whoever holds it can wait for. Swift's `Mutex` has nothing to wait for.
@safe
package final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    /// One that nobody holds.
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

    /// Waits until nobody else holds it.
    package func lock() { unsafe pthread_mutex_lock(mutex) }

    /// Lets go of it.
    package func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Lets go of it until ``signal()`` or ``broadcast()``, or for no reason: the caller looks again.
    package func wait() { unsafe pthread_cond_wait(change, mutex) }

    /// Wakes one of those who wait.
    package func signal() { unsafe pthread_cond_signal(change) }

    /// Wakes all who wait.
    package func broadcast() { unsafe pthread_cond_broadcast(change) }
}

/// A thread of our own. Whoever starts one either joins or detaches it.
@safe
package final class HelperThread {
    private let thread: pthread_t

    /// Starts one; `nil` where there can be none.
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

    /// Waits until it has ended.
    package func join() { pthread_join(thread, nil) }

    /// Lets it run by itself.
    package func detach() { pthread_detach(thread) }

    /// Lets another thread have the core.
    package static func yield() { sched_yield() }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
