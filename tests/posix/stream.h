/* stream.h - short hands for streams and events that most tables want. */
#ifndef POSIX_TESTS_STREAM_H
#define POSIX_TESTS_STREAM_H

#include <stddef.h>
#include <trace.h>

/* No stream has it. */
#define NO_TRID 0x7fffff7f

#define DATA_BYTES 512

/* What a read gave. */
typedef struct got {
    int result;
    int unavailable;
    size_t bytes;
    struct posix_trace_event_info info;
    char data[DATA_BYTES];
} got_t;

/* A stream with default attributes; with a policy and a size; all system events are filtered out.
 */
trace_id_t create_plain(void);
trace_id_t create_sized(int policy, size_t bytes);
trace_id_t create_quiet(void);

/* Filter exactly these system events out of all. */
void filter_all_system_but(trace_id_t trid, const trace_event_id_t *events, size_t count);

/* The event type "suite one", and an event of it whose data are a number. */
trace_event_id_t event_one(void);
void trace_number(int number);
int number_of(const got_t *got);

/* Read without waiting; read as many as there are of one event type. */
got_t read_now(trace_id_t trid);
int count_events(trace_id_t trid, trace_event_id_t event);

struct posix_trace_status_info status_of(trace_id_t trid);

void types_limit(void);

#endif
