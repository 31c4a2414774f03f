// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

// The methods are those of W. Muła and D. Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (ACM
// TWEB 2018) and "Base64 encoding and decoding at almost the speed of a memory copy" (Software: Practice and Experience
// 2020).

#if defined(__x86_64__)
#include <immintrin.h>

/// Each level leaves the rest to the next lower one.
static inline json_copied and_then(json_copied done, json_copied rest) {
    return (json_copied){done.taken + rest.taken, done.written + rest.written};
}

// MARK: - SSSE3: 16 characters, 12 bytes

#define SSSE3 __attribute__((target("ssse3")))

size_t SSSE3 base64_decode_groups_ssse3(const uint8_t *text, size_t count, uint8_t *out) {
    // A character is valid if the bits for its two nibbles have none in common.
    const __m128i low_bits = _mm_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
    const __m128i high_bits = _mm_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    // What to add to a character, by its high nibble; '/' has a place of its own.
    const __m128i distances = _mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i nibble = _mm_set1_epi8(0x0F), slash = _mm_set1_epi8('/');
    const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    size_t i = 0;
    // Sixteen bytes are written, twelve of them to stay: 24 characters have room for 18.
    for (; count - i >= 24; i += 16, out += 12) {
        __m128i c = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i high = _mm_and_si128(_mm_srli_epi32(c, 4), nibble);
        __m128i low = _mm_and_si128(c, nibble);
        __m128i wrong = _mm_and_si128(_mm_shuffle_epi8(low_bits, low), _mm_shuffle_epi8(high_bits, high));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(wrong, _mm_setzero_si128())) != 0xFFFF) break;
        __m128i row = _mm_add_epi8(_mm_cmpeq_epi8(c, slash), high);
        c = _mm_add_epi8(c, _mm_shuffle_epi8(distances, row));
        c = _mm_maddubs_epi16(c, _mm_set1_epi32(0x01400140));
        c = _mm_madd_epi16(c, _mm_set1_epi32(0x00011000));
        _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(c, order));
    }
    return i + base64_decode_groups_portable(text + i, count - i, out);
}

size_t SSSE3 base64_encode_groups_ssse3(const uint8_t *bytes, size_t count, uint8_t *out) {
    const __m128i order = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    const __m128i distances =
        _mm_setr_epi8('A', 'a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, '+' - 62, '/' - 63, 0, 0);
    size_t i = 0;
    for (; count - i >= 16; i += 12, out += 16) {
        __m128i b = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + i)), order);
        __m128i even = _mm_mulhi_epu16(_mm_and_si128(b, _mm_set1_epi32(0x0FC0FC00)), _mm_set1_epi32(0x04000040));
        __m128i odd = _mm_mullo_epi16(_mm_and_si128(b, _mm_set1_epi32(0x003F03F0)), _mm_set1_epi32(0x01000010));
        __m128i sextets = _mm_or_si128(even, odd);
        __m128i row = _mm_sub_epi8(
            _mm_subs_epu8(sextets, _mm_set1_epi8(51)), _mm_cmpgt_epi8(sextets, _mm_set1_epi8(25)));
        _mm_storeu_si128((__m128i *)out, _mm_add_epi8(sextets, _mm_shuffle_epi8(distances, row)));
    }
    return i + base64_encode_groups_portable(bytes + i, count - i, out);
}

/// A bit for each byte that is a quotation mark, a control character or beyond ASCII (which as signed is less too).
static inline unsigned SSSE3 ends_16(__m128i c) {
    return (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmplt_epi8(c, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(c, _mm_set1_epi8('"'))));
}

static inline unsigned SSSE3 equals_16(__m128i c, char wanted) {
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8(wanted)));
}

size_t SSSE3 json_plain_prefix_ssse3(const uint8_t *text, size_t count) {
    size_t i = 0;
    for (; count - i >= 16; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(text + i));
        unsigned special = ends_16(c) | equals_16(c, '\\');
        if (special) return i + (size_t)__builtin_ctz(special);
    }
    return i + json_plain_prefix_portable(text + i, count - i);
}

