/*
 * Scheduling: the ready threads with the highest priorities run, one on each CPU; of equal
 * priorities, the first one.
 *
 * A running thread is in no queue. A preempted thread goes to the front of the queue of its
 * priority, so that it continues before others of that priority; a thread that becomes ready or
 * yields goes to the back. A bitmap of priorities finds the highest one in constant time.
 *
 * With several CPUs there is one set of queues for threads that may run on any CPU, and one set for
 * each CPU with the threads bound to it. Code that makes a thread ready requests a switch of the
 * CPU whose running thread has the lowest priority; a CPU that has switched does the same for the
 * remaining ready threads.
 */
#include "internal.h"

/* Reason of the overhead events in the trace. */
#define OVERHEAD_SCHEDULE 0u

kernel_t kernel;

static void add_ready(kernel_thread_t *thread, bool front)
{
    kernel_ready_t *ready = &kernel.ready[thread->ready_set];
    kernel_queue_t *queue = &ready->queues[thread->priority];
    thread->state = KERNEL_STATE_READY;
    ready->priorities |= 1u << thread->priority;
    if (front) {
        kernel_queue_push_front(queue, thread);
    } else {
        kernel_queue_push_back(queue, thread);
    }
}

void kernel_remove_ready(kernel_thread_t *thread)
{
    kernel_ready_t *ready = &kernel.ready[thread->ready_set];
    kernel_queue_remove(thread);
    if (ready->queues[thread->priority].first == NULL) {
        ready->priorities &= ~(1u << thread->priority);
    }
}

static uint32_t number_of(const kernel_cpu_t *cpu)
{
    return (uint32_t)(cpu - kernel.cpus);
}

/* Return the first thread of the highest priority in a set, or NULL. */
static kernel_thread_t *first_of(uint32_t set)
{
    const kernel_ready_t *ready = &kernel.ready[set];
    if (ready->priorities == 0u) {
        return NULL;
    }
    return ready->queues[31 - __builtin_clz((unsigned int)ready->priorities)].first;
}

/* Return the ready thread of the highest priority that may run on a CPU, or NULL. */
static kernel_thread_t *most_urgent(const kernel_cpu_t *cpu)
{
    kernel_thread_t *first = first_of(0);
#if KERNEL_CPUS > 1
    kernel_thread_t *bound = first_of(1u + number_of(cpu));
    if (first == NULL || (bound != NULL && bound->priority >= first->priority)) {
        return bound;
    }
#else
    (void)cpu;
#endif
    return first;
}

/* Return whether the running thread of a CPU may continue, considering only its own state. */
static bool current_may_stay(const kernel_cpu_t *cpu)
{
    const kernel_thread_t *current = cpu->current;
    return current->state == KERNEL_STATE_RUNNING && !current->suspended &&
           (current->ready_set == 0u || current->ready_set == 1u + number_of(cpu));
}

/* Return whether the running thread of a CPU continues although `rival` is ready. The idle thread
 * gives way to every thread. */
static bool stays_before(const kernel_cpu_t *cpu, const kernel_thread_t *rival)
{
    return current_may_stay(cpu) && (rival == NULL || (cpu->current != &cpu->idle &&
                                                       cpu->current->priority >= rival->priority));
}

/* Request that a CPU chooses its thread again. [locked] */
static void want_switch(kernel_cpu_t *cpu)
{
#if KERNEL_CPUS > 1
    bool told = cpu->switch_wanted;
    cpu->switch_wanted = true;
    if (cpu->current != NULL && cpu != kernel_this_cpu()) {
        if (!told) {
            kernel_board_interrupt_cpu(number_of(cpu));
            kernel_cpu_was_interrupted = true;
        }
        return;
    }
#else
    cpu->switch_wanted = true;
#endif
    if (cpu->current != NULL) {
        kernel_port_want_switch();
    }
}

#if KERNEL_CPUS > 1

/* Return the cost of running `thread` on a CPU: mainly the priority of the CPU's running thread,
 * then a switch that the CPU is about to make, then moving the thread. */
static uint32_t cost(const kernel_cpu_t *cpu, const kernel_thread_t *thread)
{
    bool idles = cpu->current == &cpu->idle || !current_may_stay(cpu);
    uint32_t urgency = idles ? 0u : 1u + cpu->current->priority;
    return urgency << 2 | (uint32_t)cpu->switch_wanted << 1 | (number_of(cpu) != thread->cpu);
}

/* Return the CPU with the lowest cost for `thread`; NULL before any CPU has started. */
static kernel_cpu_t *best_cpu_for(const kernel_thread_t *thread)
{
    kernel_cpu_t *best = NULL;
    for (kernel_cpu_t *cpu = kernel.cpus; cpu < kernel.cpus + KERNEL_CPUS; cpu++) {
        bool begun = cpu->current != NULL;
        if (begun && (best == NULL || cost(cpu, thread) < cost(best, thread))) {
            best = cpu;
        }
    }
    return best;
}

