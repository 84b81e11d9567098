#include "slow_link.h"

#include <stddef.h>

#include "board.h"
#include "kernel_board.h"

#define TICKS_PER_MS (BOARD_CLOCK_HZ / 1000u)

/* Maximum of bytes that accumulate while nothing is sent: at least the largest frame, which could
 * otherwise never be sent. */
#define SAVED_BYTES (TT_LINK_LEAST_BYTES > 8192u ? TT_LINK_LEAST_BYTES : 8192u)

static struct {
    const tt_link_t *board;
    uint32_t bytes_per_ms;
    uint32_t closed_ticks; /* length of the closed time, from: */
    uint32_t begin;
    uint32_t refilled; /* clock when bytes were last added */
    uint32_t bytes;    /* number of bytes that may be put now */
    bool open;
} slow;

/* Add the bytes for the whole milliseconds that have passed; the remainder counts the next time. */
static void refill(void)
{
    uint32_t passed_ms = (kernel_board_clock() - slow.refilled) / TICKS_PER_MS;
    uint64_t bytes = slow.bytes + (uint64_t)passed_ms * slow.bytes_per_ms;
    slow.refilled += passed_ms * TICKS_PER_MS;
    slow.bytes = bytes < SAVED_BYTES ? (uint32_t)bytes : SAVED_BYTES;
}

static uint32_t room_bytes(void *context)
{
    uint32_t room = slow.board->room_bytes(slow.board->context);
    (void)context;
    if (slow.open) {
        return room;
    }
    if (kernel_board_clock() - slow.begin < slow.closed_ticks) {
        return 0;
    }
    if (slow.bytes_per_ms == 0u) {
        return room;
    }
    refill();
    return slow.bytes < room ? slow.bytes : room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    slow.bytes -= count < slow.bytes ? count : slow.bytes;
    slow.board->put(slow.board->context, bytes, count);
}

/* Lend the memory of the board's link, limited to the room that room_bytes() reports. */
static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    uint32_t room = room_bytes(context);
    uint32_t count = slow.board->acquire(slow.board->context, ahead, bytes);
    uint32_t left = room > ahead ? room - ahead : 0u;
    return count < left ? count : left;
}

static void commit(void *context, uint32_t count)
{
    (void)context;
    slow.bytes -= count < slow.bytes ? count : slow.bytes;
    slow.board->commit(slow.board->context, count);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    return slow.board->get == NULL ? 0u : slow.board->get(slow.board->context, bytes, count);
}

const tt_link_t *slow_link_start(const tt_link_t *board, uint32_t bytes_per_ms, uint32_t closed_ms)
{
    static const tt_link_t link = {
        .room_bytes = room_bytes, .put = put, .get = get, .acquire = acquire, .commit = commit};
    slow.board = board;
    slow.bytes_per_ms = bytes_per_ms;
    slow.closed_ticks = closed_ms * TICKS_PER_MS;
    slow.begin = kernel_board_clock();
    slow.refilled = slow.begin;
    return &link;
}

void slow_link_open(void)
{
    slow.open = true;
}
