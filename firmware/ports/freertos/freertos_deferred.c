/*
 * Deferred calls: functions that the timer task executes for xTimerPendFunctionCall().
 *
 * The function's address is a channel: a pulse is sent when the call is pended, and received when
 * the timer task takes it. The function then begins. It ends when the timer task reads its queue
 * again, which it does directly after the function.
 *
 * The queue of the timer task is known from the start of the scheduler (V11), from the first pended
 * call, or after the timer task has first waited for it.
 */
#include <stddef.h>

#include "freertos_port.h"
#include "tickertape/hooks.h"

#if TT_FREERTOS_DEFERRED

#define PID 0u

typedef void (*function_t)(void *, uint32_t);

/* The first members of DaemonTaskMessage_t (timers.c), unchanged since V10.4. */
typedef struct message {
    BaseType_t id; /* negative for a deferred call */
    union {
        function_t function;
        struct {
            TickType_t value;
            const void *timer;
        } command;
    } u;
} message_t;

const void *volatile tt_freertos_timer_queue;
static function_t taken; /* function that the timer task has taken from the queue */
static function_t executing;

/* Return the address of a function. Bit 0 of a Thumb function pointer selects the instruction set
 * and is cleared. */
static const void *address_of(function_t function)
{
#ifdef __thumb__
    return (const void *)((uintptr_t)function & ~(uintptr_t)1);
#else
    return (const void *)(uintptr_t)function;
#endif
}

void tt_freertos_timers(const void *queue)
{
    tt_freertos_timer_queue = queue;
}

void tt_freertos_command_sent(const void *message)
{
    const message_t *sent = message;
    if (sent->id < 0) {
        tt_hook_pulse_sent(address_of(sent->u.function), PID);
    }
}

/* Record a pended call, after it was sent. A call by a task was already recorded when it was sent,
 * if the queue was known. */
void tt_freertos_pended(const void *queue, function_t function, bool is_sent, bool is_isr)
{
    if (is_sent && (is_isr || tt_freertos_timer_queue == NULL)) {
        tt_hook_pulse_sent(address_of(function), PID);
    }
    tt_freertos_timers(queue);
}

void tt_freertos_execute(void)
{
    if (taken != NULL) {
        executing = taken;
        taken = NULL;
        tt_emit_system_func_enter(tt_object_id(address_of(executing)), 0u);
    }
}

void tt_freertos_executed(void)
{
    if (executing != NULL) {
        tt_emit_system_func_exit(tt_object_id(address_of(executing)), 0u);
        executing = NULL;
    }
}

/* The timer task has read its queue; `message` NULL: it is empty. `has_calls`: kernel calls are
 * recorded, and the function begins and ends outside of them. */
void tt_freertos_command_received(const void *message, bool has_calls)
{
    const message_t *next = message;
    if (!has_calls) {
        tt_freertos_executed();
    }
    if (next != NULL && next->id < 0) {
        taken = next->u.function;
        tt_hook_pulse_received(address_of(taken), PID);
    }
    if (!has_calls) {
        tt_freertos_execute();
    }
}

#endif
