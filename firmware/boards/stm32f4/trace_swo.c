/*
 * The trace link over SWO: one stimulus port of the ITM, pin PB3. The drain writes to the port, and
 * waits for it for a while, itself interruptible. To the host only.
 */
#include "board_link.h"

#include "board.h"
#include "handlers.h"
#include "itm_port.h"
#include "ring_link.h"
#include "stm32f4.h"

#if BOARD_TRACE_LINK == BOARD_LINK_SWO

#define DEMCR        STM32_REGISTER(0xe000edfcu)
#define DEMCR_TRCENA (1u << 24)
#define ITM          ((itm_registers_t *)0xe0000000u)
#define TPIU         ((tpiu_registers_t *)0xe0040000u)

/* PB3: alternate function 0, fast. */
#define PIN 3u

static uint8_t tx_bytes[BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)];
static itm_port_t port = {.itm = ITM, .number = BOARD_ITM_PORT};

static bool pump(void);
static void send(void);
static ring_link_t swo = {RING_LINK_INIT(swo, tx_bytes, NULL), .pump = pump, .send = send};

/* What the port did not take before. */
static bool pump(void)
{
    (void)itm_port_send(&port, &swo.tx);
    return itm_port_is_on(&port);
}

static void send(void)
{
    (void)itm_port_send(&port, &swo.tx);
}

const tt_link_t *board_trace_link(void)
{
    STM32_RCC_AHB1ENR |= STM32_RCC_AHB1ENR_GPIOB;
    STM32_GPIOB_AFRL &= ~(15u << (4u * PIN));
    STM32_GPIOB_OSPEEDR |= 3u << (2u * PIN);
    STM32_GPIOB_MODER = (STM32_GPIOB_MODER & ~(3u << (2u * PIN))) | (2u << (2u * PIN));
    STM32_DBGMCU_CR = (STM32_DBGMCU_CR & ~STM32_DBGMCU_CR_TRACE) | STM32_DBGMCU_CR_TRACE_IOEN;
    DEMCR |= DEMCR_TRCENA;
    (void)swo_start(TPIU, core_hz, BOARD_SWO_BAUD);
    itm_port_enable(&port);
    return &swo.link;
}

/* Also where nothing switches the port on, as in the emulator: the program ends. */
bool board_trace_sent(void)
{
    return byte_ring_used(&swo.tx) == 0u || !itm_port_is_on(&port);
}

void trace_link_close(void)
{
}

#endif
