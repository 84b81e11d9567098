/* Create, join and end threads; numbers of threads. */
#include "internal.h"

#include <string.h>

/* Arguments of kernel_thread_create() and kernel_domain_thread_create(), in their order. */
typedef struct thread_args {
    kernel_thread_t *thread;
    const kernel_domain_t *domain;
    const char *name;
    kernel_entry_t entry;
    void *argument;
    uint32_t priority;
    void *stack;
    size_t stack_bytes;
} thread_args_t;

_Static_assert((int)KERNEL_STATE_DEAD == (int)TT_THREAD_DEAD &&
                   (int)KERNEL_STATE_RUNNING == (int)TT_THREAD_RUNNING &&
                   (int)KERNEL_STATE_READY == (int)TT_THREAD_READY &&
                   (int)KERNEL_STATE_STOPPED == (int)TT_THREAD_STOPPED &&
                   (int)KERNEL_STATE_SEND == (int)TT_THREAD_SEND &&
                   (int)KERNEL_STATE_RECEIVE == (int)TT_THREAD_RECEIVE &&
                   (int)KERNEL_STATE_REPLY == (int)TT_THREAD_REPLY &&
                   (int)KERNEL_STATE_FLAGS == (int)TT_THREAD_SIGWAITINFO &&
                   (int)KERNEL_STATE_SLEEP == (int)TT_THREAD_NANOSLEEP &&
                   (int)KERNEL_STATE_MUTEX == (int)TT_THREAD_MUTEX &&
                   (int)KERNEL_STATE_CONDITION == (int)TT_THREAD_CONDVAR &&
                   (int)KERNEL_STATE_JOIN == (int)TT_THREAD_JOIN &&
                   (int)KERNEL_STATE_SEMAPHORE == (int)TT_THREAD_SEM,
               "states are numbered as the events of class THREAD");

static _Alignas(8) uint8_t idle_stacks[KERNEL_CPUS][KERNEL_IDLE_STACK_BYTES];

/* Existing threads by number. */
static kernel_thread_t *threads[KERNEL_MAX_THREADS];

/* Initialise a thread with number `tid`. [locked] */
static void make_thread(const thread_args_t *wanted, uint32_t tid)
{
    kernel_thread_t *thread = wanted->thread;
    memset(thread, 0, sizeof *thread);
    thread->cpu = (uint8_t)kernel_port_cpu();
    thread->domain = wanted->domain;
    thread->name = wanted->name;
    thread->entry = wanted->entry;
    thread->argument = wanted->argument;
    thread->stack = wanted->stack;
    thread->stack_bytes = wanted->stack_bytes;
    thread->tid = (uint8_t)tid;
    thread->priority = (uint8_t)wanted->priority;
    thread->base_priority = (uint8_t)wanted->priority;
    thread->wait_timeout = (kernel_timeout_t){.thread = thread, .expire = kernel_wait_expired};
    thread->period_timeout = (kernel_timeout_t){.thread = thread, .expire = kernel_period_expired};
    if (threads[tid] == NULL) {
        threads[tid] = thread; /* all idle threads have number 0 */
    }
    tt_hook_thread_create(kernel_thread_domain(thread), tid, wanted->name, wanted->priority,
                          KERNEL_POLICY, (uint32_t)(uintptr_t)wanted->entry);
}

void kernel_thread_begin_idle(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    const thread_args_t idle = {
        .thread = &cpu->idle,
        .name = "idle",
        .stack = idle_stacks[kernel_port_cpu()],
        .stack_bytes = KERNEL_IDLE_STACK_BYTES,
    };
    make_thread(&idle, 0);
    cpu->idle.state = KERNEL_STATE_RUNNING;
    cpu->current = &cpu->idle;
}

