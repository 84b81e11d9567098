/*
 * Measures the cost of an event with barectf, for comparison. tools/bench/others.py generates the
 * events of first_tape and barectf's configuration. Functions that barectf generates record the
 * events into packets in the ring of the board's UART, so no bytes are copied.
 * tools/bench/others.py runs this program one instruction at a time.
 */
#include "barectf.c" /* as generated */
#include "board.h"
#include "board_link.h"
#include "ring.h" /* for the port */
#include "tape_records.h"
#include "tickertape/tickertape.h"

#define PACKET_BYTES 1024u
_Static_assert(PACKET_BYTES <= TRACE_UART_RING_BYTES, "a packet fits");

#define SITE __attribute__((noinline, noclone)) void

static struct barectf_default_ctx stream;
static const tt_link_t *uart;

static uint32_t now(void *context)
{
    (void)context;
    return tt_port_ticks();
}

static int is_full(void *context)
{
    return uart->room_bytes(context) < PACKET_BYTES;
}

/* Return the memory of the next packet in the UART's ring. The ring's size is a multiple of the
 * packet size, so each packet is contiguous. */
static uint8_t *lent(void *context)
{
    uint8_t *bytes;
    (void)uart->acquire(context, 0, &bytes);
    return bytes;
}

static void open_packet(void *context)
{
    barectf_packet_set_buf(&stream, lent(context), PACKET_BYTES);
    barectf_default_open_packet(&stream);
}

static void close_packet(void *context)
{
    barectf_default_close_packet(&stream);
    uart->commit(context, PACKET_BYTES);
}

/* barectf requires its caller to lock. */
#define LOCKED(trace)                                                                              \
    tt_port_key_t key = tt_port_lock();                                                            \
    trace;                                                                                         \
    tt_port_unlock(key)

#include "barectf_sites.h" /* site_...(record) of each kind of event, and `sites` */

static void write_number(uint32_t value)
{
    char text[12] = "\n";
    uint32_t place = sizeof text - 2u;
    text[place] = '\n';
    do {
        text[--place] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value > 0u);
    board_console_write(text + place);
}

void application_main(void)
{
    static const tt_target_t target = {.name = "barectf_cost", .tick_hz = BOARD_CLOCK_HZ};
    uart = board_trace_link();
    (void)tt_init(&target, uart); /* starts the clock */
    const struct barectf_platform_callbacks callbacks = {
        .default_clock_get_value = now,
        .is_backend_full = is_full,
        .open_packet = open_packet,
        .close_packet = close_packet,
    };
    barectf_init(&stream, lent(uart->context), PACKET_BYTES, callbacks, uart->context);
    open_packet(uart->context);
    for (uint32_t i = 0; i < sizeof tape_records / sizeof tape_records[0]; i++) {
        sites[record_sites[i]](&tape_records[i]);
        while (is_full(uart->context)) {
        }
    }
    while (!board_trace_sent()) {
    }
    write_number(barectf_discarded_event_records_count(&stream));
    board_exit(0);
}
