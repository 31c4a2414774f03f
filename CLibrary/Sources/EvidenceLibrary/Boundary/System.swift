// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the system's clock says; `nil` where it says no moment that can be written.
func now() -> UTCTime? {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
    return UTCTime(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
}

/// Which process this is: a child after `fork` is another one.
func processNumber() -> Int32 { getpid() }
