// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

bool base64_has_level(base64_level level) {
    switch (level) {
    case base64_level_portable: return true;
#if defined(__x86_64__)
    case base64_level_ssse3: return __builtin_cpu_supports("ssse3");
    case base64_level_avx2: return __builtin_cpu_supports("avx2");
    case base64_level_avx512:
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi")
            && __builtin_cpu_supports("avx512vbmi2");
#elif defined(__aarch64__)
    case base64_level_neon: return true;
#endif
    default: return false;
    }
}

#if defined(__x86_64__)
#define DISPATCH(LEVEL, FUNCTION, ...)                                       \
    switch (LEVEL) {                                                         \
    case base64_level_avx512: return FUNCTION##_avx512(__VA_ARGS__);         \
    case base64_level_avx2: return FUNCTION##_avx2(__VA_ARGS__);             \
    case base64_level_ssse3: return FUNCTION##_ssse3(__VA_ARGS__);           \
    default: return FUNCTION##_portable(__VA_ARGS__);                        \
    }
#elif defined(__aarch64__)
#define DISPATCH(LEVEL, FUNCTION, ...)                                       \
    switch (LEVEL) {                                                         \
    case base64_level_neon: return FUNCTION##_neon(__VA_ARGS__);             \
    default: return FUNCTION##_portable(__VA_ARGS__);                        \
    }
#else
#define DISPATCH(LEVEL, FUNCTION, ...) return FUNCTION##_portable(__VA_ARGS__);
#endif

size_t base64_decode_groups(base64_level level, const uint8_t *text, size_t count, uint8_t *out) {
    DISPATCH(level, base64_decode_groups, text, count, out)
}

size_t base64_encode_groups(base64_level level, const uint8_t *bytes, size_t count, uint8_t *out) {
    DISPATCH(level, base64_encode_groups, bytes, count, out)
}

size_t json_plain_prefix(base64_level level, const uint8_t *text, size_t count) {
    DISPATCH(level, json_plain_prefix, text, count)
}

json_copied json_copy_unescaping_solidus(base64_level level, const uint8_t *text, size_t count, uint8_t *out) {
    DISPATCH(level, json_copy_unescaping_solidus, text, count, out)
}
