/*
 * Measures the cost of an event after it was recorded. The events of first_tape (made by
 * tools/bench/whole.py) fill the ring buffer by buffer, the drain passes each buffer to the board's
 * UART, and the UART's interrupts send it. With BOARD_LINK_DMA the buffer is sent by DMA, over
 * registers in memory. With TT_CONFIG_MEMORY_LINK the drain copies it into memory that a probe
 * reads; no further work follows. tools/bench/whole.py runs this program one instruction at a time.
 */
#include <string.h>

#include "board.h"
#include "board_link.h"
#include "dma.h"
#include "ring.h"
#include "tape_records.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define SITE __attribute__((noinline, noclone)) void

/* All work of the drain from its wake-up until it has nothing to send. */
SITE site_drain(void);
SITE site_drain(void)
{
    while (tt_drain_step()) {
    }
}

#if TT_CONFIG_MEMORY_LINK

/* Take all bytes, as a probe would. */
static void wait_for_link(void)
{
    extern tt_wire_memory_link_t trace_memory;
    trace_memory.up_read = trace_memory.up_written;
}

#elif BOARD_TRACE_LINK == BOARD_LINK_DMA

static void wait_for_link(void)
{
    dma_run();
}

#else

/* Wait until the UART's interrupts have sent all bytes. */
static void wait_for_link(void)
{
    while (!board_trace_sent()) {
    }
}

#endif

/* Fill a buffer with events as an application does, then replace its records by those of the
 * tape. */
static void fill(const tape_buffer_t *from)
{
    tt_ring_t *ring = tt_ring_at(0);
    for (uint32_t i = 0; i < from->count; i++) {
        tt_emit_user_user(0, 0, 0);
    }
    tt_record_t *records = ring->base;
    const tt_buffer_t *buffer =
        &ring->buffers[(uint32_t)(records - ring->records) / TT_CONFIG_BUFFER_RECORDS];
    uint32_t shift = (uint32_t)buffer->ticks - from->ticks;
    for (uint32_t i = 0; i < from->count; i++) {
        records[i] = tape_records[from->first + i];
        records[i].time += shift;
    }
    tt_flush(0);
}

void application_main(void)
{
    static const tt_target_t target = {.name = "drain_cost", .tick_hz = BOARD_CLOCK_HZ};
    (void)tt_init(&target, board_trace_link());
    (void)tt_set_packing(board_option("packed", 1) != 0u);
    (void)tt_start(0);
    tt_flush(0);
    while (tt_drain_step()) {
        wait_for_link();
    }
    (void)tt_select_class(0, TT_CLASS_USER, true);
    for (uint32_t i = 0; i < TAPE_BUFFERS; i++) {
        fill(&tape_buffers[i]);
        do {
            site_drain();
            wait_for_link();
        } while (tt_drain_waits());
    }
    board_exit(0);
}
