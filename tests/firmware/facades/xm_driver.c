/*
 * Cases for the interface of xmtrace: recorded events with their numbers, and refused ones. Exit
 * code: 0 if all expectations hold; prints the failed one otherwise.
 */
#include "plain_port.h"
#include "ring_read.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"
#include "xm_trace.h"

static uint64_t offered(void)
{
    return tt_ring_offered(&tt_rings[0][0]);
}

/* Return the newest record. */
static tt_record_t last(void)
{
    return tt_rings[0][0].cursor[-1];
}

static uint32_t type_of(tt_record_t record)
{
    return record.header & 0x7fffu;
}

static uint32_t type(uint32_t event_class, uint32_t event)
{
    return event_class << 10 | event;
}

/* Record one event; check that it was recorded, and its type. */
static void check_recorded(int event, uint32_t expected)
{
    uint64_t before = offered();
    xm_trace(event, 0x1234, 0x8000);
    EXPECT_EQUAL(offered(), before + 1u);
    EXPECT_EQUAL(type_of(last()), expected);
    EXPECT_EQUAL(last().data[0], 0x1234);
    EXPECT_EQUAL(last().data[1], 0x8000);
}

static void check_refused(int event)
{
    uint64_t before = offered();
    xm_trace(event, 0, 0);
    EXPECT_EQUAL(offered(), before);
}

static void begin(void)
{
    static const tt_target_t target = {.name = "xm_driver", .tick_hz = 1000000};
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
}

/* The first start selects everything, as loading the module of xmtrace does. The class mask is not
 * set yet, therefore this check is the first one. */
