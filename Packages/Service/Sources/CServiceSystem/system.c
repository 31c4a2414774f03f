// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "service_system.h"
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int failed(int descriptor) {
    int number = errno;
    close(descriptor);
    errno = number;
    return -1;
}

static int address_of(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    /* The empty name is one of Linux's own, which no file guards. */
    if (path[0] == 0 || strlen(path) >= sizeof address->sun_path) {
        errno = path[0] == 0 ? ENOENT : ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

/* Whether what lies there is a socket that nobody listens at. */
static bool is_stale(const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
    /* One who listens and is busy would let us wait. */
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return false;
    bool refused =
        connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    close(probe);
    return refused;
}

int service_listen_unix(const char *path, unsigned mode, const char *group) {
    struct sockaddr_un address;
    if (address_of(path, &address) != 0) return -1;
    gid_t owner = (gid_t)-1;
    if (group != NULL) {
        struct group *entry = getgrnam(group);
        if (entry == NULL) return -2;
        owner = entry->gr_gid;
    }
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (is_stale(&address)) unlink(path);
    /* fchmod on a socket does nothing to its file. Until the group is set, nobody else may come in. */
    mode_t before = umask(owner == (gid_t)-1 ? ~mode & 0777 : 0177);
    int bound = bind(descriptor, (struct sockaddr *)&address, sizeof address);
    umask(before);
    if (bound != 0) return failed(descriptor);
    if (owner != (gid_t)-1 && (lchown(path, (uid_t)-1, owner) != 0 || chmod(path, mode) != 0)) {
        unlink(path);
        return failed(descriptor);
    }
    if (listen(descriptor, 128) != 0) return failed(descriptor);
    return descriptor;
}

int service_listen_tcp(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0
        || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || listen(descriptor, 128) != 0)
        return failed(descriptor);
    return descriptor;
}

int service_handed_sockets(void) {
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (process == NULL || count == NULL || atol(process) != (long)getpid()) return 0;
    int number = atoi(count);
    return number > 0 && number <= 16 ? number : 0;
}

bool service_is_listening(int descriptor) {
    int type = 0, listens = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
    size = sizeof listens;
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

bool service_is_unix(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getsockname(descriptor, (struct sockaddr *)&address, &size) == 0 && address.ss_family == AF_UNIX;
}

int service_loopback_port(int descriptor) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0 || address.sin_family != AF_INET) return 0;
    return address.sin_addr.s_addr == htonl(INADDR_LOOPBACK) ? ntohs(address.sin_port) : 0;
}

int64_t service_peer_user(int descriptor) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    return (int64_t)peer.uid;
}

void service_send(int descriptor, const uint8_t *bytes, size_t count) {
    if (count > 0) (void)!send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void service_end_reading(int descriptor) { shutdown(descriptor, SHUT_RD); }

void service_end(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

void service_linger(int descriptor, int milliseconds) {
    char buffer[1 << 12];
    shutdown(descriptor, SHUT_WR);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        long left = milliseconds - (now.tv_sec - start.tv_sec) * 1000 - (now.tv_nsec - start.tv_nsec) / 1000000;
        struct pollfd wanted = {descriptor, POLLIN, 0};
        if (left <= 0 || poll(&wanted, 1, (int)left) <= 0) return;
        if (recvfrom(descriptor, buffer, sizeof buffer, MSG_DONTWAIT, NULL, NULL) <= 0) return;
    }
}

void service_close(int descriptor) { close(descriptor); }

bool service_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool service_is_for_all(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & S_IROTH) != 0;
}

bool service_file_identity(const char *path, uint64_t identity[2]) {
    struct stat status;
    if (lstat(path, &status) != 0) return false;
    identity[0] = status.st_dev;
    identity[1] = status.st_ino;
    return true;
}

void service_remove(const char *path) { (void)!unlink(path); }

int service_raise_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    struct rlimit highest = {limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &highest) == 0) limit = highest;
    return limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
}

bool service_has_memory(size_t count) {
    void *place = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return false;
    munmap(place, count);
    return true;
}

static int64_t addresses = -1;

void service_save_addresses(void) {
    /* What is reserved for one thread is no use to another: of few addresses, most stay for all. */
    const rlim_t size = 64 << 20;
    int arenas = 2 * service_cores();
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur <= INT64_MAX) {
        rlim_t fitting = limit.rlim_cur / 4 / size;
        if (fitting < (rlim_t)arenas) arenas = fitting > 1 ? (int)fitting : 1;
        FILE *file = fopen("/proc/self/statm", "re");
        unsigned long long pages;
        if (file != NULL && fscanf(file, "%llu", &pages) == 1) {
            /* The first arena reserves nothing. */
            rlim_t used = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)(arenas - 1) * size;
            addresses = used < limit.rlim_cur ? (int64_t)(limit.rlim_cur - used) : 0;
        }
        if (file != NULL) fclose(file);
    }
    (void)mallopt(M_ARENA_MAX, arenas);
}

int64_t service_addresses(void) { return addresses; }

void service_notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    if (path == NULL || address_of(path, &address) != 0) return;
    /* An abstract name begins with a zero. */
    if (address.sun_path[0] == '@') address.sun_path[0] = 0;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    /* A manager that does not read keeps nobody. */
    struct timeval patience = {.tv_sec = 1};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    (void)!sendto(descriptor, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(descriptor);
}

bool service_start_thread(void *(*body)(void *context), void *context) {
    pthread_t thread;
    return pthread_create(&thread, NULL, body, context) == 0 && pthread_detach(thread) == 0;
}

bool service_write(int descriptor, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            /* Whoever shares it made it non-blocking. */
            struct pollfd wanted = {descriptor, POLLOUT, 0};
            poll(&wanted, 1, -1);
            continue;
        }
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

int64_t service_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int service_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return 1;
}

const char *service_error_text(void) { return strerror(errno); }

void service_exit(int status) { _exit(status); }
