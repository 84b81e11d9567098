/*
 * Trace link over SWO: one stimulus port of the ITM on pin PB3, to the host only. The drain writes
 * to the port and polls it for a bounded time, with interrupts enabled. Packets of tt_watch() and
 * of the rest of the hardware trace (BOARD_HARDWARE_TRACE) use the same pin.
 */
#include "board_link.h"

#include "board.h"
#include "handlers.h"
#include "hardware_trace.h"
#include "itm_port.h"
#include "ring_link.h"
#include "stm32f4.h"
#include "tickertape/watch.h"

#if BOARD_TRACE_LINK == BOARD_LINK_SWO

#define ITM  ((itm_registers_t *)0xe0000000u)
#define TPIU ((tpiu_registers_t *)0xe0040000u)

/* PB3: alternate function 0, fast. */
#define PIN 3u

static uint8_t tx_bytes[BYTE_RING_SIZE(2u * TT_LINK_LEAST_BYTES)];
static itm_port_t port = {.itm = ITM, .number = BOARD_ITM_PORT};
static hardware_trace_t hardware = {.dwt = DWT,
                                    .port = {.itm = ITM, .number = BOARD_ANNOUNCE_PORT}};

static bool pump(void);
static void send(void);
static uint32_t poll_hardware(void *context, uint8_t *bytes, uint32_t count);
static ring_link_t swo = {RING_LINK_INIT(swo, tx_bytes, poll_hardware), .pump = pump, .send = send};

/* Send bytes that the port did not accept before. Return whether the port is enabled. */
static bool pump(void)
{
    (void)itm_port_send(&port, &swo.tx);
    return itm_port_is_on(&port);
}

/* Each step of the drain polls the link for commands. There are none, so this polls the hardware
 * trace instead. */
static uint32_t poll_hardware(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    if (BOARD_HARDWARE_TRACE != 0u && !hardware.is_on) {
        hardware_trace_start(&hardware, BOARD_HARDWARE_TRACE, BOARD_SAMPLE_CYCLES);
    }
    hardware_trace_poll(&hardware);
    return 0;
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
    itm_port_enable(&hardware.port);
    hardware.stamp_hz = core_hz;
    hardware.tick_hz = BOARD_CLOCK_HZ;
    return &swo.link;
}

/* True also if nothing enables the port, as in the emulator, so that the program can end. */
bool board_trace_sent(void)
{
    return byte_ring_used(&swo.tx) == 0u || !itm_port_is_on(&port);
}

void trace_link_close(void)
{
}

int tt_watch_memory(const volatile void *begin, uint32_t bytes)
{
    return hardware_trace_watch(&hardware, (uint32_t)(uintptr_t)begin, bytes);
}

int tt_watch_end(int comparator)
{
    return hardware_trace_watch_end(&hardware, comparator);
}

#endif
