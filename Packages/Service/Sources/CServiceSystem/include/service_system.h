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
/* Whether it is a stream socket that listens. */
bool service_is_listening(int descriptor);
/* Whether it is a Unix socket. */
bool service_is_unix(int descriptor);
/* The port of a socket on 127.0.0.1; 0 for any other. */
int service_loopback_port(int descriptor);
/* The user at the other end of a Unix socket. */
int64_t service_peer_user(int descriptor);
/* Sends what goes at once. */
void service_send(int descriptor, const uint8_t *bytes, size_t count);
/* Ends the reading side, so that whoever reads sees the end. */
void service_end_reading(int descriptor);
/* Ends both sides. */
void service_end(int descriptor);
/* Ends the writing side and throws away what still comes, for so long: else the answer before may be lost. */
void service_linger(int descriptor, int milliseconds);
void service_close(int descriptor);
/* Takes whatever recv returned, in the thread that called it; 0 bytes at the end and for an error. */
typedef void (*service_reader)(int descriptor, const uint8_t *bytes, size_t count);
/* From now on it is called; false if libraries would call another recv. */
bool service_read_with(service_reader function);
/* Which file lies there: its device and its number. */
bool service_file_identity(const char *path, uint64_t identity[2]);
void service_remove(const char *path);
bool service_is_folder(const char *path);
/* Whether every user may read it, as far as its own mode goes. */
bool service_is_for_all(const char *path);

/* Raises the limit on descriptors as far as it goes: how many the process may have. */
int service_raise_descriptors(void);
/* Whether so much memory is to be had. */
bool service_has_memory(size_t count);
/* The C library would reserve 64 MiB of addresses for each of eight threads per core, which a limit on them counts:
   now as few as the limit is low. */
void service_save_addresses(void);
/* How many bytes of addresses the limit on them left then, without those that the C library may reserve; -1 without a
   limit, or where it is not known. */
int64_t service_addresses(void);

/* A datagram for systemd, where it wants one; waits for a second at most. */
void service_notify(const char *state);

/* A thread that ends with its body. The pools of libdispatch set priorities, which the unit's filter kills for. */
bool service_start_thread(void *(*body)(void *context), void *context);

/* Whether all of it was written; it waits for whoever reads. */
bool service_write(int descriptor, const uint8_t *bytes, size_t count);
_Noreturn void service_exit(int status);
/* Milliseconds since 1970. */
int64_t service_now(void);
int service_cores(void);
/* The system's words for errno. */
const char *service_error_text(void);
