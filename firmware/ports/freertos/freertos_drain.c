/*
 * The recorder in a FreeRTOS program: the clock, the start, and the drain task, which sends
 * records.
 *
 * A hook cannot wake a task, because it may run inside of the kernel's critical sections, or in an
 * interrupt that the kernel does not mask. It sets a flag, and the next tick wakes the drain.
 */
#include <stdbool.h>
#include <stddef.h>

#include "dwt_clock.h"
#include "freertos_port.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"

#ifndef TT_FREERTOS_CLOCK_HZ
#define TT_FREERTOS_CLOCK_HZ configCPU_CLOCK_HZ
#endif
#ifndef TT_FREERTOS_DRAIN_TASK
#define TT_FREERTOS_DRAIN_TASK 1
#endif
#ifndef TT_FREERTOS_DRAIN_STACK_WORDS
#define TT_FREERTOS_DRAIN_STACK_WORDS 384
#endif
#ifndef TT_FREERTOS_DRAIN_PERIOD_MS
#define TT_FREERTOS_DRAIN_PERIOD_MS 20
#endif

#if TT_FREERTOS_CORES > 1 && TT_FREERTOS_CLOCK_IS_DWT
#error                                                                                             \
    "tickertape: the cycle counters of several cores differ; name one 32-bit timer, -DTT_PORT_CLOCK_REGISTER=0x...u"
#endif

#define STREAM 0u

/* Period at which the buffer being filled is sent, so that a host sees a trace with few events
 * soon, and at which identity, names and counters are sent, for hosts that connect late. */
#define ANNOUNCE_PERIOD_MS 1000

/* The tick polls the clock at this period, or at POLL_CLOCK_TICKS of the clock if that is shorter,
 * because the drain task may starve. */
#define POLL_TICKS       64u
#define POLL_CLOCK_TICKS (TT_CLOCK_LONGEST / 8u)

/* The build id note of the image; a linker script that keeps it defines this symbol
 * (docs/freertos.md). */
typedef struct build_id_note {
    uint32_t head[3];
    uint8_t owner[4]; /* "GNU" */
    uint8_t id[20];
} build_id_note_t;
extern const build_id_note_t tt_freertos_build_id_note __attribute__((weak));

static tt_target_t target = {
    .describe = tt_freertos_describe,
    .current_thread = tt_freertos_current_thread,
#if TT_FREERTOS_CLOCK_IS_DWT
    .clock = TT_CLOCK_SOURCE_CYCLE_COUNTER,
#else
    .clock = TT_CLOCK_SOURCE_TIMER,
#endif
};
static tt_link_t drain_link;
static void (*kick)(void *context);

#if TT_FREERTOS_DRAIN_TASK
static TaskHandle_t drain_task;
#endif
/* Number of the task that called tt_freertos_drain() last. */
static volatile uint32_t drainer = TT_FREERTOS_NO_TASK;
static volatile bool is_wanted;
static volatile bool is_finishing;
static volatile bool is_finished;

/* Return whether the clock counts. */
static bool start_clock(void)
{
#if TT_FREERTOS_CLOCK_IS_DWT
    if (!dwt_start(DWT_REGISTERS, DWT_DEMCR)) {
        return false;
    }
#endif
    return dwt_counts(tt_port_ticks);
}

/* Return whether recorder and kernel use the same number for this core. */
static bool cores_agree(void)
{
    tt_port_key_t key = tt_port_lock();
    bool is_same = tt_port_cpu() == TT_FREERTOS_CORE();
    tt_port_unlock(key);
    return is_same;
}

/* Called in any context with interrupts masked. */
void tt_port_notify_drain(void)
{
    is_wanted = true;
}

/* Return the period of the polls in ticks of the kernel, at least 1. */
static TickType_t poll_period(void)
{
    uint64_t ticks = (uint64_t)POLL_CLOCK_TICKS * configTICK_RATE_HZ / (target.tick_hz + 1u);
    return (TickType_t)(ticks >= POLL_TICKS ? POLL_TICKS : ticks + 1u);
}

/* A tick may be the first one after a sleep without ticks (tickless idle), so the time since the
 * last poll decides, not the count itself. The difference is an int if the kernel counts ticks in
 * 16 bits. */
static void poll_clock(TickType_t count)
{
    static TickType_t polled;
    static bool has_polled;
    TickType_t elapsed = has_polled ? (TickType_t)(count - polled) : 0u;
    if (!has_polled || elapsed >= poll_period()) {
        has_polled = true;
        polled = count;
        tt_clock_poll_after((uint64_t)elapsed * target.tick_hz / configTICK_RATE_HZ);
    }
}

