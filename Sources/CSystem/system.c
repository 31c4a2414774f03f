#define _GNU_SOURCE
#include "CSystem.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int system_exchange_names(int folder, const char *name, const char *other) {
    return renameat2(folder, name, folder, other, RENAME_EXCHANGE);
}

int system_refuse_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int system_available_cores(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
    // There are more cores than fit into the set.
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

int system_open_for_nothing(const char *path) { return open(path, O_PATH); }
