/*
 * kernel_board.h - functions that a board defines for the reference kernel, and functions that it
 * calls.
 */
#ifndef KERNEL_BOARD_H
#define KERNEL_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_config.h"

KERNEL_C_BEGIN

/* A board has to define: ---------------------------------------------------------------------- */

/*
 * Call kernel_tick() `hz` times a second from now on, from an interrupt of the kernel's level, on
 * the first CPU. Called once by kernel_start() with interrupts masked.
 */
void kernel_board_start_tick(uint32_t hz);

/*
 * Pass time while no thread is ready, until an interrupt has come or for a while. Called by the
 * idle thread again and again.
 */
void kernel_board_idle(void);

/* A counter that runs up at kernel_board_clock_hz() and uses all 32 bits. Any context. */
uint32_t kernel_board_clock(void);
uint32_t kernel_board_clock_hz(void);

/* The memory with code and constants, which threads of every domain may read and execute: its size
 * is a power of two, and it is aligned to that. Boards with memory protection. */
void kernel_board_code(uintptr_t *begin, size_t *bytes);

#if KERNEL_CPUS > 1
/*
 * Let CPU `cpu` execute `entry`, on a stack that serves its interrupts from then on. Called once
 * for each CPU but the first by kernel_start() on that, with interrupts masked there.
 */
void kernel_board_start_cpu(uint32_t cpu, void (*entry)(void));

/* Call kernel_reschedule() from an interrupt of the kernel's level when another CPU requests it
 * (below). Called by each CPU for itself. */
void kernel_board_accept_cpus(void);

/* Interrupt CPU `cpu`, another one than that which runs. Interrupts are masked. */
void kernel_board_interrupt_cpu(uint32_t cpu);
#endif

/* Report an inconsistency of the kernel and stop. Any context. */
__attribute__((noreturn)) void kernel_panic(const char *reason);

/* A board may call: --------------------------------------------------------------------------- */

/* One kernel tick has passed. Only from the interrupt of kernel_board_start_tick(). */
void kernel_tick(void);

/* Another CPU requests that this one chooses its thread again. Only from that interrupt. */
void kernel_reschedule(void);

KERNEL_C_END

#endif
