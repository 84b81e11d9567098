/*
 * tickertape_zephyr.h - functions that Zephyr's tracing hooks call; hooks.yaml maps hooks to them.
 *
 * They are functions rather than emitters so that a call site stays small, and so that this header
 * needs no kernel.h: every file of a project includes it, C++ too.
 *
 * Context: any in which the kernel calls a hook. No function blocks.
 */
#ifndef TICKERTAPE_ZEPHYR_H
#define TICKERTAPE_ZEPHYR_H

#include <stdint.h>

#include "tickertape/emit.h"
#include "tickertape/events.h"

#ifdef __cplusplus
extern "C" {
#endif

struct k_condvar;
struct k_event;
struct k_msgq;
struct k_mutex;
struct k_sem;
struct k_stack;
struct k_thread;
struct k_timer;

/*
 * Record the begin or end of a kernel call. Calls from interrupts are not recorded, because the
 * caller would be unknown. `event` is the event's number in class KERCALL, `route` its route; the
 * wide form adds the caller.
 */
void tt_zephyr_record_call(uint32_t data0, uint32_t data1, uint32_t event, uint32_t route);

/* Record the begin or end of a kernel call if any stream takes it. `first` is the first route of
 * all begins or of all ends, `offset` is 0 for a begin. All arguments but data0 and data1 are
 * constant at a call site, so a call that no stream takes costs a load and a branch. */
static inline void tt_zephyr_moment(uint32_t call, uint32_t first, uint32_t offset, uint32_t data0,
                                    uint32_t data1)
{
#if TT_CONFIG_ENABLED
    uint32_t taken = tt_route_load(tt_kercall_route(first, call));
    if (taken != 0u) {
        tt_zephyr_record_call(data0, data1, call + offset, taken);
    }
#else
    TT_NOT_EVALUATED(call, first, offset, data0, data1);
#endif
}

/* Begin, end, or begin and end at once of a kernel call (TT_KERCALL_*). */
static inline void tt_zephyr_enter_number(uint32_t call, uint32_t number)
{
    tt_zephyr_moment(call, TT_ROUTE_KERCALL_FIRST_ENTER, 0u, number, 0u);
}

static inline void tt_zephyr_enter(uint32_t call, const volatile void *object, uint32_t argument)
{
    tt_zephyr_moment(call, TT_ROUTE_KERCALL_FIRST_ENTER, 0u, (uint32_t)(uintptr_t)object, argument);
}

static inline void tt_zephyr_exit(uint32_t call, int32_t result)
{
    tt_zephyr_moment(call, TT_ROUTE_KERCALL_FIRST_EXIT, TT_KERCALL_EXIT_OFFSET, (uint32_t)result,
                     0u);
}

static inline void tt_zephyr_call(uint32_t call, const volatile void *object, uint32_t argument)
{
    tt_zephyr_enter(call, object, argument);
    tt_zephyr_exit(call, 0);
}

/* Record the number of free bytes of a k_heap after a change, as a signal with the heap's address
 * as id. Does nothing without CONFIG_SYS_HEAP_RUNTIME_STATS. Any context. */
void tt_zephyr_heap_changed(void *heap);

static inline void tt_zephyr_heap_exit(void *heap, uint32_t call, int32_t result)
{
    tt_zephyr_exit(call, result);
    tt_zephyr_heap_changed(heap);
}

static inline void tt_zephyr_heap_free(void *heap)
{
    tt_zephyr_call(TT_KERCALL_MEMORY_FREE, heap, 0u);
    tt_zephyr_heap_changed(heap);
}

/* The running thread is about to wait for an object; `state` is a TT_THREAD_* number. */
void tt_zephyr_wait(uint32_t state, const void *object);

/* The running thread has waited, or did not need to. */
void tt_zephyr_waited(void);

/* A work item is submitted to its queue after a delay of `ticks`. With 0 the queue's thread becomes
 * ready next, so this is recorded as its stimulus. */
void tt_zephyr_work_submit(const void *work, uint32_t ticks);

/* An item was put into a queue, or taken out of it. */
void tt_zephyr_put(const void *queue);
void tt_zephyr_got(const void *queue);

void tt_zephyr_switched_out(void);
void tt_zephyr_switched_in(void);
void tt_zephyr_yield(void);
void tt_zephyr_thread_create(struct k_thread *thread);
void tt_zephyr_thread_name(struct k_thread *thread);
void tt_zephyr_thread_user(void);
void tt_zephyr_thread_ready(struct k_thread *thread);
void tt_zephyr_thread_pend(struct k_thread *thread);
void tt_zephyr_thread_suspend(struct k_thread *thread);
void tt_zephyr_thread_abort(struct k_thread *thread);
void tt_zephyr_thread_priority(struct k_thread *thread);
void tt_zephyr_mutex_lock_blocking(struct k_mutex *mutex);
void tt_zephyr_mutex_lock_exit(struct k_mutex *mutex, int32_t result);
void tt_zephyr_mutex_unlock_enter(struct k_mutex *mutex);
void tt_zephyr_mutex_unlock_exit(int32_t result);
void tt_zephyr_sem_give_enter(struct k_sem *sem);
void tt_zephyr_sem_take_enter(struct k_sem *sem, uint32_t ticks);
void tt_zephyr_sem_take_blocking(struct k_sem *sem);
void tt_zephyr_sem_take_exit(struct k_sem *sem, int32_t result);
void tt_zephyr_condvar_signal(struct k_condvar *condvar);
void tt_zephyr_condvar_broadcast(struct k_condvar *condvar);
void tt_zephyr_condvar_wait(struct k_condvar *condvar);
void tt_zephyr_condvar_wait_exit(struct k_condvar *condvar, int32_t result);
void tt_zephyr_event_post(struct k_event *event, uint32_t events, uint32_t mask);
void tt_zephyr_event_wait_blocking(struct k_event *event, uint32_t events);
void tt_zephyr_event_wait_exit(struct k_event *event, uint32_t events);
/* The kernel is about to call a timer's function; the function has returned. */
void tt_zephyr_timer_expires(struct k_timer *timer);
void tt_zephyr_timer_expired(void);
/* An init function of a device or of SYS_INIT() begins, ends. `entry` is its init_entry. */
void tt_zephyr_init_begins(const void *entry);
void tt_zephyr_init_ends(const void *entry);
void tt_zephyr_stack_push(struct k_stack *stack);
void tt_zephyr_msgq_put(struct k_msgq *queue);
void tt_zephyr_signal_raise(const void *signal);
void tt_zephyr_system_suspend(uint32_t ticks);
void tt_zephyr_syscall_enter(uint32_t number);
void tt_zephyr_syscall_exit(void);
void tt_zephyr_named(const char *name, uint32_t data0, uint32_t data1);

#ifdef __cplusplus
}
#endif

/* Ticks of a k_timeout_t. K_FOREVER has all bits set. */
#define TT_ZEPHYR_TICKS(timeout) ((uint32_t)(timeout).ticks)

/* Result of an exit hook that has a pointer: 0 if found, -1 if NULL. */
#define TT_ZEPHYR_FOUND(pointer) ((pointer) != NULL ? 0 : -1)

/* The last of two or three arguments. Some hooks have one more argument before their result in
 * newer versions. */
#define TT_ZEPHYR_LAST(...) TT_ZEPHYR_LAST_(__VA_ARGS__, TT_ZEPHYR_3, TT_ZEPHYR_2, 0)(__VA_ARGS__)
#define TT_ZEPHYR_LAST_(a, b, c, d, ...) d
#define TT_ZEPHYR_2(a, b)                (b)
#define TT_ZEPHYR_3(a, b, c)             (c)

/* The action on a work item: the second word of KERCALL WORK. */
#define TT_ZEPHYR_WORK_SUBMIT 0u
#define TT_ZEPHYR_WORK_CANCEL 1u
#define TT_ZEPHYR_WORK_FLUSH  2u

#endif
