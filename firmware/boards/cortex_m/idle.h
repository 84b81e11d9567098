/* boards/cortex_m/idle.h - the idle thread waits for an interrupt or executes instructions. */
#ifndef BOARD_IDLE_H
#define BOARD_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* Read option idle_wfi. Called when the kernel starts. */
void idle_begin(void);

/*
 * Wait for an interrupt if option idle_wfi is set. Returns false without waiting if it is not.
 *
 * It is not set by default: with counted instructions and sleep=off, QEMU 7.2 often skips two timer
 * interrupts at a time while the processor waits, and loses one of them (measured: every second one
 * with the tick alone). Executed instructions make time pass exactly, and long blocks are fast
 * enough. Renode's WFI is exact.
 */
bool idle_wait(void);

/* Execute blocks of 100 empty instructions. */
void idle_execute(uint32_t blocks);

#endif
