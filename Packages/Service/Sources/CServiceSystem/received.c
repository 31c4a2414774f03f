// SPDX-License-Identifier: Apache-2.0
/* The C library's header may have a body for recv, too. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "service_system.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/types.h>

static _Atomic(service_reader) reader;

/* A program's own function goes before that of the C library, for the libraries that it uses as well (ELF). So does
   libmicrohttpd's reading come through here, which has no hook for it, and changes what it has read. */
ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
    ssize_t taken = recvfrom(descriptor, bytes, count, flags, NULL, NULL);
    int number = errno;
    service_reader function = atomic_load_explicit(&reader, memory_order_acquire);
    if (function != NULL) function(descriptor, bytes, taken > 0 ? (size_t)taken : 0);
    errno = number;
    return taken;
}

bool service_read_with(service_reader function) {
    atomic_store_explicit(&reader, function, memory_order_release);
    return dlsym(RTLD_DEFAULT, "recv") == (void *)recv;
}
