/*
 * examples/storm/load.h - functions that record events for the storm and count the records. Each
 * function counts its records before it records them; the counts check those of the recorder.
 *
 * Each CPU has three levels that preempt each other: the main program, the spare interrupt and the
 * sensor interrupt. A level never preempts itself, so its counters need no lock.
 */
#ifndef STORM_LOAD_H
#define STORM_LOAD_H

#include <stdint.h>

typedef enum load_level {
    LOAD_MAIN,
    LOAD_SPARE,  /* interrupt of the kernel's priority, raised by the program */
    LOAD_SENSOR, /* more urgent interrupt, occurs at any time */
    LOAD_LEVELS,
} load_level_t;

/* A class of the application, for buffers of bytes and for events recorded in pieces. */
#define LOAD_CLASS_BYTES 16u

/* Count at most `records` records in total; 0: no limit. For a ring that stops when it is full: the
 * records that it stores, and the one that it refuses. Exact only while one CPU records at one
 * level. */
void load_limit(uint64_t records);

/* Count `records` records of a class that are recorded at a level. */
void load_count(load_level_t level, uint32_t event_class, uint32_t records);

/* Record `count` simple events in a row. */
void load_simple(load_level_t level, uint32_t count);

/* Record a text with length and letters derived from its serial number. */
void load_text(load_level_t level);

/* Record a buffer of bytes in one call. */
void load_buffer(load_level_t level);

/* Record an event in three pieces; calls `between` after each of the first two. */
void load_pieces(load_level_t level, void (*between)(void));

/* Return the number of records of a class counted on a CPU; call it when that CPU has stopped
 * recording. */
uint64_t load_counted(uint32_t cpu, uint32_t event_class);

#endif
