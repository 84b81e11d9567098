/*
 * Who runs: the most urgent ready thread, of equal ones the first.
 *
 * The running thread stands in no queue. When it is preempted it goes to the front of its
 * priority, so it goes on before its equals; when it becomes ready or yields it goes to the back.
 * A bit per priority finds the most urgent in constant time.
 */
#include "internal.h"

/* Why the kernel works for itself, as told to the trace. */
#define OVERHEAD_SCHEDULE 0u

kernel_cpu_t kernel_cpu;

static void add_ready(kernel_thread_t *thread, bool front)
{
    kernel_cpu_t *cpu = thread->cpu;
    kernel_queue_t *queue = &cpu->ready[thread->priority];
    thread->state = KERNEL_STATE_READY;
    cpu->ready_priorities |= 1u << thread->priority;
    if (front) {
        kernel_queue_push_front(queue, thread);
    } else {
        kernel_queue_push_back(queue, thread);
    }
}

static void remove_ready(kernel_thread_t *thread)
{
    kernel_cpu_t *cpu = thread->cpu;
    kernel_queue_remove(thread);
    if (cpu->ready[thread->priority].first == NULL) {
        cpu->ready_priorities &= ~(1u << thread->priority);
    }
}

/* The most urgent ready thread, or NULL. */
static kernel_thread_t *most_urgent(kernel_cpu_t *cpu)
{
    if (cpu->ready_priorities == 0u) {
        return NULL;
    }
    return cpu->ready[31 - __builtin_clz((unsigned int)cpu->ready_priorities)].first;
}

/* True when the running thread may keep the processor; the idle thread yields to everybody. */
static bool current_stays(kernel_cpu_t *cpu)
{
    const kernel_thread_t *current = cpu->current;
    const kernel_thread_t *rival = most_urgent(cpu);
    if (current->state != KERNEL_STATE_RUNNING) {
        return false;
    }
    return rival == NULL || (current != &cpu->idle && current->priority >= rival->priority);
}

static void want_switch(kernel_cpu_t *cpu)
{
    cpu->switch_wanted = true;
    if (cpu->current != NULL) {
        kernel_port_want_switch();
    }
}

static void look_for_rival(kernel_cpu_t *cpu)
{
    if (cpu->current == NULL || !current_stays(cpu)) {
        want_switch(cpu);
    }
}

static void stop(kernel_thread_t *thread)
{
    thread->state = KERNEL_STATE_STOPPED;
    tt_hook_thread_state((uint32_t)KERNEL_STATE_STOPPED, kernel_thread_domain(thread), thread->tid,
                         thread->priority, KERNEL_POLICY, NULL);
}

void kernel_stop_ready(kernel_thread_t *thread)
{
    remove_ready(thread);
    stop(thread);
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
    look_for_rival(thread->cpu);
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
        kernel_timeout_start(&self->wait_timeout, cpu->tick_count + timeout_ticks);
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
        remove_ready(thread);
        thread->priority = (uint8_t)priority;
        add_ready(thread, false);
    } else if (queue != NULL) {
        kernel_queue_remove(thread);
        thread->priority = (uint8_t)priority;
        kernel_queue_insert(queue, thread);
    } else {
        thread->priority = (uint8_t)priority;
    }
    look_for_rival(thread->cpu);
}

/* Leave a kernel call: what the trace sees last before the thread goes on. */
static void finish_call(kernel_thread_t *thread)
{
    if (thread->news != NULL) {
        thread->news(thread);
        thread->news = NULL;
    }
    thread->in_call = false;
    if (thread->domain == NULL) {
        tt_hook_call_exit(thread->call, thread->call_result, thread->tid, thread->priority);
    } else {
        kernel_domain_tell_exit(thread);
    }
    kernel_port_set_result(thread, thread->call_result);
}

static kernel_thread_t *take_next(kernel_cpu_t *cpu)
{
    kernel_thread_t *current = cpu->current;
    kernel_thread_t *next = most_urgent(cpu);
    if (next == NULL) {
        next = &cpu->idle;
    } else {
        remove_ready(next);
    }
    if (current->state == KERNEL_STATE_RUNNING) {
        if (current == &cpu->idle) {
            current->state = KERNEL_STATE_READY;
        } else {
            add_ready(current, true);
        }
    }
    next->state = KERNEL_STATE_RUNNING;
    return next;
}

kernel_thread_t *kernel_switch(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_port_key_t key = kernel_lock();
    cpu->switch_wanted = false;
    if (!current_stays(cpu)) {
        kernel_thread_t *previous = cpu->current;
        tt_hook_overhead_begin(OVERHEAD_SCHEDULE, previous->tid);
        kernel_port_pass_switch();
        kernel_thread_t *next = take_next(cpu);
        cpu->current = next;
        /* Also from a thread to itself: it blocked and was woken before another could run. */
        tt_hook_context_switch(previous->tid, next->tid);
        tt_hook_overhead_end(OVERHEAD_SCHEDULE, next->tid);
        if (previous->state == KERNEL_STATE_DEAD) {
            kernel_thread_reap(previous);
        }
    }
    if (cpu->current->in_call) {
        finish_call(cpu->current);
    }
    kernel_thread_t *current = cpu->current;
    kernel_unlock(key);
    return current;
}

void kernel_call_done(kernel_thread_t *thread)
{
    kernel_port_key_t key = kernel_lock();
    if (!thread->cpu->switch_wanted) {
        finish_call(thread);
    }
    kernel_unlock(key);
}

int32_t kernel_service_yield(const kernel_word_t *args)
{
    (void)args;
    kernel_cpu_t *cpu = kernel_this_cpu();
    kernel_port_key_t key = kernel_lock();
    kernel_thread_t *self = cpu->current;
    if (cpu->ready[self->priority].first != NULL) {
        add_ready(self, false);
        want_switch(cpu);
    }
    kernel_unlock(key);
    return KERNEL_OK;
}

void kernel_start(void)
{
    kernel_cpu_t *cpu = kernel_this_cpu();
    (void)kernel_port_lock(); /* given back by kernel_port_start() */
    kernel_thread_begin_idle(cpu);
    kernel_board_start_tick(KERNEL_TICK_HZ);
    if (cpu->switch_wanted) {
        kernel_port_want_switch();
    }
    kernel_port_start(&cpu->idle);
}

void kernel_idle(void)
{
    for (;;) {
        kernel_board_idle();
    }
}
