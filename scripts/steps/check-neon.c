// SPDX-License-Identifier: Apache-2.0
// The NEON kernels beside the portable ones, for machines that have no NEON: cross-compiled and emulated by scripts/soak.
//
//   aarch64-linux-gnu-gcc -O2 -static -I Sources/CBase64Kernels/include scripts/steps/check-neon.c Sources/CBase64Kernels/*.c
#include "CBase64Kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next_random(void) {
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 11);
}

static void expect(int holds, const char *what) {
    if (holds) return;
    printf("%s differs\n", what);
    exit(1);
}

int main(void) {
    const base64_level neon = base64_level_neon, portable = base64_level_portable;
    const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const int rounds = 200000;
    expect(base64_has_level(neon), "the machine");
    for (int round = 0; round < rounds; round++) {
        // Buffers of exactly the size, so that an emulator with a checker sees what goes beyond.
        size_t count = next_random() % 300;
        uint8_t *text = malloc(count + 1), *left = calloc(1, count * 2 + 4), *right = calloc(1, count * 2 + 4);

        for (size_t i = 0; i < count; i++) text[i] = (uint8_t)alphabet[next_random() & 63];
        if (count && round % 2) text[next_random() % count] = (uint8_t)next_random();
        size_t taken = base64_decode_groups(portable, text, count, right);
        expect(base64_decode_groups(neon, text, count, left) == taken && !memcmp(left, right, taken / 4 * 3), "decoding");

        for (size_t i = 0; i < count; i++) {
            text[i] = (uint8_t)alphabet[next_random() & 63];
            if (text[i] == '/' && i && next_random() % 4) text[i - 1] = '\\';
            if (round % 3 == 0 && next_random() % 100 == 0) text[i] = (uint8_t)next_random();
        }
        expect(json_plain_prefix(neon, text, count) == json_plain_prefix(portable, text, count), "the plain prefix");
        json_copied a = json_copy_unescaping_solidus(neon, text, count, left);
        json_copied b = json_copy_unescaping_solidus(portable, text, count, right);
        expect(a.taken == b.taken && a.written == b.written && !memcmp(left, right, b.written), "copying");

        for (size_t i = 0; i < count; i++) text[i] = (uint8_t)next_random();
        taken = base64_encode_groups(portable, text, count, right);
        expect(base64_encode_groups(neon, text, count, left) == taken && !memcmp(left, right, taken / 3 * 4), "encoding");

        free(text);
        free(left);
        free(right);
    }
    printf("NEON and portable agree on %d texts\n", rounds);
    return 0;
}