void tt_freertos_on_tick(uint32_t count)
{
    poll_clock((TickType_t)count);
#if TT_FREERTOS_DRAIN_TASK
    if (is_wanted && drain_task != NULL && tt_freertos_is_running()) {
        is_wanted = false;
        vTaskNotifyGiveFromISR(drain_task, NULL);
    }
#endif
}

static void send_all(void)
{
    bool sent = false;
    while (tt_drain_step()) {
        sent = true;
    }
    if (sent && kick != NULL) {
        kick(drain_link.context);
    }
}

void tt_freertos_drain(void)
{
    static TickType_t announced;
    TickType_t now = xTaskGetTickCount();
    drainer = tt_freertos_self();
    /* The difference is an int if the kernel counts ticks in 16 bits. */
    if ((TickType_t)(now - announced) >= pdMS_TO_TICKS(ANNOUNCE_PERIOD_MS)) {
        announced = now;
        tt_flush(STREAM);
        tt_freertos_poll_others();
        tt_drain_announce();
    }
    if (is_finishing) {
        tt_freertos_poll_others();
    }
    send_all();
    if (is_finishing && tt_drain_done()) {
        is_finished = true;
    }
}

#if TT_FREERTOS_DRAIN_TASK

static void run_drain(void *unused)
{
    (void)unused;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, pdMS_TO_TICKS(TT_FREERTOS_DRAIN_PERIOD_MS) + 1u);
        tt_freertos_drain();
    }
}

#endif

#if !TT_FREERTOS_DRAIN_TASK

static bool create_drain(void)
{
    return true;
}

#elif configSUPPORT_STATIC_ALLOCATION == 1

static StaticTask_t drain_tcb;
/* Aligned for a region of an MPU. */
static StackType_t drain_stack[TT_FREERTOS_DRAIN_STACK_WORDS] __attribute__((aligned(32)));

static bool create_drain(void)
{
    drain_task = xTaskCreateStatic(run_drain, "tickertape", TT_FREERTOS_DRAIN_STACK_WORDS, NULL,
                                   TT_FREERTOS_DRAIN_PRIORITY | TT_FREERTOS_PRIVILEGED, drain_stack,
                                   &drain_tcb);
    return drain_task != NULL && tt_freertos_bind(drain_task, TT_FREERTOS_DRAIN_CORE);
}

#else

static bool create_drain(void)
{
    return xTaskCreate(run_drain, "tickertape", TT_FREERTOS_DRAIN_STACK_WORDS, NULL,
                       TT_FREERTOS_DRAIN_PRIORITY | TT_FREERTOS_PRIVILEGED,
                       &drain_task) == pdPASS &&
           tt_freertos_bind(drain_task, TT_FREERTOS_DRAIN_CORE);
}

#endif

int tt_freertos_start(const char *name, const tt_freertos_link_t *link)
{
    if (link == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    if (!cores_agree() || !tt_freertos_is_protected()) {
        return TT_ERROR_STATE;
    }
    target.name = name;
    target.tick_hz = start_clock() ? (uint32_t)TT_FREERTOS_CLOCK_HZ : 0u;
    if (&tt_freertos_build_id_note != NULL) {
        target.build_id = tt_freertos_build_id_note.id;
    }
    drain_link = (tt_link_t){
        .context = link->context,
        .room_bytes = link->room_bytes,
        .put = link->put,
        .get = link->get,
    };
    kick = link->kick;
    int status = tt_init(&target, &drain_link);
    if (status != TT_OK) {
        return status;
    }
    (void)tt_select_all(STREAM, true);
    status = tt_start(STREAM);
    if (status != TT_OK) {
        return status;
    }
    tt_freertos_name_heap();
    return create_drain() ? 0 : TT_ERROR_STATE;
}

void tt_freertos_finish(void)
{
#if TT_FREERTOS_CORES > 1
    taskENTER_CRITICAL(); /* no operation of another core is recorded only in part */
    (void)tt_stop(STREAM);
    taskEXIT_CRITICAL();
#else
    (void)tt_stop(STREAM);
#endif
    is_finishing = true;
    while (!is_finished) {
        vTaskDelay(1);
        if (drainer == tt_freertos_self()) {
            tt_freertos_drain(); /* no other task does */
        }
    }
}
