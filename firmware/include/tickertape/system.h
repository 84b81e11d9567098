/*
 * tickertape/system.h - events of the application: runnables, signals, stimuli.
 *
 * A runnable is a function of a thread, or a part of a function, to be shown in a trace. A signal
 * is a variable with traced values. A stimulus is a cause that no kernel call shows: a message on a
 * bus, a button. The kernel traces its own stimuli: timers, interrupts, periods, and threads that
 * create threads.
 *
 * Events identify these objects by their address. Describe them like any other object (tt_name_t),
 * or let the host read their names from the ELF file.
 *
 * Context: any but NMI and HardFault (tickertape.h), interrupts masked or not. Nothing blocks.
 * Calls compile to nothing when the tracer or the class is not built in.
 */
#ifndef TICKERTAPE_SYSTEM_H
#define TICKERTAPE_SYSTEM_H

#include <stdint.h>

#include "tickertape/emitters.h"

/* A runnable, initialised with zeros; it must exist as long as the program runs. */
typedef struct tt_runnable {
    uint32_t begun_count; /* private; atomic accesses only */
} tt_runnable_t;

/*
 * Record the begin of a runnable. Every begin needs its end, in the same thread or interrupt; inner
 * runnables end first. Returns the number of this instance, from 0, for tt_runnable_end(): a
 * runnable may have several open instances.
 */
static inline uint32_t tt_runnable_begin(tt_runnable_t *runnable)
{
    uint32_t instance = __atomic_fetch_add(&runnable->begun_count, 1u, __ATOMIC_RELAXED);
    tt_emit_runnable_begin((uint32_t)(uintptr_t)runnable, instance);
    return instance;
}

/* Record the end of an instance of a runnable. */
static inline void tt_runnable_end(tt_runnable_t *runnable, uint32_t instance)
{
    tt_emit_runnable_end((uint32_t)(uintptr_t)runnable, instance);
}

/* An instance that ends with its block; used by TT_RUNNABLE only. */
typedef struct tt_runnable_scope {
    tt_runnable_t *runnable;
    uint32_t instance;
} tt_runnable_scope_t;

static inline void tt_runnable_leave(const tt_runnable_scope_t *scope)
{
    tt_runnable_end(scope->runnable, scope->instance);
}

/*
 * Declare the rest of the block as a runnable: it begins here, and ends wherever the block is left
 * (not by longjmp). GCC and clang.
 *
 *     static tt_runnable_t filter_runnable;
 *     void filter(void)
 *     {
 *         TT_RUNNABLE(&filter_runnable);
 *         ...
 *     }
 *
 * Without changing the source: compile it with -finstrument-functions, and every function of it is
 * a runnable (INSTRUMENTED in an example.mk).
 */
#define TT_RUNNABLE(which)                                                                         \
    __attribute__((cleanup(tt_runnable_leave), unused))                                            \
    const tt_runnable_scope_t tt_runnable_scope_ = {(which), tt_runnable_begin(which)}

/* Record that the variable at `signal` was read, or was written, with this value. */
static inline void tt_signal_read(const volatile void *signal, uint32_t value)
{
    tt_emit_signal_read((uint32_t)(uintptr_t)signal, value);
}

static inline void tt_signal_write(const volatile void *signal, uint32_t value)
{
    tt_emit_signal_write((uint32_t)(uintptr_t)signal, value);
}

/* Record a stimulus. `stimulus` points to any object of the application, which identifies it;
 * `value` is shown to users. */
static inline void tt_stimulus(const volatile void *stimulus, uint32_t value)
{
    tt_emit_sched_stimulus((uint32_t)(uintptr_t)stimulus, value);
}

#endif
