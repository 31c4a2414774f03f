// SPDX-License-Identifier: Apache-2.0
// measure FD COMMAND…: runs a command and writes to FD: seconds, peak memory in KiB, exit status.
//
// Not in Python, because a child's peak memory counts what its parent had before the new program was loaded.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    pid_t child;
    int status;
    struct rusage usage;
    double start = now();
    if ((errno = posix_spawnp(&child, arguments[2], NULL, NULL, arguments + 2, environ)) != 0) {
        perror(arguments[2]);
        return 2;
    }
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {}
    double elapsed = now() - start;
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    dprintf(atoi(arguments[1]), "%.6f %ld %d\n", elapsed, usage.ru_maxrss, result);
    return 0;
}
