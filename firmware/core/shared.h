/*
 * core/shared.h - access to words and flags that several contexts share: a thread and an interrupt,
 * or two CPUs. Accesses before a store stay before it; accesses after a load stay after it.
 *
 * On one CPU only the compiler could change that order, so no processor barrier is used, which
 * would cost code and time. With several CPUs, accesses to flags are ordered among each other too;
 * the protocol that stops a stream needs this (core/ring.c).
 */
#ifndef TICKERTAPE_CORE_SHARED_H
#define TICKERTAPE_CORE_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/port.h"

/* 1 if another CPU may access a word between two instructions of this one. */
#ifdef TT_PORT_LOCKS_ALL_CPUS
#define TT_PARALLEL 1
#else
#define TT_PARALLEL (TT_CONFIG_CPUS > 1)
#endif

#if TT_PARALLEL
#define TT_ORDER(order) memory_order_##order
#else
#define TT_ORDER(order) memory_order_relaxed
#endif

/* Each function takes an instruction or two, less than a call, also with -Os. */
#define TT_INLINE static inline __attribute__((always_inline))

/* Read a word; later accesses stay after it. */
TT_INLINE uint32_t tt_load(const _Atomic uint32_t *word)
{
    uint32_t value = atomic_load_explicit(word, TT_ORDER(acquire));
    atomic_signal_fence(memory_order_seq_cst);
    return value;
}

/* Write a word; earlier accesses stay before it. */
TT_INLINE void tt_store(_Atomic uint32_t *word, uint32_t value)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(word, value, TT_ORDER(release));
}

/* Store `value` if the word equals `before`. Returns whether it did. */
TT_INLINE bool tt_exchange(_Atomic uint32_t *word, uint32_t before, uint32_t value)
{
    atomic_signal_fence(memory_order_seq_cst);
    bool done = atomic_compare_exchange_strong_explicit(word, &before, value, TT_ORDER(seq_cst),
                                                        TT_ORDER(seq_cst));
    atomic_signal_fence(memory_order_seq_cst);
    return done;
}

/* As tt_exchange(), for the writer of a ring, which has read `before` and masked interrupts since:
 * on one CPU no other context can have stored meanwhile. */
TT_INLINE bool tt_exchange_masked(_Atomic uint32_t *word, uint32_t before, uint32_t value)
{
#if TT_PARALLEL
    return tt_exchange(word, before, value);
#else
    (void)before;
    tt_store(word, value);
    return true;
#endif
}

TT_INLINE bool tt_is_set(const _Atomic bool *flag)
{
    bool value = atomic_load_explicit(flag, TT_ORDER(seq_cst));
    atomic_signal_fence(memory_order_seq_cst);
    return value;
}

TT_INLINE void tt_set(_Atomic bool *flag, bool value)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(flag, value, TT_ORDER(seq_cst));
    atomic_signal_fence(memory_order_seq_cst);
}

/* Read or write a word without ordering. On the M33, gcc takes one more instruction for the address
 * of each atomic access; an access to a volatile word is also a single access. */
TT_INLINE uint32_t tt_peek(const _Atomic uint32_t *word)
{
#ifdef __ARM_ARCH_8M_MAIN__
    return *(const volatile uint32_t *)word;
#else
    return atomic_load_explicit(word, memory_order_relaxed);
#endif
}

TT_INLINE void tt_poke(_Atomic uint32_t *word, uint32_t value)
{
#ifdef __ARM_ARCH_8M_MAIN__
    *(volatile uint32_t *)word = value;
#else
    atomic_store_explicit(word, value, memory_order_relaxed);
#endif
}

/* Add to a counter that no other context writes; readers see the old or the new value. */
TT_INLINE void tt_count(_Atomic uint32_t *counter, uint32_t count)
{
    tt_poke(counter, tt_peek(counter) + count);
}

#endif
