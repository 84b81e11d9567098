/*
 * small - the recorder in a chip with 16 KiB of RAM, without a kernel: the control loop also
 * drains, so the drain needs no thread and no stack of its own. example.mk sets TT_CONFIG_SMALL.
 *
 *     interrupt  sensor  every millisecond: counts a sample
 *     loop       for each sample USER 1 {sample, filtered}, then USER 2 {sample, k} `burst` times
 *     end        USER 3 {number of events USER 1 and 2}
 *
 * Options: duration_ms (1000), burst (0), samples between two steps of the drain (1).
 */
#include <stdatomic.h>

#include "board.h"
#include "kernel.h"
#include "kernel_board.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define STREAM        0u
#define SAMPLE_US     1000u
#define EVENT_SAMPLE  1u
#define EVENT_BURST   2u
#define EVENT_END     3u
#define ANNOUNCE_EACH 1000u /* samples */

static _Atomic uint32_t samples;

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    atomic_store(&samples, atomic_load(&samples) + 1u);
}

static bool describe(uint32_t index, tt_name_t *name)
{
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_SENSOR_IRQ + 16u, .text = "sensor"};
    return index == 0u;
}

static void begin(void)
{
    static tt_target_t target = {.name = "small", .describe = describe};
    target.tick_hz = BOARD_CLOCK_HZ;
    target.build_id = board_build_id();
    target.boot_id = board_option("boot_id", 0);
    (void)tt_init(&target, board_trace_link());
    (void)tt_select_all(STREAM, true);
    (void)tt_start(STREAM);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SAMPLE_US);
}

static void wait(void)
{
#if !BOARD_BARE_METAL
    kernel_work_us(1); /* time is virtual: only this advances it */
#endif
    board_yield();
}

/* Process a sample; return the number of recorded events. */
static uint32_t control(uint32_t sample, uint32_t burst)
{
    static uint32_t filtered;
    filtered = (7u * filtered + sample % 100u) / 8u;
    tt_emit_user_user(EVENT_SAMPLE, sample, filtered);
    for (uint32_t k = 0; k < burst; k++) {
        tt_emit_user_user(EVENT_BURST, sample, k);
    }
    return burst + 1u;
}

/* Send the remaining records and the number of events, and stop recording. */
static void end(uint32_t events)
{
    board_sensor_start(0);
    while (tt_drain_step() || !board_trace_sent()) {
    }
    tt_emit_user_user(EVENT_END, events, 0);
    (void)tt_stop(STREAM);
    while (!tt_drain_done() || !board_trace_sent()) {
        (void)tt_drain_step();
    }
}

static void loop(void *argument)
{
    (void)argument;
    uint32_t duration = board_option("duration_ms", 1000);
    uint32_t burst = board_option("burst", 0);
    uint32_t between = board_option("between", 1);
    uint32_t events = 0;
    begin();
    for (uint32_t done = 0; done < duration;) {
        if (atomic_load(&samples) == done) {
            wait();
            continue;
        }
        done++;
        events += control(done, burst);
        tt_clock_poll();
        if (done % ANNOUNCE_EACH == 0u) {
            tt_drain_announce();
        }
        if (done % between == 0u) {
            (void)tt_drain_step();
        }
    }
    end(events);
    board_exit(0);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    loop(NULL);
#else /* the kernel dispatches the interrupts */
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[4096];
    (void)kernel_thread_create(&thread, "loop", loop, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