static bool valid(const thread_args_t *wanted)
{
    return wanted->thread != NULL && wanted->name != NULL && wanted->entry != NULL &&
           wanted->priority < KERNEL_PRIORITY_COUNT && wanted->stack != NULL &&
           (uintptr_t)wanted->stack % 8u == 0u && wanted->stack_bytes >= KERNEL_STACK_MIN_BYTES &&
           (wanted->domain == NULL ||
            (wanted->domain->number != 0u &&
             kernel_domain_holds(wanted->domain, (uintptr_t)wanted->stack, wanted->stack_bytes)));
}

static int create(const thread_args_t *wanted)
{
    return kernel_call(TT_KERCALL_THREAD_CREATE, (kernel_word_t)wanted->entry, wanted->priority,
                       (kernel_word_t)wanted);
}

int kernel_thread_create(kernel_thread_t *thread, const char *name, kernel_entry_t entry,
                         void *argument, uint32_t priority, void *stack, size_t stack_bytes)
{
    return create(
        &(const thread_args_t){thread, NULL, name, entry, argument, priority, stack, stack_bytes});
}

int kernel_domain_thread_create(kernel_thread_t *thread, const kernel_domain_t *domain,
                                const char *name, kernel_entry_t entry, void *argument,
                                uint32_t priority, void *stack, size_t stack_bytes)
{
    const thread_args_t wanted = {thread,   domain,   name,  entry,
                                  argument, priority, stack, stack_bytes};
    return domain == NULL ? KERNEL_ERROR_ARGUMENT : create(&wanted);
}

