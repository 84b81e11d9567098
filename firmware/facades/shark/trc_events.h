/*
 * trc_events.h - translate events of the recorder to events of the S.Ha.R.K. tracer.
 *
 * Each event of that tracer is the event of class TRC with the same number. A kernel event of that
 * tracer is also an event of the kernel's hooks. docs/shark.md has the table.
 */
#ifndef TRC_EVENTS_H
#define TRC_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trc_types.h"

/* An event type of the recorder. */
typedef struct trc_source {
    uint16_t event_class;
    uint16_t event;
} trc_source_t;

/* Store the recorded event types of `event`: the one of class TRC, and the kernel's if it exists.
 * Returns their number, 1 or 2. */
uint32_t trc_sources(int event, trc_source_t sources[2]);

/*
 * Translate a record of the recorder: its header and two words. `task` is the running thread, which
 * some events contain. Fills in all of *event except its time. Returns false when the record is not
 * an event of that tracer.
 */
bool trc_translate(uint32_t header, const uint32_t words[2], uint32_t task, trc_event_t *event);

/*
 * Return whether a record is an activation that the kernel's INTACTIVATION before it has already
 * reported. `activation` is the state of one CPU, initially 0.
 */
bool trc_repeats(uint32_t header, const uint32_t words[2], uint32_t *activation);

/* Return the class of an event, or -1. Return the first event of a class, and the one after its
 * last, or -1. */
int trc_class_of(int event);
int trc_class_begin(int event_class);
int trc_class_end(int event_class);

#endif
