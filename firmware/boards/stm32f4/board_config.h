/* Configuration of a board with an STM32F405 or F407, for the recorder's port and applications. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#include <stdint.h>

/*
 * Clock: TIM2, 32 bits. 84 MHz with the crystal (wraps after 51.1 s); else its rate is measured at
 * the start. BOARD_CYCLE_CLOCK 1: the cycle counter of the DWT instead, 168 MHz (25.6 s), and the
 * processor's clock stays on while it sleeps. The emulator has no such counter.
 */
#ifndef BOARD_CYCLE_CLOCK
#define BOARD_CYCLE_CLOCK 0
#endif
#if BOARD_CYCLE_CLOCK
#define TT_PORT_CLOCK_REGISTER 0xe0001004u
#else
#define TT_PORT_CLOCK_REGISTER 0x40000024u
#endif
#define BOARD_CLOCK_HZ board_clock_hz
extern uint32_t board_clock_hz;

#define BOARD_CPUS 1u

/* 1: the kernel keeps domains from memory that is not theirs. */
#define BOARD_PROTECTS_MEMORY 1

/* 1: interrupts come from application_main() on, also without kernel_start(). */
#define BOARD_BARE_METAL 1

/* The kernel's tick: SysTick, exception 15. IRQ n is exception 16 + n. */
#define BOARD_TICK_IRQ (15u - 16u)

/* TIM5, which simulates a sensor with a new sample. */
#define BOARD_SENSOR_IRQ 50u

/* The baud rate of the trace on a board; the emulator sends as fast as the host takes it. */
#ifndef BOARD_TRACE_BAUD
#define BOARD_TRACE_BAUD 1000000u
#endif

/* Interrupts whose device (tamper detection, wake-up of the RTC) is not used: one for applications,
 * and one that the recorder raises when the drain has something to do. */
#define BOARD_SPARE_IRQ 2u
#define BOARD_DRAIN_IRQ 3u

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       1024u
#define BOARD_DRAIN_STACK_BYTES 1024u

/* Constants lie in the memory CODE of the linker script; the address of the second is its size. */
extern const unsigned char code_begin[];
extern const unsigned char code_bytes[];
#define TT_PORT_IS_READ_ONLY(address)                                                              \
    ((uintptr_t)(address) - (uintptr_t)code_begin < (uintptr_t)code_bytes)

#endif
