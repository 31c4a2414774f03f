// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#define __STDC_WANT_LIB_EXT1__ 1
#include "vendor_http.h"
#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct transfer {
    struct transfer *next;
    uint64_t number;
    CURL *easy;
    struct curl_slist *headers;
    uint8_t *body;
    size_t count, capacity, limit;
    bool is_added, is_cancelled, is_over;
    char text[CURL_ERROR_SIZE];
};

struct vendor_http {
    CURLM *multi; /* of the thread that waits, but for curl_multi_wakeup */
    pthread_mutex_t lock;
    struct transfer *transfers;
    struct transfer *ended; /* what vendor_http_wait gave last */
    bool is_stopped;
};

/* Wiped and freed: bodies have tokens, and people's data. */
static void discard(void *bytes, size_t count) {
    if (bytes == NULL) return;
#ifdef __APPLE__
    memset_s(bytes, count, 0, count);
#else
    explicit_bzero(bytes, count);
#endif
    free(bytes);
}

static void free_transfer(struct transfer *transfer) {
    if (transfer == NULL) return;
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    discard(transfer->body, transfer->capacity);
    free(transfer);
}

static size_t collect(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t more = size * count;
    if (more > transfer->limit - transfer->count) {
        transfer->is_over = true;
        return 0;
    }
    if (more > transfer->capacity - transfer->count) {
        size_t capacity = 2 * (transfer->count + more);
        uint8_t *body = malloc(capacity);
        if (body == NULL) return 0;
        if (transfer->count > 0) memcpy(body, transfer->body, transfer->count);
        discard(transfer->body, transfer->capacity);
        transfer->body = body;
        transfer->capacity = capacity;
    }
    memcpy(transfer->body + transfer->count, bytes, more);
    transfer->count += more;
    return more;
}

static bool add_header(struct transfer *transfer, const char *header) {
    struct curl_slist *headers = curl_slist_append(transfer->headers, header);
    if (headers != NULL) transfer->headers = headers;
    return headers != NULL;
}

/* TLS is verified, no redirect is followed, no cookie and no credential is kept: as libcurl is by itself. */
static bool prepare(struct transfer *transfer, const struct vendor_http_request *request) {
    CURL *easy = transfer->easy = curl_easy_init();
    char *url = malloc(request->url_count + 1);
    bool is_ready = easy != NULL && url != NULL;
    if (is_ready) {
        memcpy(url, request->url, request->url_count);
        url[request->url_count] = 0;
    }
#define SET(option, value) (is_ready = is_ready && curl_easy_setopt(easy, option, value) == CURLE_OK)
    SET(CURLOPT_URL, url);
    discard(url, request->url_count + 1);
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_ERRORBUFFER, transfer->text);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_USERAGENT, "evidence-kit");
    SET(CURLOPT_WRITEFUNCTION, collect);
    SET(CURLOPT_WRITEDATA, transfer);
    is_ready = is_ready && add_header(transfer, "Accept: application/json");
    if (request->is_head) SET(CURLOPT_NOBODY, 1L);
    if (request->type != NULL) {
        /* Without a question whether the body may come. */
        is_ready = is_ready && add_header(transfer, "Expect:") && add_header(transfer, request->type);
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count);
        SET(CURLOPT_COPYPOSTFIELDS, request->body);
    }
    SET(CURLOPT_HTTPHEADER, transfer->headers);
#undef SET
    return is_ready;
}

static void start_curl(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

struct vendor_http *vendor_http_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_curl);
    struct vendor_http *http = calloc(1, sizeof *http);
    if (http == NULL || (http->multi = curl_multi_init()) == NULL) {
        free(http);
        return NULL;
    }
    pthread_mutex_init(&http->lock, NULL);
    return http;
}

bool vendor_http_send(struct vendor_http *http, const struct vendor_http_request *request) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) return false;
    transfer->number = request->number;
    transfer->limit = request->limit;
    if (!prepare(transfer, request)) {
        free_transfer(transfer);
        return false;
    }
    pthread_mutex_lock(&http->lock);
    transfer->next = http->transfers;
    http->transfers = transfer;
    curl_multi_wakeup(http->multi);
    pthread_mutex_unlock(&http->lock);
    return true;
}

