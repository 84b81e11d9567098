/*
 * trc_types.h - events, classes and records of the S.Ha.R.K. tracer ("include/trace/types.h").
 *
 * To add events, define TRC_TYPES_FILE as the name of a header that continues after the last one:
 *
 *     #define TRC_BEEP      TRC_F_LAST          // numbers are consecutive
 *     #define TRC_CLASS_BUZZER 5                // classes as well
 *     #define TRC_EXTRA_EVENTS  1
 *     #define TRC_EXTRA_CLASSES {TRC_BEEP}      // the first event of each
 *     #define TRC_NUMCLASSES    6               // with the 5 of the tracer
 *     #define TRC_EXTRA_MEMBERS trc_beep_event_t beep; // of trc_allevents_t, at most four bytes
 *
 * Without TRC_EXTRA_CLASSES they belong to no class. docs/shark.md, examples/shark_own.
 */
#ifndef TRC_TYPES_H
#define TRC_TYPES_H

#include <stdint.h>

#include "tickertape/language.h"

/* Classes, and the first event of each; a class ends where the next one starts. */
#define TRC_CLASS_TRACER 0 /* events of the tracer */
#define TRC_CLASS_SYSTEM 1 /* tasks and scheduler */
#define TRC_CLASS_USER   2 /* events of the application */
#define TRC_CLASS_LL     3 /* interrupts */
#define TRC_CLASS_SEM    4 /* semaphores */

#define TRC_F_TRACER 0x00
#define TRC_F_SYSTEM 0x02
#define TRC_F_USER   0x0b
#define TRC_F_LL     0x13
#define TRC_F_SEM    0x14
#define TRC_F_LAST   0x17

#define TRC_RESERVED 0x00
#define TRC_HOOPS    0x01 /* events were lost */

#define TRC_CREATE        0x02
#define TRC_ACTIVATE      0x03
#define TRC_SCHEDULE      0x04
#define TRC_DELAY         0x05
#define TRC_SLEEP         0x06
#define TRC_ENDCYCLE      0x07
#define TRC_DESTROY       0x08
#define TRC_INTACTIVATION 0x09
#define TRC_DISABLE       0x0a

#define TRC_USER0 0x0b
#define TRC_USER1 0x0c
#define TRC_USER2 0x0d
#define TRC_USER3 0x0e
#define TRC_USER4 0x0f
#define TRC_USER5 0x10
#define TRC_USER6 0x11
#define TRC_USER7 0x12

#define TRC_INTR 0x13

#define TRC_SEM_WAIT   0x14
#define TRC_SEM_WAITNB 0x15
#define TRC_SEM_SIGNAL 0x16

#ifdef TRC_TYPES_FILE
#include TRC_TYPES_FILE
#endif

#ifndef TRC_EXTRA_EVENTS
#define TRC_EXTRA_EVENTS 0
#endif

#ifndef TRC_EXTRA_MEMBERS
#define TRC_EXTRA_MEMBERS
#endif

#ifndef TRC_NUMCLASSES
#define TRC_NUMCLASSES 5
#endif

#define TRC_NUMEVENTS (TRC_F_LAST + TRC_EXTRA_EVENTS)

/* Data of an event: four bytes, by its class. */
typedef struct TAGtrc_tracer_event_t {
    uint32_t n; /* events lost */
} trc_tracer_event_t;

typedef struct TAGtrc_system_event_t {
    uint16_t task;
} trc_system_event_t;

typedef struct TAGtrc_user_event_t {
    int32_t n; /* `long` in the original, which has 32 bits there */
} trc_user_event_t;

#define TRC_MAXUSERINFO sizeof(int32_t)

typedef struct TAGtrc_ll_event_t {
    int32_t n; /* number of the interrupt */
} trc_ll_event_t;

typedef struct TAGtrc_sem_event_t {
    uint16_t task;
    uint16_t id;
} trc_sem_event_t;

typedef union TAGtrc_allevents {
    trc_tracer_event_t trc;
    trc_system_event_t sys;
    trc_user_event_t usr;
    trc_ll_event_t ll;
    trc_sem_event_t sem;
    TRC_EXTRA_MEMBERS
    uint32_t word; /* all four bytes */
} trc_allevents_t;

TT_STATIC_ASSERT(sizeof(trc_allevents_t) == sizeof(uint32_t), "an event has four bytes of data");

/* A record: 12 bytes, in memory and in files; the two bytes after `event` are 0. */
typedef struct TAGtrc_event_t {
    uint32_t time; /* microseconds of the target's clock, modulo 2^32 */
    uint16_t event;
    uint16_t zero;
    trc_allevents_t x;
} trc_event_t;

#endif
