// SPDX-License-Identifier: Apache-2.0
// What each level brings; dispatch.c chooses.
#pragma once

#include "CBase64Kernels.h"

#define DECLARE_LEVEL(LEVEL)                                                              \
    size_t base64_decode_groups_##LEVEL(const uint8_t *, size_t, uint8_t *);              \
    size_t base64_encode_groups_##LEVEL(const uint8_t *, size_t, uint8_t *);              \
    size_t json_plain_prefix_##LEVEL(const uint8_t *, size_t);                            \
    json_copied json_copy_unescaping_solidus_##LEVEL(const uint8_t *, size_t, uint8_t *);

// The vector levels end with the portable one, which also does what is left over.
DECLARE_LEVEL(portable)
#if defined(__x86_64__)
DECLARE_LEVEL(ssse3)
DECLARE_LEVEL(avx2)
DECLARE_LEVEL(avx512)
#elif defined(__aarch64__)
DECLARE_LEVEL(neon)
#endif
