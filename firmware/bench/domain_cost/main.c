/*
 * Measures the cost of a trace point in a thread of the core and in a thread of a domain:
 * tools/bench runs this program one instruction at a time and counts from a site's first
 * instruction to its return, including the complete system call. The kernel's tick interrupts some
 * calls, so the most frequent cost is the result.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"
#include "xm_trace.h"

#define CALLS        20u
#define STACK_BYTES  1024u
#define MEMORY_BYTES 1024u

#define SITE __attribute__((noinline, noclone)) void

KERNEL_DOMAIN_MEMORY(memory, MEMORY_BYTES);
static kernel_domain_t domain;
static kernel_thread_t core_thread;
static kernel_thread_t domain_thread;
static _Alignas(8) uint8_t core_stack[STACK_BYTES];

SITE site_core_point(uint32_t a);
SITE site_core_point(uint32_t a)
{
    xm_trace2(XM_TRACE_USER, (long)a);
    __asm volatile(""); /* prevents a tail call, so that the place of the trace point is here */
}

SITE site_domain_point(uint32_t a);
SITE site_domain_point(uint32_t a)
{
    (void)kernel_domain_trace(TT_CLASS_USER, XM_TRACE_USER, a);
    __asm volatile("");
}

static void run_domain(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < CALLS; i++) {
        site_domain_point(i);
    }
}

static void run_core(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < CALLS; i++) {
        site_core_point(i);
    }
    (void)kernel_thread_join(&domain_thread, KERNEL_FOREVER);
    board_exit(0);
}

static uint32_t no_room(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

void application_main(void)
{
    static const tt_link_t link = {.room_bytes = no_room, .put = put};
    static const tt_target_t target = {.name = "domain_cost", .tick_hz = BOARD_CLOCK_HZ};
    (void)tt_init(&target, &link);
    (void)tt_select_class(XM_STREAM, TT_CLASS_USER, true);
    (void)xm_trace_start();
    (void)kernel_domain_create(&domain, 1, "domain", memory, MEMORY_BYTES);
    (void)kernel_domain_thread_create(&domain_thread, &domain, "domain", run_domain, NULL, 10,
                                      memory, MEMORY_BYTES);
    (void)kernel_thread_create(&core_thread, "core", run_core, NULL, 11, core_stack, STACK_BYTES);
    kernel_start();
}
