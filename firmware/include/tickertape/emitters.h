/* Generated from protocol/events.yaml by make gen; do not edit. */
/*
 * tickertape/emitters.h - one function per event: tt_emit_<class>_<event>().
 *
 * Every emitter may be called from threads and interrupts of every priority and never blocks. An
 * event that no stream takes costs one load and one branch; one whose class is not built in has no
 * code (emit.h). docs/events.md describes the words.
 *
 * Emitters of events that have a wide form are macros: the words after the first two are
 * evaluated only when they are recorded, so they may be expensive to compute.
 */
#ifndef TICKERTAPE_EMITTERS_H
#define TICKERTAPE_EMITTERS_H

#include <stdint.h>

#include "tickertape/emit.h"
#include "tickertape/events.h"

/*
 * 64-bit time of the clock, recorded once per half period of the 32-bit tick counter while the same
 * buffer of a ring stays open.
 */
static inline void tt_emit_control_time(uint32_t msb, uint32_t lsb)
{
    TT_EMIT2(TT_CLASS_CONTROL, TT_CONTROL_TIME, TT_ROUTE_CONTROL_TIME, msb, lsb);
}

/* A buffer begins. Only in files of other tools: buffers of tickertape have a header instead. */
static inline void tt_emit_control_buffer(uint32_t sequence, uint32_t num_events)
{
    TT_EMIT2(TT_CLASS_CONTROL, TT_CONTROL_BUFFER, TT_ROUTE_CONTROL_BUFFER, sequence, num_events);
}

/* Kernel call, ENTER: the call begins. */
#define tt_emit_kercall_enter(call, arg0, arg1, arg2, arg3, caller, caller_priority)               \
    do {                                                                                           \
        const uint32_t call_ = (call);                                                             \
        TT_EMIT_WIDE(TT_CLASS_KERCALL, (call_ % TT_KERCALL_CALL_LIMIT),                            \
                     tt_kercall_route(TT_ROUTE_KERCALL_FIRST_ENTER, call_), arg0, arg1, arg2,      \
                     arg3, caller, caller_priority);                                               \
    } while (0)

/* Kernel call, EXIT: the call returns. */
#define tt_emit_kercall_exit(call, result, detail, caller, caller_priority)                        \
    do {                                                                                           \
        const uint32_t call_ = (call);                                                             \
        TT_EMIT_WIDE(TT_CLASS_KERCALL, (call_ % TT_KERCALL_CALL_LIMIT) + TT_KERCALL_EXIT_OFFSET,   \
                     tt_kercall_route(TT_ROUTE_KERCALL_FIRST_EXIT, call_), (uint32_t)(result),     \
                     detail, caller, caller_priority);                                             \
    } while (0)

/* Kernel call, INTERRUPTED: the call is interrupted before it returns. */
#define tt_emit_kercall_interrupted(call, result, detail, caller, caller_priority)                 \
    do {                                                                                           \
        const uint32_t call_ = (call);                                                             \
        TT_EMIT_WIDE(TT_CLASS_KERCALL,                                                             \
                     (call_ % TT_KERCALL_CALL_LIMIT) + TT_KERCALL_INTERRUPTED_OFFSET,              \
                     tt_kercall_route(TT_ROUTE_KERCALL_FIRST_INTERRUPTED, call_),                  \
                     (uint32_t)(result), detail, caller, caller_priority);                         \
    } while (0)

/* An interrupt begins. */
#define tt_emit_int_entry(irq, ip, tid)                                                            \
    TT_EMIT_WIDE(TT_CLASS_INT, TT_INT_ENTRY, TT_ROUTE_INT_ENTRY, irq, ip, tid)

/* An interrupt ends. */
#define tt_emit_int_exit(irq, inkernel, tid)                                                       \
    TT_EMIT_WIDE(TT_CLASS_INT, TT_INT_EXIT, TT_ROUTE_INT_EXIT, irq, inkernel, tid)

/* A handler attached to an interrupt begins. */
static inline void tt_emit_int_handler_entry(uint32_t irq, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_INT, TT_INT_HANDLER_ENTRY, TT_ROUTE_INT_HANDLER_ENTRY, irq, ip);
}

/* A handler attached to an interrupt ends. */
static inline void tt_emit_int_handler_exit(uint32_t irq, uint32_t result)
{
    TT_EMIT2(TT_CLASS_INT, TT_INT_HANDLER_EXIT, TT_ROUTE_INT_HANDLER_EXIT, irq, result);
}

