/*
 * Events of queues, semaphores, mutexes, notifications, event groups, stream buffers and timers,
 * from FreeRTOS' trace macros (tickertape_freertos.h).
 */
#include <stddef.h>

#include "freertos_port.h"
#include "queue.h"
#include "tickertape/hooks.h"

#define PID 0u

_Static_assert(TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_COUNTING_SEMAPHORE) &&
                   TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_BINARY_SEMAPHORE) &&
                   !TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_MUTEX) &&
                   !TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_RECURSIVE_MUTEX) &&
                   !TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_BASE) &&
                   !TT_FREERTOS_TYPE_IS_SEMAPHORE(queueQUEUE_TYPE_SET),
               "tickertape: ucQueueType of semaphores");
_Static_assert(TT_FREERTOS_TYPE_IS_MUTEX(queueQUEUE_TYPE_MUTEX) &&
                   TT_FREERTOS_TYPE_IS_MUTEX(queueQUEUE_TYPE_RECURSIVE_MUTEX) &&
                   !TT_FREERTOS_TYPE_IS_MUTEX(queueQUEUE_TYPE_BASE) &&
                   !TT_FREERTOS_TYPE_IS_MUTEX(queueQUEUE_TYPE_SET),
               "tickertape: ucQueueType of mutexes");

/*
 * The stream buffer for which `task` is about to wait: the kernel implements this wait as a wait
 * for a notification. On several cores, tasks share an entry by their numbers; a task whose entry
 * was overwritten is recorded as waiting for a notification.
 */
static struct {
    uint32_t task;
    uint32_t state;
    const void *object;
} streams[TT_FREERTOS_PLACES];

static uint32_t number_of_handle(const void *tcb)
{
    /* The kernel's parameter is not const, but the kernel only reads. */
    return tcb == NULL ? 0u
                       : (uint32_t)uxTaskGetTaskNumber((TaskHandle_t)(uintptr_t)tcb) &
                             TT_FREERTOS_NUMBER_MASK;
}

static bool is_mutex(uint32_t type)
{
    return TT_FREERTOS_TYPE_IS_MUTEX(type);
}

static bool is_semaphore(uint32_t type)
{
    return TT_FREERTOS_TYPE_IS_SEMAPHORE(type);
}

void tt_freertos_registered(const void *queue, uint32_t type, uint32_t length, const char *name)
{
    uint32_t kind = is_mutex(type)       ? (uint32_t)TT_OBJECT_KIND_MUTEX
                    : is_semaphore(type) ? (uint32_t)TT_OBJECT_KIND_SEMAPHORE
                                         : (uint32_t)TT_OBJECT_KIND_CHANNEL;
    tt_freertos_remember(queue, kind, is_semaphore(type) ? length : 0u, name);
}

void tt_freertos_sem_given(const void *sem, uint32_t count)
{
    tt_hook_sem_signal(sem, count);
}

void tt_freertos_sem_taken(const void *sem, uint32_t count)
{
    tt_hook_sem_granted(sem, count);
}

void tt_freertos_mutex_given(const void *mutex)
{
    uint32_t owner = tt_freertos_self();
    if (__builtin_expect(owner != TT_FREERTOS_NO_TASK, 1)) {
        tt_hook_mutex_unlock(mutex, owner);
    }
}

void tt_freertos_mutex_taken(const void *mutex)
{
    uint32_t owner = tt_freertos_self();
    if (__builtin_expect(owner != TT_FREERTOS_NO_TASK, 1)) {
        tt_hook_mutex_granted(mutex, owner);
    }
}

void tt_freertos_queue_sent(const void *queue, const void *item)
{
    tt_hook_pulse_sent(queue, PID);
    if (item != NULL) {
        TT_FREERTOS_OF_TIMERS(queue, tt_freertos_command_sent(item));
    }
}

void tt_freertos_queue_received(const void *queue, const void *taken)
{
    tt_hook_pulse_received(queue, PID);
    (void)taken;
    TT_FREERTOS_OF_TIMERS(queue, tt_freertos_command_received(taken, TT_FREERTOS_HAS_CALLS));
}

void tt_freertos_waits_to_send(const void *queue)
{
    tt_freertos_intend(TT_THREAD_SEND, queue);
}

void tt_freertos_waits_to_receive(const void *queue)
{
    tt_freertos_intend(TT_THREAD_RECEIVE, queue);
}

void tt_freertos_waits_for_sem(const void *sem)
{
    tt_freertos_intend(TT_THREAD_SEM, sem);
    tt_hook_sem_blocked(sem, tt_freertos_self());
}

void tt_freertos_waits_for_mutex(const void *mutex, const void *holder)
{
    tt_freertos_intend(TT_THREAD_MUTEX, mutex);
    tt_hook_mutex_denied(mutex, number_of_handle(holder));
}

