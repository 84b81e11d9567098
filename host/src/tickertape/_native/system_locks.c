/* Handlers for locks, the same as those of tickertape/model/objects.py. */
#include <stdlib.h>

#include "system_parts.h"

/* For an unknown limit: 1 permit is taken while permits are left, 2 when none is left. */
#define SOME_LIMIT 2
#define NOT_SAID   (-1)

/* Locks -----------------------------------------------------------------------------------------
 */

static int64_t all_of(const tt_lock_t *lock)
{
    return lock->limit != 0 ? lock->limit : SOME_LIMIT;
}

/* Return the number of holders while `left` permits are free. */
static int64_t taken_with(const tt_lock_t *lock, int64_t left)
{
    if (lock->limit == 0) {
        return SOME_LIMIT - (left < 1 ? left : 1);
    }
    return lock->limit > left ? lock->limit - left : 0;
}

static int64_t count_of(const tt_lock_t *lock)
{
    if (lock->limit == 0 || lock->taken < 0 || lock->waiting < 0) {
        return TT_NOT_KNOWN;
    }
    return lock->taken + lock->waiting;
}

static uint8_t state_by_counts(const tt_lock_t *lock)
{
    if (lock->taken < 0 || lock->waiting < 0) {
        return TT_STATE_UNKNOWN;
    }
    int64_t count = lock->taken + lock->waiting;
    int64_t limit = all_of(lock);
    if (count == 0) {
        return TT_STATE_FREE;
    }
    if (count < limit) {
        return TT_STATE_USED;
    }
    return count == limit ? TT_STATE_FULL : TT_STATE_OVERFULL;
}

static bool is_anybody_vague(const tt_system_t *system)
{
    for (const tt_process_t *thread = system->threads.first; thread != NULL;
         thread = thread->next) {
        if (thread->is_vague) {
            return true;
        }
    }
    return false;
}

tt_lock_t *tt_lock_of(tt_system_t *system, uint32_t kind, uint32_t address)
{
    int32_t entity = tt_other(system, kind, address);
    if (system->status != TT_SYSTEM_DONE || system->entities[entity].lock != NULL) {
        return system->status != TT_SYSTEM_DONE ? NULL : system->entities[entity].lock;
    }
    int64_t limit = kind == TT_KIND_SEMAPHORE ? system->services.limit(address) : 1;
    if (limit < 0) {
        system->status = TT_SYSTEM_STOPPED;
        return NULL;
    }
    tt_lock_t *lock = calloc(1, sizeof *lock);
    if (lock == NULL) {
        system->status = TT_SYSTEM_NO_MEMORY;
        return NULL;
    }
    lock->entity = entity;
    lock->number = address;
    lock->limit = limit;
    lock->is_mutex = kind == TT_KIND_MUTEX;
    lock->taken = NOT_SAID;
    lock->waiting = system->is_whole && !is_anybody_vague(system) ? 0 : NOT_SAID;
    if (system->locks == NULL) {
        system->locks = lock;
    } else {
        system->last_lock->next = lock;
    }
    system->last_lock = lock;
    system->lock_count++;
    system->entities[entity].lock = lock;
    return lock;
}

/* Add a transition of a lock whose counts are already those after the event. */
static void lock_does(tt_system_t *system, uint8_t action, tt_lock_t *lock,
                      const tt_process_t *cause)
{
    uint8_t before = lock->state;
    lock->state = state_by_counts(lock);
    tt_change_t change = {.action = action,
                          .before = before,
                          .after = lock->state,
                          .entity = lock->entity,
                          .object = TT_NO_ENTITY,
                          .value = count_of(lock)};
    tt_add(system, &change, cause);
}

/* Set the counts of a lock to those that the event proves for the time before it. */
static void know(tt_system_t *system, tt_lock_t *lock, int64_t taken, int64_t waiting)
{
    if (lock->taken == taken && lock->waiting == waiting) {
        return;
    }
    lock->taken = taken;
    lock->waiting = waiting;
    if (lock->state != state_by_counts(lock)) {
        lock_does(system, TT_ACTION_FOUND, lock, NULL);
    }
}

