// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests by libcurl, several at a time, over connections that are kept: what Swift cannot call of it, variadic functions
   and callbacks. One thread calls vendor_http_wait in a loop, and then vendor_http_free; others call the rest. */
struct vendor_http;

struct vendor_http_request {
    uint64_t number; /* the caller's, another for each */
    const uint8_t *url;
    size_t url_count;
    const char *type; /* the header Content-Type with its value; NULL without a body */
    const uint8_t *body;
    size_t body_count;
    bool is_head;
    size_t limit; /* of the answer's body in bytes */
};

enum vendor_http_kind {
    VENDOR_HTTP_ANSWERED,
    VENDOR_HTTP_CANCELLED,
    VENDOR_HTTP_TOO_LONG,
    VENDOR_HTTP_NO_HOST,
    VENDOR_HTTP_NO_CONNECTION,
    VENDOR_HTTP_TLS, /* before the request was sent */
    VENDOR_HTTP_LOST,
    VENDOR_HTTP_LATE,
    VENDOR_HTTP_UNREADABLE,
    VENDOR_HTTP_OTHER
};

/* How a request ended. Body and text stand until the next vendor_http_wait. */
struct vendor_http_end {
    uint64_t number;
    enum vendor_http_kind kind;
    long status;
    const uint8_t *body;
    size_t count;
    int code;         /* libcurl's */
    const char *text; /* libcurl's, which may contain the password of a proxy */
};

/* NULL without memory. */
struct vendor_http *vendor_http_new(void);
/* Whether there was memory for it. All of the request is copied. */
bool vendor_http_send(struct vendor_http *http, const struct vendor_http_request *request);
/* Ends the request, if it has not ended. */
void vendor_http_cancel(struct vendor_http *http, uint64_t number);
/* Waits until a request ends; false once it was stopped. */
bool vendor_http_wait(struct vendor_http *http, struct vendor_http_end *end);
void vendor_http_stop(struct vendor_http *http);
void vendor_http_free(struct vendor_http *http);
