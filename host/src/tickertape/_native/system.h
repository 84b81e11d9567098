/*
 * The kernel as a system: what tickertape/model/follower.py and objects.py make of events, one
 * transition for one, in the same order. Numbers come from model_tables.h; which event is taken by
 * which handler is told by Python, and so is every name: the first time that an entity is
 * mentioned, and when a thread says its own.
 */
#ifndef TICKERTAPE_NATIVE_SYSTEM_H
#define TICKERTAPE_NATIVE_SYSTEM_H

#include <stdint.h>

typedef struct tt_system tt_system_t;

/* One transition; see Transitions in tickertape/model/transitions.py. */
typedef struct tt_transition {
    int64_t row;
    uint64_t time;
    int64_t value;
    int32_t entity;
    uint32_t instance;
    int32_t source;
    uint32_t source_instance;
    int32_t object;
    uint8_t cpu;
    uint8_t action;
    uint8_t before;
    uint8_t after;
} tt_transition_t;

/* What Python answers. Every function gives -1 to stop everything: the call in which it was asked
 * then returns TT_SYSTEM_STOPPED. */
typedef struct tt_system_services {
    int64_t (*entity)(uint32_t kind, uint32_t number); /* index of the entity */
    int64_t (*task)(uint32_t tid);                     /* index of the task of a new thread */
    int64_t (*limit)(uint32_t address);                /* of a semaphore, 0 for not known */
    int64_t (*name)(uint64_t row, uint32_t tid);       /* an event says a name: TT_NAME_... */
    int64_t (*rename)(uint32_t entity, uint32_t tid);  /* its task had none before */
} tt_system_services_t;

/* What an event said about the name of a thread. */
enum {
    TT_NAME_SAID = 1,    /* there is one; else nothing else is set */
    TT_NAME_FIRST = 2,   /* the thread had none */
    TT_NAME_THE_SAME = 4 /* it had this one */
};

/* State machines. */
enum {
    TT_MACHINE_PROCESS,
    TT_MACHINE_RUNNABLE,
    TT_MACHINES
};

/* How a call ended. */
enum {
    TT_SYSTEM_DONE,
    TT_SYSTEM_FULL,    /* there is no room for the next event: give more, and go on */
    TT_SYSTEM_STOPPED, /* Python said so */
    TT_SYSTEM_NO_MEMORY
};

/* Events of one stream in order of time, and room for what they mean. */
typedef struct tt_system_job {
    const uint32_t *header;
    const uint64_t *time;
    const uint32_t *data0;
    const uint32_t *data1;
    uint64_t count;   /* rows */
    uint64_t row;     /* in: the first one to take; out: the first one not taken */
    uint64_t end_row; /* behind the last one to take */
    tt_transition_t *out;
    uint64_t room;    /* of `out`, in transitions */
    uint64_t written; /* in and out: how many there are */
} tt_system_job_t;

/* A new model, which the caller frees; NULL without memory. */
tt_system_t *tt_system_new(const tt_system_services_t *services);
void tt_system_free(tt_system_t *system);

/* Say which handler takes an event, class << 10 | event, by the name of the method in Python; 0, or
 * -1 when there is none of that name. */
int tt_system_handle(tt_system_t *system, uint32_t code, const char *handler);

/* Say that an action leads from one state to another; 0, or -1 when there is none of that number.
 */
int tt_system_allow(tt_system_t *system, uint32_t machine, uint32_t before, uint32_t action,
                    uint32_t after);

/* Begin a boot; `whole` when its first event is there. */
void tt_system_begin_boot(tt_system_t *system, uint32_t whole);

/* The target was reset: nothing goes on that went on. */
int tt_system_reset(tt_system_t *system, tt_system_job_t *job);

/* Records of a CPU are missing before row job->row; `ticks` is the time of the last one before,
 * where `has_ticks`. */
int tt_system_lose(tt_system_t *system, tt_system_job_t *job, uint32_t cpu, uint32_t has_ticks,
                   uint64_t ticks);

/* Take rows. */
int tt_system_feed(tt_system_t *system, tt_system_job_t *job);

/* Whether no living thread is this task. */
int tt_system_is_free(const tt_system_t *system, uint32_t entity);

#endif
