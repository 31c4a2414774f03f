// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import CSystem

/// Wipes remains of keys that OpenSSL's functions left outside of any owner: on the stack below the caller, and in the
/// vector registers that copied it.
@inline(never)
package func wipeTraces() {
    system_clear_vector_registers()
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