json_copied SSSE3 json_copy_unescaping_solidus_ssse3(const uint8_t *text, size_t count, uint8_t *out) {
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    size_t i = 0, written = 0;
    // One byte more is looked at: what follows a backslash.
    for (; count - i >= 17; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i next = _mm_loadu_si128((const __m128i *)(text + i + 1));
        unsigned backslashes = equals_16(c, '\\');
        if (ends_16(c) | (backslashes & ~equals_16(next, '/'))) break;
        if (backslashes & (backslashes - 1)) {
            // Two in sixteen bytes are rare in base64.
            for (size_t k = 0; k < 16; k++) {
                out[written] = text[i + k];
                written += text[i + k] != '\\';
            }
            continue;
        }
        // Everything from the backslash on moves down by one; the place 16 stands for "none".
        char place = (char)__builtin_ctz(backslashes | 0x10000);
        __m128i moved = _mm_sub_epi8(places, _mm_cmpgt_epi8(places, _mm_set1_epi8((char)(place - 1))));
        _mm_storeu_si128((__m128i *)(out + written), _mm_shuffle_epi8(c, moved));
        written += 16 - (backslashes != 0);
    }
    return and_then(
        (json_copied){i, written}, json_copy_unescaping_solidus_portable(text + i, count - i, out + written));
}

// MARK: - AVX2: 32 characters, 24 bytes

#define AVX2 __attribute__((target("avx2")))

static inline __m256i AVX2 twice(__m128i half) { return _mm256_broadcastsi128_si256(half); }

size_t AVX2 base64_decode_groups_avx2(const uint8_t *text, size_t count, uint8_t *out) {
    const __m256i low_bits = twice(_mm_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A));
    const __m256i high_bits = twice(_mm_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
    const __m256i distances = twice(_mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i nibble = _mm256_set1_epi8(0x0F), slash = _mm256_set1_epi8('/');
    const __m256i order = twice(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    const __m256i together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    size_t i = 0;
    // 32 bytes are written, 24 of them to stay: 44 characters have room for 33.
    for (; count - i >= 44; i += 32, out += 24) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(text + i));
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(c, 4), nibble);
        __m256i low = _mm256_and_si256(c, nibble);
        if (!_mm256_testz_si256(_mm256_shuffle_epi8(low_bits, low), _mm256_shuffle_epi8(high_bits, high))) break;
        __m256i row = _mm256_add_epi8(_mm256_cmpeq_epi8(c, slash), high);
        c = _mm256_add_epi8(c, _mm256_shuffle_epi8(distances, row));
        c = _mm256_maddubs_epi16(c, _mm256_set1_epi32(0x01400140));
        c = _mm256_madd_epi16(c, _mm256_set1_epi32(0x00011000));
        c = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(c, order), together);
        _mm256_storeu_si256((__m256i *)out, c);
    }
    return i + base64_decode_groups_portable(text + i, count - i, out);
}

