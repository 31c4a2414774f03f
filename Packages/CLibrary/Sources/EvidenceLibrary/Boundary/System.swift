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

/// The system's time; `nil` if the clock cannot be read, or its time is out of range.
func now() -> UTCTime? {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return nil }
    return UTCTime(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
}

/// The process ID. A child after `fork` has another one.
func processNumber() -> Int32 { getpid() }
