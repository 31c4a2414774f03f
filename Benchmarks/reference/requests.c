// SPDX-License-Identifier: Apache-2.0
// requests SOCKET REQUEST CONNECTIONS SECONDS: sends the bytes of the file REQUEST over each connection again and again, each time
// once the answer to the last one is here. Prints the answers a second, after a first tenth of the time; how many there were in
// all; and of how long each took, the median and the 99th percentile in milliseconds. An answer that is not 200 ends it. One thread
// and no allocation, so that the cores are left to the server.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most = 64, most_times = 1 << 22 };

static struct exchange {
    size_t sent, received;
    size_t expected;  // once the head of the answer is here
    double begun;
    char head[1 << 14];
} exchanges[most];
static struct pollfd places[most];
static char request[16 << 20], discarded[1 << 18];
static size_t request_count;
static float times[most_times];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Sends as much of the request as the server takes now.
static void ask(struct pollfd *place, struct exchange *exchange) {
    while (exchange->sent < request_count) {
        ssize_t count = send(place->fd, request + exchange->sent, request_count - exchange->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) fail("send");
        exchange->sent += (size_t)count;
    }
    place->events = exchange->sent < request_count ? POLLIN | POLLOUT : POLLIN;
}

static void begin(struct pollfd *place, struct exchange *exchange) {
    exchange->sent = exchange->received = exchange->expected = 0;
    exchange->begun = now();
    ask(place, exchange);
}

// Whether the answer is whole.
static int take(int descriptor, struct exchange *exchange) {
    int is_head = exchange->expected == 0;
    char *to = is_head ? exchange->head + exchange->received : discarded;
    size_t room = is_head ? sizeof exchange->head - 1 - exchange->received : sizeof discarded;
    ssize_t count = recv(descriptor, to, room, 0);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) fail("recv");
    exchange->received += (size_t)count;
    if (is_head) {
        exchange->head[exchange->received] = 0;
        const char *end = memmem(exchange->head, exchange->received, "\r\n\r\n", 4);
        if (end == NULL) return 0;
        const char *length = strcasestr(exchange->head, "\r\nContent-Length: ");
        if (strncmp(exchange->head, "HTTP/1.1 200 ", 13) != 0 || length == NULL || length > end) {
            fprintf(stderr, "%.*s\n", (int)(end - exchange->head), exchange->head);
            exit(1);
        }
        exchange->expected = (size_t)(end + 4 - exchange->head) + strtoul(length + 18, NULL, 10);
    }
    return exchange->received >= exchange->expected;
}

static int compare(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    int connections = atoi(argv[3]);
    double seconds = atof(argv[4]);
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) fail(argv[2]);
    request_count = fread(request, 1, sizeof request, file);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (connections < 1 || connections > most || strlen(argv[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, argv[1]);
    for (int index = 0; index < connections; index++) {
        int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
        if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
        places[index].fd = descriptor;
        begin(&places[index], &exchanges[index]);
    }
    unsigned long done = 0, early = 0;
    const double begun = now();
    double start = 0;
    for (;;) {
        if (poll(places, (nfds_t)connections, -1) < 0) fail("poll");
        for (int index = 0; index < connections; index++) {
            if (places[index].revents & POLLOUT) ask(&places[index], &exchanges[index]);
            if (!(places[index].revents & ~POLLOUT) || !take(places[index].fd, &exchanges[index])) continue;
            if (start != 0 && done - early < most_times)
                times[done - early] = (float)(now() - exchanges[index].begun);
            done++;
            begin(&places[index], &exchanges[index]);
        }
        double time = now();
        if (start == 0 && time - begun >= seconds / 10) {
            start = time;
            early = done;
        }
        if (start != 0 && time - start >= seconds) {
            size_t count = done - early < most_times ? done - early : most_times;
            if (count == 0) {
                fprintf(stderr, "no answer within %s seconds\n", argv[4]);
                return 1;
            }
            qsort(times, count, sizeof *times, compare);
            printf("%.1f %lu %.3f %.3f\n", (double)count / (time - start), done, 1e3 * times[count / 2],
                   1e3 * times[count * 99 / 100]);
            return 0;
        }
    }
}
