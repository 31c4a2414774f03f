// SPDX-License-Identifier: Apache-2.0
// SQLite, and what of it Swift cannot call: a macro that is a pointer, and a variadic function.
#pragma once
#include <sqlite3.h>
#include <stdlib.h>

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    // Without an address it would be NULL.
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text) {
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/* SQLite's own allocation ends at 2 GiB. */
static inline void *csqlite_allocate(size_t count) { return malloc(count); }
static inline void csqlite_free(void *bytes) { free(bytes); }

/* A file cannot make its reader change it, or run what is in its schema. */
static inline int csqlite_be_defensive(sqlite3 *connection) {
    int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    return result != SQLITE_OK ? result : sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
