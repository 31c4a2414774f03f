// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* System calls as the service makes them. What fails returns -1 and leaves errno. */

/* A listening Unix socket, mode as given whatever the umask is. What lies at its path is removed if it is a socket and
   nobody answers there. group: a name, or NULL. */
int service_listen_unix(const char *path, unsigned mode, const char *group);
/* A listening socket on 127.0.0.1. */
int service_listen_tcp(uint16_t port);
/* How many sockets systemd handed over, from descriptor 3 on. */
int service_handed_sockets(void);
/* Whether it is a Unix socket. */
bool service_is_unix(int descriptor);
/* The user at the other end of a Unix socket. */
int64_t service_peer_user(int descriptor);
/* Sends what goes at once, and ends the reading side, so that whoever reads sees the end. */
void service_cut(int descriptor, const uint8_t *bytes, size_t count);
/* Ends both sides. */
void service_end(int descriptor);
/* Ends the writing side and throws away what still comes, for so long: else the answer before may be lost. */
void service_linger(int descriptor, int milliseconds);
void service_close(int descriptor);
int service_remove(const char *path);
bool service_is_folder(const char *path);

/* A datagram for systemd, where it wants one. */
void service_notify(const char *state);

/* Signals wait for service_wait_signal from then on, in every thread that is started later; no signal for a closed
   pipe. */
void service_prepare_process(void);
/* The next of SIGTERM, SIGINT and SIGHUP; 0 where none came in that time, -1 in milliseconds for any time. */
int service_wait_signal(int milliseconds);

/* A thread that ends with its body. The pools of libdispatch set priorities, which the unit's filter kills for. */
bool service_start_thread(void *(*body)(void *context), void *context);

void service_write(int descriptor, const uint8_t *bytes, size_t count);
_Noreturn void service_exit(int status);
/* Milliseconds since 1970. */
int64_t service_now(void);
int service_cores(void);
/* The system's words for errno. */
const char *service_error_text(void);
