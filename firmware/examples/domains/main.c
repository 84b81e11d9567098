/*
 * domains - the periodic domains of xmtrace: each runs unprivileged and records by a system call.
 *
 *     thread    domain  priority  does
 *     control   1       20        every 5 ms: a step of its filter, and a trace point
 *     logger    2       10        names an event, then records it 100 times, every 7 ms, and ends
 *     intruder  3       15        after 100 ms writes into the trace's memory: a fault ends it
 *     meter     core    12        every 10 ms: a trace point of xm_trace2()
 *
 * At the end of the run, domains without a living thread are destroyed; the domain of control is
 * not.
 *
 * `tickertape print --style xm` shows the thread and the place in the code of each event. On boards
 * without memory protection there is no intruder.
 */
#include <string.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"
#include "xm_trace.h"

#define DEFAULT_DURATION_MS 2000u
#define MEMORY_BYTES        2048u
#define LOGGER_POINTS       100u

/* Our events: the event of control is of class USER, so that a domain may record it. */
#define EVENT_STEP  21
#define EVENT_METER 22
#define EVENT_POINT 23

typedef enum domain_number {
    DOMAIN_CONTROL = 1,
    DOMAIN_LOGGER = 2,
    DOMAIN_INTRUDER = 3,
} domain_number_t;

typedef struct guest {
    domain_number_t number;
    const char *name;
    kernel_entry_t run;
    uint32_t priority;
    uint32_t period_ms; /* 0: not periodic */
} guest_t;

/* Start of a domain's memory: the data that its thread may write, in addition to its stack. */
typedef struct room {
    int32_t estimate; /* state of control's filter, in 1/256 */
    uint32_t steps;
    char event_name[16]; /* name of logger's event */
} room_t;

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void control(void *memory)
{
    room_t *room = memory;
    for (;;) {
        int32_t sample = (int32_t)(room->steps % 100u) * 256;
        room->estimate += (sample - room->estimate) / 8;
        room->steps++;
        (void)kernel_domain_trace(TT_CLASS_USER, EVENT_STEP, (uint32_t)room->estimate);
        (void)kernel_wait_period();
    }
}

static void logger(void *memory)
{
    room_t *room = memory;
    memcpy(room->event_name, "xm-domain", sizeof "xm-domain");
    (void)kernel_domain_name_event(EVENT_POINT, room->event_name);
    for (uint32_t i = 0; i < LOGGER_POINTS; i++) {
        (void)kernel_domain_trace(TT_CLASS_USER, EVENT_POINT, i);
        (void)kernel_sleep(ms_to_ticks(7));
    }
}

#if BOARD_PROTECTS_MEMORY

/* The rings of the recorder, which no header declares; address 0 in a build without the
 * recorder. */
extern uint8_t recorder_memory[] __asm__("tt_rings") __attribute__((weak));

static void intruder(void *memory)
{
    (void)memory;
    (void)kernel_sleep(ms_to_ticks(100));
    (void)kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_USER, 0xbad);
    *(volatile uint8_t *)recorder_memory = 0;
    (void)kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_USER, 0); /* not reached */
}

#endif

static const guest_t guests[] = {
    {DOMAIN_CONTROL, "control", control, 20, 5},
    {DOMAIN_LOGGER, "logger", logger, 10, 0},
#if BOARD_PROTECTS_MEMORY
    {DOMAIN_INTRUDER, "intruder", intruder, 15, 0},
#endif
};

#define GUEST_COUNT (sizeof guests / sizeof guests[0])

static _Alignas(MEMORY_BYTES) uint8_t memories[GUEST_COUNT][MEMORY_BYTES];
static kernel_domain_t domains[GUEST_COUNT];
static kernel_thread_t guest_threads[GUEST_COUNT];
static kernel_thread_t meter_thread;
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t meter_stack[BOARD_STACK_BYTES];
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static void meter(void *argument)
{
    (void)argument;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(10));
    for (long reading = 0;; reading++) {
        xm_trace2(EVENT_METER, reading);
        (void)kernel_wait_period();
    }
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    for (uint32_t i = 0; i < GUEST_COUNT; i++) {
        (void)kernel_domain_destroy(&domains[i]); /* fails for control, whose thread lives */
    }
    (void)xm_trace_stop();
    tracer_finish();
}

static void create_guests(void)
{
    for (uint32_t i = 0; i < GUEST_COUNT; i++) {
        const guest_t *guest = &guests[i];
        uint8_t *stack = memories[i] + MEMORY_BYTES - BOARD_STACK_BYTES;
        (void)kernel_domain_create(&domains[i], (uint32_t)guest->number, guest->name, memories[i],
                                   MEMORY_BYTES);
        (void)kernel_domain_thread_create(&guest_threads[i], &domains[i], guest->name, guest->run,
                                          memories[i], guest->priority, stack, BOARD_STACK_BYTES);
        if (guest->period_ms > 0u) {
            (void)kernel_thread_set_period(&guest_threads[i], ms_to_ticks(guest->period_ms));
        }
    }
}

static void name_events(void)
{
    (void)xm_event_set_name(EVENT_STEP, "control step");
    (void)xm_event_set_class(EVENT_STEP, XM_CLASS_USER);
    (void)xm_event_set_name(EVENT_METER, "meter reading");
    (void)xm_event_set_class(EVENT_METER, XM_CLASS_SCHEDULER);
}

void application_main(void)
{
    tracer_start("domains", NULL, 0);
    name_events();
    (void)xm_trace_start();
    create_guests();
    (void)kernel_thread_create(&meter_thread, "meter", meter, NULL, 12, meter_stack,
                               BOARD_STACK_BYTES);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
    kernel_start();
}
