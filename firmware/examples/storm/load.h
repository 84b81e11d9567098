/*
 * examples/storm/load.h - the records of the storm, and their counts: every call site counts its
 * records itself, before it makes them, to check the recorder's counts.
 *
 * Each CPU has three levels that preempt each other: the main program, the spare interrupt and the
 * sensor interrupt. A level never preempts itself, so its counters need no lock.
 */
#ifndef STORM_LOAD_H
#define STORM_LOAD_H

#include <stdint.h>

typedef enum load_level {
    LOAD_MAIN,
    LOAD_SPARE,  /* interrupt of the kernel's priority, raised by program */
    LOAD_SENSOR, /* more urgent, comes at any time */
    LOAD_LEVELS,
} load_level_t;

/* A class of the application: events that are recorded piece by piece, and whole buffers. */
#define LOAD_CLASS_BYTES 16u

/* Count no more than this many records in all: what a ring takes that stops when it is full, and
 * the one that it refuses. Exact while one CPU records at one level. 0: no limit. */
void load_limit(uint64_t records);

/* Count `records` records of a class that the recorder makes at this level. */
void load_count(load_level_t level, uint32_t event_class, uint32_t records);

/* Simple events in a row. */
void load_simple(load_level_t level, uint32_t count);

/* A text with length and letters derived from its number. */
void load_text(load_level_t level);

/* A buffer of bytes, recorded at once. */
void load_buffer(load_level_t level);

/* An event recorded in three pieces; `between` is called after each of the first two. */
void load_pieces(load_level_t level, void (*between)(void));

/* Records counted on a CPU; call it when that CPU records no more. */
uint64_t load_counted(uint32_t cpu, uint32_t event_class);

#endif