/* An interrupt is requested and begins later. Without this event, the request is at ENTRY. */
static inline void tt_emit_int_request(uint32_t irq, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_INT, TT_INT_REQUEST, TT_ROUTE_INT_REQUEST, irq, unused);
}

/* The thread has ended. */
#define tt_emit_thread_dead(pid, tid, priority, policy, object)                                    \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_DEAD, TT_ROUTE_THREAD_DEAD, pid, tid, priority,        \
                 policy, object)

/* The thread runs. */
#define tt_emit_thread_running(pid, tid, priority, policy, object)                                 \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_RUNNING, TT_ROUTE_THREAD_RUNNING, pid, tid, priority,  \
                 policy, object)

/* The thread is ready to run. */
#define tt_emit_thread_ready(pid, tid, priority, policy, object)                                   \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_READY, TT_ROUTE_THREAD_READY, pid, tid, priority,      \
                 policy, object)

/* Suspended. */
#define tt_emit_thread_stopped(pid, tid, priority, policy, object)                                 \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_STOPPED, TT_ROUTE_THREAD_STOPPED, pid, tid, priority,  \
                 policy, object)

/* Waits until its message is received. */
#define tt_emit_thread_send(pid, tid, priority, policy, object)                                    \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_SEND, TT_ROUTE_THREAD_SEND, pid, tid, priority,        \
                 policy, object)

/* Waits for a message. */
#define tt_emit_thread_receive(pid, tid, priority, policy, object)                                 \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_RECEIVE, TT_ROUTE_THREAD_RECEIVE, pid, tid, priority,  \
                 policy, object)

/* Waits for a reply. */
#define tt_emit_thread_reply(pid, tid, priority, policy, object)                                   \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_REPLY, TT_ROUTE_THREAD_REPLY, pid, tid, priority,      \
                 policy, object)

/* Waits for stack memory. */
#define tt_emit_thread_stack(pid, tid, priority, policy, object)                                   \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_STACK, TT_ROUTE_THREAD_STACK, pid, tid, priority,      \
                 policy, object)

/* Waits for a thread to be created. */
#define tt_emit_thread_waitthread(pid, tid, priority, policy, object)                              \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_WAITTHREAD, TT_ROUTE_THREAD_WAITTHREAD, pid, tid,      \
                 priority, policy, object)

/* Waits for memory. */
#define tt_emit_thread_waitpage(pid, tid, priority, policy, object)                                \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_WAITPAGE, TT_ROUTE_THREAD_WAITPAGE, pid, tid,          \
                 priority, policy, object)

/* Waits for a signal. */
#define tt_emit_thread_sigsuspend(pid, tid, priority, policy, object)                              \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_SIGSUSPEND, TT_ROUTE_THREAD_SIGSUSPEND, pid, tid,      \
                 priority, policy, object)

/* Waits for event flags or a signal. */
#define tt_emit_thread_sigwaitinfo(pid, tid, priority, policy, object)                             \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_SIGWAITINFO, TT_ROUTE_THREAD_SIGWAITINFO, pid, tid,    \
                 priority, policy, object)

/* Sleeps, or waits for its next period. */
#define tt_emit_thread_nanosleep(pid, tid, priority, policy, object)                               \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_NANOSLEEP, TT_ROUTE_THREAD_NANOSLEEP, pid, tid,        \
                 priority, policy, object)

/* Waits for a mutex. */
#define tt_emit_thread_mutex(pid, tid, priority, policy, object)                                   \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_MUTEX, TT_ROUTE_THREAD_MUTEX, pid, tid, priority,      \
                 policy, object)

/* Waits for a condition. */
#define tt_emit_thread_condvar(pid, tid, priority, policy, object)                                 \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_CONDVAR, TT_ROUTE_THREAD_CONDVAR, pid, tid, priority,  \
                 policy, object)

/* Waits for the end of a thread. */
#define tt_emit_thread_join(pid, tid, priority, policy, object)                                    \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_JOIN, TT_ROUTE_THREAD_JOIN, pid, tid, priority,        \
                 policy, object)

/* Waits for an interrupt. */
#define tt_emit_thread_intr(pid, tid, priority, policy, object)                                    \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_INTR, TT_ROUTE_THREAD_INTR, pid, tid, priority,        \
                 policy, object)

/* Waits for a semaphore. */
#define tt_emit_thread_sem(pid, tid, priority, policy, object)                                     \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_SEM, TT_ROUTE_THREAD_SEM, pid, tid, priority, policy,  \
                 object)

