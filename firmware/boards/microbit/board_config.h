/* Configuration of a BBC micro:bit (nRF51822), for the recorder's port and applications. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* Clock: TIMER0, the only timer with 32 bits. It is read by a capture. */
#define TT_PORT_CLOCK_CAPTURE  0x40008040u
#define TT_PORT_CLOCK_REGISTER 0x40008540u
#define BOARD_CLOCK_HZ         16000000u /* wraps after 268.4 s */

#define BOARD_CPUS 1u

/* 0: a Cortex-M0 has no memory protection. */
#define BOARD_PROTECTS_MEMORY 0

/* 1: interrupts occur from application_main() on, even without kernel_start(). */
#define BOARD_BARE_METAL 1

/* The kernel's tick: TIMER1. */
#define BOARD_TICK_IRQ 9u

/* TIMER2 simulates a sensor: an interrupt for each new sample. */
#define BOARD_SENSOR_IRQ 10u

/* Baud rate of the trace on a real board. The emulator sends as fast as the host reads. */
#ifndef BOARD_TRACE_BAUD
#define BOARD_TRACE_BAUD 115200u
#endif

/* Interrupts without a device: one for applications, and one that the recorder raises when the
 * drain has work. */
#define BOARD_SPARE_IRQ 20u
#define BOARD_DRAIN_IRQ 21u

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       512u
#define BOARD_DRAIN_STACK_BYTES 1024u

/* Constants are in memory region CODE of the linker script. The address of code_bytes is its
 * size. */
extern const unsigned char code_begin[];
extern const unsigned char code_bytes[];
#define TT_PORT_IS_READ_ONLY(address)                                                              \
    ((uintptr_t)(address) - (uintptr_t)code_begin < (uintptr_t)code_bytes)

#endif