static void look_for_rivals(void)
{
    for (kernel_cpu_t *cpu = kernel.cpus; cpu < kernel.cpus + KERNEL_CPUS; cpu++) {
        if (cpu->current != NULL && !stays_before(cpu, first_of(1u + number_of(cpu)))) {
            want_switch(cpu);
        }
    }
    const kernel_thread_t *first = first_of(0);
    kernel_cpu_t *cpu = first != NULL ? best_cpu_for(first) : NULL;
    if (cpu != NULL && !stays_before(cpu, first)) {
        want_switch(cpu);
    }
}

#else

static void look_for_rivals(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    if (cpu->current != NULL && !stays_before(cpu, most_urgent(cpu))) {
        want_switch(cpu);
    }
}

#endif

static void stop(kernel_thread_t *thread)
{
    thread->state = KERNEL_STATE_STOPPED;
    tt_hook_thread_state((uint32_t)KERNEL_STATE_STOPPED, kernel_thread_domain(thread), thread->tid,
                         thread->priority, KERNEL_POLICY, NULL);
}

void kernel_stop_ready(kernel_thread_t *thread)
{
    kernel_remove_ready(thread);
    stop(thread);
}

void kernel_stop_running(const kernel_thread_t *thread)
{
    want_switch(&kernel.cpus[thread->cpu]);
}

void kernel_make_ready(kernel_thread_t *thread)
{
    if (thread->suspended) {
        stop(thread);
        return;
    }
    tt_hook_thread_ready(kernel_thread_domain(thread), thread->tid, thread->priority,
                         KERNEL_POLICY);
    add_ready(thread, false);
    look_for_rivals();
}

void kernel_wait_on(kernel_thread_t *thread, kernel_state_t state, const void *object)
{
    thread->state = (uint8_t)state;
    thread->wait_object = object;
    tt_hook_thread_state((uint32_t)state, kernel_thread_domain(thread), thread->tid,
                         thread->priority, KERNEL_POLICY, object);
}

int32_t kernel_block(kernel_state_t state, const void *object, uint32_t timeout_ticks)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_thread_t *self = cpu->current;
    kernel_wait_on(self, state, object);
    if (timeout_ticks != KERNEL_FOREVER) {
        kernel_timeout_start(&self->wait_timeout, kernel.tick_count + timeout_ticks);
    }
    want_switch(cpu);
    return KERNEL_BLOCKED;
}

void kernel_unblock(kernel_thread_t *thread, int32_t result)
{
    if (thread->queue != NULL) {
        kernel_queue_remove(thread);
    }
    kernel_timeout_cancel(&thread->wait_timeout);
    thread->wanted = NULL;
    thread->server = NULL;
    thread->wait_object = NULL;
    thread->call_result = result;
    kernel_make_ready(thread);
}

void kernel_change_priority(kernel_thread_t *thread, uint32_t priority)
{
    kernel_queue_t *queue = thread->queue;
    if (thread->state == KERNEL_STATE_READY) {
        kernel_remove_ready(thread);
        thread->priority = (uint8_t)priority;
        add_ready(thread, false);
    } else if (queue != NULL) {
        kernel_queue_remove(thread);
        thread->priority = (uint8_t)priority;
        kernel_queue_insert(queue, thread);
    } else {
        thread->priority = (uint8_t)priority;
    }
    look_for_rivals();
}

/* Finish a kernel call: trace its last events and set its result, before the thread continues. */
static void finish_call(kernel_thread_t *thread)
{
    if (thread->on_resume != NULL) {
        thread->on_resume(thread);
        thread->on_resume = NULL;
    }
    thread->in_call = false;
    if (thread->domain == NULL) {
        tt_hook_call_exit(thread->call, thread->call_result, thread->tid, thread->priority);
    } else {
        kernel_domain_trace_exit(thread);
    }
    kernel_port_set_result(thread, thread->call_result);
}

/* Put the running thread back into the ready queues if it is still ready to run. */
static void put_back(kernel_cpu_t *cpu)
{
    kernel_thread_t *current = cpu->current;
    if (current->state != KERNEL_STATE_RUNNING) {
        return;
    }
    if (current == &cpu->idle) {
        current->state = KERNEL_STATE_READY;
    } else if (current->suspended) {
        stop(current);
    } else {
        add_ready(current, true);
    }
}