/* Waits for a context. */
#define tt_emit_thread_waitctx(pid, tid, priority, policy, object)                                 \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_WAITCTX, TT_ROUTE_THREAD_WAITCTX, pid, tid, priority,  \
                 policy, object)

/* Waits for the network to take a message. */
#define tt_emit_thread_net_send(pid, tid, priority, policy, object)                                \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_NET_SEND, TT_ROUTE_THREAD_NET_SEND, pid, tid,          \
                 priority, policy, object)

/* Waits for a reply from the network. */
#define tt_emit_thread_net_reply(pid, tid, priority, policy, object)                               \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_NET_REPLY, TT_ROUTE_THREAD_NET_REPLY, pid, tid,        \
                 priority, policy, object)

/* The thread exists now. */
#define tt_emit_thread_create(pid, tid, priority, policy, entry)                                   \
    TT_EMIT_WIDE(TT_CLASS_THREAD, TT_THREAD_CREATE, TT_ROUTE_THREAD_CREATE, pid, tid, priority,    \
                 policy, entry)

/* The thread is destroyed; its number may be used again. */
static inline void tt_emit_thread_destroy(uint32_t pid, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_THREAD, TT_THREAD_DESTROY, TT_ROUTE_THREAD_DESTROY, pid, tid);
}

/* A process is destroyed, with all threads of its domain; its number may be used again. */
static inline void tt_emit_thread_process_destroy(uint32_t ppid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_THREAD, TT_THREAD_PROCESS_DESTROY, TT_ROUTE_THREAD_PROCESS_DESTROY, ppid,
             pid);
}

/* A process, which is a domain, exists now; the text is its name. */
static inline void tt_emit_thread_process_create(uint32_t ppid, uint32_t pid, const char *text)
{
    TT_EMIT_STRING(TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE, TT_ROUTE_THREAD_PROCESS_CREATE, ppid,
                   pid, text);
}

/* The name of a thread. */
static inline void tt_emit_thread_name(uint32_t pid, uint32_t tid, const char *text)
{
    TT_EMIT_STRING(TT_CLASS_THREAD, TT_THREAD_NAME, TT_ROUTE_THREAD_NAME, pid, tid, text);
}

/* The thread is in this state from now on. `state`: 0-20; other numbers share one route. */
#define tt_emit_thread_state(state, pid, tid, priority, policy, object)                            \
    do {                                                                                           \
        const uint32_t state_ = (state);                                                           \
        TT_EMIT_WIDE(TT_CLASS_THREAD, state_, tt_thread_state_route(state_), pid, tid, priority,   \
                     policy, object);                                                              \
    } while (0)

/* The name of an object in memory. */
static inline void tt_emit_system_mapname(uint32_t kind, uint32_t object, const char *text)
{
    TT_EMIT_STRING(TT_CLASS_SYSTEM, TT_SYSTEM_MAPNAME, TT_ROUTE_SYSTEM_MAPNAME, kind, object, text);
}

/* An address of interest. */
static inline void tt_emit_system_address(uint32_t address, uint32_t access)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_ADDRESS, TT_ROUTE_SYSTEM_ADDRESS, address, access);
}

/* A function begins. */
static inline void tt_emit_system_func_enter(uint32_t function, uint32_t call_site)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_FUNC_ENTER, TT_ROUTE_SYSTEM_FUNC_ENTER, function,
             call_site);
}

/* A function ends. */
static inline void tt_emit_system_func_exit(uint32_t function, uint32_t call_site)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_FUNC_EXIT, TT_ROUTE_SYSTEM_FUNC_EXIT, function, call_site);
}

/* A message of the system's log. */
static inline void tt_emit_system_slog(uint32_t opcode, uint32_t severity, const char *text)
{
    TT_EMIT_STRING(TT_CLASS_SYSTEM, TT_SYSTEM_SLOG, TT_ROUTE_SYSTEM_SLOG, opcode, severity, text);
}

/* The system begins to save power. */
static inline void tt_emit_system_suspend(uint32_t ticks, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_SUSPEND, TT_ROUTE_SYSTEM_SUSPEND, ticks, unused);
}

/* The system leaves power saving. */
static inline void tt_emit_system_resume(uint32_t state, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_RESUME, TT_ROUTE_SYSTEM_RESUME, state, unused);
}

/* An event with a name, which the application sets. */
static inline void tt_emit_system_named(uint32_t data0, uint32_t data1, const char *text)
{
    TT_EMIT_STRING(TT_CLASS_SYSTEM, TT_SYSTEM_NAMED, TT_ROUTE_SYSTEM_NAMED, data0, data1, text);
}

