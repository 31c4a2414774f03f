// SPDX-License-Identifier: Apache-2.0
/* Loaded into the command by harness.py (LD_PRELOAD): what a kernel or a C library may do, and hardly ever does.
 *
 * FAULT_SHORT=SEED           reads and writes move fewer bytes than they were asked to, or are interrupted (EINTR).
 * FAULT_SWAP=N:FILE:OTHER    before the Nth read of FILE its bytes are replaced, in place, by those of OTHER.
 * FAULT_SWAP_MARK=FILE       made when that has happened.
 * FAULT_SPOOL=PREFIX:LOG     whatever is written to a file under PREFIX is written to LOG too, each piece after a
 *                            line that says how many names the file has, and its mode.
 * FAULT_MEMORY=OWNER:N       the Nth allocation fails; with N+ instead of N, so do all that follow. OWNER is crypto for
 *                            OpenSSL's own allocations, others for those that are not, or all. They are counted from
 *                            where the command's own code begins. FAULT_MEMORY_COUNT=FILE: how many there were, once the process ends.
 * FAULT_RANDOM=yes           no device gives random bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef ssize_t (*read_function)(int, void *, size_t);
typedef ssize_t (*write_function)(int, const void *, size_t);

static read_function real_read;
static write_function real_write;
static unsigned long state;

/* --- Memory ------------------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static uintptr_t crypto_start, crypto_end;
static int counts_crypto, counts_others, is_persistent, is_counting;
static unsigned long wanted_number, allocations;

static int find_crypto(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "libcrypto")) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (!crypto_start) crypto_start = start;
        crypto_end = start + object->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static int is_refused(void *caller) {
    if (!is_counting) return 0;
    uintptr_t place = (uintptr_t)caller;
    if (!(place >= crypto_start && place < crypto_end ? counts_crypto : counts_others)) return 0;
    unsigned long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (!wanted_number || (is_persistent ? number < wanted_number : number != wanted_number)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

/* The command switches cores off before anything else: its own code begins there. */
int setrlimit(__rlimit_resource_t what, const struct rlimit *limit) {
    const char *wish = getenv("FAULT_MEMORY");
    if (wish && !is_counting) {
        counts_crypto = wish[0] != 'o';
        counts_others = wish[0] != 'c';
        char *end;
        wanted_number = strtoul(strchr(wish, ':') + 1, &end, 10);
        is_persistent = *end == '+';
        dl_iterate_phdr(find_crypto, NULL);
        is_counting = 1;
    }
    return (int)syscall(SYS_prlimit64, 0, what, limit, NULL);
}

__attribute__((destructor)) static void say_how_many(void) {
    const char *path = getenv("FAULT_MEMORY_COUNT");
    is_counting = 0;
    if (!path) return;
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dprintf(to, "%lu", allocations);
    close(to);
}

/* --- Random bytes ------------------------------------------------------------------------------------ */

static int has_no_random(void) { return getenv("FAULT_RANDOM") != NULL; }

static int open_unless_random(const char *path, int flags, mode_t mode) {
    if (has_no_random() && !strncmp(path, "/dev/", 5) && strstr(path, "random")) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_unless_random(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_unless_random(path, flags | O_LARGEFILE, mode);
}

/* --- Reads and writes -------------------------------------------------------------------------------- */

__attribute__((constructor)) static void find(void) {
    real_read = (read_function)dlsym(RTLD_NEXT, "read");
    real_write = (write_function)dlsym(RTLD_NEXT, "write");
    const char *seed = getenv("FAULT_SHORT");
    if (seed) state = 2 * strtoul(seed, NULL, 10) + 1;
}

/* How many bytes a call may move: 0 stands for an interruption. */
static size_t moved(size_t count) {
    if (!state || count == 0) return count;
    unsigned long number = __atomic_add_fetch(&state, 0x9E3779B97F4A7C16UL, __ATOMIC_RELAXED);
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9UL;
    number ^= number >> 27;
    switch (number % 4) {
    case 0: return 0;
    case 1: return 1;
    case 2: return 1 + (number >> 8) % count;
    default: return count;
    }
}

static void swap_before_read(int number) {
    static int reads;
    const char *wish = getenv("FAULT_SWAP");
    if (!wish) return;
    char text[8192];
    strncpy(text, wish, sizeof text - 1);
    text[sizeof text - 1] = 0;
    char *file = strchr(text, ':'), *other = file ? strchr(file + 1, ':') : NULL;
    if (!other) return;
    *file++ = 0;
    *other++ = 0;
    struct stat wanted, found;
    if (stat(file, &wanted) || fstat(number, &found) || wanted.st_ino != found.st_ino) return;
    if (__atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) != atoi(text)) return;
    int from = open(other, O_RDONLY), to = open(file, O_WRONLY | O_TRUNC);
    char block[65536];
    ssize_t count;
    while ((count = real_read(from, block, sizeof block)) > 0)
        if (real_write(to, block, (size_t)count) != count) abort();
    close(from);
    close(to);
    close(open(getenv("FAULT_SWAP_MARK"), O_WRONLY | O_CREAT, 0600));
}

static void log_spool(int number, const void *bytes, size_t count) {
    const char *wish = getenv("FAULT_SPOOL");
    if (!wish) return;
    const char *log = strchr(wish, ':') + 1;
    size_t length = (size_t)(log - wish) - 1;
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    if (readlink(link, path, sizeof path - 1) < 0 || strncmp(path, wish, length)) return;
    struct stat status;
    fstat(number, &status);
    int to = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    dprintf(to, "\nnames %lu mode %o\n", (unsigned long)status.st_nlink, status.st_mode & 07777u);
    if (real_write(to, bytes, count) != (ssize_t)count) abort();
    close(to);
}

ssize_t read(int number, void *buffer, size_t count) {
    swap_before_read(number);
    size_t allowed = moved(count);
    if (count && !allowed) {
        errno = EINTR;
        return -1;
    }
    return real_read(number, buffer, allowed);
}

ssize_t write(int number, const void *bytes, size_t count) {
    size_t allowed = moved(count);
    if (count && !allowed) {
        errno = EINTR;
        return -1;
    }
    log_spool(number, bytes, allowed);
    return real_write(number, bytes, allowed);
}