void vendor_http_cancel(struct vendor_http *http, uint64_t number) {
    pthread_mutex_lock(&http->lock);
    for (struct transfer *each = http->transfers; each != NULL; each = each->next)
        if (each->number == number) each->is_cancelled = true;
    curl_multi_wakeup(http->multi);
    pthread_mutex_unlock(&http->lock);
}

/* Woken under the lock: once the other thread has it, all of this may be gone. */
void vendor_http_stop(struct vendor_http *http) {
    pthread_mutex_lock(&http->lock);
    http->is_stopped = true;
    curl_multi_wakeup(http->multi);
    pthread_mutex_unlock(&http->lock);
}

/* The kinds of failure that a caller acts upon. */
static enum vendor_http_kind kind_of(const struct transfer *transfer, CURLcode code) {
    switch (code) {
    case CURLE_OK: return VENDOR_HTTP_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST: return VENDOR_HTTP_NO_HOST;
    case CURLE_COULDNT_CONNECT: return VENDOR_HTTP_NO_CONNECTION;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return VENDOR_HTTP_TLS;
    case CURLE_GOT_NOTHING: return VENDOR_HTTP_LOST;
    case CURLE_OPERATION_TIMEDOUT: return VENDOR_HTTP_LATE;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT: return VENDOR_HTTP_OTHER;
    case CURLE_WRITE_ERROR: return transfer->is_over ? VENDOR_HTTP_TOO_LONG : VENDOR_HTTP_OTHER;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: /* Also of an answer that is not HTTP. */
        return strstr(transfer->text, " failure") || strstr(transfer->text, "SSL_") ? VENDOR_HTTP_LOST
                                                                                   : VENDOR_HTTP_UNREADABLE;
    default: return VENDOR_HTTP_UNREADABLE;
    }
}

/* Takes it out of the list. The next call frees it: that can take until a name server has answered. */
static void end_transfer(struct vendor_http *http, struct transfer *transfer) {
    struct transfer **place = &http->transfers;
    while (*place != transfer) place = &(*place)->next;
    *place = transfer->next;
    http->ended = transfer;
}

/* Under the lock: adds what is new. The first that was cancelled, if there is one. */
static struct transfer *cancelled(struct vendor_http *http) {
    for (struct transfer *each = http->transfers; each != NULL; each = each->next) {
        if (each->is_cancelled || http->is_stopped) return each;
        if (!each->is_added) each->is_added = curl_multi_add_handle(http->multi, each->easy) == CURLM_OK;
        if (!each->is_added) return each;
    }
    return NULL;
}

static void forget_ended(struct vendor_http *http) {
    struct transfer *transfer = http->ended;
    http->ended = NULL;
    if (transfer != NULL && transfer->is_added) curl_multi_remove_handle(http->multi, transfer->easy);
    free_transfer(transfer);
}

bool vendor_http_wait(struct vendor_http *http, struct vendor_http_end *end) {
    forget_ended(http);
    for (;;) {
        pthread_mutex_lock(&http->lock);
        struct transfer *transfer = cancelled(http);
        if (transfer != NULL) end_transfer(http, transfer);
        bool is_stopped = http->is_stopped;
        pthread_mutex_unlock(&http->lock);
        if (transfer != NULL) {
            *end = (struct vendor_http_end){.number = transfer->number, .kind = VENDOR_HTTP_CANCELLED, .text = ""};
            if (!transfer->is_cancelled && !is_stopped) end->kind = VENDOR_HTTP_OTHER;
            return true;
        }
        if (is_stopped) return false;
        int count = 0;
        curl_multi_perform(http->multi, &count);
        CURLMsg *message = curl_multi_info_read(http->multi, &count);
        if (message == NULL) {
            /* Poll waits for what libcurl asks for, no longer and no more often. */
            curl_multi_poll(http->multi, NULL, 0, 60000, NULL);
            continue;
        }
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        pthread_mutex_lock(&http->lock);
        end_transfer(http, transfer);
        pthread_mutex_unlock(&http->lock);
        *end = (struct vendor_http_end){.number = transfer->number,
                                        .kind = kind_of(transfer, code),
                                        .body = transfer->body,
                                        .count = transfer->count,
                                        .code = (int)code,
                                        .text = transfer->text[0] ? transfer->text : curl_easy_strerror(code)};
        curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &end->status);
        return true;
    }
}

void vendor_http_free(struct vendor_http *http) {
    forget_ended(http);
    curl_multi_cleanup(http->multi);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