/*
 * A formatted message of tt_logf(): the host reads the format from the ELF file. docs/log.md
 * describes the payload.
 */
static inline void tt_emit_system_log(uint32_t format, uint32_t value)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_LOG, TT_ROUTE_SYSTEM_LOG, format, value);
}

/* Size of the stack of a thread. */
static inline void tt_emit_system_stack_size(uint32_t tid, uint32_t size_bytes)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_STACK_SIZE, TT_ROUTE_SYSTEM_STACK_SIZE, tid, size_bytes);
}

/* Part of its stack that a thread has never used so far. */
static inline void tt_emit_system_stack_unused(uint32_t tid, uint32_t unused_bytes)
{
    TT_EMIT2(TT_CLASS_SYSTEM, TT_SYSTEM_STACK_UNUSED, TT_ROUTE_SYSTEM_STACK_UNUSED, tid,
             unused_bytes);
}

/* An event of the application. `event`: 0-31; other numbers share one route. */
static inline void tt_emit_user_user(uint32_t event, uint32_t data0, uint32_t data1)
{
    TT_EMIT2(TT_CLASS_USER, event, tt_user_user_route(event), data0, data1);
}

/* A message was sent. */
static inline void tt_emit_comm_smsg(uint32_t rcvid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_SMSG, TT_ROUTE_COMM_SMSG, rcvid, pid);
}

/* A pulse was sent. */
static inline void tt_emit_comm_spulse(uint32_t scoid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_SPULSE, TT_ROUTE_COMM_SPULSE, scoid, pid);
}

/* A message was received. */
static inline void tt_emit_comm_rmsg(uint32_t rcvid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_RMSG, TT_ROUTE_COMM_RMSG, rcvid, pid);
}

/* A pulse was received. */
static inline void tt_emit_comm_rpulse(uint32_t scoid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_RPULSE, TT_ROUTE_COMM_RPULSE, scoid, pid);
}

/* A reply was sent. */
static inline void tt_emit_comm_reply(uint32_t tid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_REPLY, TT_ROUTE_COMM_REPLY, tid, pid);
}

/* An error was sent instead of a reply. */
static inline void tt_emit_comm_error(uint32_t tid, uint32_t pid)
{
    TT_EMIT2(TT_CLASS_COMM, TT_COMM_ERROR, TT_ROUTE_COMM_ERROR, tid, pid);
}

/* A thread owns the mutex now. */
static inline void tt_emit_sync_mutex_lock_granted(uint32_t mutex, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_GRANTED, TT_ROUTE_SYNC_MUTEX_LOCK_GRANTED, mutex,
             tid);
}

/* The running thread must wait for the mutex. */
static inline void tt_emit_sync_mutex_lock_denied(uint32_t mutex, uint32_t owner)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_DENIED, TT_ROUTE_SYNC_MUTEX_LOCK_DENIED, mutex,
             owner);
}

/* An attempt to lock the mutex failed: it has an owner. */
static inline void tt_emit_sync_mutex_try_refused(uint32_t mutex, uint32_t owner)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_TRY_REFUSED, TT_ROUTE_SYNC_MUTEX_TRY_REFUSED, mutex,
             owner);
}

/* The mutex was unlocked. */
static inline void tt_emit_sync_mutex_unlock(uint32_t mutex, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_UNLOCK, TT_ROUTE_SYNC_MUTEX_UNLOCK, mutex, tid);
}

/* The owner of a mutex inherits a priority. */
static inline void tt_emit_sync_mutex_inherit(uint32_t tid, uint32_t priority)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_INHERIT, TT_ROUTE_SYNC_MUTEX_INHERIT, tid, priority);
}

/* An inherited priority is restored. */
static inline void tt_emit_sync_mutex_restore(uint32_t tid, uint32_t priority)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_MUTEX_RESTORE, TT_ROUTE_SYNC_MUTEX_RESTORE, tid, priority);
}

/* The running thread waits for the condition. */
static inline void tt_emit_sync_cond_wait(uint32_t condvar, uint32_t mutex)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_COND_WAIT, TT_ROUTE_SYNC_COND_WAIT, condvar, mutex);
}

/* One waiter is woken. */
static inline void tt_emit_sync_cond_signal(uint32_t condvar, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_COND_SIGNAL, TT_ROUTE_SYNC_COND_SIGNAL, condvar, tid);
}

