/*
 * tickertape/hooks.h - where a kernel tells what it does.
 *
 * A kernel includes this header and nothing else of tickertape. Every hook becomes the inline
 * emitter of its event, or nothing at all when the tracer is not built in (TT_CONFIG_ENABLED 0)
 * or the event's class is compiled out (TT_CONFIG_CLASSES). The reference kernel calls these
 * hooks directly; the Zephyr port maps Zephyr's tracing macros to them.
 *
 * Context: every hook may be called from threads, from interrupts of every priority, with
 * interrupts masked or not. No hook blocks.
 *
 * `tid` is a small thread number, unique among living threads; 0 is the idle thread.
 * `pid` is the number of the domain that owns the thread, 0 for the kernel core.
 * Objects (mutexes, semaphores, ...) are named by their address.
 *
 * Hooks of events that have a wide form are macros: what only that form carries, which is all
 * behind the first two words, is evaluated when it is recorded and not before. It costs nothing
 * otherwise, so let it be an expression rather than a variable.
 */
#ifndef TICKERTAPE_HOOKS_H
#define TICKERTAPE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/add.h"
#include "tickertape/config.h"
#include "tickertape/emitters.h"

/* The kernel's idea of an object's identity on the wire. */
static inline uint32_t tt_object_id(const volatile void *object)
{
    return (uint32_t)(uintptr_t)object;
}

/*
 * Kernel calls: `call` is a TT_KERCALL_* number; `tid` and `priority` are the caller's.
 * Wide: arg2, arg3, caller, caller_priority.
 */
#define tt_hook_call_enter(call, arg0, arg1, arg2, arg3, tid, priority)                            \
    tt_emit_kercall_enter(call, arg0, arg1, arg2, arg3, tid, priority)

#define tt_hook_call_exit(call, result, tid, priority)                                             \
    tt_emit_kercall_exit(call, result, 0u, tid, priority)

/* An interrupt comes between the two; right before its own entry. */
#define tt_hook_call_interrupted(call, tid, priority)                                              \
    tt_emit_kercall_interrupted(call, 0u, 0u, tid, priority)

/*
 * Interrupts: `exception` is the exception number (IRQ n is n + 16), `tid` the thread that is
 * interrupted, `in_kernel` 1 when it returns into a kernel call. Wide: tid.
 */
#define tt_hook_irq_enter(exception, tid)           tt_emit_int_entry(exception, 0u, tid)
#define tt_hook_irq_exit(exception, in_kernel, tid) tt_emit_int_exit(exception, in_kernel, tid)

/* What the kernel calls inside of an interrupt. */
static inline void tt_hook_handler_enter(uint32_t exception, uint32_t handler)
{
    tt_emit_int_handler_entry(exception, handler);
}

static inline void tt_hook_handler_exit(uint32_t exception)
{
    tt_emit_int_handler_exit(exception, 0);
}

/*
 * Masking of interrupts and spin locks. `state` is 1 where interrupts are or were masked, else 0;
 * `ip` is the call site. A lock is told when it is taken, not when somebody begins to wait for it:
 * the wait lies between irq_saved_and_masked and spin_locked.
 */
static inline void tt_hook_irq_masked(uint32_t ip)
{
    tt_emit_irqstate_hard_cli(0, ip);
}

static inline void tt_hook_irq_unmasked(uint32_t ip)
{
    tt_emit_irqstate_hard_sti(0, ip);
}

static inline void tt_hook_irq_state_read(uint32_t state, uint32_t ip)
{
    tt_emit_irqstate_hard_save_flags(state, ip);
}

static inline void tt_hook_irq_restored(uint32_t state, uint32_t ip)
{
    tt_emit_irqstate_hard_restore_flags(state, ip);
}

static inline void tt_hook_irq_saved_and_masked(uint32_t state, uint32_t ip)
{
    tt_emit_irqstate_hard_savef_and_cli(state, ip);
}

static inline void tt_hook_spin_locked(const volatile void *lock, uint32_t ip)
{
    tt_emit_irqstate_spin_lock(tt_object_id(lock), ip);
}

static inline void tt_hook_spin_unlocked(const volatile void *lock, uint32_t ip)
{
    tt_emit_irqstate_spin_unlock(tt_object_id(lock), ip);
}