/* Set the counts after an event of a kernel that only wakes waiters, which take a permit when they
 * run. Another process may be faster, and `left` includes the permits that woken processes will
 * take. `count`: number of holders and waiters after the event, by the counts so far. Return false,
 * and change nothing, if woken processes do not explain `left`. */
static bool know_shared(const tt_system_t *system, tt_lock_t *lock, int64_t left, int64_t count)
{
    int64_t wanting = 0;
    for (const tt_process_t *thread = system->threads.first; thread != NULL;
         thread = thread->next) {
        wanting += thread->wanted == lock;
    }
    if (wanting == 0 || count_of(lock) == TT_NOT_KNOWN || lock->limit - left + wanting != count) {
        return false;
    }
    lock->waiting = wanting > left ? wanting - left : 0;
    lock->taken = count - lock->waiting;
    return true;
}

static void queue(tt_system_t *system, tt_lock_t *lock, tt_process_t *thread, uint8_t action)
{
    if (thread != NULL && thread->wanted == lock) {
        return; /* it was woken, another process was faster, and it keeps waiting */
    }
    know(system, lock, all_of(lock), lock->waiting);
    if (thread != NULL) {
        thread->wanted = lock;
    }
    if (lock->waiting != NOT_SAID) {
        lock->waiting++;
    }
    lock_does(system, action, lock, thread);
}

static void leave_queue(tt_lock_t *lock, tt_process_t *thread)
{
    thread->wanted = NULL;
    if (lock->waiting > 0) {
        lock->waiting--;
    }
}

static void on_granted(tt_system_t *system, uint32_t address, uint32_t tid)
{
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_MUTEX, address);
    tt_process_t *thread = tt_thread(system, tid);
    if (lock == NULL) {
        return;
    }
    thread->relock = NULL;
    bool waited =
        lock->waiting == NOT_SAID && (thread->is_vague || thread->state == TT_STATE_WAITING);
    if (thread->wanted == lock) {
        leave_queue(lock, thread);
        lock->taken = 1;
        lock_does(system, TT_ACTION_ASSIGN, lock, thread);
    } else if (waited) {
        lock->taken = 1;
        lock_does(system, TT_ACTION_ASSIGN, lock, thread);
    } else {
        /* The running process requested and got the mutex, so no other process waits, except woken
         * ones that have not run yet. */
        bool takes = tt_running(system) == thread;
        if (!takes || lock->waiting <= 0 || !know_shared(system, lock, 0, count_of(lock) + 1)) {
            know(system, lock, 0, takes || lock->waiting == NOT_SAID ? 0 : lock->waiting);
            lock->taken = 1;
        }
        lock_does(system, takes ? TT_ACTION_TAKE : TT_ACTION_GRANT, lock, thread);
    }
}

static void on_denied(tt_system_t *system, uint32_t address, uint32_t owner)
{
    (void)owner;
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_MUTEX, address);
    if (lock != NULL) {
        queue(system, lock, tt_running(system), TT_ACTION_QUEUE);
    }
}

static void on_unlock(tt_system_t *system, uint32_t address, uint32_t tid)
{
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_MUTEX, address);
    if (lock != NULL) {
        know(system, lock, 1, lock->waiting);
        lock->taken = 0; /* a woken process counts as waiting until its grant is traced */
        tt_process_t *thread = tt_thread(system, tid);
        /* A thread without a core is being ended by the running process, which releases its
         * mutex. */
        lock_does(system, TT_ACTION_GIVE, lock,
                  tt_is_off_core(thread) ? tt_running(system) : thread);
    }
}

static void on_refused(tt_system_t *system, uint32_t address, uint32_t owner)
{
    (void)owner;
    bool is_mutex = system->code == TT_EVENT_SYNC_MUTEX_TRY_REFUSED;
    tt_lock_t *lock = tt_lock_of(system, is_mutex ? TT_KIND_MUTEX : TT_KIND_SEMAPHORE, address);
    if (lock != NULL) {
        know(system, lock, all_of(lock), lock->waiting);
        lock_does(system, TT_ACTION_REFUSE, lock, tt_running(system));
    }
}

