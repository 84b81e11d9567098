/* Events of kernel calls, of the heap, and of tickless idle. */
#include <stddef.h>

#include "freertos_port.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"
#include "tickertape/system.h"

/* Weak, because heap_3.c does not define it. */
extern size_t xPortGetFreeHeapSize(void) __attribute__((weak));

/* Signals of the heap: their addresses identify them, and hosts find their names in the ELF
 * file. */
static uint32_t heap_free_bytes;
static uint32_t heap_refusals;

void tt_freertos_name_heap(void)
{
    tt_emit_system_mapname((uint32_t)TT_OBJECT_KIND_SIGNAL, tt_object_id(&heap_free_bytes),
                           "heap_free_bytes");
    tt_emit_system_mapname((uint32_t)TT_OBJECT_KIND_SIGNAL, tt_object_id(&heap_refusals),
                           "heap_refusals");
}

/* Record the free bytes of the heap. The kernel's scheduler is suspended, so no other task changes
 * the heap meanwhile. */
static void record_heap(void)
{
    if (xPortGetFreeHeapSize != NULL) {
        heap_free_bytes = (uint32_t)xPortGetFreeHeapSize();
        tt_signal_write(&heap_free_bytes, heap_free_bytes);
    }
}

/* Record an allocation, or count a refused one (`address` NULL). The refused bytes are not
 * recorded: kernels from V11.3 on report 0. */
void tt_freertos_allocated(const void *address)
{
    if (address == NULL) {
        heap_refusals++;
        tt_signal_write(&heap_refusals, heap_refusals);
    } else {
        record_heap();
    }
}

void tt_freertos_freed(void)
{
    record_heap();
}

void tt_freertos_sleeps(uint32_t ticks)
{
    tt_emit_system_suspend(ticks, 0u);
}

void tt_freertos_wakes(void)
{
    tt_emit_system_resume(0u, 0u);
}

#if defined(TT_FREERTOS_CALLS) && TT_FREERTOS_CALLS

static const uint8_t numbers[TT_FREERTOS_CALLS_KNOWN] = {
    [TT_FREERTOS_CALL_TASK_CREATE] = TT_KERCALL_THREAD_CREATE,
    [TT_FREERTOS_CALL_TASK_DELETE] = TT_KERCALL_THREAD_DESTROY,
    [TT_FREERTOS_CALL_DELAY] = TT_KERCALL_THREAD_SLEEP,
    [TT_FREERTOS_CALL_DELAY_UNTIL] = TT_KERCALL_THREAD_WAIT_PERIOD,
    [TT_FREERTOS_CALL_PRIORITY_SET] = TT_KERCALL_SCHED_SET,
    [TT_FREERTOS_CALL_SUSPEND] = TT_KERCALL_THREAD_SUSPEND,
    [TT_FREERTOS_CALL_RESUME] = TT_KERCALL_THREAD_RESUME,
    [TT_FREERTOS_CALL_NOTIFY] = TT_KERCALL_MSG_SEND_PULSE,
    [TT_FREERTOS_CALL_NOTIFY_WAIT] = TT_KERCALL_MSG_RECEIVEV,
    [TT_FREERTOS_CALL_PUT] = TT_KERCALL_QUEUE_PUT,
    [TT_FREERTOS_CALL_GET] = TT_KERCALL_QUEUE_GET,
    [TT_FREERTOS_CALL_SEM_GIVE] = TT_KERCALL_SYNC_SEM_POST,
    [TT_FREERTOS_CALL_SEM_TAKE] = TT_KERCALL_SYNC_SEM_WAIT,
    [TT_FREERTOS_CALL_MUTEX_GIVE] = TT_KERCALL_SYNC_MUTEX_UNLOCK,
    [TT_FREERTOS_CALL_MUTEX_TAKE] = TT_KERCALL_SYNC_MUTEX_LOCK,
    [TT_FREERTOS_CALL_FLAGS_SET] = TT_KERCALL_FLAGS_SET,
    [TT_FREERTOS_CALL_FLAGS_CLEAR] = TT_KERCALL_FLAGS_CLEAR,
    [TT_FREERTOS_CALL_FLAGS_WAIT] = TT_KERCALL_FLAGS_WAIT,
    [TT_FREERTOS_CALL_TIMER] = TT_KERCALL_TIMER_SETTIME,
    [TT_FREERTOS_CALL_POLL] = TT_KERCALL_POLL,
    [TT_FREERTOS_CALL_PEND] = TT_KERCALL_WORK,
};

/* Return the priority of the caller; evaluated only for the wide form of an event. */
static uint32_t priority_of_caller(void)
{
    TaskStatus_t status;
    vTaskGetInfo(NULL, &status, pdFALSE, eRunning); /* do not compute its stack and its state */
    return (uint32_t)status.uxCurrentPriority;
}

static bool is_call_of_task(void)
{
    return tt_freertos_is_running() && tt_port_exception() == 0u;
}

static uint32_t first_argument(tt_freertos_call_t call, const void *object, uint32_t argument)
{
    switch (call) {
    case TT_FREERTOS_CALL_TASK_DELETE:
    case TT_FREERTOS_CALL_DELAY:
        return argument;
    case TT_FREERTOS_CALL_TASK_CREATE:
        return (uint32_t)(uintptr_t)object;
    default:
        return tt_object_id(object);
    }
}

void tt_freertos_enter(tt_freertos_call_t call, const void *object, uint32_t argument)
{
    if (is_call_of_task()) {
        uint32_t first = first_argument(call, object, argument);
        uint32_t second = call == TT_FREERTOS_CALL_TASK_DELETE || object == NULL ? 0u : argument;
        tt_hook_call_enter(numbers[call], first, second, 0u, 0u, tt_freertos_self(),
                           priority_of_caller());
    }
}

void tt_freertos_return(tt_freertos_call_t call, int32_t result)
{
    if (is_call_of_task()) {
        tt_hook_call_exit(numbers[call], result, tt_freertos_self(), priority_of_caller());
    }
}

#endif
