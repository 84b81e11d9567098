/*
 * fiber.h - fibers: several stacks that one Linux thread executes in turns.
 *
 * Sanitizers are informed of each switch. One Linux thread calls all functions.
 */
#ifndef NATIVE_FIBER_H
#define NATIVE_FIBER_H

#include <stdbool.h>

struct native_fiber;

/* Create a fiber that executes `entry`, which does not return, at the first switch to it. Returns
 * NULL without memory. */
struct native_fiber *native_fiber_new(void (*entry)(void));

/* Return the fiber of the calling stack. Call it once, before the first switch. */
struct native_fiber *native_fiber_here(void);

/* Switch from the running fiber `from` to `to`. Returns at a switch back to `from`. If `ends`, it
 * never returns, and the stack of `from` is freed. */
void native_fiber_switch(struct native_fiber *from, struct native_fiber *to, bool ends);

/* Free a fiber that does not run; NULL has no effect. */
void native_fiber_free(struct native_fiber *fiber);

#endif
