/* Configuration of a BBC micro:bit (nRF51822), for the recorder's port and applications. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* Clock: TIMER0, the only one of 32 bits, read by a capture. */
#define TT_PORT_CLOCK_CAPTURE  0x40008040u
#define TT_PORT_CLOCK_REGISTER 0x40008540u
#define BOARD_CLOCK_HZ         16000000u /* wraps after 268.4 s */

#define BOARD_CPUS 1u

/* 0: a Cortex-M0 has no memory protection. */
#define BOARD_PROTECTS_MEMORY 0

/* 1: interrupts come from application_main() on, also without kernel_start(). */
#define BOARD_BARE_METAL 1

/* The kernel's tick: TIMER1. */
#define BOARD_TICK_IRQ 9u

/* TIMER2, which simulates a sensor with a new sample. */
#define BOARD_SENSOR_IRQ 10u

/* The baud rate of the trace on a board; the emulator sends as fast as the host takes it. */
#ifndef BOARD_TRACE_BAUD
#define BOARD_TRACE_BAUD 115200u
#endif

/* Interrupts without a device: one for applications, and one that the recorder raises when the
 * drain has something to do. */
#define BOARD_SPARE_IRQ 20u
#define BOARD_DRAIN_IRQ 21u

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       512u
#define BOARD_DRAIN_STACK_BYTES 1024u

/* Constants lie in the memory CODE of the linker script; the address of the second is its size. */
extern const unsigned char code_begin[];
extern const unsigned char code_bytes[];
#define TT_PORT_IS_READ_ONLY(address)                                                              \
    ((uintptr_t)(address) - (uintptr_t)code_begin < (uintptr_t)code_bytes)

#endif
