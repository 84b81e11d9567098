/*
 * trc_events.h - which events of the recorder are which events of the S.Ha.R.K. tracer.
 *
 * Each event of that tracer is the event of class TRC with the same number; those of the kernel
 * are an event of the kernel's hooks as well. docs/shark.md has the table.
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

/* The recorded event types of `event`: that of class TRC, and that of the kernel if there is one.
 * Returns their number, 1 or 2. */
uint32_t trc_sources(int event, trc_source_t sources[2]);

/*
 * Translate a record of the recorder, its header and two words. `task` is the thread that has the
 * processor, which some events name. Returns false when it is none of that tracer's events.
 */
bool trc_translate(uint32_t header, const uint32_t words[2], uint32_t task, trc_event_t *event);

/*
 * Whether a record is the activation that the kernel's INTACTIVATION before it has reported
 * already. `activation` is the state of one CPU, 0 at first.
 */
bool trc_repeats(uint32_t header, const uint32_t words[2], uint32_t *activation);

/* The class of an event, or -1; the first event of a class and the one after its last, or -1. */
int trc_class_of(int event);
int trc_class_begin(int event_class);
int trc_class_end(int event_class);

#endif
