// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

static const uint8_t values[128] = {
#define NONE8 255, 255, 255, 255, 255, 255, 255, 255
    NONE8, NONE8, NONE8, NONE8, NONE8,
    255, 255, 255, 62, 255, 255, 255, 63,
    52, 53, 54, 55, 56, 57, 58, 59,
    60, 61, 255, 255, 255, 255, 255, 255,
    255, 0, 1, 2, 3, 4, 5, 6,
    7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 255, 255, 255, 255, 255,
    255, 26, 27, 28, 29, 30, 31, 32,
    33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48,
    49, 50, 51, 255, 255, 255, 255, 255,
};

static const uint8_t alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static inline uint8x16x4_t load_table(const uint8_t *table) {
    return (uint8x16x4_t){{vld1q_u8(table), vld1q_u8(table + 16), vld1q_u8(table + 32), vld1q_u8(table + 48)}};
}

/// The values of sixteen characters; 255 where there is none.
static inline uint8x16_t values_of(uint8x16_t c, uint8x16x4_t front, uint8x16x4_t back) {
    // A lookup beyond the table gives zero, or leaves what was there: so each half adds its own.
    uint8x16_t v = vqtbl4q_u8(front, c);
    v = vqtbx4q_u8(v, back, vsubq_u8(c, vdupq_n_u8(64)));
    // What is beyond ASCII found nothing at all.
    return vorrq_u8(v, vcgeq_u8(c, vdupq_n_u8(128)));
}

size_t base64_decode_groups_neon(const uint8_t *text, size_t count, uint8_t *out) {
    const uint8x16x4_t front = load_table(values), back = load_table(values + 64);
    size_t i = 0;
    for (; count - i >= 64; i += 64, out += 48) {
        uint8x16x4_t c = vld4q_u8(text + i);
        uint8x16_t a = values_of(c.val[0], front, back), b = values_of(c.val[1], front, back);
        uint8x16_t d = values_of(c.val[2], front, back), e = values_of(c.val[3], front, back);
        if (vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(d, e))) > 63) break;
        uint8x16x3_t bytes;
        bytes.val[0] = vorrq_u8(vshlq_n_u8(a, 2), vshrq_n_u8(b, 4));
        bytes.val[1] = vorrq_u8(vshlq_n_u8(b, 4), vshrq_n_u8(d, 2));
        bytes.val[2] = vorrq_u8(vshlq_n_u8(d, 6), e);
        vst3q_u8(out, bytes);
    }
    return i + base64_decode_groups_portable(text + i, count - i, out);
}

size_t base64_encode_groups_neon(const uint8_t *bytes, size_t count, uint8_t *out) {
    const uint8x16x4_t table = load_table(alphabet);
    const uint8x16_t six = vdupq_n_u8(63);
    size_t i = 0;
    for (; count - i >= 48; i += 48, out += 64) {
        uint8x16x3_t b = vld3q_u8(bytes + i);
        uint8x16x4_t c;
        c.val[0] = vqtbl4q_u8(table, vshrq_n_u8(b.val[0], 2));
        c.val[1] = vqtbl4q_u8(
            table, vandq_u8(vorrq_u8(vshlq_n_u8(b.val[0], 4), vshrq_n_u8(b.val[1], 4)), six));
        c.val[2] = vqtbl4q_u8(
            table, vandq_u8(vorrq_u8(vshlq_n_u8(b.val[1], 2), vshrq_n_u8(b.val[2], 6)), six));
        c.val[3] = vqtbl4q_u8(table, vandq_u8(b.val[2], six));
        vst4q_u8(out, c);
    }
    return i + base64_encode_groups_portable(bytes + i, count - i, out);
}

static inline bool has_special(uint8x16_t c) {
    uint8x16_t special = vorrq_u8(
        vcltq_s8(vreinterpretq_s8_u8(c), vdupq_n_s8(0x20)),
        vorrq_u8(vceqq_u8(c, vdupq_n_u8('"')), vceqq_u8(c, vdupq_n_u8('\\'))));
    return vmaxvq_u8(special) != 0;
}

size_t json_plain_prefix_neon(const uint8_t *text, size_t count) {
    size_t i = 0;
    while (count - i >= 16 && !has_special(vld1q_u8(text + i))) i += 16;
    return i + json_plain_prefix_portable(text + i, count - i);
}

json_copied json_copy_unescaping_solidus_neon(const uint8_t *text, size_t count, uint8_t *out) {
    json_copied done = {0, 0};
    while (count - done.taken >= 17) {
        uint8x16_t c = vld1q_u8(text + done.taken);
        if (!has_special(c)) {
            vst1q_u8(out + done.written, c);
            done.taken += 16;
            done.written += 16;
            continue;
        }
        // Sixteen bytes with something in them, the slow way; 17, that an escape is not cut.
        json_copied some = json_copy_unescaping_solidus_portable(text + done.taken, 17, out + done.written);
        done.taken += some.taken;
        done.written += some.written;
        if (some.taken < 16) return done;
    }
    json_copied rest = json_copy_unescaping_solidus_portable(
        text + done.taken, count - done.taken, out + done.written);
    return (json_copied){done.taken + rest.taken, done.written + rest.written};
}
#endif
