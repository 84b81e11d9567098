/*
 * Expected contents of every stream: a table of the event types that a stream selects, whether it
 * runs, and the events recorded while it ran. The table does not read the recorder.
 *
 * An event that interrupts a change of the selection may or may not be recorded. The table
 * therefore keeps a minimum and a maximum of the offered records.
 */
#ifndef MATRIX_TRUTH_H
#define MATRIX_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

#define STREAMS   TT_CONFIG_STREAMS
#define CPUS      TT_CONFIG_CPUS
#define EVENTS    262144u /* maximum per run */
#define MAX_DEPTH 4u

/* Event types, each of a different class, so that selecting the class selects the event. */
typedef enum kind {
    KIND_USER,
    KIND_SWITCH,
    KIND_READY, /* has a wide form */
    KIND_TEXT,
    KIND_PLAIN, /* of an application class */
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

/* The second word of each event, from which truth_see() recognises invalid records. */
#define CHECK(serial) ((serial) * 2654435761u)

/* A change of the table begins with the first two functions and ends with truth_changed(). One at a
 * time. */
void truth_selects(uint32_t stream, uint32_t kind_mask, bool take);
void truth_runs(uint32_t stream, bool runs);
void truth_changed(void);
void truth_policy(uint32_t stream, tt_policy_t policy);
tt_policy_t truth_policy_of(uint32_t stream);
bool truth_running(uint32_t stream);
bool truth_is_changing(void);

/* Enter that the stream has stopped by itself (policy UNTIL_FULL). */
void truth_stopped_itself(uint32_t stream);

/* Streams that stopped by themselves: until the drain has closed their routes, other CPUs may still
 * use their open buffers. truth_routes_follow() enters streams with closed routes. */
uint32_t truth_lingering(void);
void truth_routes_follow(uint32_t stream_mask);

/* Begin an event; returns its serial number. `records`: number of its records in a stream.
 * `passes`: the filters accept it. truth_end() ends the innermost event. */
uint32_t truth_begin(kind_t kind, uint32_t cpu, uint32_t records, bool passes);
void truth_end(void);
uint32_t truth_event_count(void);

/* Enter an event of class TRACER in every stream of the mask that selects it. `perhaps`: it may be
 * missing. `cpu` CPUS: on any CPU. */
void truth_tracer(uint32_t stream_mask, uint32_t cpu, bool perhaps);

/* Check the records of a delivered buffer: each has to be expected in the stream, once and in the
 * order of time. */
void truth_see(uint32_t stream, uint32_t cpu, const tt_record_t *records, uint32_t count,
               bool read);

/* At the end, check the recorder's counters against the offered and delivered records. */
void truth_settle(uint32_t stream, uint32_t cpu, const tt_ring_status_t *status);

#define EXPECT(condition) truth_expect((condition), #condition, __FILE__, __LINE__)
void truth_expect(bool condition, const char *what, const char *file, int line);

#endif
