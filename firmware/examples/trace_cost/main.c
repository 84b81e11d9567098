/*
 * trace_cost - the measurement of the xmtrace paper: two consecutive trace points, from the core
 * and from a domain. The difference of their times is the cost of one trace point.
 *
 *     thread   domain  does, once a millisecond
 *     core     core    xm_trace2() twice
 *     domain   1       kernel_domain_trace(), a system call, twice
 *
 * `python -m tools.trace_cost T.tape` prints the table. Both threads record the same event type;
 * its word is twice the number of the pair, plus 1 in the second point.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"
#include "xm_trace.h"

#define DEFAULT_DURATION_MS 1000u
#define MEMORY_BYTES        1024u

KERNEL_DOMAIN_MEMORY(memory, MEMORY_BYTES);
static kernel_domain_t domain;
static kernel_thread_t core_thread;
static kernel_thread_t domain_thread;
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t core_stack[BOARD_STACK_BYTES];
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static void measure_core(void *argument)
{
    (void)argument;
    for (long pair = 0;; pair += 2) {
        xm_trace2(XM_TRACE_USER, pair);
        xm_trace2(XM_TRACE_USER, pair + 1);
        (void)kernel_sleep(1);
    }
}

static void measure_domain(void *argument)
{
    (void)argument;
    for (uint32_t pair = 0;; pair += 2u) {
        (void)kernel_domain_trace(TT_CLASS_USER, XM_TRACE_USER, pair);
        (void)kernel_domain_trace(TT_CLASS_USER, XM_TRACE_USER, pair + 1u);
        (void)kernel_sleep(1);
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    uint64_t ms = board_option("duration_ms", DEFAULT_DURATION_MS);
    (void)kernel_sleep((uint32_t)(ms * KERNEL_TICK_HZ / 1000u));
    (void)xm_trace_stop();
    tracer_finish();
}

void application_main(void)
{
    tracer_start("trace_cost", NULL, 0);
    (void)xm_trace_start();
    (void)kernel_domain_create(&domain, 1, "measured", memory, MEMORY_BYTES);
    (void)kernel_domain_thread_create(&domain_thread, &domain, "domain", measure_domain, NULL, 10,
                                      memory, MEMORY_BYTES);
    (void)kernel_thread_create(&core_thread, "core", measure_core, NULL, 11, core_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
