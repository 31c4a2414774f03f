/* SPDX-License-Identifier: Apache-2.0
 * Whose libcrypto this library uses. */
#ifndef EVIDENCE_OWN_LIBCRYPTO_H
#define EVIDENCE_OWN_LIBCRYPTO_H

/* 1 where libcrypto is inside this library, 0 where it is the system's. Not exported. */
int evidence_has_own_libcrypto(void);

#endif
