// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <termios.h>
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

int system_terminal_columns(int terminal) {
    struct winsize size;
    return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int system_is_writable(int descriptor) {
    struct pollfd file = {.fd = descriptor, .events = POLLOUT};
    return poll(&file, 1, 0) == 1 && (file.revents & POLLOUT) != 0;
}

int system_has_memory(long count) {
    // Through a volatile variable, or the compiler would remove both calls.
    void *volatile memory = malloc((size_t)count);
    if (!memory) return 0;
    free(memory);
    return 1;
}

// The terminal that does not show what is typed, while questions are asked and answers are tried; -1 where none does.
static volatile sig_atomic_t asked = -1;
// The one that waits for its answer there.
static const char *volatile question;
static struct termios usual, silent;
// Held while the terminal's echo is switched, except in signal handlers.
static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;

static int is_in_foreground(int terminal) { return tcgetpgrp(terminal) == getpgrp(); }

// What follows runs in signal handlers, too, and calls only what may be called there.
static int show_question(int terminal) {
    // What was typed before it is no answer to it.
    if (tcflush(terminal, TCIFLUSH) != 0) return -1;
    return write(terminal, question, strlen(question)) < 0 ? -1 : 0;
}

static void restore_echo(void) {
    int terminal = asked;
    // In the background the terminal is somebody else's.
    if (terminal < 0 || !is_in_foreground(terminal)) return;
    tcsetattr(terminal, TCSANOW, &usual);
    // The line break that was typed was not shown, either.
    if (question && write(terminal, "\n", 1) < 0) return;
}

void system_restore_terminal(void) {
    // For good: no question may begin before the process has ended.
    pthread_mutex_lock(&switching);
    restore_echo();
}

// Whether stop() has taken itself away, so that the process stands still as if nobody had caught the signal.
static volatile sig_atomic_t has_stopped;

static void stop(int number) {
    int error = errno;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t this, others;
    restore_echo();
    sigaction(number, &standard, NULL);
    has_stopped = 1;
    raise(number);
    sigemptyset(&this);
    sigaddset(&this, number);
    pthread_sigmask(SIG_UNBLOCK, &this, &others);
    // Here it stands still until it is continued, and go_on() was called.
    pthread_sigmask(SIG_SETMASK, &others, NULL);
    errno = error;
}

static void go_on(int number) {
    int error = errno, terminal = asked;
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    (void)number;
    // Before the question: who sees that may stop the process again.
    if (has_stopped) sigaction(SIGTSTP, &action, NULL);
    has_stopped = 0;
    if (terminal >= 0 && is_in_foreground(terminal)) {
        tcsetattr(terminal, TCSANOW, &silent);
        if (question) show_question(terminal);
    }
    errno = error;
}

static void crash(int number) {
    restore_echo();
    raise(number);
}

static long read_line(int terminal, unsigned char *line, long capacity) {
    unsigned char beyond = 0;
    long count = 0;
    while (1) {
        unsigned char *place = count < capacity ? line + count : &beyond;
        ssize_t got = read(terminal, place, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 || (got == 0 && count == 0)) return -1;
        if (got == 0 || *place == '\n' || *place == '\r') return count;
        if (count <= capacity) count++;
    }
}

// The signals that end a process in order are the caller's: it calls system_restore_terminal().
static const struct { int number; void (*handler)(int); int flags; } watched[] = {
    {SIGTSTP, stop, SA_RESTART}, {SIGCONT, go_on, SA_RESTART},
    {SIGSEGV, crash, SA_RESETHAND | SA_NODEFER}, {SIGBUS, crash, SA_RESETHAND | SA_NODEFER},
    {SIGFPE, crash, SA_RESETHAND | SA_NODEFER}, {SIGILL, crash, SA_RESETHAND | SA_NODEFER},
    {SIGABRT, crash, SA_RESETHAND | SA_NODEFER},
};
enum { watched_count = sizeof watched / sizeof *watched };
static struct sigaction before[watched_count];

// Waits until no other command of this job asks. Another job may be stopped at its question, and is not waited for.
static int take_turn(int terminal) {
    struct flock turn = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = getpgrp(), .l_len = 1};
    int result;
    do result = fcntl(terminal, F_SETLKW, &turn);
    while (result != 0 && errno == EINTR);
    return result;
}

int system_begin_questions(void) {
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return -1;
    // What it shows is known only once nobody else asks.
    if (!is_in_foreground(terminal) || take_turn(terminal) != 0 || !is_in_foreground(terminal) ||
        tcgetattr(terminal, &usual) != 0) {
        close(terminal);
        return -1;
    }
    silent = usual;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    pthread_mutex_lock(&switching);
    asked = terminal;
    for (int i = 0; i < watched_count; i++) {
        struct sigaction action = {.sa_handler = watched[i].handler, .sa_flags = watched[i].flags};
        sigaction(watched[i].number, NULL, &before[i]);
        // What our caller had us ignore stays ignored.
        if (before[i].sa_handler != SIG_IGN) sigaction(watched[i].number, &action, NULL);
    }
    int result = tcsetattr(terminal, TCSANOW, &silent);
    pthread_mutex_unlock(&switching);
    if (result != 0) system_end_questions();
    return result;
}

long system_ask(const char *text, unsigned char *line, long capacity) {
    int terminal = asked;
    question = text;
    long length = show_question(terminal) == 0 ? read_line(terminal, line, capacity) : -1;
    question = NULL;
    return write(terminal, "\n", 1) < 0 ? -1 : length;
}

void system_end_questions(void) {
    int terminal = asked;
    pthread_mutex_lock(&switching);
    // A passphrase may have been typed too early: nobody else gets it.
    if (is_in_foreground(terminal)) tcflush(terminal, TCIFLUSH);
    restore_echo();
    asked = -1;
    for (int i = 0; i < watched_count; i++) sigaction(watched[i].number, &before[i], NULL);
    pthread_mutex_unlock(&switching);
    close(terminal);
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

// The cores that the quota of a control group allows, rounded up; INT_MAX without a quota.
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

// The same for this process: the minimum of its group and all enclosing ones.
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
    // With more cores than fit into the set, those that are online.
    long count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : sysconf(_SC_NPROCESSORS_ONLN);
    int quota = process_quota();
    return count < 1 ? 1 : count < quota ? (int)count : quota;
}

int system_open_for_nothing(const char *path) { return open(path, O_PATH); }

int system_open_above(int folder) { return openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC); }

int system_sync_file_system(int file) { return syncfs(file); }

int system_open_nameless(int folder, const char *path, int flags, int mode) {
    return openat(folder, path, O_TMPFILE | O_CLOEXEC | flags, (mode_t)mode);
}

int system_open_beneath(int folder, const char *path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {.flags = (__u64)(unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long number = -1;
    // EAGAIN: something was renamed meanwhile, and the kernel cannot tell whether the path stayed inside.
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

int system_open_above(int folder) { return openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

int system_sync_file_system(int file) { return system_lacks_this(); }

int system_open_nameless(int folder, const char *path, int flags, int mode) { return system_lacks_this(); }

int system_open_beneath(int folder, const char *path, int flags) { return system_lacks_this(); }

#endif
