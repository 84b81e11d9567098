/*
 * posix_port.h - functions that POSIX Trace requires of the system. Three ports exist:
 * examples/common/posix_port.c for the reference kernel, ports/zephyr/src/posix_port.c, host/posix/
 * for Linux processes.
 *
 * The recorder's own port (tickertape/port.h) is needed too: tt_port_lock() excludes all other
 * recording and is recursive. In a Linux process it is a lock between threads and, after a fork,
 * processes; the data of façade and recorder are then in shared memory.
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

/* Let other threads run for a moment. Threads. */
void posix_port_pause(void);

/* Waiting for events. ------------------------------------------------------------------------- */

/*
 * posix_port_ticket() returns the ticket of `stream`, which each wake-up changes; it is called
 * under posix_port_lock(). posix_port_wait() waits until posix_port_wake() for `stream` since that
 * ticket. One wake-up may stand for several events, so the reader checks for events between both
 * calls. `until` is CLOCK_REALTIME, NULL for no limit. Returns 0 to look again, which may be
 * spurious, EINTR or ETIMEDOUT. Threads.
 */
uint32_t posix_port_ticket(uint32_t stream);
int posix_port_wait(uint32_t stream, uint32_t ticket, const struct timespec *until);

/* Wake the readers of the streams in a mask: each has a new event or was shut down. Any context. */
void posix_port_wake(uint32_t streams);

/* Time. ---------------------------------------------------------------------------------------- */

/* Store the current CLOCK_REALTIME, and that of a 64-bit time of the recorder. In a firmware they
 * count from its start. Any context. */
void posix_port_now(struct timespec *now);
void posix_port_time(uint64_t ticks, struct timespec *time);

/* Processes. ----------------------------------------------------------------------------------- */

/* Return the calling process; always 1 in a firmware. */
pid_t posix_port_pid(void);

/* Return 0 if the caller may trace process `pid`, which is not 0, else ESRCH or EPERM. */
int posix_port_may_trace(pid_t pid);

/* Return true while process `pid` exists. */
bool posix_port_lives(pid_t pid);

/* Return the streams that trace the calling process, one bit each. Any context. */
uint32_t posix_port_traced(void);

/* Make a stream trace process `pid`, and its children if `inherited`; `pid` 0: no process. */
void posix_port_trace(uint32_t stream, pid_t pid, bool inherited);

/* Origin of an event: words before its data, and bits of the records' headers. */
#define POSIX_PORT_ORIGIN_WORDS 6u

typedef struct posix_port_origin {
    uint32_t words[POSIX_PORT_ORIGIN_WORDS];
    uint32_t word_count;
    uint32_t header; /* bits to add to the header */
} posix_port_origin_t;

/* Fill in the origin of an event that the code at `address` records. Words from `word_count` on
 * stay unchanged. Any context. */
void posix_port_origin(const void *address, posix_port_origin_t *origin);

/*
 * Called before an event is recorded. Returns false when the caller is a signal handler that has
 * interrupted the holder of tt_port_lock(): the port then stores the user event and calls
 * posix_event_record() after the unlock.
 */
bool posix_port_before_event(trace_event_id_t event, const void *address, const void *data,
                             size_t bytes);

/*
 * Enclose the writing of the records of one event. In a Linux process no other thread records
 * meanwhile. In a firmware interrupts stay enabled and threads may switch: posix_limits.recording
 * counts the events being written, and a reader waits for the rest of an event that has begun.
 * Recursive. Any context.
 */
uint32_t posix_port_begin_event(void);
void posix_port_end_event(uint32_t key);

/* Public names. -------------------------------------------------------------------------------- */

/* Publish a stream to hosts under a name; NULL: it was shut down. */
void posix_port_publish(uint32_t stream, const char *name);

/* Logs. ---------------------------------------------------------------------------------------- */

/*
 * Access to the file of a log. Positions are in bytes from its start. All functions except close()
 * return 0 or an error number. `check_writable` returns EBADF when the file is not open for
 * writing, EINVAL when it is not a regular file.
 */
int posix_port_file_check_writable(int file);
int posix_port_file_open(int file, int *own); /* for reading and writing; the caller closes it */
void posix_port_file_close(int own);
int posix_port_file_write(int file, uint64_t position, const void *bytes, size_t count);
int posix_port_file_read(int file, uint64_t position, void *bytes, size_t count);
int posix_port_file_size(int file, uint64_t *bytes);
int posix_port_file_cut(int file, uint64_t bytes);

/*
 * posix_port_start_service() starts a thread, if it does not run, that calls posix_flush_service()
 * at least ten times a second, and soon after each posix_port_serve(), while a stream with log
 * exists. Returns 0 or an error number.
 */
int posix_port_start_service(void);
void posix_port_serve(void);

/* Called by a port: --------------------------------------------------------------------------- */

/* Record a user event. Returns the streams that took it. */
uint32_t posix_event_record(trace_event_id_t event, const void *address, const void *data,
                            size_t bytes);

/* Flush the streams that are due. Service thread of the port. */
void posix_flush_service(void);

/* Shut down every stream of the calling process before it ends. */
TRACE_API void posix_shutdown_all(void) TRACE_WITHOUT();

#endif
