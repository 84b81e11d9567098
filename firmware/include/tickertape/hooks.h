/*
 * tickertape/hooks.h - the trace points of a kernel.
 *
 * A kernel includes this header and nothing else of tickertape. Every hook is a name for the
 * emitter of its event (emitters.h; docs/events.md explains the words). It leaves no code when the
 * recorder is not built in (TT_CONFIG_ENABLED 0) or the event's class is compiled out
 * (TT_CONFIG_CLASSES). The reference kernel calls these hooks; the Zephyr port maps Zephyr's
 * tracing macros to them.
 *
 * Context: every hook may be called from threads and from interrupts of every priority, with
 * interrupts masked or not. No hook blocks.
 *
 *   tid      number of a thread, unique among living threads; 0 is the idle thread
 *   pid      number of the domain that owns the thread, 0 for the kernel core
 *   state    of IRQSTATE: 1 where interrupts are or were masked, else 0
 *   ip       address of the code that made the call
 *   mutex, sem, cond, flags, channel, timer, lock, object
 *            pointers to kernel objects; the event contains the address
 *
 * An event with a wide form evaluates the arguments after its first two words only when it records
 * that form: pass expressions rather than variables that were computed before.
 */
#ifndef TICKERTAPE_HOOKS_H
#define TICKERTAPE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/add.h"
#include "tickertape/config.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"

/* Identifier of a kernel object in events: its address. */
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
/* An interrupt occurs during the call; emitted directly before the interrupt's entry. */
#define tt_hook_call_interrupted(call, tid, priority)                                              \
    tt_emit_kercall_interrupted(call, 0u, 0u, tid, priority)

/*
 * Interrupts: `exception` is the exception number (IRQ n is n + 16), `tid` the interrupted thread,
 * `in_kernel` 1 when the interrupt returns into a kernel call. Wide: tid.
 */
#define tt_hook_irq_enter(exception, tid)           tt_emit_int_entry(exception, 0u, tid)
#define tt_hook_irq_exit(exception, in_kernel, tid) tt_emit_int_exit(exception, in_kernel, tid)
/* The function that the kernel calls in the interrupt. */
#define tt_hook_handler_enter(exception, handler)   tt_emit_int_handler_entry(exception, handler)
#define tt_hook_handler_exit(exception)             tt_emit_int_handler_exit(exception, 0u)

/*
 * Masking of interrupts, and spin locks. spin_waits is emitted when another CPU has the lock,
 * spin_locked when it is taken: between them the process of this CPU polls.
 */
#define tt_hook_irq_masked(ip)                  tt_emit_irqstate_hard_cli(0u, ip)
#define tt_hook_irq_unmasked(ip)                tt_emit_irqstate_hard_sti(0u, ip)
#define tt_hook_irq_state_read(state, ip)       tt_emit_irqstate_hard_save_flags(state, ip)
#define tt_hook_irq_restored(state, ip)         tt_emit_irqstate_hard_restore_flags(state, ip)
#define tt_hook_irq_saved_and_masked(state, ip) tt_emit_irqstate_hard_savef_and_cli(state, ip)
#define tt_hook_spin_waits(lock, ip)            tt_emit_irqstate_spin_wait(tt_object_id(lock), ip)
#define tt_hook_spin_locked(lock, ip)           tt_emit_irqstate_spin_lock(tt_object_id(lock), ip)
#define tt_hook_spin_unlocked(lock, ip)         tt_emit_irqstate_spin_unlock(tt_object_id(lock), ip)

/*
 * Domains: threads that run without privilege. The header of the record contains the domain, 1 to
 * 63, 0 for the core; `ip` is an address in its code. An event type is class << 10 | event.
 */
#define TT_HOOK_EVENT_TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/* Return whether a domain may record an event type: any event of class USER, and DOMAIN USER. */
static inline bool tt_hook_domain_may_record(uint32_t type)
{
    return type >> 10 == (uint32_t)TT_CLASS_USER ||
           type == TT_HOOK_EVENT_TYPE(TT_CLASS_DOMAIN, TT_DOMAIN_USER);
}

