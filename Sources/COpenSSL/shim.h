// SPDX-License-Identifier: Apache-2.0
// libcrypto 3.0 and newer, for EvidenceCrypto/OpenSSL.
#pragma once

// RSA_padding_check_PKCS1_type_2 is deprecated, yet the only constant-time unpadding there is:
// ask for the 1.1.1 interface, which has it without a warning.
#define OPENSSL_API_COMPAT 10101

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/proverr.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <openssl/ts.h>
#include <openssl/ui.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// The size of a block that OpenSSL frees.
#if __has_include(<malloc/malloc.h>)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

// Engines are deprecated since 3.0, and OpenSSL 4 has none.
#if !defined(OPENSSL_NO_ENGINE) && __has_include(<openssl/engine.h>)
#include <openssl/engine.h>
#endif

/// A private key that the engine `pkcs11` (libp11) finds; NULL where there is none, or no such engine (has_engine 0).
///
/// The engine is never freed: its keys would not outlive it, and hold no reference to it.
static inline EVP_PKEY *evidence_engine_key(const char *uri, const char *pin, UI_METHOD *ui, void *data,
                                            int *has_engine) {
    *has_engine = 0;
#if !defined(OPENSSL_NO_ENGINE) && __has_include(<openssl/engine.h>)
    ENGINE *engine = ENGINE_by_id("pkcs11");
    if (engine == NULL) return NULL;
    *has_engine = 1;
    EVP_PKEY *key = NULL;
    // Otherwise it would write to standard error.
    ENGINE_ctrl_cmd_string(engine, "QUIET", NULL, 1);
    // By command: the engine keeps the first PIN that it asked for, and would also give it to another token.
    if (ENGINE_init(engine) && (pin == NULL || ENGINE_ctrl_cmd_string(engine, "PIN", pin, 0)))
        key = ENGINE_load_private_key(engine, uri, ui, data);
    ENGINE_free(engine);
    return key;
#else
    (void)uri, (void)pin, (void)ui, (void)data;
    return NULL;
#endif
}

/// Whether OpenSSL can record an error on this thread: without memory for that, an empty queue means
/// nothing. Empties the queue.
static inline int evidence_can_note_errors(void) {
    ERR_raise(ERR_LIB_USER, 1);
    int is_noted = ERR_peek_error() != 0;
    ERR_clear_error();
    return is_noted;
}

/// OpenSSL's text about the last failed check of a certificate, which contains no content.
static inline const char *evidence_error_data(unsigned long *code) {
    const char *data = NULL;
    int flags = 0;
    *code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    return flags & ERR_TXT_STRING ? data : NULL;
}

/// Makes the signature of a time stamp be verified as well: a context made from a query leaves that out.
static const int evidence_verify_time_stamp_signature = (int)TS_VFY_SIGNATURE;

/// How a name in a certificate is shown: in one line, as UTF-8.
static const unsigned long evidence_name_flags = XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB;

/// HKDF-Expand with SHA-512 (RFC 5869), with the mode set, or OpenSSL would extract first.
static inline int evidence_hkdf_expand_sha512(
    EVP_KDF_CTX *context, const void *key, size_t key_count, const void *info, size_t info_count, unsigned char *out,
    size_t count) {
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA512", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count),
        OSSL_PARAM_construct_end(),
    };
    return EVP_KDF_derive(context, out, count, parameters);
}
