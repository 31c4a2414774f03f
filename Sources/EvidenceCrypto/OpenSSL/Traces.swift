// SPDX-License-Identifier: Apache-2.0
import COpenSSL

/// Wipes remains of keys that OpenSSL's functions left outside of any owner: on the stack below the caller, and in the
/// vector registers that copied it.
///
/// Register contents do not stay there: the dynamic linker and new threads write all of them to their stacks.
@inline(never)
package func wipeTraces() {
    overwriteVectorRegisters()
    // Behind that: the first call of a function has the dynamic linker write the registers to the stack.
    wipeStack(chunks: 32)
}

@inline(never)
private func wipeStack(chunks: Int) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 16) { chunk in
        unsafe OPENSSL_cleanse(chunk.baseAddress, chunk.count)
        // Inside, so that the next chunk is below this one.
        if chunks > 1 { wipeStack(chunks: chunks - 1) }
        // And behind that, or this would be a tail call, which uses one chunk again and again.
        unsafe OPENSSL_cleanse(chunk.baseAddress, 1)
    }
}

/// The C library copies with different registers by length: zeros of every length, then, through all of them.
@inline(never)
private func overwriteVectorRegisters() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 16) { zeros in
        unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 16) { copy in
            unsafe OPENSSL_cleanse(zeros.baseAddress, zeros.count)
            for count in [16, 32, 64, 128, 256, 512, 1_024] {
                unsafe copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: zeros[..<count]))
                // Read, or the compiler would remove the copying.
                _ = unsafe CRYPTO_memcmp(zeros.baseAddress, copy.baseAddress, count)
            }
        }
    }
}
