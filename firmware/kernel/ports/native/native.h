/*
 * native.h - time and virtual interrupts of the native port.
 *
 * The clock counts NATIVE_CLOCK_HZ from 0. By default it is virtual: only kernel calls, switches,
 * interrupts and kernel_work_us() advance it, and an idle system jumps to the next event, so that
 * runs repeat exactly and waiting costs nothing. In real time the clock waits for the wall clock if
 * it is ahead, and catches up without waiting if the host was busy.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#define NATIVE_CLOCK_HZ 100000000u

/* Costs in virtual time, in clock ticks of 10 ns. */
#define NATIVE_CALL_TICKS      50u /* a kernel call, from the thread to its service */
#define NATIVE_SWITCH_TICKS    30u /* a context switch */
#define NATIVE_INTERRUPT_TICKS 20u /* an interrupt, until its handler runs */

/* Follow the wall clock from now on. Before kernel_start(), while the clock is 0. */
void native_use_real_time(void);
bool native_is_real_time(void);

/* Return the clock. Any context. */
uint64_t native_clock(void);

/* Advance the clock by `ticks`; in real time wait for the wall clock. */
void native_pass(uint64_t ticks);

/*
 * Start a virtual device that raises interrupt `irq` at clock tick `first` and then every `period`
 * ticks, or once if `period` is 0. Threads, and before kernel_start().
 */
void native_timer_start(uint32_t irq, uint64_t first, uint64_t period);

/* Raise an interrupt; it occurs at the next checkpoint. Any context. */
void native_raise(uint32_t irq);

/* Return the clock ticks until the next interrupt is due; UINT64_MAX when none is to come or
 * interrupts are masked. */
uint64_t native_ticks_to_interrupt(void);

/* Return true while an interrupt is served. */
bool native_serves_interrupt(void);

/* Serve all due interrupts, or only those that preempt kernel calls: first the raised ones by
 * number, then timers by time and number. */
void native_serve_interrupts(void);
void native_serve_device_interrupts(void);

/* Wait for the next interrupt and serve it; virtual time passes at once. In the idle thread. */
void native_wait(void);

/* Serve due interrupts and switch to a thread of higher priority, unless interrupts are masked.
 * Threads. */
void native_checkpoint(void);

#endif
