/*
 * superloop - a program without a kernel: a timer interrupt takes samples, a loop processes them.
 *
 * The trace shows the interrupt, each run of the loop's two functions (runnables), and the value of
 * the filter (a signal). After SAMPLES samples the program stops recording, sends the rest and
 * ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board_config.h"
#include "tickertape/port.h"
#include "tickertape/system.h"
#include "tickertape/tickertape.h"
#include "trace_uart.h"

#define SAMPLES          200u
#define REPORT_SAMPLES   10u
#define SAMPLE_TICKS     (BOARD_CLOCK_HZ / 1000u)
#define STREAM           0u
#define LOOP_THREAD      1u
#define TIMER0_EXCEPTION 24u

#define TIMER0_CTRL      (*(volatile uint32_t *)0x40000000u)
#define TIMER0_RELOAD    (*(volatile uint32_t *)0x40000008u)
#define TIMER0_INT_CLEAR (*(volatile uint32_t *)0x4000000cu)
#define TIMER0_RUN       9u /* enabled, with its interrupt */
#define NVIC_ISER0       (*(volatile uint32_t *)0xe000e100u)

extern const uint8_t _build_id[];
#define BUILD_ID_HEAD_BYTES 16u /* head of the ELF note before the 20 bytes of the id */

static volatile uint32_t taken;
static uint32_t filtered;
static tt_runnable_t filter_runnable, report_runnable;

void TIMER0_Handler(void)
{
    tt_emit_int_entry(TIMER0_EXCEPTION, 0u, LOOP_THREAD);
    TIMER0_INT_CLEAR = 1u;
    taken++;
    tt_emit_int_exit(TIMER0_EXCEPTION, 0u, LOOP_THREAD);
}

static void filter(uint32_t sample)
{
    TT_RUNNABLE(&filter_runnable);
    filtered = (filtered * 7u + (sample % 16u) * 16u) / 8u;
    tt_signal_write(&filtered, filtered);
}

static void report(void)
{
    TT_RUNNABLE(&report_runnable);
    tt_emit_user_user(1u, taken, filtered);
}

/* Name the objects of the program for the host: the loop, which is the only thread, the two
 * functions, and the signal. */
static bool describe(uint32_t index, tt_name_t *name)
{
    static const tt_name_t loop = {.kind = TT_OBJECT_KIND_THREAD,
                                   .id = LOOP_THREAD,
                                   .state = TT_THREAD_RUNNING,
                                   .text = "loop"};
    const tt_name_t objects[] = {
        loop,
        {.kind = TT_OBJECT_KIND_RUNNABLE,
         .id = (uint32_t)(uintptr_t)&filter_runnable,
         .text = "filter"},
        {.kind = TT_OBJECT_KIND_RUNNABLE,
         .id = (uint32_t)(uintptr_t)&report_runnable,
         .text = "report"},
        {.kind = TT_OBJECT_KIND_SIGNAL, .id = (uint32_t)(uintptr_t)&filtered, .text = "filtered"},
    };
    if (index >= sizeof objects / sizeof objects[0]) {
        return false;
    }
    *name = objects[index];
    return true;
}

/* Empty, because the loop calls the drain in every turn. */
void tt_port_notify_drain(void)
{
}

static void send(void)
{
    (void)tt_drain_step();
    (void)trace_uart_poll();
}

/* End the program in an emulator (semihosting, SYS_EXIT). A real program would not end. */
static void leave(void)
{
    register uint32_t operation __asm("r0") = 0x18u;
    register uint32_t reason __asm("r1") = 0x20026u;
    __asm volatile("bkpt 0xab" : "+r"(operation) : "r"(reason) : "memory");
}

int main(void)
{
    static tt_target_t target = {
        .name = "superloop on mps2-an385", .tick_hz = BOARD_CLOCK_HZ, .describe = describe};
    target.build_id = _build_id + BUILD_ID_HEAD_BYTES;
    trace_uart_start();
    (void)tt_init(&target, &trace_uart);
    (void)tt_select_all(STREAM, true);
    (void)tt_start(STREAM);

    TIMER0_RELOAD = SAMPLE_TICKS;
    TIMER0_CTRL = TIMER0_RUN;
    NVIC_ISER0 = 1u << (TIMER0_EXCEPTION - 16u);

    uint32_t done = 0;
    while (done < SAMPLES) {
        if (done != taken) {
            filter(done);
            done++;
            if (done % REPORT_SAMPLES == 0u) {
                report();
            }
        }
        send();
    }
    (void)tt_stop(STREAM);
    while (!tt_drain_done() || trace_uart_poll()) {
        send();
    }
    leave();
}
