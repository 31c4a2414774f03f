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

/// A text that belongs to the calling thread, until the next one is set or the thread ends.
struct ThreadText {
    /// The error of its last failed call.
    static let error = ThreadText()
    /// The last report that it got.
    static let report = ThreadText()

    /// `nil` if the process has no thread-specific keys left.
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
