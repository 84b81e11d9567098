/*
 * wait.h - remembers what the running thread is about to wait for, between two hooks.
 *
 * Zephyr first reports that a call blocks and on which object, then that a thread waits. Both hooks
 * run in the same thread, the second with interrupts masked. If another thread ran in between, the
 * stored thread differs.
 */
#ifndef TICKERTAPE_ZEPHYR_WAIT_H
#define TICKERTAPE_ZEPHYR_WAIT_H

#include <stdint.h>
#include <zephyr/kernel.h>

#include "tickertape/port.h"

typedef struct tt_zephyr_intent {
    const struct k_thread *thread;    /* thread that is about to wait, or NULL */
    const void *object;               /* object it will wait for */
    uint32_t state;                   /* a TT_THREAD_* number */
    const struct k_thread *unlocking; /* thread that releases a mutex */
} tt_zephyr_intent_t;

extern tt_zephyr_intent_t tt_zephyr_intents[TT_CONFIG_CPUS];

/* Return the intent of this CPU. Call it while interrupts are masked. */
static inline tt_zephyr_intent_t *tt_zephyr_intent(void)
{
    return &tt_zephyr_intents[tt_port_cpu()];
}

/* Return a copy of the intent of this CPU. Masks interrupts, so that all fields belong to one CPU.
 * Any context. */
static inline tt_zephyr_intent_t tt_zephyr_intent_now(void)
{
    tt_port_key_t key = tt_port_lock();
    tt_zephyr_intent_t intent = *tt_zephyr_intent();
    tt_port_unlock(key);
    return intent;
}

#endif