/*
 * Domains: threads that run without privilege. The record's header says which domain it was, 1 to
 * 63, 0 for the core; `ip` is the place in its code. An event type is class << 10 | event.
 */
#define TT_HOOK_EVENT_TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/* What a domain may record: any event of class USER, and DOMAIN USER. */
static inline bool tt_hook_domain_may_record(uint32_t type)
{
    return type >> 10 == (uint32_t)TT_CLASS_USER ||
           type == TT_HOOK_EVENT_TYPE(TT_CLASS_DOMAIN, TT_DOMAIN_USER);
}

static inline void tt_hook_domain_event(uint32_t domain, uint32_t type, uint32_t data, uint32_t ip)
{
    tt_add_domain_event(domain, type >> 10, type & 0x3ffu, data, ip);
}

static inline void tt_hook_domain_call_enter(uint32_t domain, uint32_t call, uint32_t ip)
{
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER, call, ip);
}

static inline void tt_hook_domain_call_exit(uint32_t domain, int32_t result, uint32_t ip)
{
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT, (uint32_t)result, ip);
}

/* A domain touched `address`, which is not its own; the thread ends. */
static inline void tt_hook_domain_fault(uint32_t domain, uint32_t address, uint32_t ip)
{
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_FAULT, address, ip);
}

/* How threads of equal priority take turns. */
#define TT_HOOK_POLICY_FIFO        1u /* only when the running one blocks or yields */
#define TT_HOOK_POLICY_ROUND_ROBIN 2u /* in time slices as well */

/* Threads. `entry` is what it executes. */
static inline void tt_hook_thread_create(uint32_t pid, uint32_t tid, const char *name,
                                         uint32_t priority, uint32_t policy, uint32_t entry)
{
    tt_emit_thread_create(pid, tid, priority, policy, entry);
    tt_emit_thread_name(pid, tid, name);
    tt_emit_sched_priority(tid, priority);
}

static inline void tt_hook_thread_destroy(uint32_t pid, uint32_t tid)
{
    tt_emit_thread_destroy(pid, tid);
}

/* Wide: priority, policy. */
#define tt_hook_thread_ready(pid, tid, priority, policy)                                           \
    tt_emit_thread_ready(pid, tid, priority, policy, 0u)

/*
 * The running thread gives up the processor; `state` is a TT_THREAD_* event number, `object` what
 * it waits for or NULL. Wide: priority, policy, object.
 */
#define tt_hook_thread_state(state, pid, tid, priority, policy, object)                            \
    tt_emit_thread_state(state, pid, tid, priority, policy, tt_object_id(object))

static inline void tt_hook_thread_priority(uint32_t tid, uint32_t priority)
{
    tt_emit_sched_priority(tid, priority);
}

/* The thread may run on these CPUs only: bit n for CPU n. A thread begins with all. */
static inline void tt_hook_thread_cpus(uint32_t tid, uint32_t cpus)
{
    tt_emit_sched_cpus(tid, cpus);
}

/* Scheduler. */
static inline void tt_hook_context_switch(uint32_t prev_tid, uint32_t next_tid)
{
    tt_emit_sched_context_switch(prev_tid, next_tid);
}

static inline void tt_hook_overhead_begin(uint32_t reason, uint32_t tid)
{
    tt_emit_sched_overhead_begin(reason, tid);
}

static inline void tt_hook_overhead_end(uint32_t reason, uint32_t tid)
{
    tt_emit_sched_overhead_end(reason, tid);
}

static inline void tt_hook_tick(uint32_t tick_count)
{
    tt_emit_sched_tick(tick_count, 0);
}

static inline void tt_hook_activation(uint32_t tid, uint32_t instance)
{
    tt_emit_sched_activation(tid, instance);
}

static inline void tt_hook_completion(uint32_t tid, uint32_t instance)
{
    tt_emit_sched_completion(tid, instance);
}

static inline void tt_hook_deadline_miss(uint32_t tid, uint32_t instance)
{
    tt_emit_sched_deadline_miss(tid, instance);
}

/* Mutexes. */
static inline void tt_hook_mutex_granted(const volatile void *mutex, uint32_t owner_tid)
{
    tt_emit_sync_mutex_lock_granted(tt_object_id(mutex), owner_tid);
}

static inline void tt_hook_mutex_denied(const volatile void *mutex, uint32_t owner_tid)
{
    tt_emit_sync_mutex_lock_denied(tt_object_id(mutex), owner_tid);
}

