/*
 * Measures the cost of a context switch: two threads of equal priority yield to each other.
 * tools/bench counts the instructions of PendSV_Handler, from its first one to its return.
 *
 * Built without the recorder (TT=0), with it (option select=1), and with everything filtered out
 * at run time (select=0).
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/events.h"
#include "tickertape/tickertape.h"

#define SWITCHES    20u
#define STACK_BYTES 1024u

static kernel_thread_t threads[2];
static _Alignas(8) uint8_t stacks[2][STACK_BYTES];

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

static void start_recorder(void)
{
    static const tt_link_t link = {.room_bytes = no_room, .put = put};
    static const tt_target_t target = {.name = "switch_cost", .tick_hz = BOARD_CLOCK_HZ};
    (void)tt_init(&target, &link);
    (void)tt_set_policy(0, TT_POLICY_DROP);
    (void)tt_select_all(0, board_option("select", 1) != 0u);
    (void)tt_select_class(0, TT_CLASS_IRQSTATE, false);
    (void)tt_start_without_state(0);
}

static void yield(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < SWITCHES; i++) {
        kernel_yield();
    }
    board_exit(0);
}

static void ignore(void *argument)
{
    (void)argument;
}

void application_main(void)
{
    start_recorder();
    (void)kernel_irq_attach(BOARD_DRAIN_IRQ, KERNEL_IRQ_LEVEL_KERNEL, ignore, NULL);
    for (uint32_t i = 0; i < 2u; i++) {
        (void)kernel_thread_create(&threads[i], "yields", yield, NULL, 5, stacks[i], STACK_BYTES);
    }
    kernel_start();
}
