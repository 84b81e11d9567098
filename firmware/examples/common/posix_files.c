/* Files in memory for the logs of POSIX Trace (posix_port_file_*()). */
#include "posix_files.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "posix_port.h"

#define FILES      4
#define FIRST_FILE 3 /* after the three standard files */

static struct {
    uint8_t *memory;
    size_t room;
    size_t bytes;
} files[FILES];

static int file_count;

int posix_memory_file(void *memory, size_t bytes)
{
    if (file_count == FILES) {
        return -1;
    }
    files[file_count].memory = memory;
    files[file_count].room = bytes;
    files[file_count].bytes = 0;
    return FIRST_FILE + file_count++;
}

static bool is_file(int file)
{
    return file >= FIRST_FILE && file < FIRST_FILE + file_count;
}

size_t posix_memory_file_bytes(int file)
{
    return is_file(file) ? files[file - FIRST_FILE].bytes : 0u;
}

int posix_port_file_check_writable(int file)
{
    return is_file(file) ? 0 : EBADF;
}

int posix_port_file_open(int file, int *own)
{
    *own = file;
    return is_file(file) ? 0 : EBADF;
}

void posix_port_file_close(int own)
{
    (void)own;
}

int posix_port_file_write(int file, uint64_t position, const void *bytes, size_t count)
{
    if (!is_file(file)) {
        return EBADF;
    }
    size_t room = files[file - FIRST_FILE].room;
    if (position > room || count > room - (size_t)position) {
        return ENOSPC;
    }
    uint8_t *memory = files[file - FIRST_FILE].memory;
    size_t *end = &files[file - FIRST_FILE].bytes;
    if (position > *end) {
        memset(memory + *end, 0, (size_t)position - *end);
    }
    memcpy(memory + position, bytes, count);
    *end = position + count > *end ? (size_t)position + count : *end;
    return 0;
}

int posix_port_file_read(int file, uint64_t position, void *bytes, size_t count)
{
    if (!is_file(file)) {
        return EBADF;
    }
    size_t end = files[file - FIRST_FILE].bytes;
    if (position > end || count > end - (size_t)position) {
        return EINVAL;
    }
    memcpy(bytes, files[file - FIRST_FILE].memory + position, count);
    return 0;
}

int posix_port_file_size(int file, uint64_t *bytes)
{
    *bytes = is_file(file) ? files[file - FIRST_FILE].bytes : 0u;
    return is_file(file) ? 0 : EBADF;
}

int posix_port_file_cut(int file, uint64_t bytes)
{
    if (!is_file(file)) {
        return EBADF;
    }
    size_t *end = &files[file - FIRST_FILE].bytes;
    *end = bytes < *end ? (size_t)bytes : *end;
    return 0;
}