static inline void tt_hook_mutex_refused(const volatile void *mutex, uint32_t owner_tid)
{
    tt_emit_sync_mutex_try_refused(tt_object_id(mutex), owner_tid);
}

static inline void tt_hook_mutex_unlock(const volatile void *mutex, uint32_t owner_tid)
{
    tt_emit_sync_mutex_unlock(tt_object_id(mutex), owner_tid);
}

static inline void tt_hook_mutex_inherit(uint32_t tid, uint32_t priority)
{
    tt_emit_sync_mutex_inherit(tid, priority);
}

static inline void tt_hook_mutex_restore(uint32_t tid, uint32_t priority)
{
    tt_emit_sync_mutex_restore(tid, priority);
}

/* Semaphores. */
static inline void tt_hook_sem_granted(const volatile void *sem, uint32_t count)
{
    tt_emit_sync_sem_wait_granted(tt_object_id(sem), count);
}

static inline void tt_hook_sem_blocked(const volatile void *sem, uint32_t tid)
{
    tt_emit_sync_sem_wait_blocked(tt_object_id(sem), tid);
}

static inline void tt_hook_sem_refused(const volatile void *sem, uint32_t tid)
{
    tt_emit_sync_sem_try_refused(tt_object_id(sem), tid);
}

static inline void tt_hook_sem_signal(const volatile void *sem, uint32_t count)
{
    tt_emit_sync_sem_signal(tt_object_id(sem), count);
}

/* Condition variables: the running thread waits; one waiter (0: nobody) or all are woken. */
static inline void tt_hook_cond_wait(const volatile void *cond, const volatile void *mutex)
{
    tt_emit_sync_cond_wait(tt_object_id(cond), tt_object_id(mutex));
}

static inline void tt_hook_cond_signal(const volatile void *cond, uint32_t tid)
{
    tt_emit_sync_cond_signal(tt_object_id(cond), tid);
}

static inline void tt_hook_cond_broadcast(const volatile void *cond, uint32_t woken_count)
{
    tt_emit_sync_cond_broadcast(tt_object_id(cond), woken_count);
}

/* Event flags. */
static inline void tt_hook_flags_set(const volatile void *flags, uint32_t bits)
{
    tt_emit_sync_flags_set(tt_object_id(flags), bits);
}

static inline void tt_hook_flags_clear(const volatile void *flags, uint32_t bits)
{
    tt_emit_sync_flags_clear(tt_object_id(flags), bits);
}

static inline void tt_hook_flags_wait(const volatile void *flags, uint32_t bits)
{
    tt_emit_sync_flags_wait(tt_object_id(flags), bits);
}

/* Messages: `id` pairs send and receive, `pid` is the receiver's domain; a reply, or an error in
 * its place, goes to thread `tid`. */
static inline void tt_hook_message_sent(uint32_t id, uint32_t pid)
{
    tt_emit_comm_smsg(id, pid);
}

static inline void tt_hook_message_received(uint32_t id, uint32_t pid)
{
    tt_emit_comm_rmsg(id, pid);
}

static inline void tt_hook_reply(uint32_t tid, uint32_t pid)
{
    tt_emit_comm_reply(tid, pid);
}

static inline void tt_hook_reply_error(uint32_t tid, uint32_t pid)
{
    tt_emit_comm_error(tid, pid);
}

static inline void tt_hook_pulse_sent(const volatile void *channel, uint32_t pid)
{
    tt_emit_comm_spulse(tt_object_id(channel), pid);
}

static inline void tt_hook_pulse_received(const volatile void *channel, uint32_t pid)
{
    tt_emit_comm_rpulse(tt_object_id(channel), pid);
}

/* A software timer has expired; its handler is called next. */
static inline void tt_hook_timer(const volatile void *timer, uint32_t count)
{
    tt_emit_sched_timer(tt_object_id(timer), count);
}

/* A wait ended without what it waited for. */
static inline void tt_hook_wait_timeout(const volatile void *object, uint32_t tid)
{
    tt_emit_sync_wait_timeout(tt_object_id(object), tid);
}

static inline void tt_hook_wait_deleted(const volatile void *object, uint32_t tid)
{
    tt_emit_sync_wait_deleted(tt_object_id(object), tid);
}

#endif
