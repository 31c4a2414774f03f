// SPDX-License-Identifier: Apache-2.0
// Base64 at the speed of memory, and what it takes to get it out of a JSON string.
//
// Every function takes the level of instructions to use; all levels give the same answers. None reads or writes a
// byte outside the buffers it was given, none allocates, none keeps state. Strictness at the edges (padding, the last
// group, the place of a fault) is the caller's: a kernel stops before the first group it cannot take whole.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    base64_level_portable,
    base64_level_ssse3,
    base64_level_avx2,
    /// AVX-512 with VBMI and VBMI2.
    base64_level_avx512,
    base64_level_neon,
} base64_level;

/// Whether this machine has the instructions. Those of the portable level it always has.
bool base64_has_level(base64_level level);

/// Decodes groups of four characters of RFC 4648 §4 and stops before the first that is not whole or not of the
/// alphabet (padding is not). Returns how many characters were taken; `out` needs room for `count / 4 * 3` bytes and
/// gets three for each four taken.
size_t base64_decode_groups(base64_level level, const uint8_t *text, size_t count, uint8_t *out);

/// Encodes groups of three bytes. Returns how many bytes were taken, all but `count % 3`; `out` gets four characters
/// for each three.
size_t base64_encode_groups(base64_level level, const uint8_t *bytes, size_t count, uint8_t *out);

/// How many bytes at the start of a JSON string's inside are neither a quotation mark, nor a backslash, nor a control
/// character, nor beyond ASCII.
size_t json_plain_prefix(base64_level level, const uint8_t *text, size_t count);

/// Copies the inside of a JSON string, each `\/` as `/`, and stops before the first other byte that is not plain, and
/// before a backslash at the very end. `out` needs room for `count` bytes; what lies beyond the bytes written may be
/// overwritten too.
typedef struct {
    size_t taken, written;
} json_copied;
json_copied json_copy_unescaping_solidus(base64_level level, const uint8_t *text, size_t count, uint8_t *out);