/* All waiters are woken. */
static inline void tt_emit_sync_cond_broadcast(uint32_t condvar, uint32_t woken_count)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_COND_BROADCAST, TT_ROUTE_SYNC_COND_BROADCAST, condvar,
             woken_count);
}

/* The semaphore was taken. */
static inline void tt_emit_sync_sem_wait_granted(uint32_t semaphore, uint32_t count)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_SEM_WAIT_GRANTED, TT_ROUTE_SYNC_SEM_WAIT_GRANTED, semaphore,
             count);
}

/* The running thread waits for the semaphore. */
static inline void tt_emit_sync_sem_wait_blocked(uint32_t semaphore, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_SEM_WAIT_BLOCKED, TT_ROUTE_SYNC_SEM_WAIT_BLOCKED, semaphore,
             tid);
}

/* An attempt to take the semaphore failed: its count is 0. */
static inline void tt_emit_sync_sem_try_refused(uint32_t semaphore, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_SEM_TRY_REFUSED, TT_ROUTE_SYNC_SEM_TRY_REFUSED, semaphore, tid);
}

/* The semaphore was signalled. */
static inline void tt_emit_sync_sem_signal(uint32_t semaphore, uint32_t count)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL, TT_ROUTE_SYNC_SEM_SIGNAL, semaphore, count);
}

/* Event flags were set. */
static inline void tt_emit_sync_flags_set(uint32_t flags, uint32_t bits)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_FLAGS_SET, TT_ROUTE_SYNC_FLAGS_SET, flags, bits);
}

/* Event flags were cleared. */
static inline void tt_emit_sync_flags_clear(uint32_t flags, uint32_t bits)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_FLAGS_CLEAR, TT_ROUTE_SYNC_FLAGS_CLEAR, flags, bits);
}

/* The running thread waits for event flags. */
static inline void tt_emit_sync_flags_wait(uint32_t flags, uint32_t bits)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_FLAGS_WAIT, TT_ROUTE_SYNC_FLAGS_WAIT, flags, bits);
}

/* A wait ended by its timeout. */
static inline void tt_emit_sync_wait_timeout(uint32_t object, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_WAIT_TIMEOUT, TT_ROUTE_SYNC_WAIT_TIMEOUT, object, tid);
}

/* A wait ended because its object was deleted. */
static inline void tt_emit_sync_wait_deleted(uint32_t object, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SYNC, TT_SYNC_WAIT_DELETED, TT_ROUTE_SYNC_WAIT_DELETED, object, tid);
}

/* The CPU switches from one thread to another; thread 0 is idle. */
static inline void tt_emit_sched_context_switch(uint32_t prev_tid, uint32_t next_tid)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH, TT_ROUTE_SCHED_CONTEXT_SWITCH, prev_tid,
             next_tid);
}

/* Kernel overhead begins. */
static inline void tt_emit_sched_overhead_begin(uint32_t reason, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_OVERHEAD_BEGIN, TT_ROUTE_SCHED_OVERHEAD_BEGIN, reason, tid);
}

/* Kernel overhead ends. */
static inline void tt_emit_sched_overhead_end(uint32_t reason, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_OVERHEAD_END, TT_ROUTE_SCHED_OVERHEAD_END, reason, tid);
}

/* A tick of the kernel. */
static inline void tt_emit_sched_tick(uint32_t tick_count, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_TICK, TT_ROUTE_SCHED_TICK, tick_count, unused);
}

/* Priority of a thread from now on. */
static inline void tt_emit_sched_priority(uint32_t tid, uint32_t priority)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_PRIORITY, TT_ROUTE_SCHED_PRIORITY, tid, priority);
}

/* A periodic thread is activated. */
static inline void tt_emit_sched_activation(uint32_t tid, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_ACTIVATION, TT_ROUTE_SCHED_ACTIVATION, tid, instance);
}

/* A periodic thread has completed the work of one activation. */
static inline void tt_emit_sched_completion(uint32_t tid, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_COMPLETION, TT_ROUTE_SCHED_COMPLETION, tid, instance);
}

/* A periodic thread had not completed when it was activated again. */
static inline void tt_emit_sched_deadline_miss(uint32_t tid, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_DEADLINE_MISS, TT_ROUTE_SCHED_DEADLINE_MISS, tid, instance);
}

/* A software timer has expired; its handler runs now. */
static inline void tt_emit_sched_timer(uint32_t timer, uint32_t count)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_TIMER, TT_ROUTE_SCHED_TIMER, timer, count);
}

