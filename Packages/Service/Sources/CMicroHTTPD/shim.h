// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <microhttpd.h>
#include <stdbool.h>

/* The variadic functions of libmicrohttpd, which Swift cannot call, as this service calls them. */

static inline struct MHD_Daemon *
evidence_mhd_start(int descriptor, unsigned connections, unsigned silence_seconds, void *context,
                   MHD_AccessHandlerCallback handler,
                   void *(*target)(void *context, const char *target, struct MHD_Connection *connection),
                   MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify) {
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC, 0, NULL, NULL,
        handler, context, MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(96 << 10), MHD_OPTION_CONNECTION_TIMEOUT, silence_seconds,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)(1 << 20), MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_URI_LOG_CALLBACK, target, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_END);
}

static inline int evidence_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *evidence_mhd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Bytes of the head, from the method to the empty line; 0 where that is not known. */
static inline size_t evidence_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* The status of the answer that is being sent, also of one of the library's own; 0 for none. */
static inline unsigned evidence_mhd_status(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info ? info->http_status : 0;
}

/* Values of enumerations that Swift does not see by name. */

static inline int
evidence_mhd_fields(struct MHD_Connection *connection, MHD_KeyValueIteratorN iterator, void *context) {
    return MHD_get_connection_values_n(connection, MHD_HEADER_KIND, iterator, context);
}

static inline struct MHD_Response *evidence_mhd_response(size_t count, const void *bytes) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

static inline bool
evidence_mhd_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return MHD_queue_response(connection, status, response) == MHD_YES;
}

static inline bool evidence_mhd_timed_out(enum MHD_RequestTerminationCode code) {
    return code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED;
}

static inline enum MHD_Result evidence_mhd_result(int yes) { return yes ? MHD_YES : MHD_NO; }
