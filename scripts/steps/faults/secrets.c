// SPDX-License-Identifier: Apache-2.0
/* Loaded into the command by secrets.py (LD_PRELOAD): looks for secrets in every block that is freed, at the moment
 * it is freed, in the vector registers at that moment (which new threads write to their stacks), and in all writable
 * memory when the process ends: the heap's free blocks, the stacks, the globals.
 *
 * SECRETS_NEEDLES=FILE   pieces of secrets, 16 bytes each, masked so that this file's own copy is not found.
 * SECRETS_OURS=N         the first N of them are looked for in registers too: OpenSSL's own hold numbers while it reads a key.
 * SECRETS_LOG=FILE       a line for each find: "freed N CALLERS…", "register N CALLERS…" or "left N MAPPING".
 * SECRETS_HOST=1         OpenSSL's memory is not wiped for the process, as for a program that only links the library; and
 *                        every block is handed out empty, so that what is freed in it was written by its owner.
 * SECRETS_PREPARE=CMD    run when the process ends, before the needles are read again: for secrets that it made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH = 16, MASK = 0xA7, MOST = 1 << 16 };

extern void *__libc_malloc(size_t);
static void (*real_free)(void *);
static int is_host;
static const unsigned char *needles;
static int first[1 << 16], next[MOST], count, ours;
static int log_number = -1;
static __thread int is_busy;

static int is_at(const unsigned char *place, int number) {
    const unsigned char *needle = needles + LENGTH * number;
    for (int i = 0; i < LENGTH; i++)
        if ((place[i] ^ MASK) != needle[i]) return 0;
    return 1;
}

/* The number of the first needle found, or -1; the search goes on from *place. */
static int find(const unsigned char *bytes, size_t size, size_t *place) {
    for (; *place + LENGTH <= size; ++*place) {
        const unsigned char *here = bytes + *place;
        for (int number = first[here[0] << 8 | here[1]]; number; number = next[number - 1])
            if (is_at(here, number - 1)) return number - 1;
    }
    return -1;
}

static void read_needles(void) {
    const char *path = getenv("SECRETS_NEEDLES");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    if (file < 0 || fstat(file, &status) || status.st_size < LENGTH) return;
    needles = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    count = (int)(status.st_size / LENGTH);
    if (needles == MAP_FAILED || count > MOST) abort();
    memset(first, 0, sizeof first);
    for (int i = count - 1; i >= 0; i--) {
        int key = (needles[LENGTH * i] ^ MASK) << 8 | (needles[LENGTH * i + 1] ^ MASK);
        next[i] = first[key];
        first[key] = i + 1;
    }
}

__attribute__((constructor)) static void begin(void) {
    is_busy = 1;
    is_host = getenv("SECRETS_HOST") != NULL;
    ours = getenv("SECRETS_OURS") ? atoi(getenv("SECRETS_OURS")) : 0;
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    void *callers[4];
    backtrace(callers, 4); /* loads what it needs */
    log_number = open(getenv("SECRETS_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    dprintf(log_number, "begun\n");
    read_needles();
    is_busy = 0;
}

/* Inlined, so that the first caller is that of free. */
__attribute__((always_inline)) static inline void report(const char *kind, int number, size_t place, size_t size) {
    void *callers[24];
    int depth = backtrace(callers, 24);
    dprintf(log_number, "%s %d at %zu of %zu:", kind, number, place, size);
    for (int i = 1; i < depth; i++) {
        Dl_info info;
        if (!dladdr(callers[i], &info) || !info.dli_fname) continue;
        const char *name = strrchr(info.dli_fname, '/');
        dprintf(log_number, " %s+%#lx(%s)", name ? name + 1 : info.dli_fname,
                (unsigned long)((char *)callers[i] - (char *)info.dli_fbase), info.dli_sname ? info.dli_sname : "");
    }
    dprintf(log_number, "\n");
}

__attribute__((always_inline)) static inline void look_at_registers(void) {
#ifdef __x86_64__
    unsigned char state[512] __attribute__((aligned(16)));
    const size_t start = 160, size = 256; /* XMM0 to XMM15 */
    size_t place = 0;
    __asm__ volatile("fxsave64 %0" : "=m"(state));
    /* A number of a key in one register does not hide what is in the next. */
    for (int number; (number = find(state + start, size, &place)) >= 0; place++)
        if (number < ours) report("register", number, place, size);
    memset(state, 0, sizeof state);
    __asm__ volatile("" ::"r"(state) : "memory");
#endif
}

void free(void *block) {
    if (block && count && !is_busy) {
        is_busy = 1;
        look_at_registers();
        size_t size = malloc_usable_size(block), place = 0;
        int number = find(block, size, &place);
        if (number >= 0) report("freed", number, place, size);
        is_busy = 0;
    }
    if (real_free) real_free(block);
}

void *malloc(size_t size) {
    void *block = __libc_malloc(size);
    if (block && is_host) memset(block, 0, malloc_usable_size(block));
    return block;
}

/* In place of OpenSSL's. */
int CRYPTO_set_mem_functions(void *allocate, void *reallocate, void *release) {
    int (*real)(void *, void *, void *) =
        (int (*)(void *, void *, void *))dlsym(RTLD_NEXT, "CRYPTO_set_mem_functions");
    return is_host || !real ? 0 : real(allocate, reallocate, release);
}

/* As if it always moved the block: it may. */
void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    void *fresh = malloc(size ? size : 1);
    if (!fresh) return NULL;
    size_t old = malloc_usable_size(block);
    memcpy(fresh, block, old < size ? old : size);
    free(block);
    return fresh;
}

/* Called by the dynamic linker after the command's own exit handlers, OpenSSL's among them. */
__attribute__((destructor)) static void end(void) {
    is_busy = 1;
    if (getenv("SECRETS_PREPARE")) {
        unsetenv("LD_PRELOAD");
        if (system(getenv("SECRETS_PREPARE"))) dprintf(log_number, "not prepared\n");
        read_needles();
    }
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, stop;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &stop, mode) != 3 || strncmp(mode, "rw", 2)) continue;
        size_t place = 0;
        int number;
        while ((number = find((const unsigned char *)start, stop - start, &place)) >= 0) {
            dprintf(log_number, "left %d at %#lx of %s", number, start + place, line);
            place += 1;
        }
    }
    dprintf(log_number, "ended\n");
    close(log_number);
}
