/*
 * Transitions as slices on tracks: what `Timeline.slices` in
 * tickertape/formats/timeline/timeline.py gives, row for row, as columns or at once as packets
 * (packets.h). What is open on each track is kept by Python, so that it can end all of it.
 */
#ifndef TICKERTAPE_NATIVE_TIMELINE_H
#define TICKERTAPE_NATIVE_TIMELINE_H

#include <stdint.h>

#include "system.h"

typedef struct tt_timeline tt_timeline_t;

#define TT_TIMELINE_CPUS   64u
/* Slices that one transition ends and begins at most, and changes of the load. */
#define TT_TIMELINE_SLOTS  4u
#define TT_TIMELINE_STEPS  2u
/* From the number of a track to that of the next one that shows the same. */
#define TT_TIMELINE_STRIDE 4

typedef struct tt_timeline_job {
    const tt_transition_t *transitions;
    uint64_t count;
    uint64_t row; /* in: the first one to take; out: the first one not taken, packets being full */
    uint64_t tick_hz;
    uint64_t entity_count;
    const int64_t *kind;        /* of each entity */
    const int64_t *name;        /* of each entity: number of a word */
    const int64_t *message;     /* of each entity: three words, for sent, received and replied */
    const int64_t *state_words; /* of each state */
    int64_t *open;              /* of each entity: the word of the slice that is open, 0 for none */
    int64_t *state;             /* of each entity: its state */
    int64_t *core;              /* of each entity: where it runs, -1 for nowhere */
    int64_t *since;             /* of each entity: time of its last change */
    int64_t entity_tracks;      /* number of the track of entity 0; the others follow */
    int64_t core_tracks;        /* likewise of CPU 0 */
    uint8_t *packets_end;       /* in and out, where packets are put */
    const uint8_t *packets_limit;
    int64_t *time_ns; /* out, SLOTS for each transition, as are the next four; NULL for packets */
    uint8_t *phase;
    int64_t *track;
    int64_t *word;
    int64_t *flow;
    uint64_t written;  /* out */
    uint64_t slices;   /* out: begins and moments */
    uint64_t flows;    /* out: moments that end one */
    uint8_t *entities; /* out: 1 where the track of an entity has something on it */
    uint8_t *cores;    /* out: 1 where that of a CPU has */
    int64_t *load_cpu; /* out, STEPS for each transition, as are the next two */
    int64_t *load_ns;
    int64_t *load_step;  /* may be 0: nothing happened */
    uint64_t load_count; /* out */
} tt_timeline_job_t;

enum {
    TT_TIMELINE_DONE,
    TT_TIMELINE_TOO_LATE, /* a time is past what 63 bits of nanoseconds hold */
    TT_TIMELINE_NO_ENTITY,
    TT_TIMELINE_NO_MEMORY
};

/* A new one, which the caller frees; NULL without memory. */
tt_timeline_t *tt_timeline_new(void);
void tt_timeline_free(tt_timeline_t *timeline);

/* Begin a boot: no message is under way. */
void tt_timeline_begin(tt_timeline_t *timeline);

int tt_timeline_slices(tt_timeline_t *timeline, tt_timeline_job_t *job);

#endif
