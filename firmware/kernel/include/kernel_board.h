/*
 * kernel_board.h - functions that a board defines for the reference kernel, and functions of the
 * kernel that it may call.
 */
#ifndef KERNEL_BOARD_H
#define KERNEL_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_config.h"

KERNEL_C_BEGIN

/* A board has to define: ---------------------------------------------------------------------- */

/*
 * Start to call kernel_tick() `hz` times a second, from an interrupt of the kernel's level on the
 * first CPU. kernel_start() calls this once with interrupts masked.
 */
void kernel_board_start_tick(uint32_t hz);

/*
 * Pass time while no thread is ready: until an interrupt has occurred, or for a while. The idle
 * thread calls it in a loop.
 */
void kernel_board_idle(void);

/* Return a counter that counts up at kernel_board_clock_hz(), modulo 2^32, and its rate in Hz. Any
 * context. */
uint32_t kernel_board_clock(void);
uint32_t kernel_board_clock_hz(void);

/* Store the memory with code and constants, which threads of every domain may read and execute.
 * Its size is a power of two, and it is aligned to its size. Needed for boards with memory
 * protection. */
void kernel_board_code(uintptr_t *begin, size_t *bytes);

#if KERNEL_CPUS > 1
/*
 * Make CPU `cpu` execute `entry` on a stack that its interrupts then use. kernel_start() calls this
 * on the first CPU with interrupts masked, once for each other CPU.
 */
void kernel_board_start_cpu(uint32_t cpu, void (*entry)(void));

/* Enable the interrupt by which another CPU interrupts this one; it has the kernel's level and
 * calls kernel_reschedule(). Each CPU calls this for itself. */
void kernel_board_accept_cpus(void);

/* Interrupt CPU `cpu`, which is not the calling one. Interrupts are masked. */
void kernel_board_interrupt_cpu(uint32_t cpu);
#endif

/* Report an inconsistency of the kernel and stop. Any context. */
__attribute__((noreturn)) void kernel_panic(const char *reason);

/* A board may call: --------------------------------------------------------------------------- */

/* Process one kernel tick. Only from the interrupt of kernel_board_start_tick(). */
void kernel_tick(void);

/* Choose the running thread of this CPU again. Only from the interrupt of
 * kernel_board_accept_cpus(). */
void kernel_reschedule(void);

KERNEL_C_END

#endif
