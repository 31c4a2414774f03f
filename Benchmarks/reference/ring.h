// SPDX-License-Identifier: Apache-2.0
// A bounded ring between one producer and one consumer. Who finds nothing to do spins a little before it sleeps:
// waking a thread costs more than most waits are long.
#pragma once
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 4, SLOT_FRONT = 64, SLOT_BYTES = (256 << 10) / 4 * 3 };

struct slot {
    _Alignas(64) uint8_t bytes[SLOT_FRONT + SLOT_BYTES + 64];
    uint8_t *start;
    size_t count;
    int is_last;
};

struct ring {
    _Alignas(64) atomic_uint filled;   // how many slots were ever filled
    _Alignas(64) atomic_uint emptied;  // how many of these were emptied
    struct slot slots[SLOTS];
};

static inline void ring_wait(atomic_uint *counter, unsigned old) {
    for (int i = 0; i < 2000; i++) {
        if (atomic_load_explicit(counter, memory_order_acquire) != old) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (atomic_load_explicit(counter, memory_order_acquire) == old)
        syscall(SYS_futex, counter, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

static inline void ring_advance(atomic_uint *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_release);
    syscall(SYS_futex, counter, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline struct slot *ring_take_empty(struct ring *r) {
    unsigned filled = atomic_load_explicit(&r->filled, memory_order_relaxed);
    unsigned emptied = atomic_load_explicit(&r->emptied, memory_order_acquire);
    if (filled - emptied == SLOTS) ring_wait(&r->emptied, emptied);
    return &r->slots[filled % SLOTS];
}

static inline void ring_put_filled(struct ring *r) { ring_advance(&r->filled); }

static inline struct slot *ring_take_filled(struct ring *r) {
    unsigned emptied = atomic_load_explicit(&r->emptied, memory_order_relaxed);
    unsigned filled = atomic_load_explicit(&r->filled, memory_order_acquire);
    if (filled == emptied) ring_wait(&r->filled, filled);
    return &r->slots[emptied % SLOTS];
}

static inline void ring_put_empty(struct ring *r) { ring_advance(&r->emptied); }
