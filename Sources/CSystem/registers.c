// SPDX-License-Identifier: Apache-2.0
#include "CSystem.h"

#if defined(__x86_64__)
#define CLEAR(number) "vpxorq %%zmm" #number ", %%zmm" #number ", %%zmm" #number "\n"

// No function expects a vector register to outlast a call.
__attribute__((noinline, target("avx512f"))) static void clear_upper_sixteen(void) {
    __asm__ volatile(CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23) CLEAR(24) CLEAR(25)
                         CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)::);
}

__attribute__((noinline, target("avx"))) static void clear_sixteen(void) { __asm__ volatile("vzeroall" ::); }

#undef CLEAR
#define CLEAR(number) "pxor %%xmm" #number ", %%xmm" #number "\n"

__attribute__((noinline)) static void clear_sixteen_without_avx(void) {
    __asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(8) CLEAR(9) CLEAR(10)
                         CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15)::);
}

void system_clear_vector_registers(void) {
    if (__builtin_cpu_supports("avx512f")) clear_upper_sixteen();
    if (__builtin_cpu_supports("avx")) clear_sixteen(); else clear_sixteen_without_avx();
}
#elif defined(__aarch64__)
#define CLEAR(number) "movi v" #number ".16b, #0\n"

// Those from 8 to 15 are the caller's.
void system_clear_vector_registers(void) {
    __asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(16) CLEAR(17) CLEAR(18)
                         CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27)
                         CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)::
                             : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
                               "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
#else
void system_clear_vector_registers(void) {}
#endif