int32_t kernel_service_thread_create(const kernel_word_t *args)
{
    const thread_args_t *wanted = (const thread_args_t *)args[2];
    if (!valid(wanted)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (wanted->thread->state != KERNEL_STATE_DEAD) {
        return KERNEL_ERROR_STATE;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = KERNEL_ERROR_FULL;
    for (uint32_t tid = 1; tid < KERNEL_MAX_THREADS && result != KERNEL_OK; tid++) {
        if (threads[tid] == NULL) {
            make_thread(wanted, tid);
            kernel_port_prepare(wanted->thread);
            kernel_make_ready(wanted->thread);
            result = KERNEL_OK;
        }
    }
    kernel_unlock(key);
    return result;
}

void kernel_thread_main(kernel_thread_t *thread)
{
    thread->entry(thread->argument);
    kernel_thread_exit();
}

void kernel_thread_exit(void)
{
    (void)kernel_call(TT_KERCALL_THREAD_DESTROY, kernel_thread_number(kernel_thread_self()), 0, 0);
    kernel_panic("a thread that had ended went on");
}

int kernel_thread_end(kernel_thread_t *thread)
{
    return thread == NULL ? KERNEL_ERROR_ARGUMENT
                          : kernel_call(TT_KERCALL_THREAD_DESTROY, kernel_thread_number(thread), 0,
                                        (kernel_word_t)thread);
}

/* End the waits of all threads for `thread`, which runs or is in no queue: for its reply, its
 * mutexes, its end. */
static void release_waiters(kernel_thread_t *thread)
{
    kernel_wait_end_all(&thread->clients, thread);
    kernel_port_key_t key = kernel_lock();
    while (thread->held != NULL) {
        kernel_mutex_release(thread->held);
    }
    kernel_timeout_cancel(&thread->period_timeout);
    while (thread->joiners.first != NULL) {
        kernel_unblock(thread->joiners.first, KERNEL_OK);
    }
    kernel_unlock(key);
}

int32_t kernel_thread_end_running(void)
{
    release_waiters(kernel_this_cpu()->current);
    kernel_port_key_t key = kernel_lock();
    int32_t result = kernel_block(KERNEL_STATE_DEAD, NULL, KERNEL_FOREVER);
    kernel_unlock(key);
    return result;
}

/* Remove a thread from its queue and make it DEAD, so that interrupts do not resume it. */
static void detach(kernel_thread_t *thread)
{
    kernel_port_key_t key = kernel_lock();
    if (thread->state == KERNEL_STATE_READY) {
        kernel_remove_ready(thread);
    } else {
        kernel_wait_abandon(thread);
    }
    thread->state = KERNEL_STATE_DEAD;
    kernel_unlock(key);
}

static int32_t end_other(kernel_thread_t *thread)
{
    if (thread->state == KERNEL_STATE_DEAD || thread->ending) {
        return KERNEL_ERROR_STATE;
    }
    if (thread->tid == 0u) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread->state == KERNEL_STATE_RUNNING) { /* it runs on another CPU */
        kernel_port_key_t key = kernel_lock();
        thread->ending = true;
        kernel_stop_running(thread);
        kernel_unlock(key);
        return KERNEL_OK;
    }
    detach(thread);
    release_waiters(thread);
    kernel_port_key_t key = kernel_lock();
    kernel_wait_on(thread, KERNEL_STATE_DEAD, NULL);
    kernel_thread_reap(thread);
    kernel_unlock(key);
    kernel_port_forget(thread);
    return KERNEL_OK;
}

/* The third word is the thread; 0 is the caller. A thread of a domain can end only itself. */
int32_t kernel_service_thread_end(const kernel_word_t *args)
{
    const kernel_thread_t *self = kernel_this_cpu()->current;
    kernel_thread_t *thread = (kernel_thread_t *)args[2];
    bool is_self = thread == NULL || thread == self || self->domain != NULL;
    return is_self ? kernel_thread_end_running() : end_other(thread);
}

void kernel_thread_reap(kernel_thread_t *thread)
{
    threads[thread->tid] = NULL;
    tt_hook_thread_destroy(kernel_thread_domain(thread), thread->tid);
}

kernel_thread_t *kernel_thread_with_number(uint32_t tid)
{
    return tid < KERNEL_MAX_THREADS ? threads[tid] : NULL;
}

KERNEL_OBJECT_SERVICE(thread_join, kernel_thread_t *thread)
{
    uint32_t timeout_ticks = (uint32_t)args[1];
    kernel_thread_t *self = kernel_this_cpu()->current;
    if (!kernel_timeout_valid(timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread == self) {
        return KERNEL_ERROR_DEADLOCK;
    }
    if (thread->state == KERNEL_STATE_DEAD) {
        return KERNEL_OK;
    }
    if (timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    kernel_queue_insert(&thread->joiners, self);
    return kernel_block(KERNEL_STATE_JOIN, thread, timeout_ticks);
}

void kernel_yield(void)
{
    (void)kernel_call(TT_KERCALL_SCHED_YIELD, 0, 0, 0);
}

kernel_thread_t *kernel_thread_self(void)
{
#if KERNEL_CPUS > 1
    /* Masked, because the thread could move to another CPU between the two reads. */
    kernel_port_key_t key = kernel_port_lock();
    kernel_thread_t *self = kernel_this_cpu()->current;
    kernel_port_unlock(key);
    return self;
#else
    return kernel_this_cpu()->current;
#endif
}

uint32_t kernel_thread_number(const kernel_thread_t *thread)
{
    return thread != NULL ? thread->tid : 0u;
}

uint32_t kernel_thread_domain(const kernel_thread_t *thread)
{
    return thread != NULL && thread->domain != NULL ? thread->domain->number : 0u;
}

bool kernel_thread_by_index(uint32_t tid, kernel_thread_info_t *info)
{
    if (tid >= KERNEL_MAX_THREADS) {
        return false;
    }
    kernel_port_key_t key = kernel_lock();
    const kernel_thread_t *thread = threads[tid];
    if (thread != NULL) {
        *info = (kernel_thread_info_t){
            .name = thread->name,
            .tid = tid,
            .domain = kernel_thread_domain(thread),
            .priority = thread->priority,
            .cpu = thread->cpu,
            .state = (kernel_state_t)thread->state,
        };
    }
    kernel_unlock(key);
    return thread != NULL;
}
