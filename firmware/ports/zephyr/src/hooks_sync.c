/*
 * Hooks of mutexes, semaphores, condition variables and events.
 *
 * Most of Zephyr's hooks run outside the kernel's locks. A release is recorded at the begin of its
 * call and an acquisition at the end, so that a hand-over from one thread to the next is in the
 * right order.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <zephyr/kernel.h>
#if __has_include(<zephyr/wait_q.h>)
#include <zephyr/wait_q.h>
#else
#include <wait_q.h>
#endif

#include "pair.h"
#include "threads.h"
#include "tickertape/hooks.h"
#include "tickertape_zephyr.h"
#include "wait.h"

/* Return the number of the first thread in a queue of waiters, or 0 if it is empty. */
static uint32_t first_waiter(_wait_q_t *queue)
{
    return tt_zephyr_tid(z_waitq_head(queue));
}

static uint32_t self_tid(void)
{
    return tt_zephyr_tid(tt_zephyr_running());
}

/* Record a timeout if the result of a wait is one. */
TT_ZEPHYR_RARE static void report_failed_wait(const void *object, int32_t result)
{
    if (result == -EAGAIN) {
        tt_hook_wait_timeout(object, self_tid());
    }
}

TT_ZEPHYR_RARE void tt_zephyr_mutex_lock_blocking(struct k_mutex *mutex)
{
    tt_hook_mutex_denied(mutex, tt_zephyr_tid(mutex->owner));
    tt_zephyr_wait(TT_THREAD_MUTEX, mutex);
}

/* A mutex can be locked several times by its owner: only the first lock is recorded. */
void tt_zephyr_mutex_lock_exit(struct k_mutex *mutex, int32_t result)
{
    if (result == -EBUSY) {
        tt_hook_mutex_refused(mutex, tt_zephyr_tid(mutex->owner));
    } else if (result == 0 && mutex->lock_count == 1u) {
        tt_hook_mutex_granted(mutex, self_tid());
    } else {
        report_failed_wait(mutex, result);
    }
    tt_zephyr_exit(TT_KERCALL_SYNC_MUTEX_LOCK, result);
}

static void set_unlocking(const struct k_thread *thread)
{
#if TT_CONFIG_CPUS > 1
    tt_port_key_t key = tt_port_lock();
    tt_zephyr_intent()->unlocking = thread;
    tt_port_unlock(key);
#else
    tt_zephyr_intent()->unlocking = thread;
#endif
}

void tt_zephyr_mutex_unlock_enter(struct k_mutex *mutex)
{
    const struct k_thread *self = tt_zephyr_running();
    if (mutex->owner == self && mutex->lock_count == 1u) {
        set_unlocking(self);
        TT_ZEPHYR_ENTER_AND(TT_KERCALL_SYNC_MUTEX_UNLOCK, mutex, MUTEX_UNLOCK,
                            (uint32_t)(uintptr_t)self, false);
    } else {
        tt_zephyr_enter(TT_KERCALL_SYNC_MUTEX_UNLOCK, mutex, 0u);
    }
}

void tt_zephyr_mutex_unlock_exit(int32_t result)
{
    set_unlocking(NULL);
    tt_zephyr_exit_in_thread(TT_KERCALL_SYNC_MUTEX_UNLOCK, result);
}

/* The drain's own semaphore. Its calls are not recorded: they would make records that have to be
 * sent, which makes more calls. */
extern struct k_sem tt_zephyr_work;

static bool is_own(const struct k_sem *sem)
{
    return !IS_ENABLED(CONFIG_TICKERTAPE_OWN_CALLS) && sem == &tt_zephyr_work;
}

void tt_zephyr_sem_give_enter(struct k_sem *sem)
{
    if (is_own(sem)) {
        return;
    }
    bool handed = z_waitq_head(&sem->wait_q) != NULL;
    uint32_t count = handed || sem->count == sem->limit ? sem->count : sem->count + 1u;
    TT_ZEPHYR_ENTER_AND(TT_KERCALL_SYNC_SEM_POST, sem, SEM_SIGNAL, count, true);
}

void tt_zephyr_sem_take_enter(struct k_sem *sem, uint32_t ticks)
{
    if (!is_own(sem)) {
        tt_zephyr_enter(TT_KERCALL_SYNC_SEM_WAIT, sem, ticks);
    }
}

/* For the drain's own semaphore too, the thread is recorded as waiting, so that its state is
 * known. */
void tt_zephyr_sem_take_blocking(struct k_sem *sem)
{
    if (!is_own(sem)) {
        tt_hook_sem_blocked(sem, self_tid());
    }
    tt_zephyr_wait(TT_THREAD_SEM, sem);
}

void tt_zephyr_sem_take_exit(struct k_sem *sem, int32_t result)
{
    if (is_own(sem)) {
        return;
    }
    if (result == 0) {
        tt_hook_sem_granted(sem, sem->count);
    } else if (result == -EBUSY) {
        tt_hook_sem_refused(sem, self_tid());
    } else {
        report_failed_wait(sem, result);
    }
    tt_zephyr_exit(TT_KERCALL_SYNC_SEM_WAIT, result);
}

void tt_zephyr_condvar_signal(struct k_condvar *condvar)
{
    TT_ZEPHYR_ENTER_AND(TT_KERCALL_SYNC_CONDVAR_SIGNAL, condvar, COND_SIGNAL,
                        first_waiter(&condvar->wait_q), true);
}

TT_ZEPHYR_RARE void tt_zephyr_condvar_broadcast(struct k_condvar *condvar)
{
    uint32_t count = 0;
    struct k_thread *waiter;
    _WAIT_Q_FOR_EACH(&condvar->wait_q, waiter)
    {
        count++;
    }
    tt_zephyr_enter(TT_KERCALL_SYNC_CONDVAR_SIGNAL, condvar, 1u);
    tt_hook_cond_broadcast(condvar, count);
}

/* Zephyr does not pass the mutex. */
void tt_zephyr_condvar_wait(struct k_condvar *condvar)
{
    TT_ZEPHYR_ENTER_AND(TT_KERCALL_SYNC_CONDVAR_WAIT, condvar, COND_WAIT, 0u, false);
    tt_zephyr_wait(TT_THREAD_CONDVAR, condvar);
}

TT_ZEPHYR_RARE void tt_zephyr_condvar_wait_exit(struct k_condvar *condvar, int32_t result)
{
    report_failed_wait(condvar, result);
    tt_zephyr_exit(TT_KERCALL_SYNC_CONDVAR_WAIT, result);
}

/* Hook for both setting and clearing flags: `mask` selects the flags that change, `events` is their
 * new value. */
TT_ZEPHYR_RARE void tt_zephyr_event_post(struct k_event *event, uint32_t events, uint32_t mask)
{
    uint32_t cleared = mask & ~events & event->events;
    tt_zephyr_enter(TT_KERCALL_FLAGS_SET, event, events);
    if ((events & mask) != 0u) {
        tt_hook_flags_set(event, events & mask);
    }
    if (cleared != 0u) {
        tt_hook_flags_clear(event, cleared);
    }
}

TT_ZEPHYR_RARE void tt_zephyr_event_wait_blocking(struct k_event *event, uint32_t events)
{
    tt_hook_flags_wait(event, events);
    tt_zephyr_wait(TT_THREAD_SIGWAITINFO, event);
}

TT_ZEPHYR_RARE void tt_zephyr_event_wait_exit(struct k_event *event, uint32_t events)
{
    if (events == 0u) {
        report_failed_wait(event, -EAGAIN);
    }
    tt_zephyr_exit(TT_KERCALL_FLAGS_WAIT, (int32_t)events);
}
