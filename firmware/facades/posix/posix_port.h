/*
 * posix_port.h - functions that POSIX Trace requires of the system. Three ports:
 * examples/common/posix_port.c for the reference kernel, ports/zephyr/src/posix_port.c, host/posix/
 * for Linux processes.
 *
 * The recorder's own port (tickertape/port.h) is the other half: tt_port_lock() excludes all other
 * recording, and nests. In a Linux process it is a lock between threads and, after a fork,
 * processes; the data of façade and recorder are then in memory that these share.
 */
#ifndef POSIX_PORT_H
#define POSIX_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "trace.h"

/* Mutual exclusion of control and reading. Not recursive. Threads; may block. */
void posix_port_lock(void);
void posix_port_unlock(void);

/* Let others run for a moment. Threads. */
void posix_port_pause(void);

/* Waiting for events. ------------------------------------------------------------------------- */

/*
 * Wait until posix_port_wake() for `stream`. One wake may be for several events: the reader looks
 * for events again after reading the ticket. `until` is CLOCK_REALTIME, NULL for no limit. Spurious
 * returns are allowed. Returns 0 to look again, EINTR, ETIMEDOUT. posix_port_ticket() is called
 * under posix_port_lock().
 */
uint32_t posix_port_ticket(uint32_t stream);
int posix_port_wait(uint32_t stream, uint32_t ticket, const struct timespec *until);

/* Streams of the mask have a new event, or are gone. Any context. */
void posix_port_wake(uint32_t streams);

/* Time. ---------------------------------------------------------------------------------------- */

/* The current CLOCK_REALTIME, and that of a 64-bit time of the recorder. In a firmware they count
 * from its start. */
void posix_port_now(struct timespec *now);
void posix_port_time(uint64_t ticks, struct timespec *time);

/* Processes. ----------------------------------------------------------------------------------- */

/* The calling process; always 1 in a firmware. */
pid_t posix_port_pid(void);

/* May the caller trace process `pid`, which is not 0: 0, ESRCH or EPERM. */
int posix_port_may_trace(pid_t pid);

/* True while process `pid` lives. */
bool posix_port_lives(pid_t pid);

/* Streams that trace the calling process, a bit each. Any context. */
uint32_t posix_port_traced(void);

/* Let a stream trace process `pid`, and its children if `inherited`; no process for 0. */
void posix_port_trace(uint32_t stream, pid_t pid, bool inherited);

/* Origin of an event: words before its data, and bits of the records' headers. */
#define POSIX_PORT_ORIGIN_WORDS 6u

typedef struct posix_port_origin {
    uint32_t words[POSIX_PORT_ORIGIN_WORDS];
    uint32_t word_count;
    uint32_t header; /* bits to add */
} posix_port_origin_t;

/* `address` called posix_trace_event(). Words beyond `word_count` stay as they are. Any context. */
void posix_port_origin(const void *address, posix_port_origin_t *origin);

/*
 * Called before an event is recorded. Returns false when the caller, a signal handler, has
 * interrupted a holder of tt_port_lock(): the port stores a user event, and calls
 * posix_event_record() after the unlock.
 */
bool posix_port_before_event(trace_event_id_t event, const void *address, const void *data,
                             size_t bytes);

/*
 * The records of one event are written between these two. In a Linux process no other thread
 * records meanwhile. In a firmware interrupts stay enabled and threads may switch;
 * posix_limits.recording counts who is at it, and a reader waits for the rest of an event that has
 * begun. They nest. Any context.
 */
uint32_t posix_port_begin_event(void);
void posix_port_end_event(uint32_t key);

/* Public names. -------------------------------------------------------------------------------- */

/* A stream has this name for hosts, NULL: it is gone. */
void posix_port_publish(uint32_t stream, const char *name);

/* Logs. ---------------------------------------------------------------------------------------- */

/*
 * A file that is a log. Positions are in bytes from its start. All return 0 or an error number.
 * `check_writable`: EBADF when it is not open for writing, EINVAL when it is not a regular file.
 */
int posix_port_file_check_writable(int file);
int posix_port_file_open(int file, int *own); /* for reading and writing; close it */
void posix_port_file_close(int own);
int posix_port_file_write(int file, uint64_t position, const void *bytes, size_t count);
int posix_port_file_read(int file, uint64_t position, void *bytes, size_t count);
int posix_port_file_size(int file, uint64_t *bytes);
int posix_port_file_cut(int file, uint64_t bytes);

/*
 * Call posix_flush_service() ten times a second or more often, and soon after posix_port_serve(),
 * from a thread of its own, while a stream with log exists. Returns 0 or an error number.
 */
int posix_port_start_service(void);
void posix_port_serve(void);

/* Called by a port: --------------------------------------------------------------------------- */

/* Record an event of the user. Returns the streams that took it. */
uint32_t posix_event_record(trace_event_id_t event, const void *address, const void *data,
                            size_t bytes);

/* Flush the streams that want it. The port's service thread. */
void posix_flush_service(void);

/* Shut down every stream of the calling process, before it ends. */
TRACE_API void posix_shutdown_all(void) TRACE_WITHOUT();

#endif
