/* stream.h - helpers for streams and events, used by most tables. */
#ifndef POSIX_TESTS_STREAM_H
#define POSIX_TESTS_STREAM_H

#include <stddef.h>
#include <trace.h>

/* Identifier of no stream. */
#define NO_TRID 0x7fffff7f

#define DATA_BYTES 512

/* Results of a read. */
typedef struct got {
    int result;
    int unavailable;
    size_t bytes;
    struct posix_trace_event_info info;
    char data[DATA_BYTES];
} got_t;

/* Create a stream: with default attributes; with a policy and a size; with all system events
 * filtered out. */
trace_id_t create_plain(void);
trace_id_t create_sized(int policy, size_t bytes);
trace_id_t create_quiet(void);

/* Filter out all system events except these. */
void filter_all_system_but(trace_id_t trid, const trace_event_id_t *events, size_t count);

/* Return the event type "suite one"; trace an event of it with a number as data; return this
 * number. */
trace_event_id_t event_one(void);
void trace_number(int number);
int number_of(const got_t *got);

/* Read one event without waiting; read all events and return the number of one type. */
got_t read_now(trace_id_t trid);
int count_events(trace_id_t trid, trace_event_id_t event);

struct posix_trace_status_info status_of(trace_id_t trid);

void types_limit(void);

#endif
