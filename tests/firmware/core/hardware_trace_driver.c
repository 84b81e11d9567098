/*
 * The recorder on a stimulus port, together with the hardware's trace (links/hardware_trace.c).
 * ITM and DWT are models: comparators send packets for writes of a program, and a local time stamp
 * follows each packet, at 4 times the rate of the recorder's clock.
 *
 *     hardware_trace_driver FILE
 *
 * executes lines of a letter and numbers from its input:
 *
 *     t N          the clock advances by N ticks
 *     e N          record N events USER 1, whose first word counts them
 *     d N          take N steps of the drain
 *     s N C        hardware_trace_start() with `what` N and samples every C cycles; prints DWT_CTRL
 *     v A B        watch B bytes at A; prints the result
 *     q N          end watch N; prints the result
 *     c N          a debugger uses comparator N
 *     w A S V P    code at P writes V, S bytes, to A
 *     x N F        exception N is entered (F 1) or left (F 2)
 *     l            the unit loses packets: an overflow, and the time stamp before it
 *     p N          the port is ready (1) or not (0)
 *     z            stop the stream
 *
 * FILE receives the bytes of the pin. At the end the driver prints the number of offered records.
 */
#include <stdlib.h>
#include <string.h>

#include "dwt_registers.h"
#include "itm_registers.h"
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define ITM_PORT_TRIES 3u

#define STAMPS_PER_TICK 4u
#define TICK_HZ         1000000u

static FILE *pin;
static bool is_ready = true;
static uint64_t stamped;

static void put(uint32_t head, uint32_t value, uint32_t count)
{
    (void)fputc((int)head, pin);
    for (uint32_t i = 0; i < count; i++) {
        (void)fputc((int)(value >> (8u * i) & 0xffu), pin);
    }
}

static uint32_t size_bits(uint32_t count)
{
    return count == 4u ? 3u : count;
}

/* Send the time stamp that follows a packet while time stamps are on. */
static void stamp(uint32_t tcr);

static itm_registers_t itm;
static dwt_registers_t dwt;

static void packet(uint32_t port, uint32_t value, uint32_t count)
{
    put(port << 3 | size_bits(count), value, count);
    stamp(itm.tcr);
}

#define itm_is_ready(itm, port)        (is_ready)
#define itm_put_word(itm, port, value) packet(port, value, 4)
#define itm_put_half(itm, port, value) packet(port, value, 2)
#define itm_put_byte(itm, port, value) packet(port, value, 1)

#include "itm_port.c"

#include "hardware_trace.h"
#include "ring_link.h"

static itm_port_t frames = {.itm = &itm, .number = 1};
static hardware_trace_t hardware = {.dwt = &dwt, .port = {.itm = &itm, .number = 31}};

static void send(void);
static bool pump(void);
static uint8_t tx_bytes[4096];
static uint32_t poll_hardware(void *context, uint8_t *bytes, uint32_t count);
static ring_link_t swo = {RING_LINK_INIT(swo, tx_bytes, poll_hardware), .pump = pump, .send = send};

static void send(void)
{
    (void)itm_port_send(&frames, &swo.tx);
}

static bool pump(void)
{
    send();
    return itm_port_is_on(&frames);
}

static uint32_t poll_hardware(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    hardware_trace_poll(&hardware);
    return 0;
}

static void stamp(uint32_t tcr)
{
    if ((tcr & 2u) == 0u) {
        return;
    }
    uint64_t now = tt_clock_now() * STAMPS_PER_TICK;
    uint64_t passed = now - stamped;
    EXPECT(passed < 1u << 28);
    stamped = now;
    (void)fputc(0xc0, pin);
    do {
        (void)fputc((int)(passed & 0x7fu) | (passed > 0x7fu ? 0x80 : 0), pin);
        passed >>= 7;
    } while (passed != 0u);
}

/* Send the comparators' packets for a write (Architecture Reference Manual, D4.3.3). */
static void write_memory(uint32_t address, uint32_t size, uint32_t value, uint32_t code)
{
    bool is_seen = false;
    for (uint32_t i = 0; i < DWT_COMPARATORS; i++) {
        const dwt_comparator_t *one = &dwt.comparator[i];
        const uint32_t block = 1u << one->mask;
        EXPECT_EQUAL(one->comp % block, 0u);
        if ((one->function & 15u) != 15u || address + size <= one->comp ||
            address >= one->comp + block) {
            continue;
        }
        if ((one->function & 32u) != 0u) {
            put(0x4eu | i << 4, address & 0xffffu, 2);
        } else {
            put(0x47u | i << 4, code, 4);
        }
        put(0x8cu | i << 4 | size_bits(size), value, size);
        is_seen = true;
    }
    if (is_seen) {
        stamp(itm.tcr);
    }
}

static void boot(void)
{
    static const uint8_t build_id[20] = {0xab, 0xcd};
    static const tt_target_t target = {
        .name = "hardware", .tick_hz = TICK_HZ, .build_id = build_id};
    plain_port.step_ticks = 0;
    dwt.ctrl = 4u << 28;
    EXPECT_EQUAL(hardware_trace_watch(&hardware, 0x20000000u, 4), TT_ERROR_STATE);
    EXPECT_EQUAL(tt_init(&target, &swo.link), TT_OK);
    itm_port_enable(&frames);
    itm_port_enable(&hardware.port);
    hardware.stamp_hz = TICK_HZ * STAMPS_PER_TICK;
    hardware.tick_hz = TICK_HZ;
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void lose(void)
{
    put(0x70, 0, 0);
    stamped = tt_clock_now() * STAMPS_PER_TICK;
}

static void follow(char letter, const unsigned *n)
{
    static uint32_t recorded;
    switch (letter) {
    case 't':
        plain_port.now_ticks += n[0];
        break;
    case 'e':
        for (uint32_t i = 0; i < n[0]; i++) {
            tt_emit_user_user(1, recorded++, 0);
        }
        break;
    case 'd':
        for (uint32_t i = 0; i < n[0]; i++) {
            (void)tt_drain_step();
        }
        break;
    case 's':
        hardware_trace_start(&hardware, n[0], n[1]);
        printf("%u\n", dwt.ctrl);
        break;
    case 'v':
        printf("%d\n", hardware_trace_watch(&hardware, n[0], n[1]));
        break;
    case 'q':
        printf("%d\n", hardware_trace_watch_end(&hardware, (int)n[0]));
        break;
    case 'c':
        dwt.comparator[n[0]].function = 5;
        break;
    case 'w':
        write_memory(n[0], n[1], n[2], n[3]);
        break;
    case 'x':
        if ((dwt.ctrl & 1u << 16) != 0u) {
            put(0x0e, n[0] | n[1] << 12, 2);
            stamp(itm.tcr);
        }
        break;
    case 'l':
        lose();
        break;
    case 'p':
        is_ready = n[0] != 0u;
        break;
    default:
        EXPECT_EQUAL(tt_stop(0), TT_OK);
    }
}

int main(int argc, char **argv)
{
    EXPECT_EQUAL(argc, 2);
    pin = fopen(argv[1], "wb");
    EXPECT(pin != NULL);
    boot();
    char line[80];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char letter = 0;
        unsigned n[4] = {0, 0, 0, 0};
        (void)sscanf(line, " %c %u %u %u %u", &letter, &n[0], &n[1], &n[2], &n[3]);
        follow(letter, n);
    }
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(fclose(pin), 0);
    printf("%llu\n", (unsigned long long)status.offered);
    return plain_port.failures != 0;
}
