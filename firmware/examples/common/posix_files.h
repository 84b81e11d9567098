/*
 * examples/common/posix_files.h - files in memory for the logs of POSIX Trace, for systems without
 * a file system.
 */
#ifndef EXAMPLES_POSIX_FILES_H
#define EXAMPLES_POSIX_FILES_H

#include <stddef.h>

/*
 * Create an empty file in `bytes` bytes of `memory`. Returns its number, for
 * posix_trace_create_withlog() and posix_trace_open(), or -1 if four files exist. Writing beyond
 * its size returns ENOSPC. Threads, and before the kernel runs.
 */
int posix_memory_file(void *memory, size_t bytes);

/* Return the number of bytes that a file contains; 0 if there is no such file. */
size_t posix_memory_file_bytes(int file);

#endif
