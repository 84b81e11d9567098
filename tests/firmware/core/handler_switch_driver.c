/*
 * Threads switch while they are inside a handler. The handler must not be called for an event that
 * a thread records inside it. Each thread is a Linux thread with its own stack; only the thread
 * whose turn it is runs, so the cases decide where threads switch.
 */
#include <pthread.h>
#include <string.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define MAIN 1u

#define ASKED  1u /* event for which the handler is called */
#define NESTED 2u /* event that the handler records */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static uint32_t turn = MAIN;
static uint32_t calls[MAIN + TT_CONFIG_HANDLER_RUNS + 1u]; /* calls of the handler, by thread */
static uint32_t nested_calls;

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = turn;
}

static void wait_for_turn(uint32_t self)
{
    (void)pthread_mutex_lock(&mutex);
    while (turn != self) {
        (void)pthread_cond_wait(&turn_changed, &mutex);
    }
    (void)pthread_mutex_unlock(&mutex);
}

static void give_turn(uint32_t next)
{
    (void)pthread_mutex_lock(&mutex);
    turn = next;
    (void)pthread_cond_broadcast(&turn_changed);
    (void)pthread_mutex_unlock(&mutex);
}

/* Let another thread run; returns when it is the turn of `self` again. */
static void switch_to(uint32_t self, uint32_t next)
{
    give_turn(next);
    wait_for_turn(self);
}

/* Switches to the main thread before and after it records. */
static bool switching_handler(const tt_event_view_t *view)
{
    uint32_t self = view->tid;
    if ((view->header & TT_RECORD_EVENT_MASK) == NESTED) {
        nested_calls++;
        return true;
    }
    calls[self]++;
    switch_to(self, MAIN);
    tt_emit_user_user(NESTED, self, 0);
    switch_to(self, MAIN);
    tt_emit_user_user(NESTED, self, 1);
    return true;
}

static void *emit_twice(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;
    wait_for_turn(self);
    tt_emit_user_user(ASKED, self, 0);
    tt_emit_user_user(ASKED, self, 1);
    give_turn(MAIN);
    return NULL;
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    return status.offered;
}

static pthread_t threads[TT_CONFIG_HANDLER_RUNS];

/* Start `count` threads, from MAIN + 1 on, and let each enter the handler. */
static void enter_the_handler(uint32_t count)
{
    memset(calls, 0, sizeof calls);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t self = MAIN + 1u + i;
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, emit_twice, (void *)(uintptr_t)self), 0);
        switch_to(MAIN, self);
    }
}

/* Continue the threads in turn: each records, leaves and enters again while others are inside. */
static void go_on_to_the_end(uint32_t count)
{
    for (uint32_t step = 0; step < 4u; step++) {
        for (uint32_t i = 0; i < count; i++) {
            switch_to(MAIN, MAIN + 1u + i);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQUAL(pthread_join(threads[i], NULL), 0);
        EXPECT_EQUAL(calls[MAIN + 1u + i], 2);
    }
    EXPECT_EQUAL(nested_calls, 0);
}

static void threads_take_turns(uint32_t count)
{
    uint64_t before = offered();
    enter_the_handler(count);
    go_on_to_the_end(count);
    EXPECT_EQUAL(offered() - before, 6 * count); /* a thread's 2 calls: 3 each */
}

/* One thread more than there are slots: the handler is not called for it; others are unaffected. */
static void one_too_many_is_recorded_unasked(void)
{
    enter_the_handler(TT_CONFIG_HANDLER_RUNS);
    uint64_t before = offered();
    tt_emit_user_user(ASKED, MAIN, 0);
    EXPECT_EQUAL(calls[MAIN], 0);
    EXPECT_EQUAL(offered() - before, 1);
    go_on_to_the_end(TT_CONFIG_HANDLER_RUNS);
}

int main(void)
{
    static const tt_target_t target = {
        .name = "handler_switch_driver", .tick_hz = 1000000u, .current_thread = current_thread};
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start(0), TT_OK);
    EXPECT_EQUAL(tt_add_handler(TT_CLASS_USER, TT_EVERY_EVENT, switching_handler, NULL), TT_OK);
    threads_take_turns(2);
    threads_take_turns(TT_CONFIG_HANDLER_RUNS);
    one_too_many_is_recorded_unasked();
    EXPECT_EQUAL(plain_port.lock_depth, 0);
    return plain_port.failures == 0 ? 0 : 1;
}
