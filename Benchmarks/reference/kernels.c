// SPDX-License-Identifier: Apache-2.0
// The library's base64 kernels by themselves, at every level that this machine has: 64 KiB of text, hot. Prints a name,
// a tab and GB of text in a second, the median of many rounds.
#include "CBase64Kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TEXT = 64 << 10, BYTES = TEXT / 4 * 3, ROUNDS = 31, REPETITIONS = 200 };

static uint8_t text[TEXT], bytes[BYTES], output[TEXT];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure(const char *verb, const char *name, base64_level level) {
    double rates[ROUNDS];
    int decodes = verb[0] == 'd';
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < REPETITIONS; i++) {
            size_t taken = decodes ? base64_decode_groups(level, text, TEXT, output)
                                   : base64_encode_groups(level, bytes, BYTES, output);
            if (taken != (decodes ? TEXT : BYTES)) exit(1);
        }
        rates[round] = (double)TEXT * REPETITIONS / (now() - start) / 1e9;
    }
    qsort(rates, ROUNDS, sizeof rates[0], ascending);
    printf("%s, %s kernel\t%f\n", verb, name, rates[ROUNDS / 2]);
}

int main(void) {
    static const struct { base64_level level; const char *name; } levels[] = {
        {base64_level_portable, "portable"}, {base64_level_ssse3, "SSSE3"}, {base64_level_avx2, "AVX2"},
        {base64_level_avx512, "AVX-512"},    {base64_level_neon, "NEON"},
    };
    for (int i = 0; i < BYTES; i++) bytes[i] = (uint8_t)rand();
    base64_encode_groups(base64_level_portable, bytes, BYTES, text);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (!base64_has_level(levels[i].level)) continue;
        measure("decode", levels[i].name, levels[i].level);
        measure("encode", levels[i].name, levels[i].level);
    }
    return 0;
}