/* Take the next thread of a CPU from the ready queues, and put the running thread back. */
static kernel_thread_t *take_next(kernel_cpu_t *cpu)
{
    kernel_thread_t *next = most_urgent(cpu);
    if (next == NULL) {
        next = &cpu->idle;
    } else {
        kernel_remove_ready(next);
    }
    put_back(cpu);
    next->state = KERNEL_STATE_RUNNING;
    next->cpu = (uint8_t)number_of(cpu);
    return next;
}

static void change_thread(kernel_cpu_t *cpu)
{
    kernel_thread_t *previous = cpu->current;
    tt_hook_overhead_begin(OVERHEAD_SCHEDULE, previous->tid);
    kernel_port_pass_switch();
    kernel_thread_t *next = take_next(cpu);
    cpu->current = next;
    /* May be a switch from a thread to itself: it blocked and was woken before another thread could
     * run. */
    tt_hook_context_switch(previous->tid, next->tid);
    tt_hook_overhead_end(OVERHEAD_SCHEDULE, next->tid);
    if (previous->state == KERNEL_STATE_DEAD) {
        kernel_thread_reap(previous);
    }
}

kernel_thread_t *kernel_switch(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_enter();
#if KERNEL_CPUS > 1
    if (cpu->current->ending && cpu->current->state == KERNEL_STATE_RUNNING) {
        (void)kernel_thread_end_running();
    }
#endif
    kernel_port_key_t key = kernel_lock();
    cpu->switch_wanted = false;
    if (!stays_before(cpu, most_urgent(cpu))) {
        change_thread(cpu);
#if KERNEL_CPUS > 1
        look_for_rivals(); /* the preempted thread may be more urgent than another CPU's */
#endif
    }
    kernel_thread_t *current = cpu->current;
    if (current->in_call) {
        finish_call(current);
    }
    kernel_unlock(key);
    kernel_leave();
    return current;
}

void kernel_call_done(kernel_thread_t *thread)
{
    kernel_port_key_t key = kernel_lock();
    bool goes_on = !kernel_this_cpu()->switch_wanted;
    if (goes_on) {
        finish_call(thread);
    } else {
        kernel_port_want_switch(); /* another CPU's request may still be pending */
    }
    kernel_unlock(key);
    if (goes_on) {
        kernel_leave();
    }
}

int32_t kernel_service_yield(const kernel_word_t *args)
{
    (void)args;
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *self = cpu->current;
    const kernel_thread_t *rival = most_urgent(cpu);
    if (rival != NULL && rival->priority >= self->priority) {
        add_ready(self, false);
        want_switch(cpu);
    }
    kernel_unlock(key);
    return KERNEL_OK;
}

KERNEL_OBJECT_SERVICE(bind, kernel_thread_t *thread)
{
    uint32_t cpu = (uint32_t)args[1];
    bool ready = thread->state == KERNEL_STATE_READY;
    if (cpu >= KERNEL_CPUS && cpu != KERNEL_ANY_CPU) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (thread->state == KERNEL_STATE_DEAD) {
        return KERNEL_ERROR_STATE;
    }
    tt_hook_thread_cpus(thread->tid, cpu == KERNEL_ANY_CPU ? UINT32_MAX : 1u << cpu);
    if (ready) {
        kernel_remove_ready(thread);
    }
    thread->ready_set = (uint8_t)(cpu == KERNEL_ANY_CPU || KERNEL_CPUS == 1 ? 0u : 1u + cpu);
    if (ready) {
        add_ready(thread, false);
    }
    look_for_rivals();
    return KERNEL_OK;
}

/* Continue as the idle thread of this CPU and request a switch. Interrupts are masked. */
static _Noreturn void begin(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_port_want_switch();
    kernel_port_start(&cpu->idle);
}

#if KERNEL_CPUS > 1

void kernel_reschedule(void)
{
    if (kernel_this_cpu()->switch_wanted) {
        kernel_port_want_switch();
    }
}

/* First function of the other CPUs. */
static void begin_other(void)
{
    (void)kernel_port_lock(); /* unlocked by kernel_port_start() */
    kernel_board_accept_cpus();
    kernel_port_key_t key = kernel_lock();
    kernel_thread_begin_idle();
    kernel_unlock(key);
    begin();
}

#endif

void kernel_start(void)
{
    (void)kernel_port_lock(); /* unlocked by kernel_port_start() */
    kernel_port_begin();
    kernel_thread_begin_idle();
    kernel_board_start_tick(KERNEL_TICK_HZ);
#if KERNEL_CPUS > 1
    kernel_board_accept_cpus();
    for (uint32_t cpu = 1; cpu < KERNEL_CPUS; cpu++) {
        kernel_board_start_cpu(cpu, begin_other);
    }
#endif
    begin();
}

void __attribute__((used)) kernel_idle(void)
{
    for (;;) {
        kernel_board_idle();
    }
}