/* The scheduler begins. Form of xmtrace: a word and a call site. */
static inline void tt_emit_sched_in(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_IN, TT_ROUTE_SCHED_IN, value, ip);
}

/* The scheduler ends. Form of xmtrace. */
static inline void tt_emit_sched_out(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_OUT, TT_ROUTE_SCHED_OUT, value, ip);
}

/* The scheduler switches. Form of xmtrace. */
static inline void tt_emit_sched_switch_to(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_SWITCH_TO, TT_ROUTE_SCHED_SWITCH_TO, value, ip);
}

/* CPUs on which a thread may run from now on. Before the first event of this type, all. */
static inline void tt_emit_sched_cpus(uint32_t tid, uint32_t cpus)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_CPUS, TT_ROUTE_SCHED_CPUS, tid, cpus);
}

/* A stimulus of the application: the cause of the next activation, set or write. */
static inline void tt_emit_sched_stimulus(uint32_t stimulus, uint32_t value)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_STIMULUS, TT_ROUTE_SCHED_STIMULUS, stimulus, value);
}

/* An activation is refused, because the thread has as many activations as it may have. */
static inline void tt_emit_sched_refusal(uint32_t tid, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_SCHED, TT_SCHED_REFUSAL, TT_ROUTE_SCHED_REFUSAL, tid, instance);
}

/* Interrupts are masked. */
static inline void tt_emit_irqstate_hard_cli(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_CLI, TT_ROUTE_IRQSTATE_HARD_CLI, value, ip);
}

/* Interrupts are unmasked. */
static inline void tt_emit_irqstate_hard_sti(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_STI, TT_ROUTE_IRQSTATE_HARD_STI, value, ip);
}

/* The mask state is read. */
static inline void tt_emit_irqstate_hard_save_flags(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_SAVE_FLAGS, TT_ROUTE_IRQSTATE_HARD_SAVE_FLAGS,
             value, ip);
}

/* The mask state is restored. */
static inline void tt_emit_irqstate_hard_restore_flags(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_RESTORE_FLAGS,
             TT_ROUTE_IRQSTATE_HARD_RESTORE_FLAGS, value, ip);
}

/* The mask state is read and interrupts are masked. */
static inline void tt_emit_irqstate_hard_savef_and_cli(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_SAVEF_AND_CLI,
             TT_ROUTE_IRQSTATE_HARD_SAVEF_AND_CLI, value, ip);
}

/* An interrupt is intercepted. */
static inline void tt_emit_irqstate_intercept(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_INTERCEPT, TT_ROUTE_IRQSTATE_INTERCEPT, value, ip);
}

/* End of an interception. */
static inline void tt_emit_irqstate_intercept_exit(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_INTERCEPT_EXIT, TT_ROUTE_IRQSTATE_INTERCEPT_EXIT, value,
             ip);
}

/* A local interrupt is intercepted. */
static inline void tt_emit_irqstate_local_intercept(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_LOCAL_INTERCEPT, TT_ROUTE_IRQSTATE_LOCAL_INTERCEPT,
             value, ip);
}

/* End of a local interception. */
static inline void tt_emit_irqstate_local_intercept_exit(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_LOCAL_INTERCEPT_EXIT,
             TT_ROUTE_IRQSTATE_LOCAL_INTERCEPT_EXIT, value, ip);
}

/* A spin lock is taken. */
static inline void tt_emit_irqstate_spin_lock(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_SPIN_LOCK, TT_ROUTE_IRQSTATE_SPIN_LOCK, value, ip);
}

/* A spin lock is released. */
static inline void tt_emit_irqstate_spin_unlock(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_SPIN_UNLOCK, TT_ROUTE_IRQSTATE_SPIN_UNLOCK, value, ip);
}

/*
 * A process begins to poll for a spin lock that is taken, or for another condition (value 0).
 * SPIN_LOCK or SPIN_END ends the polling.
 */
static inline void tt_emit_irqstate_spin_wait(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_SPIN_WAIT, TT_ROUTE_IRQSTATE_SPIN_WAIT, value, ip);
}

/*
 * A process stops polling without taking a spin lock: it gives up, or the other condition is true.
 */
static inline void tt_emit_irqstate_spin_end(uint32_t value, uint32_t tid)
{
    TT_EMIT2(TT_CLASS_IRQSTATE, TT_IRQSTATE_SPIN_END, TT_ROUTE_IRQSTATE_SPIN_END, value, tid);
}

