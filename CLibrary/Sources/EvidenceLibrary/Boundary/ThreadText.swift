// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A text of the calling thread's, until the next one or the thread's end.
struct ThreadText {
    /// What its last call failed with.
    static let error = ThreadText()
    /// The last report that it was given.
    static let report = ThreadText()

    /// `nil` where the process has no key left to give.
    private let key: pthread_key_t? = {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key) { text in
            if let text = unsafe text as UnsafeMutableRawPointer? { unsafe Unmanaged<CText>.fromOpaque(text).release() }
        }
        return status == 0 ? key : nil
    }()

    var current: CText? {
        get {
            guard let key, let text = unsafe pthread_getspecific(key) else { return nil }
            return unsafe Unmanaged<CText>.fromOpaque(text).takeUnretainedValue()
        }
        nonmutating set {
            guard let key else { return }
            let old = unsafe pthread_getspecific(key)
            let new = unsafe newValue.map { unsafe Unmanaged.passRetained($0).toOpaque() }
            guard unsafe pthread_setspecific(key, new) == 0 else {
                if let new = unsafe new { unsafe Unmanaged<CText>.fromOpaque(new).release() }
                return
            }
            if let old = unsafe old { unsafe Unmanaged<CText>.fromOpaque(old).release() }
        }
    }
}
