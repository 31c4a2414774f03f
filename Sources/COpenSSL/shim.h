// libcrypto, 3.0 and newer, as EvidenceCrypto/OpenSSL sees it.
#pragma once

// RSA_padding_check_PKCS1_type_2 is deprecated, yet the only constant-time unpadding there is:
// ask for the 1.1.1 interface, which has it without a warning.
#define OPENSSL_API_COMPAT 10101

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// How large a block is that OpenSSL gives back.
#if __has_include(<malloc/malloc.h>)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

/// Whether OpenSSL can note an error on this thread: without memory for it, silence means nothing. Empties the queue.
static inline int evidence_can_note_errors(void) {
    ERR_raise(ERR_LIB_USER, 1);
    int is_noted = ERR_peek_error() != 0;
    ERR_clear_error();
    return is_noted;
}
