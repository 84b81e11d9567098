/*
 * kernel_board.h - what a board owes the reference kernel, and what it calls.
 */
#ifndef KERNEL_BOARD_H
#define KERNEL_BOARD_H

#include <stddef.h>
#include <stdint.h>

/* A board has to define: ---------------------------------------------------------------------- */

/*
 * Call kernel_tick() `hz` times a second from now on, from an interrupt of the kernel's level.
 * Called once by kernel_start() with interrupts masked.
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

/* Where code and constants lie, which threads of every domain may read and execute: as many bytes
 * as a power of two, and aligned to that. Of boards with memory protection. */
void kernel_board_code(uintptr_t *begin, size_t *bytes);

/* The kernel found something that must not be: say so and stop. Any context. */
_Noreturn void kernel_panic(const char *reason);

/* A board may call: --------------------------------------------------------------------------- */

/* One kernel tick has passed. Only from the interrupt of kernel_board_start_tick(). */
void kernel_tick(void);

#endif
