/*
 * Scenarios: tables of threads and of what each does, step by step, with the journal that has to
 * come out. A thread adds a word to the journal when a step is done: its letter, then
 *
 *     SAY(x)         .x            LOCK, TRYLOCK    l      WAIT, TRYWAIT  w      WORK   k
 *     PRIORITY       =priority     UNLOCK           u      POST           p      SLEEP  s
 *     JOIN           j             YIELD            y      NEXT           n+due  PERIOD c
 *
 * and behind it, when the step did not succeed, ! and the first letter of why: timeout, busy,
 * deadlock, owner, full, state. All threads of a scenario become ready at once, in order.
 */
#ifndef KERNEL_TEST_SCENARIO_H
#define KERNEL_TEST_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

#define SCENARIO_ACTORS  5
#define SCENARIO_STEPS   12
#define SCENARIO_OBJECTS 3 /* mutexes, and semaphores that begin at 0 with a limit of 2 */

typedef enum op {
    OP_END,
    OP_SAY,
    OP_PRIORITY,
    OP_LOCK,
    OP_TRYLOCK,
    OP_UNLOCK,
    OP_WAIT,
    OP_TRYWAIT,
    OP_POST,
    OP_SLEEP,
    OP_WORK,
    OP_YIELD,
    OP_JOIN,
    OP_PERIOD,
    OP_NEXT,
} op_t;

typedef struct step {
    op_t op;
    uint32_t argument; /* which object, thread or letter; ticks */
    uint32_t ticks;    /* time limit */
} step_t;

#define SAY(letter)       {OP_SAY, letter, 0}
#define PRIORITY          {OP_PRIORITY, 0, 0}
#define LOCK(m)           {OP_LOCK, m, KERNEL_FOREVER}
#define LOCK_IN(m, t)     {OP_LOCK, m, t}
#define TRYLOCK(m)        {OP_TRYLOCK, m, 0}
#define UNLOCK(m)         {OP_UNLOCK, m, 0}
#define WAIT(s)           {OP_WAIT, s, KERNEL_FOREVER}
#define WAIT_IN(s, t)     {OP_WAIT, s, t}
#define TRYWAIT(s)        {OP_TRYWAIT, s, 0}
#define POST(s)           {OP_POST, s, 0}
#define SLEEP(t)          {OP_SLEEP, t, 0}
#define WORK(ms)          {OP_WORK, ms, 0}
#define YIELD             {OP_YIELD, 0, 0}
#define JOIN(actor)       {OP_JOIN, actor, KERNEL_FOREVER}
#define JOIN_IN(actor, t) {OP_JOIN, actor, t}
#define PERIOD(t)         {OP_PERIOD, t, 0}
#define NEXT              {OP_NEXT, 0, 0}

typedef struct actor {
    char letter; /* '\0': no thread */
    uint32_t priority;
    step_t steps[SCENARIO_STEPS];
} actor_t;

typedef struct scenario {
    const char *name;
    actor_t actors[SCENARIO_ACTORS];
    const char *journal; /* expected */
} scenario_t;

/* Run a scenario to the end of its threads; journal and trace are there afterwards. */
void scenario_run(const scenario_t *scenario);

/* Run scenarios and compare their journals. */
void scenario_check_all(const scenario_t *scenarios, size_t count);

/* Letter of the thread with this number in the scenario that ran last, '-' for another. */
char scenario_letter(uint32_t tid);

/* Number of mutex or semaphore with this trace identity, or '-'. */
char scenario_object(uint32_t id);

#endif