static void check_first_start(void)
{
    begin();
    EXPECT_EQUAL(xm_event_disable(XM_TRACE_SPIN_LOCK), 0);
    EXPECT_EQUAL(xm_trace_start(), 0);
    check_recorded(XM_TRACE_HARD_CLI, type(TT_CLASS_IRQSTATE, 0));
    check_recorded(XM_TRACE_SCHED_IN, type(TT_CLASS_SCHED, 11));
    check_recorded(XM_TRACE_USER, type(TT_CLASS_USER, 19));
    check_recorded(61, type(16, 61));
    check_refused(XM_TRACE_SPIN_LOCK);
    EXPECT_EQUAL(xm_event_enable(XM_TRACE_SPIN_LOCK), 0);
    check_recorded(XM_TRACE_SPIN_LOCK, type(TT_CLASS_IRQSTATE, 9));
    EXPECT_EQUAL(xm_trace_stop(), 0);
    xm_set_class_mask(0);
    EXPECT_EQUAL(xm_trace_start(), 0); /* a mask of 0 stays */
    check_refused(XM_TRACE_USER);
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

static void check_pointer(void)
{
    EXPECT_EQUAL(XM_NRBUFFERS, TT_CONFIG_BUFFERS);
    begin();
    xm_set_class_mask(XM_CLASS_ALL);
    check_refused(XM_TRACE_USER); /* not started */
    EXPECT_EQUAL(xm_trace_start(), 0);
    check_recorded(XM_TRACE_USER, type(TT_CLASS_USER, 19));
    EXPECT_EQUAL(xm_trace_stop(), 0);
    check_refused(XM_TRACE_USER);
}

static void check_numbers(void)
{
    begin();
    xm_set_class_mask(XM_CLASS_ALL);
    EXPECT_EQUAL(xm_trace_start(), 0);
    for (int event = 0; event <= 10; event++) {
        check_recorded(event, type(TT_CLASS_IRQSTATE, (uint32_t)event));
    }
    for (int event = 11; event <= 13; event++) {
        check_recorded(event, type(TT_CLASS_SCHED, (uint32_t)event));
    }
    check_recorded(XM_TRACE_REDD_TX, type(16, XM_TRACE_REDD_TX));
    check_recorded(XM_TRACE_DOMAIN_USER, type(TT_CLASS_DOMAIN, TT_DOMAIN_USER));
    check_recorded(61, type(16, 61));
    check_recorded(XM_TRACE_SYSCALL_ENTRY, type(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER));
    check_recorded(XM_TRACE_SYSCALL_EXIT, type(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT));
    check_refused(64);
    check_refused(-1);
    xm_trace2(XM_TRACE_USER, 7);
    uint32_t offset = last().data[1] - (uint32_t)(uintptr_t)check_numbers;
    EXPECT_EQUAL(offset > 0u && offset < 4096u, 1);
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

static void check_masks(void)
{
    begin();
    xm_set_class_mask(XM_CLASS_INTERRUPTS);
    EXPECT_EQUAL(xm_trace_start(), 0);
    check_recorded(XM_TRACE_HARD_CLI, type(TT_CLASS_IRQSTATE, 0));
    check_refused(XM_TRACE_SCHED_IN);
    check_refused(XM_TRACE_USER);
    check_refused(30);
    xm_set_class_mask(XM_CLASS_SCHEDULER | XM_CLASS_USER);
    check_refused(XM_TRACE_HARD_CLI);
    check_recorded(XM_TRACE_SCHED_OUT, type(TT_CLASS_SCHED, 12));
    check_recorded(XM_TRACE_USER, type(TT_CLASS_USER, 19));
    EXPECT_EQUAL(xm_event_set_class(XM_TRACE_HARD_CLI, XM_CLASS_SCHEDULER), 0);
    check_recorded(XM_TRACE_HARD_CLI, type(18, XM_TRACE_HARD_CLI));
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

/* Record an event of the kernel; check that it makes `more` records. */
static void check_kernel(uint64_t more)
{
    uint64_t before = offered();
    tt_emit_irqstate_hard_cli(0, 0);
    EXPECT_EQUAL(offered(), before + more);
}

static void check_domain(uint32_t event, uint64_t more)
{
    uint64_t before = offered();
    tt_add_event(TT_CLASS_USER, event, 0, 0);
    EXPECT_EQUAL(offered(), before + more);
}

/* Without a class mask, a disabled event that is enabled again is recorded as before. */
static void check_without_a_mask(void)
{
    begin();
    EXPECT_EQUAL(tt_select_all(XM_STREAM, true), TT_OK);
    EXPECT_EQUAL(xm_trace_start(), 0);
    check_kernel(1);
    EXPECT_EQUAL(xm_event_disable(XM_TRACE_HARD_CLI), 0);
    check_kernel(0);
    EXPECT_EQUAL(xm_event_enable(XM_TRACE_HARD_CLI), 0);
    check_kernel(1);
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

static void check_single_events(void)
{
    begin();
    xm_set_class_mask(XM_CLASS_ALL);
    EXPECT_EQUAL(xm_trace_start(), 0);
    EXPECT_EQUAL(xm_event_disable(40), 0);
    EXPECT_EQUAL(xm_event_disable(XM_TRACE_HARD_CLI), 0);
    check_refused(40);
    check_refused(XM_TRACE_HARD_CLI);
    check_kernel(0);
    check_recorded(41, type(16, 41));
    check_recorded(XM_TRACE_HARD_STI, type(TT_CLASS_IRQSTATE, 1));
    xm_set_class_mask(XM_CLASS_SCHEDULER);
    xm_set_class_mask(XM_CLASS_ALL);
    check_refused(40); /* a class mask enables no single event */
    check_kernel(0);
    EXPECT_EQUAL(xm_event_enable(40), 0);
    check_recorded(40, type(16, 40));
    xm_set_class_mask(XM_CLASS_USER);
    EXPECT_EQUAL(xm_event_enable(XM_TRACE_HARD_CLI), 0);
    check_kernel(0); /* its class is not in the mask */
    xm_set_class_mask(XM_CLASS_INTERRUPTS);
    check_kernel(1);
    uint64_t before = offered();
    tt_emit_int_entry(20, 0, 0);
    EXPECT_EQUAL(offered(), before + 1u);
    /* Events that a domain records under a number of the user. */
    EXPECT_EQUAL(xm_event_set_class(42, XM_CLASS_USER), 0);
    xm_set_class_mask(XM_CLASS_ALL);
    check_domain(42, 1);
    EXPECT_EQUAL(xm_event_disable(42), 0);
    check_domain(42, 0);
    check_domain(43, 1);
    /* An event stays disabled if its class changes. */
    EXPECT_EQUAL(xm_event_disable(44), 0);
    EXPECT_EQUAL(xm_event_set_class(44, XM_CLASS_REDD), 0);
    check_refused(44);
    EXPECT_EQUAL(xm_event_enable(44), 0);
    check_recorded(44, type(19, 44));
    /* All events may be disabled at once. */
    for (int event = 0; event < XM_TRACE_MAX_EVENTS; event++) {
        EXPECT_EQUAL(xm_event_disable(event), event == XM_TRACE_FINALIZE ? -1 : 0);
    }
    for (int event = 0; event < XM_TRACE_MAX_EVENTS; event++) {
        if (event != XM_TRACE_FINALIZE) {
            check_refused(event);
            EXPECT_EQUAL(xm_event_enable(event), 0);
        }
    }
    check_recorded(43, type(16, 43));
    EXPECT_EQUAL(xm_event_disable(64), -1);
    EXPECT_EQUAL(xm_event_enable(XM_TRACE_FINALIZE), -1);
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

static void check_definitions(void)
{
    begin();
    xm_set_class_mask(XM_CLASS_ALL);
    EXPECT_EQUAL(xm_trace_start(), 0);
    EXPECT_EQUAL(xm_event_set_name(21, "an event whose name is far too long for it"), 0);
    check_recorded(21, type(16, 21));
    EXPECT_EQUAL(xm_event_set_class(21, XM_CLASS_USER), 0);
    check_recorded(21, type(TT_CLASS_USER, 21));
    EXPECT_EQUAL(xm_event_set_class(21, XM_CLASS_REDD), 0);
    check_recorded(21, type(19, 21));
    EXPECT_EQUAL(xm_event_set_class(21, 3), -1);
    EXPECT_EQUAL(xm_event_set_class(21, 0), -1);
    EXPECT_EQUAL(xm_event_set_name(64, "x"), -1);
    EXPECT_EQUAL(xm_event_set_name(-1, "x"), -1);
    EXPECT_EQUAL(xm_event_set_name(XM_TRACE_FINALIZE, "x"), -1);
    EXPECT_EQUAL(xm_event_set_class(64, XM_CLASS_USER), -1);
    EXPECT_EQUAL(xm_event_set_name(22, NULL), -1);
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

static void check_finalize(enum xm_finalize behaviour)
{
    begin();
    unsigned int lost_before = xm_lost_traces();
    xm_set_class_mask(XM_CLASS_ALL);
    EXPECT_EQUAL(xm_set_finalize(behaviour), 0);
    EXPECT_EQUAL(xm_trace_start(), 0);
    EXPECT_EQUAL(xm_set_finalize(behaviour), -1); /* too late */
    for (unsigned int trace = 1; trace <= TT_CONFIG_BUFFERS + 2u; trace++) {
        xm_trace(XM_TRACE_USER, (long)trace, 0);
        xm_trace(XM_TRACE_FINALIZE, 0, 0);
    }
    EXPECT_EQUAL(xm_lost_traces() - lost_before, 3);
    tt_buffer_t *buffer = tt_ring_acquire(&tt_rings[0][0]);
    EXPECT_EQUAL(buffer != NULL, 1);
    const tt_record_t *records = tt_ring_records(&tt_rings[0][0], buffer);
    EXPECT_EQUAL(buffer->count, 2);
    EXPECT_EQUAL(records[0].data[0], 1);
    EXPECT_EQUAL(type_of(records[1]), type(TT_CLASS_TRACER, TT_TRACER_FINALIZE));
    EXPECT_EQUAL(xm_trace_stop(), 0);
}

int main(void)
{
    check_without_a_mask(); /* first, because no mask is set yet */
    check_first_start();
    check_pointer();
    check_numbers();
    check_single_events();
    check_masks();
    check_definitions();
    check_finalize(XM_FINALIZE_NEXT);
    check_finalize(XM_FINALIZE_ANY_FREE);
    return 0;
}
