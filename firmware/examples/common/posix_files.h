/*
 * examples/common/posix_files.h - files for the logs of POSIX Trace, where there is no file system.
 */
#ifndef EXAMPLES_POSIX_FILES_H
#define EXAMPLES_POSIX_FILES_H

#include <stddef.h>

/*
 * Create an empty file in memory: its number for posix_trace_create_withlog() and
 * posix_trace_open(), or -1 when there are four. Writing beyond its size returns ENOSPC. Threads,
 * and before the kernel runs.
 */
int posix_memory_file(void *memory, size_t bytes);

/* Bytes that it holds. */
size_t posix_memory_file_bytes(int file);

#endif
