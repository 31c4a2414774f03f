// SPDX-License-Identifier: Apache-2.0
// The Swift runtime refers to hypotf, and nothing in this library calls it. glibc's newest hypotf is of version 2.35,
// everything else that is used of 2.34: with one of our own the library runs where that is the newest.
#include <math.h>

#if defined(__GLIBC__)
float hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    // Squares of floats are exact in double, and their sum does not overflow.
    return (float)__builtin_sqrt((double)x * x + (double)y * y);
}
#endif
