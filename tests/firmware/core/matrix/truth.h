/*
 * What every stream has to hold, kept by a table of its own: which event types a stream selects,
 * whether it runs, which events were recorded while it did. Nothing here looks at the recorder.
 *
 * While the driver changes the selection, an event that interrupts the change may or may not be
 * taken: the table then keeps the least and the most of what may be offered.
 */
#ifndef MATRIX_TRUTH_H
#define MATRIX_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

#define STREAMS   TT_CONFIG_STREAMS
#define CPUS      TT_CONFIG_CPUS
#define EVENTS    262144u /* of one run at most */
#define MAX_DEPTH 4u

/* Event types: each is of a class of its own, so that a class and its event are selected alike. */
typedef enum kind {
    KIND_USER,
    KIND_SWITCH,
    KIND_READY, /* has a wide form */
    KIND_TEXT,
    KIND_PLAIN, /* of an application's class */
    KIND_BYTES,
    KIND_WORDS_TEXT,
    KIND_ENTRY, /* has a wide form */
    KIND_PIECES,
    KIND_COUNT,
    KIND_TRACER = KIND_COUNT, /* START, STOP and FINALIZE */
    KIND_ALL,
} kind_t;

typedef struct kind_type {
    uint32_t event_class;
    uint32_t event;
} kind_type_t;

extern const kind_type_t truth_types[KIND_ALL];

/* The second word of each event, so that a record that is not one is seen. */
#define CHECK(serial) ((serial) * 2654435761u)

/* Changes of the model: they begin, and they are done. One at a time. */
void truth_selects(uint32_t stream, uint32_t kind_mask, bool take);
void truth_runs(uint32_t stream, bool runs);
void truth_changed(void);
void truth_policy(uint32_t stream, tt_policy_t policy);
tt_policy_t truth_policy_of(uint32_t stream);
bool truth_running(uint32_t stream);
bool truth_is_changing(void);

/* The stream has stopped by itself (policy UNTIL_FULL). */
void truth_stopped_itself(uint32_t stream);

/* Streams that did, but whose other CPUs may go on in the buffers that they have open until the
 * drain has closed the routes; and those with closed routes. */
uint32_t truth_lingering(void);
void truth_routes_follow(uint32_t stream_mask);

/* An event begins; returns its serial number. `records` it has when a stream takes it,
 * `passes`: the filters let it through. And its end. */
uint32_t truth_begin(kind_t kind, uint32_t cpu, uint32_t records, bool passes);
void truth_end(void);
uint32_t truth_event_count(void);

/* An event of class TRACER was recorded in every stream that selects it, or `perhaps`, on some CPU
 * where `cpu` is CPUS. */
void truth_tracer(uint32_t stream_mask, uint32_t cpu, bool perhaps);

/* A buffer was delivered: each record has to be one that its stream was to take, once and in the
 * order of time. */
void truth_see(uint32_t stream, uint32_t cpu, const tt_record_t *records, uint32_t count,
               bool read);

/* At the end: what the recorder counts is what was offered and delivered. */
void truth_settle(uint32_t stream, uint32_t cpu, const tt_ring_status_t *status);

#define EXPECT(condition) truth_expect((condition), #condition, __FILE__, __LINE__)
void truth_expect(bool condition, const char *what, const char *file, int line);

#endif
