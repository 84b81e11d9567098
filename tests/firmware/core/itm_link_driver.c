/*
 * The recorder and a link over a stimulus port of the ITM (links/itm_port.c). The registers are a
 * model: the port accepts a packet after a number of polls and writes it to the pin.
 *
 *     itm_link_driver FILE POLICY
 *
 * executes the letters and numbers of its input: `e N` records N events whose first word counts
 * them, `d N` takes N steps of the drain, `p N` makes the port ready at the N-th poll from then on
 * (0: never), `u N` writes N to port 0 in the smallest size that fits, `o N` switches the port on
 * (1) or off (0), `x` stops the stream. FILE receives the bytes of the pin. At the end the driver
 * prints the number of offered records and of times that the port was not ready.
 */
#include <stdlib.h>
#include <string.h>

#include "itm_registers.h"
#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

static uint32_t polls_until_ready = 1;
static uint32_t polls;
static FILE *pin;

/* Write a packet to the pin; the last poll must have found the port ready. */
static void packet(uint32_t port, uint32_t value, uint32_t count)
{
    EXPECT(polls == polls_until_ready && polls != 0u);
    polls = 0;
    (void)fputc((int)(port << 3 | (count == 4u ? 3u : count)), pin);
    for (uint32_t i = 0; i < count; i++) {
        (void)fputc((int)(value >> (8u * i) & 0xffu), pin);
    }
}

static bool is_ready(const itm_registers_t *itm, uint32_t port)
{
    (void)itm;
    (void)port;
    if (polls_until_ready == 0u) {
        return false;
    }
    return ++polls == polls_until_ready;
}

#define itm_is_ready                   is_ready
#define itm_put_word(itm, port, value) packet(port, value, 4)
#define itm_put_half(itm, port, value) packet(port, value, 2)
#define itm_put_byte(itm, port, value) packet(port, value, 1)
#define ITM_PORT_TRIES                 50u

#include "itm_port.c"

#include "ring_link.h"

static itm_registers_t itm;
static tpiu_registers_t tpiu;
static itm_port_t frames = {.itm = &itm, .number = 5};
static itm_port_t text = {.itm = &itm, .number = 0};

static void send(void);
static bool pump(void);
static uint8_t tx_bytes[1024];
static ring_link_t swo = {RING_LINK_INIT(swo, tx_bytes, NULL), .pump = pump, .send = send};

static void send(void)
{
    (void)itm_port_send(&frames, &swo.tx);
}

static bool pump(void)
{
    send();
    return itm_port_is_on(&frames);
}

static void check_set_up(void)
{
    itm.tpr = 0xcu;
    itm_port_enable(&frames);
    EXPECT_EQUAL(itm.lar, 0xc5acce55u);
    EXPECT_EQUAL(itm.ter, 1u << 5);
    EXPECT_EQUAL(itm.tpr, 0xdu); /* the port's group is privileged */
    EXPECT_EQUAL(itm.tcr, 0x1000du);
    EXPECT(!itm_port_is_on(&text));
    itm_port_enable(&text);
    EXPECT_EQUAL(itm.ter, 1u << 5 | 1u);
    EXPECT_EQUAL(swo_start(&tpiu, 168000000u, 2000000u), 2000000u);
    EXPECT_EQUAL(tpiu.acpr, 83u);
    EXPECT_EQUAL(tpiu.sppr, 2u);
    EXPECT_EQUAL(tpiu.ffcr, 0x100u);
    EXPECT_EQUAL(tpiu.cspsr, 1u);
    EXPECT_EQUAL(swo_start(&tpiu, 16000000u, 921600u), 941176u); /* divisor 17 for 17.4 */
    EXPECT_EQUAL(swo_start(&tpiu, 3000000u, 2000000u), 1500000u);
    EXPECT_EQUAL(swo_start(&tpiu, 1000000u, 2000000u), 1000000u);
    EXPECT_EQUAL(swo_start(&tpiu, 168000000u, 9600u), 168000000u / 8192u);
}

static void boot(int policy)
{
    static const tt_target_t target = {.name = "itm", .tick_hz = 1000000u};
    EXPECT_EQUAL(tt_init(&target, &swo.link), TT_OK);
    EXPECT_EQUAL(tt_set_policy(0, policy == 0 ? TT_POLICY_OVERWRITE : TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
}

static void follow(char letter, uint32_t number)
{
    static uint32_t recorded;
    if (letter == 'p') {
        polls_until_ready = number;
        polls = 0;
    } else if (letter == 'u') {
        (void)itm_port_write(&text, number, number < 256u ? 1u : number < 65536u ? 2u : 4u);
    } else if (letter == 'o') {
        itm.ter = number != 0u ? 1u << 5 | 1u : 0u;
    } else if (letter == 'x') {
        EXPECT_EQUAL(tt_stop(0), TT_OK);
    }
    for (uint32_t i = 0; i < number; i++) {
        if (letter == 'e') {
            tt_emit_user_user(1, recorded++, 0);
        } else if (letter == 'd') {
            (void)tt_drain_step();
        }
    }
}

int main(int argc, char **argv)
{
    EXPECT_EQUAL(argc, 3);
    pin = fopen(argv[1], "wb");
    EXPECT(pin != NULL);
    check_set_up();
    boot(atoi(argv[2]));
    char letter = 0;
    unsigned number = 0;
    while (scanf(" %c %u", &letter, &number) == 2) {
        follow(letter, number);
    }
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    EXPECT_EQUAL(fclose(pin), 0);
    printf("%llu %u\n", (unsigned long long)status.offered, frames.refused);
    return plain_port.failures != 0;
}