/* Record an event of a domain; the caller has checked tt_hook_domain_may_record(). */
static inline void tt_hook_domain_event(uint32_t domain, uint32_t type, uint32_t data, uint32_t ip)
{
    tt_add_domain_event(domain, type >> 10, type & 0x3ffu, data, ip);
}

/* Name an event of class USER, whose number is also its handle (define.h). Returns false when the
 * handle is defined as an event of another class, and without TT_CONFIG_DEFINITIONS. */
static inline bool tt_hook_domain_name_event(uint32_t event, const char *name)
{
#if TT_CONFIG_DEFINITIONS > 0
    uint32_t known = tt_definition(event);
    return (known == TT_UNDEFINED || known >> 10 == (uint32_t)TT_CLASS_USER) &&
           tt_define(event, TT_CLASS_USER, event, name) == TT_OK;
#else
    (void)event;
    (void)name;
    return false;
#endif
}

#define tt_hook_domain_call_enter(domain, call, ip)                                                \
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER, call, ip)
#define tt_hook_domain_call_exit(domain, result, ip)                                               \
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT, (uint32_t)(result), ip)
/* The domain accessed `address` without permission; the thread ends. */
#define tt_hook_domain_fault(domain, address, ip)                                                  \
    tt_add_domain_event(domain, TT_CLASS_DOMAIN, TT_DOMAIN_FAULT, address, ip)

/* Process `pid`, a domain, was created by `ppid`, or was destroyed with all its threads. */
static inline void tt_hook_process_create(uint32_t ppid, uint32_t pid, const char *name)
{
    tt_emit_thread_process_create(ppid, pid, name);
}

#define tt_hook_process_destroy(ppid, pid) tt_emit_thread_process_destroy(ppid, pid)

/* Scheduling policy: threads of equal priority take turns ... */
#define TT_HOOK_POLICY_FIFO        1u /* only when the running one blocks or yields */
#define TT_HOOK_POLICY_ROUND_ROBIN 2u /* also after a time slice */

/* Threads. `entry` is the function that the thread executes. */
static inline void tt_hook_thread_create(uint32_t pid, uint32_t tid, const char *name,
                                         uint32_t priority, uint32_t policy, uint32_t entry)
{
    tt_emit_thread_create(pid, tid, priority, policy, entry);
    tt_emit_thread_name(pid, tid, name);
    tt_emit_sched_priority(tid, priority);
}

#define tt_hook_thread_destroy(pid, tid) tt_emit_thread_destroy(pid, tid)
/* Wide: priority, policy. */
#define tt_hook_thread_ready(pid, tid, priority, policy)                                           \
    tt_emit_thread_ready(pid, tid, priority, policy, 0u)
/*
 * The running thread gives up the processor; `state` is a TT_THREAD_* event number, `object` the
 * object that it waits for or NULL. Wide: priority, policy, object.
 */
#define tt_hook_thread_state(state, pid, tid, priority, policy, object)                            \
    tt_emit_thread_state(state, pid, tid, priority, policy, tt_object_id(object))
#define tt_hook_thread_priority(tid, priority) tt_emit_sched_priority(tid, priority)
/* CPUs that may run the thread: bit n for CPU n. A new thread may run on all. */
#define tt_hook_thread_cpus(tid, cpus)         tt_emit_sched_cpus(tid, cpus)

/* Scheduler. */
#define tt_hook_context_switch(prev_tid, next_tid) tt_emit_sched_context_switch(prev_tid, next_tid)
#define tt_hook_overhead_begin(reason, tid)        tt_emit_sched_overhead_begin(reason, tid)
#define tt_hook_overhead_end(reason, tid)          tt_emit_sched_overhead_end(reason, tid)
#define tt_hook_tick(tick_count)                   tt_emit_sched_tick(tick_count, 0u)
#define tt_hook_activation(tid, instance)          tt_emit_sched_activation(tid, instance)
#define tt_hook_completion(tid, instance)          tt_emit_sched_completion(tid, instance)
/* An interrupt activates the thread; the activation itself follows. For the S.Ha.R.K. view, which
 * distinguishes it from others: word 1 has the instance above the bits of that tracer's event. */
