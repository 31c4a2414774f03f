// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648 §4), strict, as fast as the processor allows.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Readable and writable bytes that every buffer needs beyond its content: whole vectors are loaded and stored.
enum { BASE64_SLACK = 64 };

// Decodes `count` characters, a multiple of four without padding, to count / 4 * 3 bytes. Whether all were valid.
int base64_decode(const uint8_t *text, size_t count, uint8_t *bytes);

// Decodes the last four characters, padded or not. How many bytes, or -1.
int base64_decode_last(const uint8_t text[4], uint8_t bytes[3]);

// Encodes bytes with padding. How many characters.
size_t base64_encode(const uint8_t *bytes, size_t count, uint8_t *text);

// What the processor has: "avx512vbmi", "avx2" or "portable".
const char *base64_kernel(void);
