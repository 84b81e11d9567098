/* Hooks of kernel calls in general, of queues, work items, heaps and named events. */
#include <stddef.h>
#include <zephyr/kernel.h>

#include "pair.h"
#include "threads.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"
#include "tickertape/system.h"
#include "tickertape_zephyr.h"

/* Not inlined, so that the common path need not save registers. */
TT_ZEPHYR_RARE static __attribute__((noinline)) void record_wide(uint32_t data0, uint32_t data1,
                                                                 uint32_t header, uint32_t route)
{
    const struct k_thread *self = tt_zephyr_running();
    bool ends = (header & TT_RECORD_EVENT_MASK) >= TT_KERCALL_EXIT_OFFSET;
    const uint32_t words[] = {0u, 0u, tt_zephyr_tid(self), tt_zephyr_priority(self)};
    uint32_t first = ends ? 2u : 0u; /* a begin has two more arguments, both 0 */
    tt_record_wide(data0, data1, header, route, words + first, 4u - first);
}

void tt_zephyr_record_call(uint32_t data0, uint32_t data1, uint32_t event, uint32_t route)
{
    const uint32_t header =
        TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_KERCALL, 0u) | event;
    if (tt_port_exception() != 0u) {
        return;
    }
    if (__builtin_expect((route & TT_ROUTE_WIDE) == 0u, 1)) {
        tt_record(data0, data1, header, route);
    } else {
        record_wide(data0, data1, header, route);
    }
}

static uint32_t route_of(uint32_t header)
{
    uint32_t event_class = (header & TT_RECORD_CLASS_MASK) >> TT_RECORD_CLASS_FIRST_BIT;
    return tt_route_load(tt_route_index(event_class, header & TT_RECORD_EVENT_MASK));
}

TT_ZEPHYR_RARE void tt_zephyr_record_apart(uint32_t object, uint32_t word, uint32_t call_header,
                                           uint32_t header)
{
    uint32_t route = route_of(call_header);
    if (route != 0u) {
        tt_zephyr_record_call(object, 0u, call_header & TT_RECORD_EVENT_MASK, route);
    }
    route = route_of(header);
    if (route != 0u) {
        tt_record(object, word, header, route);
    }
}

/* Zephyr has one hook for k_yield(): begin and end are recorded together. */
void tt_zephyr_yield(void)
{
    tt_zephyr_enter_and(TT_KERCALL_SCHED_YIELD, NULL,
                        TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, TT_CLASS_KERCALL,
                                         TT_KERCALL_SCHED_YIELD + TT_KERCALL_EXIT_OFFSET),
                        TT_ROUTE_KERCALL_SCHED_YIELD_EXIT, 0u, false);
}

/* This hook also runs in user mode, where no records can be written. The call of such a thread is
 * recorded when it is in the kernel. */
TT_ZEPHYR_RARE void tt_zephyr_syscall_enter(uint32_t number)
{
    if (!k_is_user_context()) {
        tt_zephyr_enter_number(TT_KERCALL_SYSTEM_CALL, number);
    }
}

TT_ZEPHYR_RARE void tt_zephyr_syscall_exit(void)
{
    if (!k_is_user_context()) {
        tt_zephyr_exit(TT_KERCALL_SYSTEM_CALL, 0);
    }
}

void tt_zephyr_work_submit(const void *work, uint32_t ticks)
{
    tt_zephyr_enter(TT_KERCALL_WORK, work, TT_ZEPHYR_WORK_SUBMIT);
    if (ticks == 0u) {
        tt_stimulus(work, 0u);
    }
}

void tt_zephyr_put(const void *queue)
{
    tt_hook_pulse_sent(queue, 0u);
}

void tt_zephyr_got(const void *queue)
{
    tt_hook_pulse_received(queue, 0u);
}

/* If there is room the item is put immediately, and a receiver may run before the call returns, so
 * the item is recorded at the begin of the call. A call that waits for room records no item; the
 * receiver's call records it. */
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

#ifdef CONFIG_SYS_HEAP_RUNTIME_STATS

#include <zephyr/sys/sys_heap.h>

void tt_zephyr_heap_changed(void *heap)
{
    struct sys_memory_stats now;
    if (sys_heap_runtime_stats_get(&((struct k_heap *)heap)->heap, &now) == 0) {
        tt_signal_write(heap, (uint32_t)now.free_bytes);
    }
}

#else

void tt_zephyr_heap_changed(void *heap)
{
    ARG_UNUSED(heap);
}

#endif

TT_ZEPHYR_RARE void tt_zephyr_named(const char *name, uint32_t data0, uint32_t data1)
{
    tt_emit_system_named(data0, data1, name);
}