static void on_permit(tt_system_t *system, uint32_t address, uint32_t left)
{
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_SEMAPHORE, address);
    tt_process_t *thread = tt_running(system);
    if (lock == NULL) {
        return;
    }
    bool may_have_waited = thread == NULL || thread->is_vague;
    if (thread != NULL && thread->wanted == lock) {
        thread->wanted = NULL;
        lock_does(system, TT_ACTION_ASSIGN, lock, thread);
    } else if (may_have_waited &&
               (lock->taken == NOT_SAID || lock->taken == taken_with(lock, left))) {
        /* The thread may have waited: then the counts stay. If permits are left, none waits. */
        if (left != 0u) {
            lock->taken = taken_with(lock, left);
            lock->waiting = 0;
        }
        lock_does(system, TT_ACTION_ASSIGN, lock, thread);
    } else {
        int64_t before = taken_with(lock, (int64_t)left + 1);
        if ((lock->taken == before && lock->waiting == 0) ||
            !know_shared(system, lock, left, count_of(lock) + 1)) {
            know(system, lock, before, 0);
            lock->taken = taken_with(lock, left);
        }
        lock_does(system, TT_ACTION_TAKE, lock, thread);
    }
}

/* Return the thread that waits; for 0 the running process, such as an interrupt. */
static tt_process_t *waiter(tt_system_t *system, uint32_t tid)
{
    return tid != 0u ? tt_thread(system, tid) : tt_running(system);
}

static void on_no_permit(tt_system_t *system, uint32_t address, uint32_t tid)
{
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_SEMAPHORE, address);
    if (lock != NULL) {
        queue(system, lock, waiter(system, tid), TT_ACTION_QUEUE);
    }
}

static void on_post(tt_system_t *system, uint32_t address, uint32_t count)
{
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_SEMAPHORE, address);
    if (lock == NULL) {
        return;
    }
    if (count != 0u) {
        int64_t before = taken_with(lock, (int64_t)count - 1);
        if ((lock->taken == before && lock->waiting == 0) ||
            !know_shared(system, lock, count, count_of(lock) - 1)) {
            know(system, lock, before, 0);
            lock->taken = taken_with(lock, count);
        }
    } else {
        know(system, lock, all_of(lock), lock->waiting);
        if (lock->waiting > 0) {
            lock->waiting--; /* its new owner reports it when it runs */
        }
    }
    lock_does(system, TT_ACTION_GIVE, lock, tt_running(system));
}

/* Polling ---------------------------------------------------------------------------------------
 */

static void leave_poll(tt_system_t *system, tt_process_t *process)
{
    if (process->polls != NULL) {
        lock_does(system, TT_ACTION_LEAVE, process->polls, process);
        process->polls = NULL;
    }
}

void tt_poll(tt_system_t *system, tt_process_t *process, tt_lock_t *lock)
{
    process->polls = lock;
    const tt_lock_t *wanted = lock == NULL ? process->wanted : lock;
    int32_t object = wanted == NULL ? process->event : wanted->entity;
    if (process->state == TT_STATE_RUNNING) {
        tt_process_does(system, TT_ACTION_POLL, process, TT_STATE_POLLING, object, TT_NOT_KNOWN);
    }
}

void tt_end_poll(tt_system_t *system, tt_process_t *process)
{
    leave_poll(system, process);
    process->event = TT_NO_ENTITY;
    bool runs = process->state == TT_STATE_POLLING;
    tt_process_does(system, runs ? TT_ACTION_RUN : TT_ACTION_RELEASE_PARKING, process,
                    runs ? TT_STATE_RUNNING : TT_STATE_READY, TT_NO_ENTITY, TT_NOT_KNOWN);
}

static void on_spin_lock(tt_system_t *system, uint32_t address, uint32_t ip)
{
    (void)ip;
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_SPINLOCK, address);
    if (lock != NULL) {
        tt_process_t *process = tt_running(system);
        know(system, lock, 0, 0);
        lock->taken = 1;
        bool waited = process != NULL && process->polls == lock;
        lock_does(system, waited ? TT_ACTION_GRANT : TT_ACTION_TAKE, lock, process);
        if (waited) {
            process->polls = NULL;
            tt_end_poll(system, process);
        }
    }
}

