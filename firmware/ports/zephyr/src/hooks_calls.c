/* Hooks of kernel calls in general, of queues, power and named events. */
#include <stddef.h>
#include <zephyr/kernel.h>

#include "threads.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"
#include "tickertape_zephyr.h"

/* Whose call it is, for the wide form. */
#define CALLER          tt_zephyr_tid(tt_zephyr_running())
#define CALLER_PRIORITY tt_zephyr_priority(tt_zephyr_running())

/* Interrupts use the kernel, but make no calls: nobody of whom one could say that he is in one. */
static bool in_thread(void)
{
    return tt_port_exception() == 0u;
}

static void enter(uint32_t call, uint32_t arg0, uint32_t arg1)
{
    if (in_thread()) {
        tt_hook_call_enter(call, arg0, arg1, 0u, 0u, CALLER, CALLER_PRIORITY);
    }
}

void tt_zephyr_enter(uint32_t call, const void *object, uint32_t argument)
{
    enter(call, tt_object_id(object), argument);
}

void tt_zephyr_enter_number(uint32_t call, uint32_t number)
{
    enter(call, number, 0u);
}

void tt_zephyr_exit(uint32_t call, int32_t result)
{
    if (in_thread()) {
        tt_hook_call_exit(call, (uint32_t)result, CALLER, CALLER_PRIORITY);
    }
}

/* A thread in user mode cannot write records; the call that it makes is told in the kernel. */
void tt_zephyr_syscall_enter(uint32_t number)
{
    if (!k_is_user_context()) {
        enter(TT_KERCALL_SYSTEM_CALL, number, 0u);
    }
}

void tt_zephyr_syscall_exit(void)
{
    if (!k_is_user_context()) {
        tt_zephyr_exit(TT_KERCALL_SYSTEM_CALL, 0);
    }
}

void tt_zephyr_call(uint32_t call, const void *object, uint32_t argument)
{
    tt_zephyr_enter(call, object, argument);
    tt_zephyr_exit(call, 0);
}

void tt_zephyr_put(const void *queue)
{
    tt_hook_pulse_sent(queue, 0u);
}

void tt_zephyr_got(const void *queue)
{
    tt_hook_pulse_received(queue, 0u);
}

/* What has room is put at once, and a receiver may run before the call returns: so it is told when
 * the call begins. A call that has to wait for room says nothing more: who takes out says it. */
void tt_zephyr_stack_push(struct k_stack *stack)
{
    tt_zephyr_enter(TT_KERCALL_QUEUE_PUT, stack, 0u);
    if (stack->next != stack->top) {
        tt_zephyr_put(stack);
    }
}

void tt_zephyr_msgq_put(struct k_msgq *queue)
{
    if (queue->used_msgs < queue->max_msgs) {
        tt_zephyr_put(queue);
    }
}

void tt_zephyr_signal_raise(const void *signal)
{
    tt_hook_flags_set(signal, 1u);
}

void tt_zephyr_system_suspend(uint32_t ticks)
{
    tt_emit_system_suspend(ticks, 0u);
}

void tt_zephyr_system_resume(uint32_t state)
{
    tt_emit_system_resume(state, 0u);
}

void tt_zephyr_named(const char *name, uint32_t data0, uint32_t data1)
{
    tt_emit_system_named(data0, data1, name);
}