#define tt_hook_interrupt_activation(tid, instance)                                                \
    tt_emit_trc_intactivation(tid, 0x80000000u | ((instance) & 0x7fffu) << 16)
/* The thread is not activated any more. */
#define tt_hook_activations_end(tid)         tt_emit_trc_disable(tid, 0u)
#define tt_hook_deadline_miss(tid, instance) tt_emit_sched_deadline_miss(tid, instance)
/* A software timer has expired; its handler is called next. */
#define tt_hook_timer(timer, count)          tt_emit_sched_timer(tt_object_id(timer), count)

/* Mutexes; `tid` is the owner. */
#define tt_hook_mutex_granted(mutex, tid) tt_emit_sync_mutex_lock_granted(tt_object_id(mutex), tid)
#define tt_hook_mutex_denied(mutex, tid)  tt_emit_sync_mutex_lock_denied(tt_object_id(mutex), tid)
#define tt_hook_mutex_refused(mutex, tid) tt_emit_sync_mutex_try_refused(tt_object_id(mutex), tid)
#define tt_hook_mutex_unlock(mutex, tid)  tt_emit_sync_mutex_unlock(tt_object_id(mutex), tid)
#define tt_hook_mutex_inherit(tid, priority) tt_emit_sync_mutex_inherit(tid, priority)
#define tt_hook_mutex_restore(tid, priority) tt_emit_sync_mutex_restore(tid, priority)

/* Semaphores. */
#define tt_hook_sem_granted(sem, count) tt_emit_sync_sem_wait_granted(tt_object_id(sem), count)
#define tt_hook_sem_blocked(sem, tid)   tt_emit_sync_sem_wait_blocked(tt_object_id(sem), tid)
#define tt_hook_sem_refused(sem, tid)   tt_emit_sync_sem_try_refused(tt_object_id(sem), tid)
#define tt_hook_sem_signal(sem, count)  tt_emit_sync_sem_signal(tt_object_id(sem), count)

/* Condition variables: the running thread waits; a signal wakes one thread (0: none waits). */
#define tt_hook_cond_wait(cond, mutex)                                                             \
    tt_emit_sync_cond_wait(tt_object_id(cond), tt_object_id(mutex))
#define tt_hook_cond_signal(cond, tid) tt_emit_sync_cond_signal(tt_object_id(cond), tid)
#define tt_hook_cond_broadcast(cond, woken_count)                                                  \
    tt_emit_sync_cond_broadcast(tt_object_id(cond), woken_count)

/* Event flags. */
#define tt_hook_flags_set(flags, bits)   tt_emit_sync_flags_set(tt_object_id(flags), bits)
#define tt_hook_flags_clear(flags, bits) tt_emit_sync_flags_clear(tt_object_id(flags), bits)
#define tt_hook_flags_wait(flags, bits)  tt_emit_sync_flags_wait(tt_object_id(flags), bits)

/* Messages: `id` pairs send and receive, `pid` is the receiver's domain; thread `tid` gets the
 * reply, or an error instead. */
#define tt_hook_message_sent(id, pid)        tt_emit_comm_smsg(id, pid)
#define tt_hook_message_received(id, pid)    tt_emit_comm_rmsg(id, pid)
#define tt_hook_reply(tid, pid)              tt_emit_comm_reply(tid, pid)
#define tt_hook_reply_error(tid, pid)        tt_emit_comm_error(tid, pid)
#define tt_hook_pulse_sent(channel, pid)     tt_emit_comm_spulse(tt_object_id(channel), pid)
#define tt_hook_pulse_received(channel, pid) tt_emit_comm_rpulse(tt_object_id(channel), pid)

/* Waits that end without their object: after the time limit, or when the object is deleted. */
#define tt_hook_wait_timeout(object, tid) tt_emit_sync_wait_timeout(tt_object_id(object), tid)
#define tt_hook_wait_deleted(object, tid) tt_emit_sync_wait_deleted(tt_object_id(object), tid)

#endif
