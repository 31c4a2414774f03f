/* Loaded into the command by harness.py (LD_PRELOAD): what a kernel may do, and hardly ever does.
 *
 * FAULT_SHORT=SEED           reads and writes move fewer bytes than they were asked to, or are interrupted (EINTR).
 * FAULT_SWAP=N:FILE:OTHER    before the Nth read of FILE its bytes are replaced, in place, by those of OTHER.
 * FAULT_SWAP_MARK=FILE       made when that has happened.
 * FAULT_SPOOL=PREFIX:LOG     whatever is written to a file under PREFIX is written to LOG too, each piece after a
 *                            line that says how many names the file has, and its mode.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ssize_t (*read_function)(int, void *, size_t);
typedef ssize_t (*write_function)(int, const void *, size_t);

static read_function real_read;
static write_function real_write;
static unsigned long state;

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
