/*
 * Scenarios: tables of threads with their steps, and the expected journal. After each step, a
 * thread adds a word to the journal: its letter, then
 *
 *     SAY(x)         .x            LOCK, TRYLOCK    l      WAIT, TRYWAIT  w      WORK   k
 *     PRIORITY       =priority     UNLOCK           u      POST           p      SLEEP  s
 *     JOIN           j             YIELD            y      NEXT           n+due  PERIOD c
 *     COND_WAIT      v             SIGNAL           g      BROADCAST      G      RAISE  i
 *     SET            f             CLEAR            e      FLAGS          F+bits DELETE x
 *     SEND           m+status      RECEIVE          r+word REPLY          a      PULSE  q
 *     SUSPEND        z             RESUME           Z      TIMER, STOP    t
 *     END            D
 *
 * and, if the step failed, ! and the first letter of the reason: timeout, busy, deadlock, owner,
 * full, state; x for deleted. All threads of a scenario become ready at once, in order.
 */
#ifndef KERNEL_TEST_SCENARIO_H
#define KERNEL_TEST_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

#define SCENARIO_ACTORS  5
#define SCENARIO_STEPS   12
#define SCENARIO_OBJECTS 3 /* objects of each kind; semaphores begin at 0 with a limit of 2 */

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
    OP_COND_WAIT,
    OP_SIGNAL,
    OP_BROADCAST,
    OP_RAISE,
    OP_SET,
    OP_CLEAR,
    OP_FLAGS,
    OP_SEND,
    OP_RECEIVE,
    OP_REPLY,
    OP_PULSE,
    OP_SUSPEND,
    OP_RESUME,
    OP_END_THREAD,
    OP_DELETE,
    OP_TIMER,
    OP_COUNT,
} op_t;

typedef enum kind {
    MUTEX,
    SEM,
    COND,
    FLAG_SET,
    CHANNEL,
    TIMER_OF,
} kind_t;

typedef struct step {
    op_t op;
    uint32_t argument; /* number of object or thread, or letter; ticks */
    uint32_t ticks;    /* time limit; period */
    uint32_t detail;   /* second object, bits, word, status, priority, kind */
    uint32_t how;      /* mode of a wait for flags */
} step_t;

#define SAY(letter)       {.op = OP_SAY, .argument = letter}
#define PRIORITY          {.op = OP_PRIORITY}
#define LOCK(m)           LOCK_IN(m, KERNEL_FOREVER)
#define LOCK_IN(m, t)     {.op = OP_LOCK, .argument = m, .ticks = t}
#define TRYLOCK(m)        {.op = OP_TRYLOCK, .argument = m}
#define UNLOCK(m)         {.op = OP_UNLOCK, .argument = m}
#define WAIT(s)           WAIT_IN(s, KERNEL_FOREVER)
#define WAIT_IN(s, t)     {.op = OP_WAIT, .argument = s, .ticks = t}
#define TRYWAIT(s)        {.op = OP_TRYWAIT, .argument = s}
#define POST(s)           {.op = OP_POST, .argument = s}
#define SLEEP(t)          {.op = OP_SLEEP, .argument = t}
#define WORK(ms)          {.op = OP_WORK, .argument = ms}
#define YIELD             {.op = OP_YIELD}
#define JOIN(actor)       JOIN_IN(actor, KERNEL_FOREVER)
#define JOIN_IN(actor, t) {.op = OP_JOIN, .argument = actor, .ticks = t}
#define PERIOD(t)         {.op = OP_PERIOD, .argument = t}
#define NEXT              {.op = OP_NEXT}

#define COND_WAIT(c, m)       COND_WAIT_IN(c, m, KERNEL_FOREVER)
#define COND_WAIT_IN(c, m, t) {.op = OP_COND_WAIT, .argument = c, .detail = m, .ticks = t}
#define SIGNAL(c)             {.op = OP_SIGNAL, .argument = c}
#define BROADCAST(c)          {.op = OP_BROADCAST, .argument = c}
#define RAISE(actor, p)       {.op = OP_RAISE, .argument = actor, .detail = p}
#define SET(f, b)             {.op = OP_SET, .argument = f, .detail = b}
#define CLEAR(f, b)           {.op = OP_CLEAR, .argument = f, .detail = b}
#define FLAGS(f, b, h)        FLAGS_IN(f, b, h, KERNEL_FOREVER)
#define FLAGS_IN(f, b, h, t)  {.op = OP_FLAGS, .argument = f, .detail = b, .how = h, .ticks = t}
#define SEND(c, word)         SEND_IN(c, word, KERNEL_FOREVER)
#define SEND_IN(c, word, t)   {.op = OP_SEND, .argument = c, .detail = word, .ticks = t}
#define RECEIVE(c)            RECEIVE_IN(c, KERNEL_FOREVER)
#define RECEIVE_IN(c, t)      {.op = OP_RECEIVE, .argument = c, .ticks = t}
#define REPLY(nth, word, status)                                                                   \
    {.op = OP_REPLY, .argument = nth, .ticks = word, .detail = (uint32_t)(status)}
#define PULSE(c, word)          {.op = OP_PULSE, .argument = c, .detail = word}
#define SUSPEND(actor)          {.op = OP_SUSPEND, .argument = actor}
#define RESUME(actor)           {.op = OP_RESUME, .argument = actor}
#define END(actor)              {.op = OP_END_THREAD, .argument = actor}
#define DELETE(kind, n)         {.op = OP_DELETE, .argument = n, .detail = kind}
#define TIMER(s, first, period) {.op = OP_TIMER, .argument = s, .detail = first, .ticks = period}
#define STOP(s)                 {.op = OP_TIMER, .argument = s}

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

/* Run a scenario until all its threads have ended. Afterwards, journal and trace are complete. */
void scenario_run(const scenario_t *scenario);

/* Run scenarios and compare their journals. */
void scenario_check_all(const scenario_t *scenarios, size_t count);

/* Return the thread of an actor. */
kernel_thread_t *scenario_thread(uint32_t actor);

/* Return the letter of a thread of the last scenario by its number; I: idle, -: another. */
char scenario_letter(uint32_t tid);

/* Return the number of the object, of any kind, with this trace identity, or '-'. */
char scenario_object(uint32_t id);

/* Return the number of the message with this trace identity, in the order of their reception. */
char scenario_message(uint32_t id);

#endif
