// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

int system_write_no_core(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

int system_ignores_signal(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int system_has_memory(long count) {
    // Through a variable that may change meanwhile, or the compiler would leave both calls out.
    void *volatile memory = malloc((size_t)count);
    if (!memory) return 0;
    free(memory);
    return 1;
}

#ifdef __linux__

// By its number: musl 1.2.3 has no function for it.
static int rename_with(unsigned flags, int folder, const char *name, const char *other) {
    return (int)syscall(SYS_renameat2, folder, name, folder, other, flags);
}

int system_exchange_names(int folder, const char *name, const char *other) {
    return rename_with(RENAME_EXCHANGE, folder, name, other);
}

int system_rename_exclusively(int folder, const char *name, const char *newName) {
    return rename_with(RENAME_NOREPLACE, folder, name, newName);
}

int system_refuse_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The cores that the quota of a control group is worth, rounded up; INT_MAX where it has none.
static int group_quota(const char *group) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group) >= (int)sizeof path) return INT_MAX;
    FILE *file = fopen(path, "re");
    if (!file) return INT_MAX;
    long long quota, period;
    int found = fscanf(file, "%lld %lld", &quota, &period);
    fclose(file);
    if (found != 2 || quota < 1 || period < 1 || quota / period >= INT_MAX) return INT_MAX;
    return (int)((quota + period - 1) / period);
}

// The same for this process: the least of its group and of all around that.
static int process_quota(void) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file) return INT_MAX;
    char line[PATH_MAX];
    int quota = INT_MAX;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0) continue;
        char *group = line + 3;
        group[strcspn(group, "\n")] = 0;
        while (1) {
            int found = group_quota(group);
            if (found < quota) quota = found;
            if (!*group) break;
            *strrchr(group, '/') = 0;
        }
    }
    fclose(file);
    return quota;
}

int system_available_cores(void) {
    cpu_set_t cores;
    // Where there are more cores than fit into the set, those that are switched on.
    long count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : sysconf(_SC_NPROCESSORS_ONLN);
    int quota = process_quota();
    return count < 1 ? 1 : count < quota ? (int)count : quota;
}

int system_open_for_nothing(const char *path) { return open(path, O_PATH); }

int system_sync_file_system(int file) { return syncfs(file); }

int system_open_nameless(int folder, const char *path, int flags, int mode) {
    return openat(folder, path, O_TMPFILE | O_CLOEXEC | flags, (mode_t)mode);
}

int system_open_beneath(int folder, const char *path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {.flags = (__u64)(unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long number = -1;
    // EAGAIN: something was renamed meanwhile, and the kernel cannot say whether the way stayed inside.
    for (int tries = 0; tries < 100; tries++) {
        number = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (number >= 0 || (errno != EAGAIN && errno != EINTR)) break;
    }
    return (int)number;
#else
    errno = ENOSYS;
    return -1;
#endif
}

#else

static int system_lacks_this(void) {
    errno = ENOTSUP;
    return -1;
}

int system_exchange_names(int folder, const char *name, const char *other) { return system_lacks_this(); }

int system_rename_exclusively(int folder, const char *name, const char *newName) { return system_lacks_this(); }

int system_refuse_tracing(void) { return system_lacks_this(); }

int system_available_cores(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

int system_open_for_nothing(const char *path) { return system_lacks_this(); }

int system_sync_file_system(int file) { return system_lacks_this(); }

int system_open_nameless(int folder, const char *path, int flags, int mode) { return system_lacks_this(); }

int system_open_beneath(int folder, const char *path, int flags) { return system_lacks_this(); }

#endif
