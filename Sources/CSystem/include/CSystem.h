// SPDX-License-Identifier: Apache-2.0
// System calls that Swift lacks, or that have different names on each platform, and the processor's registers. Each call
// sets `errno` when it fails. Calls that only Linux has fail elsewhere with ENOTSUP; callers then have a fallback.
#pragma once

/// Disables core dumps (RLIMIT_CORE); 0 on success.
int system_write_no_core(void);

/// Whether a signal is ignored, 1 or 0.
int system_ignores_signal(int number);

/// Swaps two names in an open folder (RENAME_EXCHANGE); 0 on success.
int system_exchange_names(int folder, const char *_Nonnull name, const char *_Nonnull other);

/// Renames a file or folder in an open folder without replacing anything (RENAME_NOREPLACE); 0 on success.
int system_rename_exclusively(int folder, const char *_Nonnull name, const char *_Nonnull newName);

/// Prevents other processes of this user from attaching to this one or reading its memory, and disables core dumps
/// (PR_SET_DUMPABLE); 0 on success.
int system_refuse_tracing(void);

/// Whether so many bytes of memory could be allocated in one piece; 1 or 0.
int system_has_memory(long count);

/// The cores that this thread may use, which may be fewer than are online: by its affinity, and by the quota of
/// its control group (version 2). 1 or more.
int system_available_cores(void);

/// Opens a path for neither reading nor writing (O_PATH). Its descriptor, or -1.
int system_open_for_nothing(const char *_Nonnull path);

/// Opens the folder above an open one (O_PATH, which needs no permission to read it), close-on-exec. Its descriptor, or
/// -1.
int system_open_above(int folder);

/// Opens a path that leads nowhere outside an open folder: `..`, absolute paths and symbolic links out of it fail with
/// EXDEV (openat2 with RESOLVE_BENEATH; ENOSYS on a Linux before 5.6). Its descriptor, close-on-exec, or -1.
int system_open_beneath(int folder, const char *_Nonnull path, int flags);

/// Opens a new file that has no name (O_TMPFILE), close-on-exec, in a folder. Its descriptor, or -1.
int system_open_nameless(int folder, const char *_Nonnull path, int flags, int mode);

/// The width of a terminal in columns; 0 where it is not known.
int system_terminal_columns(int terminal);

/// Whether a write would be taken now, 1 or 0: that to a terminal whose output is stopped would not.
int system_is_writable(int descriptor);

/// Waits until everything written to the file system of an open file is on the disk (syncfs); 0 on success.
int system_sync_file_system(int file);

/// Begins questions at the controlling terminal, once no other process of this job asks there: from here to
/// `system_end_questions`, the terminal does not show what is typed. 0; -1 where there is no such terminal, or this
/// process is in its background. Where it is stopped meanwhile, or crashes, the terminal is put back as it was.
int system_begin_questions(void);

/// Asks for a line and reads it without its line break into `line`. How many bytes it has, `capacity + 1` for more
/// than that; -1 at the end of the input.
long system_ask(const char *_Nonnull text, unsigned char *_Nonnull line, long capacity);

/// Puts the terminal back as it was before the questions.
void system_end_questions(void);

/// The same for a thread that ends the process: no question begins after it.
void system_restore_terminal(void);

/// Clears the vector registers that a called function may use: what was copied or decoded stays in them, and the dynamic
/// linker and new threads write all of them to their stacks.
void system_clear_vector_registers(void);
