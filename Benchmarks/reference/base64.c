// SPDX-License-Identifier: Apache-2.0
// The usual vector methods (W. Muła, D. Lemire: "Faster Base64 Encoding and Decoding using AVX2 Instructions" and
// "Base64 encoding and decoding at almost the speed of a memory copy"), chosen by what the processor has.
#include "base64.h"
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static uint8_t sextets[256];  // 0x80 where a byte is no character of the alphabet

__attribute__((constructor)) static void fill(void) {
    memset(sextets, 0x80, sizeof sextets);
    for (int i = 0; i < 64; i++) sextets[(uint8_t)alphabet[i]] = (uint8_t)i;
}

static int decode_portable(const uint8_t *text, size_t count, uint8_t *bytes) {
    uint8_t bad = 0;
    for (size_t i = 0; i < count; i += 4, bytes += 3) {
        uint8_t a = sextets[text[i]], b = sextets[text[i + 1]], c = sextets[text[i + 2]], d = sextets[text[i + 3]];
        bad |= a | b | c | d;
        bytes[0] = (uint8_t)(a << 2 | b >> 4);
        bytes[1] = (uint8_t)(b << 4 | c >> 2);
        bytes[2] = (uint8_t)(c << 6 | d);
    }
    return !(bad & 0x80);
}

static size_t encode_portable(const uint8_t *bytes, size_t count, uint8_t *text) {
    const uint8_t *start = text;
    for (; count >= 3; bytes += 3, count -= 3, text += 4) {
        text[0] = (uint8_t)alphabet[bytes[0] >> 2];
        text[1] = (uint8_t)alphabet[(bytes[0] << 4 | bytes[1] >> 4) & 63];
        text[2] = (uint8_t)alphabet[(bytes[1] << 2 | bytes[2] >> 6) & 63];
        text[3] = (uint8_t)alphabet[bytes[2] & 63];
    }
    if (count) {
        uint8_t second = count == 2 ? bytes[1] : 0;
        text[0] = (uint8_t)alphabet[bytes[0] >> 2];
        text[1] = (uint8_t)alphabet[(bytes[0] << 4 | second >> 4) & 63];
        text[2] = count == 2 ? (uint8_t)alphabet[(second << 2) & 63] : '=';
        text[3] = '=';
        text += 4;
    }
    return (size_t)(text - start);
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
static int decode_avx512(const uint8_t *text, size_t count, uint8_t *bytes) {
    const __m512i low = _mm512_loadu_si512(sextets), high = _mm512_loadu_si512(sextets + 64);
    uint8_t order[64] = {0};
    for (int i = 0; i < 48; i++) order[i] = (uint8_t)(i / 3 * 4 + 2 - i % 3);
    const __m512i pack = _mm512_loadu_si512(order);
    __m512i bad = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + 64 <= count; i += 64, bytes += 48) {
        __m512i in = _mm512_loadu_si512(text + i);
        __m512i value = _mm512_permutex2var_epi8(low, in, high);
        bad = _mm512_ternarylogic_epi32(bad, in, value, 0xFE);  // bad | in | value: bytes beyond ASCII too
        __m512i pairs = _mm512_maddubs_epi16(value, _mm512_set1_epi32(0x01400140));
        __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
        _mm512_storeu_si512(bytes, _mm512_permutexvar_epi8(pack, groups));
    }
    int good = _mm512_movepi8_mask(bad) == 0;
    return decode_portable(text + i, count - i, bytes) & good;
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
static size_t encode_avx512(const uint8_t *bytes, size_t count, uint8_t *text) {
    uint8_t order[64];
    for (int i = 0; i < 16; i++) {
        order[4 * i] = (uint8_t)(3 * i + 1), order[4 * i + 1] = (uint8_t)(3 * i);
        order[4 * i + 2] = (uint8_t)(3 * i + 2), order[4 * i + 3] = (uint8_t)(3 * i + 1);
    }
    const __m512i spread = _mm512_loadu_si512(order), letters = _mm512_loadu_si512(alphabet);
    const __m512i shifts = _mm512_set1_epi64(0x3036242a1016040a);
    size_t i = 0, written = 0;
    for (; i + 48 <= count; i += 48, written += 64) {
        __m512i in = _mm512_permutexvar_epi8(spread, _mm512_loadu_si512(bytes + i));
        __m512i value = _mm512_multishift_epi64_epi8(shifts, in);
        _mm512_storeu_si512(text + written, _mm512_permutexvar_epi8(value, letters));
    }
    return written + encode_portable(bytes + i, count - i, text + written);
}

__attribute__((target("avx2")))
static int decode_avx2(const uint8_t *text, size_t count, uint8_t *bytes) {
    const __m256i low_bits = _mm256_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A,
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
    const __m256i high_bits = _mm256_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    const __m256i rolls = _mm256_setr_epi8(
        0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i pack = _mm256_setr_epi8(
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m256i join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    const __m256i slash = _mm256_set1_epi8(0x2F);
    __m256i bad = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 32 <= count; i += 32, bytes += 24) {
        __m256i in = _mm256_loadu_si256((const __m256i *)(text + i));
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(in, 4), slash);
        __m256i low = _mm256_and_si256(in, slash);
        bad = _mm256_or_si256(
            bad, _mm256_and_si256(_mm256_shuffle_epi8(low_bits, low), _mm256_shuffle_epi8(high_bits, high)));
        __m256i roll = _mm256_shuffle_epi8(rolls, _mm256_add_epi8(_mm256_cmpeq_epi8(in, slash), high));
        __m256i value = _mm256_add_epi8(in, roll);
        __m256i pairs = _mm256_maddubs_epi16(value, _mm256_set1_epi32(0x01400140));
        __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
        __m256i packed = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, pack), join);
        _mm256_storeu_si256((__m256i *)bytes, packed);
    }
    int good = _mm256_testz_si256(bad, bad);
    return decode_portable(text + i, count - i, bytes) & good;
}