size_t AVX2 base64_encode_groups_avx2(const uint8_t *bytes, size_t count, uint8_t *out) {
    const __m256i order = twice(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    const __m256i distances =
        twice(_mm_setr_epi8('A', 'a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, '+' - 62, '/' - 63, 0, 0));
    size_t i = 0;
    for (; count - i >= 28; i += 24, out += 32) {
        __m256i b = _mm256_set_m128i(
            _mm_loadu_si128((const __m128i *)(bytes + i + 12)), _mm_loadu_si128((const __m128i *)(bytes + i)));
        b = _mm256_shuffle_epi8(b, order);
        __m256i even =
            _mm256_mulhi_epu16(_mm256_and_si256(b, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
        __m256i odd =
            _mm256_mullo_epi16(_mm256_and_si256(b, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
        __m256i sextets = _mm256_or_si256(even, odd);
        __m256i row = _mm256_sub_epi8(
            _mm256_subs_epu8(sextets, _mm256_set1_epi8(51)), _mm256_cmpgt_epi8(sextets, _mm256_set1_epi8(25)));
        _mm256_storeu_si256((__m256i *)out, _mm256_add_epi8(sextets, _mm256_shuffle_epi8(distances, row)));
    }
    return i + base64_encode_groups_portable(bytes + i, count - i, out);
}

size_t AVX2 json_plain_prefix_avx2(const uint8_t *text, size_t count) {
    const __m256i backslash = _mm256_set1_epi8('\\');
    size_t i = 0;
    // Four at a time, as long as no byte is a backslash, or at most a quotation mark. Of the latter a space and '!' do
    // not end the text: the next loop looks again.
    for (; count - i >= 128; i += 128) {
        const __m256i *c = (const __m256i *)(text + i);
        __m256i c0 = _mm256_loadu_si256(c), c1 = _mm256_loadu_si256(c + 1);
        __m256i c2 = _mm256_loadu_si256(c + 2), c3 = _mm256_loadu_si256(c + 3);
        __m256i least = _mm256_min_epi8(_mm256_min_epi8(c0, c1), _mm256_min_epi8(c2, c3));
        __m256i backslashes = _mm256_or_si256(
            _mm256_or_si256(_mm256_cmpeq_epi8(c0, backslash), _mm256_cmpeq_epi8(c1, backslash)),
            _mm256_or_si256(_mm256_cmpeq_epi8(c2, backslash), _mm256_cmpeq_epi8(c3, backslash)));
        __m256i low = _mm256_cmpgt_epi8(_mm256_set1_epi8('"' + 1), least);
        if (_mm256_movemask_epi8(_mm256_or_si256(low, backslashes))) break;
    }
    for (; count - i >= 32; i += 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(text + i));
        __m256i special = _mm256_or_si256(
            _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), c),
            _mm256_or_si256(_mm256_cmpeq_epi8(c, _mm256_set1_epi8('"')), _mm256_cmpeq_epi8(c, backslash)));
        unsigned mask = (unsigned)_mm256_movemask_epi8(special);
        if (mask) return i + (size_t)__builtin_ctz(mask);
    }
    return i + json_plain_prefix_portable(text + i, count - i);
}

json_copied AVX2 json_copy_unescaping_solidus_avx2(const uint8_t *text, size_t count, uint8_t *out) {
    // Sixteen bytes are as good: with 32 two escapes in one step are no longer rare.
    return json_copy_unescaping_solidus_ssse3(text, count, out);
}

// MARK: - AVX-512 VBMI and VBMI2: 64 characters, 48 bytes

#define AVX512 __attribute__((target("avx512bw,avx512vbmi,avx512vbmi2")))

static const __mmask64 low_48 = 0x0000FFFFFFFFFFFF;

/// The value of each ASCII character; 0x80 if it has none.
static const uint8_t values[128] = {
#define NONE8 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80
    NONE8, NONE8, NONE8, NONE8, NONE8,
    0x80, 0x80, 0x80, 62, 0x80, 0x80, 0x80, 63,
    52, 53, 54, 55, 56, 57, 58, 59,
    60, 61, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0, 1, 2, 3, 4, 5, 6,
    7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 26, 27, 28, 29, 30, 31, 32,
    33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48,
    49, 50, 51, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/// Where each of the 48 bytes is among the sixteen 24-bit groups.
static const uint8_t packed[64] = {
    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 18, 17, 16, 22, 21, 20, 26, 25, 24, 30, 29, 28,
    34, 33, 32, 38, 37, 36, 42, 41, 40, 46, 45, 44, 50, 49, 48, 54, 53, 52, 58, 57, 56, 62, 61, 60,
};

size_t AVX512 base64_decode_groups_avx512(const uint8_t *text, size_t count, uint8_t *out) {
    const __m512i front = _mm512_loadu_si512(values), back = _mm512_loadu_si512(values + 64);
    const __m512i order = _mm512_loadu_si512(packed);
    size_t i = 0;
    for (; count - i >= 64; i += 64, out += 48) {
        __m512i c = _mm512_loadu_si512(text + i);
        // The lookup sees seven bits; the eighth is looked at together with its answer.
        __m512i v = _mm512_permutex2var_epi8(front, c, back);
        if (_mm512_movepi8_mask(_mm512_or_si512(v, c))) break;
        v = _mm512_maddubs_epi16(v, _mm512_set1_epi32(0x01400140));
        v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x00011000));
        v = _mm512_permutexvar_epi8(order, v);
        // A whole store is faster than a masked one, where there is room: 88 characters have it for 66 bytes.
        if (count - i >= 88) _mm512_storeu_si512(out, v);
        else _mm512_mask_storeu_epi8(out, low_48, v);
    }
    return i + base64_decode_groups_portable(text + i, count - i, out);
}

static const char alphabet[64] __attribute__((nonstring)) =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Each group of three bytes as the four that the shifts below find their bits in.
static const uint8_t spread[64] = {
    1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 13, 12, 14, 13, 16, 15, 17, 16, 19, 18, 20, 19, 22, 21, 23, 22,
    25, 24, 26, 25, 28, 27, 29, 28, 31, 30, 32, 31, 34, 33, 35, 34, 37, 36, 38, 37, 40, 39, 41, 40, 43, 42, 44, 43, 46,
    45, 47, 46,
};

size_t AVX512 base64_encode_groups_avx512(const uint8_t *bytes, size_t count, uint8_t *out) {
    const __m512i characters = _mm512_loadu_si512(alphabet), order = _mm512_loadu_si512(spread);
    const __m512i shifts = _mm512_set1_epi64(0x3036242A1016040A);
    size_t i = 0;
    for (; count - i >= 48; i += 48, out += 64) {
        __m512i b = count - i >= 64 ? _mm512_loadu_si512(bytes + i) : _mm512_maskz_loadu_epi8(low_48, bytes + i);
        __m512i sextets = _mm512_multishift_epi64_epi8(shifts, _mm512_permutexvar_epi8(order, b));
        // The lookup takes six bits of each.
        _mm512_storeu_si512(out, _mm512_permutexvar_epi8(sextets, characters));
    }
    return i + base64_encode_groups_portable(bytes + i, count - i, out);
}

static inline __mmask64 AVX512 ends_64(__m512i c) {
    return _mm512_cmplt_epi8_mask(c, _mm512_set1_epi8(0x20)) | _mm512_cmpeq_epi8_mask(c, _mm512_set1_epi8('"'));
}

size_t AVX512 json_plain_prefix_avx512(const uint8_t *text, size_t count) {
    const __m512i backslash = _mm512_set1_epi8('\\');
    size_t i = 0;
    // As with AVX2; a byte at distance 0 from a backslash is one.
    for (; count - i >= 256; i += 256) {
        __m512i c0 = _mm512_loadu_si512(text + i), c1 = _mm512_loadu_si512(text + i + 64);
        __m512i c2 = _mm512_loadu_si512(text + i + 128), c3 = _mm512_loadu_si512(text + i + 192);
        __m512i least = _mm512_min_epi8(_mm512_min_epi8(c0, c1), _mm512_min_epi8(c2, c3));
        __m512i distance = _mm512_min_epu8(
            _mm512_min_epu8(_mm512_xor_si512(c0, backslash), _mm512_xor_si512(c1, backslash)),
            _mm512_min_epu8(_mm512_xor_si512(c2, backslash), _mm512_xor_si512(c3, backslash)));
        if (_mm512_cmple_epi8_mask(least, _mm512_set1_epi8('"')) | _mm512_testn_epi8_mask(distance, distance)) break;
    }
    for (; count - i >= 64; i += 64) {
        __m512i c = _mm512_loadu_si512(text + i);
        __mmask64 special = ends_64(c) | _mm512_cmpeq_epi8_mask(c, backslash);
        if (special) return i + (size_t)__builtin_ctzll(special);
    }
    return i + json_plain_prefix_portable(text + i, count - i);
}

json_copied AVX512 json_copy_unescaping_solidus_avx512(const uint8_t *text, size_t count, uint8_t *out) {
    size_t i = 0, written = 0;
    for (; count - i >= 65; i += 64) {
        __m512i c = _mm512_loadu_si512(text + i);
        __mmask64 backslashes = _mm512_cmpeq_epi8_mask(c, _mm512_set1_epi8('\\'));
        __mmask64 slashes_next =
            _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + i + 1), _mm512_set1_epi8('/'));
        if (ends_64(c) | (backslashes & ~slashes_next)) break;
        // To a register and then to memory: compressing to memory is slow.
        _mm512_storeu_si512(out + written, _mm512_maskz_compress_epi8(~backslashes, c));
        written += 64 - (size_t)__builtin_popcountll(backslashes);
    }
    return and_then(
        (json_copied){i, written}, json_copy_unescaping_solidus_portable(text + i, count - i, out + written));
}
#endif