void tt_freertos_not_sent(const void *queue, bool waited)
{
    if (waited) {
        tt_hook_wait_timeout(queue, tt_freertos_self());
    }
}

void tt_freertos_not_received(const void *queue, uint32_t type, const void *holder, bool waited)
{
    if (!tt_freertos_is_running()) {
        return;
    }
    if (waited) {
        tt_hook_wait_timeout(queue, tt_freertos_self());
    } else if (is_mutex(type)) {
        if (TT_FREERTOS_CORES == 1 || holder != NULL) { /* NULL: the mutex was given meanwhile */
            tt_hook_mutex_refused(queue, number_of_handle(holder));
        }
    } else if (is_semaphore(type)) {
        tt_hook_sem_refused(queue, tt_freertos_self());
    }
}

/* Notifications, event groups, stream buffers, timers. ------------------------------------------
 */

void tt_freertos_notified(const void *tcb)
{
    tt_hook_pulse_sent(tcb, PID);
}

void tt_freertos_waits_for_notification(const void *tcb)
{
    uint32_t task = tt_freertos_self();
    uint32_t place = task % TT_FREERTOS_PLACES;
    uint32_t state = TT_THREAD_RECEIVE;
    const void *object = tcb;
    tt_port_key_t key = tt_freertos_lock();
    if (streams[place].state != 0u && streams[place].task == task) {
        state = streams[place].state;
        object = streams[place].object;
        streams[place].state = 0;
    }
    tt_freertos_unlock(key);
    tt_freertos_intend(state, object);
}

void tt_freertos_took_notification(const void *tcb, bool is_there, bool waited)
{
    if (is_there) {
        tt_hook_pulse_received(tcb, PID);
    } else if (waited) {
        tt_hook_wait_timeout(tcb, tt_freertos_self());
    }
}

void tt_freertos_flags_set(const void *group, uint32_t bits)
{
    tt_hook_flags_set(group, bits);
}

void tt_freertos_flags_clear(const void *group, uint32_t bits)
{
    tt_hook_flags_clear(group, bits);
}

void tt_freertos_flags_wait(const void *group, uint32_t bits)
{
    tt_hook_flags_wait(group, bits);
    tt_freertos_intend(TT_THREAD_SIGWAITINFO, group);
}

void tt_freertos_flags_waited(const void *group, bool is_late)
{
    if (is_late) {
        tt_hook_wait_timeout(group, tt_freertos_self());
    }
}

/* The bits that the last xEventGroupSetBits() of a task cleared: xEventGroupSync(), which calls it,
 * clears its bits again. */
static struct {
    const void *group;
    uint32_t task;
    uint32_t bits;
} wokes[TT_FREERTOS_PLACES];

void tt_freertos_flags_woke(const void *group, uint32_t cleared)
{
    uint32_t task = tt_freertos_self();
    uint32_t place = task % TT_FREERTOS_PLACES;
    wokes[place].group = group;
    wokes[place].task = task;
    wokes[place].bits = cleared;
    if (cleared != 0u) {
        tt_hook_flags_clear(group, cleared);
    }
}

void tt_freertos_flags_met(const void *group, uint32_t cleared, bool is_sync)
{
    uint32_t task = tt_freertos_self();
    uint32_t place = task % TT_FREERTOS_PLACES;
    if (is_sync && wokes[place].group == group && wokes[place].task == task) {
        cleared &= ~wokes[place].bits;
    }
    if (cleared != 0u) {
        tt_hook_flags_clear(group, cleared);
    }
}

void tt_freertos_stream_sent(const void *buffer, uint32_t byte_count)
{
    if (byte_count != 0u) {
        tt_hook_pulse_sent(buffer, PID);
    }
}

void tt_freertos_stream_received(const void *buffer, uint32_t byte_count)
{
    if (byte_count != 0u) {
        tt_hook_pulse_received(buffer, PID);
    }
}

void tt_freertos_stream_waits(const void *buffer, bool to_send)
{
    uint32_t task = tt_freertos_self();
    uint32_t place = task % TT_FREERTOS_PLACES;
    tt_port_key_t key = tt_freertos_lock();
    streams[place].task = task;
    streams[place].object = buffer;
    streams[place].state = to_send ? TT_THREAD_SEND : TT_THREAD_RECEIVE;
    tt_freertos_unlock(key);
}

void tt_freertos_timer_created(const void *timer, const char *name)
{
    if (name != NULL) {
        tt_freertos_remember(timer, (uint32_t)TT_OBJECT_KIND_TIMER, 0u, name);
    }
}

void tt_freertos_timer_expired(const void *timer, uint32_t count)
{
    tt_hook_timer(timer, count);
}