/* Note that a process polls. The lock does not count it: others may take the lock first. */
static void on_spin_wait(tt_system_t *system, uint32_t address, uint32_t ip)
{
    (void)ip;
    tt_process_t *process = tt_running(system);
    tt_lock_t *lock = address != 0u ? tt_lock_of(system, TT_KIND_SPINLOCK, address) : NULL;
    if (lock != NULL) {
        lock_does(system, TT_ACTION_QUEUE, lock, process);
    }
    if (process != NULL) {
        tt_poll(system, process, lock);
    }
}

static void on_spin_unlock(tt_system_t *system, uint32_t address, uint32_t ip)
{
    (void)ip;
    tt_lock_t *lock = tt_lock_of(system, TT_KIND_SPINLOCK, address);
    if (lock != NULL) {
        know(system, lock, 1, 0);
        lock->taken = 0;
        lock_does(system, TT_ACTION_GIVE, lock, tt_running(system));
    }
}

static void on_spin_end(tt_system_t *system, uint32_t address, uint32_t tid)
{
    (void)address;
    tt_process_t *process =
        tid == 0u ? tt_running(system) : (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, tid);
    if (process != NULL &&
        (process->state == TT_STATE_POLLING || process->state == TT_STATE_PARKING)) {
        tt_end_poll(system, process);
    }
}

void tt_leave_queue(tt_system_t *system, tt_process_t *thread)
{
    tt_lock_t *lock = thread->wanted;
    leave_queue(lock, thread);
    lock_does(system, TT_ACTION_LEAVE, lock, thread);
}

static void on_wait_ended(tt_system_t *system, uint32_t address, uint32_t tid)
{
    tt_process_t *thread = waiter(system, tid);
    if (thread == NULL) {
        return;
    }
    tt_lock_t *lock = thread->wanted;
    if (lock != NULL && lock->number == address) {
        tt_leave_queue(system, thread);
    }
    thread->event = TT_NO_ENTITY;
}

static void lose_state(tt_system_t *system, tt_lock_t *lock)
{
    if (lock->state != TT_STATE_UNKNOWN) {
        tt_change_t change = {.action = TT_ACTION_LOSE,
                              .before = lock->state,
                              .entity = lock->entity,
                              .object = TT_NO_ENTITY,
                              .value = TT_NOT_KNOWN};
        tt_add(system, &change, NULL);
        lock->state = TT_STATE_UNKNOWN;
    }
}

static void lose_queues(tt_system_t *system)
{
    for (tt_lock_t *lock = system->locks; lock != NULL; lock = lock->next) {
        if (lock->is_mutex && lock->waiting != NOT_SAID) {
            lock->waiting = NOT_SAID;
            lose_state(system, lock);
        }
    }
}

void tt_line_up(tt_system_t *system, tt_process_t *thread, uint32_t state)
{
    if (state != TT_EVENT_THREAD_MUTEX || thread->wanted != NULL) {
        return;
    }
    tt_lock_t *lock = thread->relock;
    if (lock != NULL) {
        thread->relock = NULL;
        thread->event = TT_NO_ENTITY;
        queue(system, lock, thread, TT_ACTION_LINE_UP);
    } else if (thread->is_vague) {
        lose_queues(system);
    }
}

void tt_lose_objects(tt_system_t *system)
{
    for (tt_lock_t *lock = system->locks; lock != NULL; lock = lock->next) {
        lock->taken = lock->waiting = NOT_SAID;
        lose_state(system, lock);
    }
    for (uint64_t i = 0; i < system->entity_room; i++) {
        system->entities[i].owner = TT_NO_ENTITY;
    }
    tt_map_clear(&system->messages);
}

const tt_named_handler_t tt_lock_handlers[] = {
    {"_on_denied", on_denied},           {"_on_granted", on_granted},
    {"_on_spin_end", on_spin_end},       {"_on_no_permit", on_no_permit},
    {"_on_permit", on_permit},           {"_on_post", on_post},
    {"_on_refused", on_refused},         {"_on_spin_lock", on_spin_lock},
    {"_on_spin_unlock", on_spin_unlock}, {"_on_spin_wait", on_spin_wait},
    {"_on_unlock", on_unlock},           {"_on_wait_ended", on_wait_ended},
};
const size_t tt_lock_handler_count = sizeof tt_lock_handlers / sizeof tt_lock_handlers[0];