/* An event of a domain. */
static inline void tt_emit_domain_user(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_DOMAIN, TT_DOMAIN_USER, TT_ROUTE_DOMAIN_USER, value, ip);
}

/* A domain enters the kernel. */
static inline void tt_emit_domain_syscall_enter(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER, TT_ROUTE_DOMAIN_SYSCALL_ENTER, value, ip);
}

/* The kernel returns to a domain. */
static inline void tt_emit_domain_syscall_exit(uint32_t value, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT, TT_ROUTE_DOMAIN_SYSCALL_EXIT, value, ip);
}

/* A domain made an access without permission and is stopped. */
static inline void tt_emit_domain_fault(uint32_t address, uint32_t ip)
{
    TT_EMIT2(TT_CLASS_DOMAIN, TT_DOMAIN_FAULT, TT_ROUTE_DOMAIN_FAULT, address, ip);
}

/* A signal is read. */
static inline void tt_emit_signal_read(uint32_t signal, uint32_t value)
{
    TT_EMIT2(TT_CLASS_SIGNAL, TT_SIGNAL_READ, TT_ROUTE_SIGNAL_READ, signal, value);
}

/* A signal is written. */
static inline void tt_emit_signal_write(uint32_t signal, uint32_t value)
{
    TT_EMIT2(TT_CLASS_SIGNAL, TT_SIGNAL_WRITE, TT_ROUTE_SIGNAL_WRITE, signal, value);
}

/* A runnable begins. */
static inline void tt_emit_runnable_begin(uint32_t runnable, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_RUNNABLE, TT_RUNNABLE_BEGIN, TT_ROUTE_RUNNABLE_BEGIN, runnable, instance);
}

/* A runnable ends. */
static inline void tt_emit_runnable_end(uint32_t runnable, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_RUNNABLE, TT_RUNNABLE_END, TT_ROUTE_RUNNABLE_END, runnable, instance);
}

/* A runnable is interrupted. */
static inline void tt_emit_runnable_suspend(uint32_t runnable, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_RUNNABLE, TT_RUNNABLE_SUSPEND, TT_ROUTE_RUNNABLE_SUSPEND, runnable, instance);
}

/* A runnable resumes. */
static inline void tt_emit_runnable_resume(uint32_t runnable, uint32_t instance)
{
    TT_EMIT2(TT_CLASS_RUNNABLE, TT_RUNNABLE_RESUME, TT_ROUTE_RUNNABLE_RESUME, runnable, instance);
}

/* Tracing begins. */
#define tt_emit_tracer_start(stream, unused, filter_low, filter_high)                              \
    TT_EMIT_WIDE(TT_CLASS_TRACER, TT_TRACER_START, TT_ROUTE_TRACER_START, stream, unused,          \
                 filter_low, filter_high)

/* Tracing ends. */
static inline void tt_emit_tracer_stop(uint32_t stream, uint32_t automatic)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_STOP, TT_ROUTE_TRACER_STOP, stream, automatic);
}

/* A filter changed. */
#define tt_emit_tracer_filter(stream, event_type, old_low, old_high, new_low, new_high)            \
    TT_EMIT_WIDE(TT_CLASS_TRACER, TT_TRACER_FILTER, TT_ROUTE_TRACER_FILTER, stream, event_type,    \
                 old_low, old_high, new_low, new_high)

/* Records begin to be lost. */
static inline void tt_emit_tracer_overflow(uint32_t stream, uint32_t ordinal)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_OVERFLOW, TT_ROUTE_TRACER_OVERFLOW, stream, ordinal);
}

/* Recording resumes. */
static inline void tt_emit_tracer_resume(uint32_t stream, uint32_t lost_count)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_RESUME, TT_ROUTE_TRACER_RESUME, stream, lost_count);
}

/* A flush begins. */
static inline void tt_emit_tracer_flush_start(uint32_t stream, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_FLUSH_START, TT_ROUTE_TRACER_FLUSH_START, stream, unused);
}

/* A flush ends. */
static inline void tt_emit_tracer_flush_stop(uint32_t stream, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_FLUSH_STOP, TT_ROUTE_TRACER_FLUSH_STOP, stream, unused);
}

/* An error in the tracer. */
static inline void tt_emit_tracer_error(int32_t code, uint32_t detail)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_ERROR, TT_ROUTE_TRACER_ERROR, (uint32_t)code, detail);
}

/* An event handler ran. */
static inline void tt_emit_tracer_handler(uint32_t event_type, uint32_t result)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_HANDLER, TT_ROUTE_TRACER_HANDLER, event_type, result);
}

