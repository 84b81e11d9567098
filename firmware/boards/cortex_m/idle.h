/* boards/cortex_m/idle.h - what the idle thread does where no other CPU waits for it. */
#ifndef BOARD_IDLE_H
#define BOARD_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* Read option idle_wfi, when the kernel starts. */
void idle_begin(void);

/*
 * Wait for an interrupt where option idle_wfi is set; false where it is not.
 *
 * It is not by default: with counted instructions and sleep=off, QEMU 7.2 often skips two timer
 * interrupts at a time while the processor waits, and loses one of them (measured: every second one
 * of a tick alone). Executed instructions make time pass exactly, in long blocks fast enough as
 * well. Renode's WFI is exact.
 */
bool idle_wait(void);

/* Execute blocks of 100 empty instructions. */
void idle_execute(uint32_t blocks);

#endif
