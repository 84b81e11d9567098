/*
 * wait.h - what the thread that a CPU runs is about to do, between two hooks.
 *
 * Zephyr first reports that a call blocks and on what, then that a thread waits. Both come from the
 * same thread, the second with interrupts masked; whatever ran in between shows by another thread.
 */
#ifndef TICKERTAPE_ZEPHYR_WAIT_H
#define TICKERTAPE_ZEPHYR_WAIT_H

#include <stdint.h>
#include <zephyr/kernel.h>

#include "tickertape/port.h"

typedef struct tt_zephyr_intent {
    const struct k_thread *thread;    /* the thread, NULL for none */
    const void *object;               /* what it will wait for */
    uint32_t state;                   /* a TT_THREAD_* number */
    const struct k_thread *unlocking; /* who is giving a mutex back */
} tt_zephyr_intent_t;

extern tt_zephyr_intent_t tt_zephyr_intents[TT_CONFIG_CPUS];

/* The one of this CPU; interrupts are masked. */
static inline tt_zephyr_intent_t *tt_zephyr_intent(void)
{
    return &tt_zephyr_intents[tt_port_cpu()];
}

/* A copy with all fields written by one CPU. Any context. */
static inline tt_zephyr_intent_t tt_zephyr_intent_now(void)
{
    tt_port_key_t key = tt_port_lock();
    tt_zephyr_intent_t intent = *tt_zephyr_intent();
    tt_port_unlock(key);
    return intent;
}

#endif
