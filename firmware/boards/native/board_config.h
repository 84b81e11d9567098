/* Configuration of the kernel as a Linux program, for the recorder and applications. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* Rate of native_clock_ticks(); the low 32 bits wrap after 42.9 s. */
#define BOARD_CLOCK_HZ 100000000u

#define BOARD_CPUS 1u

/* 1: interrupts occur from application_main() on. 0: only while the kernel runs. */
#define BOARD_BARE_METAL 0

/* Numbers of the virtual interrupts, the same as on mps2. */
#define BOARD_TICK_IRQ   8u
#define BOARD_SENSOR_IRQ 9u
#define BOARD_SPARE_IRQ  30u
#define BOARD_DRAIN_IRQ  31u

/* 0: all threads of a process can access its memory. */
#define BOARD_PROTECTS_MEMORY 0

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       1024u
#define BOARD_DRAIN_STACK_BYTES 1536u

#endif
