// System calls of Linux that Swift's Glibc module does not have. Each leaves its reason in `errno` when it fails.
#pragma once

/// Lets two names in an open folder stand for each other's files (RENAME_EXCHANGE); 0 where that is done.
int system_exchange_names(int folder, const char *_Nonnull name, const char *_Nonnull other);

/// Lets no other process of this user attach to this one or read its memory, and has no core of it written
/// (PR_SET_DUMPABLE); 0 where that is so.
int system_refuse_tracing(void);

/// The cores that this thread may run on, which may be fewer than are switched on; 1 or more.
int system_available_cores(void);

/// Opens a path for nothing: neither for reading nor for writing (O_PATH). Its descriptor, or -1.
int system_open_for_nothing(const char *_Nonnull path);
