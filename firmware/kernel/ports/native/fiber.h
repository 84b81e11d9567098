/*
 * fiber.h - stacks of one Linux thread that it executes in turns.
 *
 * Sanitizers learn of each switch. Threads only; one Linux thread calls all of this.
 */
#ifndef NATIVE_FIBER_H
#define NATIVE_FIBER_H

#include <stdbool.h>

struct native_fiber;

/* Return a new fiber that executes `entry`, which does not return, at the first switch to it; NULL
 * when there is no memory. */
struct native_fiber *native_fiber_new(void (*entry)(void));

/* Return the fiber of the stack that calls. Once, before the first switch. */
struct native_fiber *native_fiber_here(void);

/* Go on with `to`, from `from` that runs now. Returns at a switch back to `from`; never when it
 * `ends`: its stack is freed then. */
void native_fiber_switch(struct native_fiber *from, struct native_fiber *to, bool ends);

/* Free a fiber that does not run; NULL is none. */
void native_fiber_free(struct native_fiber *fiber);

#endif