__attribute__((target("avx2")))
static size_t encode_avx2(const uint8_t *bytes, size_t count, uint8_t *text) {
    const __m256i spread = _mm256_setr_epi8(
        1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    const __m256i offsets = _mm256_setr_epi8(
        65, 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 0, 0,
        65, 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 0, 0);
    size_t i = 0, written = 0;
    for (; i + 24 <= count; i += 24, written += 32) {
        __m256i in = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(bytes + i))),
            _mm_loadu_si128((const __m128i *)(bytes + i + 12)), 1);
        in = _mm256_shuffle_epi8(in, spread);
        __m256i first = _mm256_mulhi_epu16(
            _mm256_and_si256(in, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
        __m256i second = _mm256_mullo_epi16(
            _mm256_and_si256(in, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
        __m256i value = _mm256_or_si256(first, second);
        __m256i range = _mm256_subs_epu8(value, _mm256_set1_epi8(51));
        range = _mm256_sub_epi8(range, _mm256_cmpgt_epi8(value, _mm256_set1_epi8(25)));
        _mm256_storeu_si256(
            (__m256i *)(text + written), _mm256_add_epi8(value, _mm256_shuffle_epi8(offsets, range)));
    }
    return written + encode_portable(bytes + i, count - i, text + written);
}

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl");
}
static int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
static int has_avx512(void) { return 0; }
static int has_avx2(void) { return 0; }
#define decode_avx512 decode_portable
#define decode_avx2 decode_portable
#define encode_avx512 encode_portable
#define encode_avx2 encode_portable
#endif

int base64_decode(const uint8_t *text, size_t count, uint8_t *bytes) {
    if (has_avx512()) return decode_avx512(text, count, bytes);
    if (has_avx2()) return decode_avx2(text, count, bytes);
    return decode_portable(text, count, bytes);
}

size_t base64_encode(const uint8_t *bytes, size_t count, uint8_t *text) {
    if (has_avx512()) return encode_avx512(bytes, count, text);
    if (has_avx2()) return encode_avx2(bytes, count, text);
    return encode_portable(bytes, count, text);
}

int base64_decode_last(const uint8_t text[4], uint8_t bytes[3]) {
    int padding = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    uint8_t whole[4] = {'A', 'A', 'A', 'A'};
    memcpy(whole, text, (size_t)(4 - padding));
    if (!decode_portable(whole, 4, bytes)) return -1;
    // Bits that belong to no byte are zero, or the text is not canonical.
    if (padding == 1 && bytes[2] != 0) return -1;
    if (padding == 2 && (bytes[1] != 0 || bytes[2] != 0)) return -1;
    return 3 - padding;
}

const char *base64_kernel(void) { return has_avx512() ? "avx512vbmi" : has_avx2() ? "avx2" : "portable"; }
