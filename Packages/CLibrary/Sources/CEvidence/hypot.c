// SPDX-License-Identifier: Apache-2.0
// The Swift runtime and Foundation refer to hypotf and hypot, whose newest versions in glibc are of 2.35; everything else
// that is used is of 2.34 or older. glibc has the same functions under these names since 2.27.
#include <limits.h>

#if defined(__GLIBC__)
float hypotf32(float x, float y);
double hypotf64(double x, double y);
float hypotf(float x, float y) { return hypotf32(x, y); }
double hypot(double x, double y) { return hypotf64(x, y); }
#endif
