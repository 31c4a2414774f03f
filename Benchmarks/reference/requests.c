// SPDX-License-Identifier: Apache-2.0
// requests SOCKET REQUEST CONNECTIONS SECONDS: sends the bytes of the file REQUEST over each connection again and again, each time
// once the answer to the last one is here. Prints the answers a second, after a first tenth of the time, and how many there were
// in all; an answer that is not 200 ends it. One thread and no allocation, so that the cores are left to the server.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most = 64, room = 1 << 17 };

static struct answer {
    char bytes[room];
    size_t count;
} answers[most];
static struct pollfd places[most];
static char request[1 << 20];
static size_t request_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void ask(int descriptor) {
    for (size_t sent = 0; sent < request_count;) {
        ssize_t count = send(descriptor, request + sent, request_count - sent, MSG_NOSIGNAL);
        if (count <= 0) fail("send");
        sent += (size_t)count;
    }
}

// Whether the answer is whole.
static int take(int descriptor, struct answer *answer) {
    ssize_t count = recv(descriptor, answer->bytes + answer->count, room - 1 - answer->count, 0);
    if (count <= 0) fail("recv");
    answer->count += (size_t)count;
    answer->bytes[answer->count] = 0;
    const char *end = memmem(answer->bytes, answer->count, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    const char *length = strcasestr(answer->bytes, "\r\nContent-Length: ");
    if (strncmp(answer->bytes, "HTTP/1.1 200 ", 13) != 0 || length == NULL || length > end) {
        fprintf(stderr, "%.*s\n", (int)(end - answer->bytes), answer->bytes);
        exit(1);
    }
    if (answer->count < (size_t)(end + 4 - answer->bytes) + strtoul(length + 18, NULL, 10)) return 0;
    answer->count = 0;
    return 1;
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
        places[index] = (struct pollfd){.fd = descriptor, .events = POLLIN};
        ask(descriptor);
    }
    unsigned long done = 0, early = 0;
    const double begun = now();
    double start = 0;
    for (;;) {
        if (poll(places, (nfds_t)connections, -1) < 0) fail("poll");
        for (int index = 0; index < connections; index++) {
            if (places[index].revents == 0 || !take(places[index].fd, &answers[index])) continue;
            done++;
            ask(places[index].fd);
        }
        double time = now();
        if (start == 0 && time - begun >= seconds / 10) {
            start = time;
            early = done;
        }
        if (start != 0 && time - start >= seconds) {
            printf("%.1f %lu\n", (double)(done - early) / (time - start), done);
            return 0;
        }
    }
}
