/* Configuration of a board with an STM32F405 or F407, for the recorder's port and applications. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#include <stdint.h>

/*
 * Clock: TIM2 with 32 bits. Its rate is 84 MHz with the crystal (wraps after 51.1 s), else it is
 * measured at the start. With BOARD_CYCLE_CLOCK 1 the clock is the cycle counter of the DWT, 168
 * MHz (wraps after 25.6 s), and the processor's clock stays on while it sleeps. The emulator has no
 * cycle counter.
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

/* 1: the kernel protects memory from domains that do not own it. */
#define BOARD_PROTECTS_MEMORY 1

/* 1: interrupts occur from application_main() on, even without kernel_start(). */
#define BOARD_BARE_METAL 1

/* The kernel's tick: SysTick, exception 15. IRQ n is exception 16 + n. */
#define BOARD_TICK_IRQ (15u - 16u)

/* TIM5 simulates a sensor: an interrupt for each new sample. */
#define BOARD_SENSOR_IRQ 50u

/* Baud rate of the trace on a real board. The emulator sends as fast as the host reads. */
#ifndef BOARD_TRACE_BAUD
#define BOARD_TRACE_BAUD 1000000u
#endif

/* Interrupts whose device (tamper detection, wake-up of the RTC) is not used: one for applications,
 * and one that the recorder raises when the drain has work. */
#define BOARD_SPARE_IRQ 2u
#define BOARD_DRAIN_IRQ 3u

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       1024u
#define BOARD_DRAIN_STACK_BYTES 1024u

/* Constants are in memory region CODE of the linker script. The address of code_bytes is its
 * size. */
extern const unsigned char code_begin[];
extern const unsigned char code_bytes[];
#define TT_PORT_IS_READ_ONLY(address)                                                              \
    ((uintptr_t)(address) - (uintptr_t)code_begin < (uintptr_t)code_bytes)

#endif
