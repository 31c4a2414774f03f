// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import PlatformC

/// The memory that OpenSSL works in.
public enum OpenSSLMemory {
    /// Makes OpenSSL wipe every block that it frees, in the whole process and until it ends.
    ///
    /// OpenSSL wipes most of what it computes with, but not all: its decoders free copies of a private key as they are.
    /// Call it first in a program's `main`: the setting is process-wide, so the library
    /// never makes it, and OpenSSL takes it only as long as it has allocated nothing.
    ///
    /// - Returns: whether OpenSSL took it.
    public static func wipeWhenFreed() -> Bool {
        unsafe CRYPTO_set_mem_functions(
            { count, _, _ in unsafe malloc(count) },
            { block, count, _, _ in unsafe reallocate(block, count) },
            { block, _, _ in
                unsafe wipe(block)
                unsafe free(block)
            }) == 1
    }
}

/// Never grows a block in its place, since `realloc` would free the old one as it is.
private func reallocate(_ block: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
    guard let block = unsafe block else { return unsafe malloc(count) }
    guard count > 0 else {
        unsafe wipe(block)
        unsafe free(block)
        return nil
    }
    guard let fresh = unsafe malloc(count) else { return nil }
    unsafe memcpy(fresh, block, min(usableSize(block), count))
    unsafe wipe(block)
    unsafe free(block)
    return unsafe fresh
}

private func wipe(_ block: UnsafeMutableRawPointer?) {
    guard let block = unsafe block else { return }
    unsafe OPENSSL_cleanse(block, usableSize(block))
}

private func usableSize(_ block: UnsafeMutableRawPointer) -> Int {
    #if canImport(Darwin)
        unsafe malloc_size(block)
    #else
        unsafe malloc_usable_size(block)
    #endif
}
