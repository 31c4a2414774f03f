// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include <string.h>

// Tables that the compiler fills: M(x) for x = 0, 1, 2 …
#define ROW4(M, x) M((x)), M((x) + 1), M((x) + 2), M((x) + 3)
#define ROW16(M, x) ROW4(M, (x)), ROW4(M, (x) + 4), ROW4(M, (x) + 8), ROW4(M, (x) + 12)
#define ROW64(M, x) ROW16(M, (x)), ROW16(M, (x) + 16), ROW16(M, (x) + 32), ROW16(M, (x) + 48)
#define ROW256(M, x) ROW64(M, (x)), ROW64(M, (x) + 64), ROW64(M, (x) + 128), ROW64(M, (x) + 192)
#define ROW1024(M, x) ROW256(M, (x)), ROW256(M, (x) + 256), ROW256(M, (x) + 512), ROW256(M, (x) + 768)
#define ROW4096(M, x) ROW1024(M, (x)), ROW1024(M, (x) + 1024), ROW1024(M, (x) + 2048), ROW1024(M, (x) + 3072)

// No sextet reaches the highest byte of a group's 24 bits; a character outside the alphabet sets it.
#define INVALID 0xFF000000u
#define PLACED(c, shift)                                                          \
    ((c) >= 'A' && (c) <= 'Z' ? (uint32_t)((c) - 'A') << (shift)                  \
     : (c) >= 'a' && (c) <= 'z' ? (uint32_t)((c) - 'a' + 26) << (shift)           \
     : (c) >= '0' && (c) <= '9' ? (uint32_t)((c) - '0' + 52) << (shift)           \
     : (c) == '+' ? 62u << (shift) : (c) == '/' ? 63u << (shift) : INVALID)
#define PLACED0(c) PLACED(c, 18)
#define PLACED1(c) PLACED(c, 12)
#define PLACED2(c) PLACED(c, 6)
#define PLACED3(c) PLACED(c, 0)

/// What a character adds to the 24 bits, by its place in the group.
static const uint32_t sextets[4][256] = {
    {ROW256(PLACED0, 0)}, {ROW256(PLACED1, 0)}, {ROW256(PLACED2, 0)}, {ROW256(PLACED3, 0)}};

size_t base64_decode_groups_portable(const uint8_t *text, size_t count, uint8_t *out) {
    size_t i = 0;
    for (; count - i >= 4; i += 4, out += 3) {
        uint32_t group = sextets[0][text[i]] | sextets[1][text[i + 1]] | sextets[2][text[i + 2]]
            | sextets[3][text[i + 3]];
        if (group & INVALID) break;
        out[0] = (uint8_t)(group >> 16);
        out[1] = (uint8_t)(group >> 8);
        out[2] = (uint8_t)group;
    }
    return i;
}

#define CHARACTER(v)                                                              \
    ((v) < 26 ? 'A' + (v) : (v) < 52 ? 'a' + (v) - 26 : (v) < 62 ? '0' + (v) - 52 \
     : (v) == 62 ? '+' : '/')
#define CHARACTERS(v) {(uint8_t)CHARACTER((v) >> 6), (uint8_t)CHARACTER((v) & 63)}

/// Two characters for each 12 bits.
static const uint8_t characters[4096][2] = {ROW4096(CHARACTERS, 0)};

size_t base64_encode_groups_portable(const uint8_t *bytes, size_t count, uint8_t *out) {
    size_t i = 0;
    for (; count - i >= 3; i += 3, out += 4) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        memcpy(out, characters[group >> 12], 2);
        memcpy(out + 2, characters[group & 0xFFF], 2);
    }
    return i;
}

static inline bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

size_t json_plain_prefix_portable(const uint8_t *text, size_t count) {
    // Eight bytes together, each in its own lane of a word; a lane's highest bit comes out set where the byte is
    // special (or, after such a byte, may be: then the loop below looks again).
    const uint64_t ones = 0x0101010101010101u;
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        uint64_t special = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)
            | ((word - ones * 0x20) & ~word) | word;
        if (special & ones * 0x80) break;
    }
    while (i < count && is_plain(text[i])) i++;
    return i;
}

json_copied json_copy_unescaping_solidus_portable(const uint8_t *text, size_t count, uint8_t *out) {
    json_copied done = {0, 0};
    while (done.taken < count) {
        size_t run = json_plain_prefix_portable(text + done.taken, count - done.taken);
        memmove(out + done.written, text + done.taken, run);
        done.taken += run;
        done.written += run;
        if (count - done.taken < 2 || text[done.taken] != '\\' || text[done.taken + 1] != '/') break;
        out[done.written++] = '/';
        done.taken += 2;
    }
    return done;
}
