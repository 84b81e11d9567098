/*
 * Measures the cost of posix_trace_event() with four bytes of data, for different numbers of
 * streams that take the event. tools/bench runs this program one instruction at a time.
 */
#include <stdint.h>
#include <trace.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"

#define CALLS       20u
#define STACK_BYTES 4096u

#define SITE __attribute__((noinline, noclone)) void

static kernel_thread_t thread;
static _Alignas(8) uint8_t stack[STACK_BYTES];
static trace_id_t trids[TRACE_SYS_MAX];
static trace_event_id_t event;

SITE site_posix_filtered(uint32_t a);
SITE site_posix_filtered(uint32_t a)
{
    posix_trace_event(event, &a, sizeof a);
    __asm volatile(""); /* prevents a tail call, so that the place of the trace point is here */
}

/* One stream runs and filters the event out. */
SITE site_posix_filter(uint32_t a);
SITE site_posix_filter(uint32_t a)
{
    posix_trace_event(event, &a, sizeof a);
    __asm volatile("");
}

SITE site_posix_1(uint32_t a);
SITE site_posix_1(uint32_t a)
{
    posix_trace_event(event, &a, sizeof a);
    __asm volatile("");
}

SITE site_posix_2(uint32_t a);
SITE site_posix_2(uint32_t a)
{
    posix_trace_event(event, &a, sizeof a);
    __asm volatile("");
}

SITE site_posix_8(uint32_t a);
SITE site_posix_8(uint32_t a)
{
    posix_trace_event(event, &a, sizeof a);
    __asm volatile("");
}

static void run(void (*site)(uint32_t a))
{
    for (uint32_t i = 0; i < CALLS; i++) {
        site(i);
    }
}

static void start(uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        trace_event_set_t set;
        (void)posix_trace_create(0, NULL, &trids[i]);
        (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
        (void)posix_trace_set_filter(trids[i], &set, POSIX_TRACE_SET_EVENTSET);
        (void)posix_trace_start(trids[i]);
    }
}

static void filter(trace_id_t trid, int how)
{
    trace_event_set_t set;
    (void)posix_trace_eventset_empty(&set);
    (void)posix_trace_eventset_add(event, &set);
    (void)posix_trace_set_filter(trid, &set, how);
}

static void measure(void *argument)
{
    (void)argument;
    (void)posix_trace_eventid_open("cost", &event);
    run(site_posix_filtered);
    start(0, 1);
    filter(trids[0], POSIX_TRACE_ADD_EVENTSET);
    run(site_posix_filter);
    filter(trids[0], POSIX_TRACE_SUB_EVENTSET);
    run(site_posix_1);
    start(1, 2);
    run(site_posix_2);
    start(2, TRACE_SYS_MAX);
    run(site_posix_8);
    board_exit(0);
}

void application_main(void)
{
    tracer_open("posix_cost", NULL, 0);
    (void)kernel_thread_create(&thread, "cost", measure, NULL, 10, stack, sizeof stack);
    kernel_start();
}