/* A command from the host was executed. */
static inline void tt_emit_tracer_command(uint32_t command, int32_t status)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_COMMAND, TT_ROUTE_TRACER_COMMAND, command,
             (uint32_t)status);
}

/* A stream with policy FINALIZE has finished a trace. This is the last record of its buffer. */
static inline void tt_emit_tracer_finalize(uint32_t trace, uint32_t lost_count)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_FINALIZE, TT_ROUTE_TRACER_FINALIZE, trace, lost_count);
}

/*
 * A combine event is recorded again from its beginning, because its thread has moved to this CPU.
 * Its records on the other CPU do not count as a lost event.
 */
static inline void tt_emit_tracer_moved(uint32_t header, uint32_t time)
{
    TT_EMIT2(TT_CLASS_TRACER, TT_TRACER_MOVED, TT_ROUTE_TRACER_MOVED, header, time);
}

/*
 * Cost of recording, measured by tt_measure_cost() on the running target. The clock counts whole
 * ticks: the true time differs by less than one tick.
 */
#define tt_emit_tracer_cost(measured, ticks, unused)                                               \
    TT_EMIT_WIDE(TT_CLASS_TRACER, TT_TRACER_COST, TT_ROUTE_TRACER_COST, measured, ticks, unused)

/* Reserved by the S.Ha.R.K. tracer. */
static inline void tt_emit_trc_reserved(uint32_t info, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_RESERVED, TT_ROUTE_TRC_RESERVED, info, unused);
}

/* A queue lost events. */
static inline void tt_emit_trc_hoops(uint32_t lost_count, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_HOOPS, TT_ROUTE_TRC_HOOPS, lost_count, unused);
}

/* A task is created. */
static inline void tt_emit_trc_create(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_CREATE, TT_ROUTE_TRC_CREATE, task, rest);
}

/* A task is activated. */
static inline void tt_emit_trc_activate(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_ACTIVATE, TT_ROUTE_TRC_ACTIVATE, task, rest);
}

/* A task runs from now on. */
static inline void tt_emit_trc_schedule(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_SCHEDULE, TT_ROUTE_TRC_SCHEDULE, task, rest);
}

/* A task waits for a time. */
static inline void tt_emit_trc_delay(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_DELAY, TT_ROUTE_TRC_DELAY, task, rest);
}

/* A task waits for its activation. */
static inline void tt_emit_trc_sleep(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_SLEEP, TT_ROUTE_TRC_SLEEP, task, rest);
}

/* A periodic task has completed its work. */
static inline void tt_emit_trc_endcycle(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_ENDCYCLE, TT_ROUTE_TRC_ENDCYCLE, task, rest);
}

/* A task ends. */
static inline void tt_emit_trc_destroy(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_DESTROY, TT_ROUTE_TRC_DESTROY, task, rest);
}

/* An interrupt activates a task. */
static inline void tt_emit_trc_intactivation(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_INTACTIVATION, TT_ROUTE_TRC_INTACTIVATION, task, rest);
}

/* A task is disabled: it is no longer activated. */
static inline void tt_emit_trc_disable(uint32_t task, uint32_t rest)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_DISABLE, TT_ROUTE_TRC_DISABLE, task, rest);
}

/* An interrupt is requested. */
static inline void tt_emit_trc_intr(uint32_t n, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_INTR, TT_ROUTE_TRC_INTR, n, unused);
}

/* A task waits on a semaphore. */
static inline void tt_emit_trc_sem_wait(uint32_t task, uint32_t id)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_SEM_WAIT, TT_ROUTE_TRC_SEM_WAIT, task, id);
}

/* A task tries a semaphore. */
static inline void tt_emit_trc_sem_waitnb(uint32_t task, uint32_t id)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_SEM_WAITNB, TT_ROUTE_TRC_SEM_WAITNB, task, id);
}

/* A task signals a semaphore. */
static inline void tt_emit_trc_sem_signal(uint32_t task, uint32_t id)
{
    TT_EMIT2(TT_CLASS_TRC, TT_TRC_SEM_SIGNAL, TT_ROUTE_TRC_SEM_SIGNAL, task, id);
}

/* An event of the application. `event`: 11-18; other numbers share one route. */
static inline void tt_emit_trc_user(uint32_t event, int32_t n, uint32_t unused)
{
    TT_EMIT2(TT_CLASS_TRC, event, tt_trc_user_route(event), (uint32_t)n, unused);
}

#endif
