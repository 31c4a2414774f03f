/* SPDX-License-Identifier: Apache-2.0
 * Where libcrypto is inside this library, the system's openssl.cnf is not for it: that may name modules which were built
 * for another libcrypto, and load that one, too. Where it is the system's, its configuration is heeded. */
#ifdef __linux__
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include "own-libcrypto.h"

/* openssl/crypto.h, whose headers this target does not have. */
extern int OPENSSL_init_crypto(uint64_t options, const void *settings);
#define OPENSSL_INIT_NO_LOAD_CONFIG 0x00000080L

int evidence_has_own_libcrypto(void) {
    Dl_info ours, libcrypto;
    return dladdr((void *)(uintptr_t)evidence_has_own_libcrypto, &ours) != 0
        && dladdr((void *)(uintptr_t)OPENSSL_init_crypto, &libcrypto) != 0 && ours.dli_fbase == libcrypto.dli_fbase;
}

__attribute__((constructor)) static void leave_the_systems_configuration(void) {
    if (evidence_has_own_libcrypto()) OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, 0);
}
#else
#include "own-libcrypto.h"

int evidence_has_own_libcrypto(void) { return 0; }
#endif
