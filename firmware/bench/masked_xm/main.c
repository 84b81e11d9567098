/*
 * Measures how long the view of xmtrace masks interrupts, as firmware/bench/masked does for the
 * recorder.
 */
#include "board.h"
#include "tickertape/tickertape.h"
#include "xm_trace.h"

#define RECORDS TT_CONFIG_BUFFER_RECORDS

#define SITE(name, ...)                                                                            \
    static __attribute__((noinline, noclone)) void site_##name(void)                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        __asm volatile("@ " #name); /* unique, so that sites are not merged */                     \
    }

static void trace(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        xm_trace2(XM_TRACE_USER, (long)i);
    }
}

SITE(xm_set_finalize, (void)xm_set_finalize(XM_FINALIZE_NEXT))
SITE(xm_trace_start, (void)xm_trace_start())
SITE(xm_set_class_mask, xm_set_class_mask(XM_CLASS_ALL))
SITE(xm_event_disable, (void)xm_event_disable(XM_TRACE_HARD_CLI))
SITE(xm_event_enable, (void)xm_event_enable(XM_TRACE_HARD_CLI))
SITE(xm_event_set_name, (void)xm_event_set_name(XM_TRACE_FIRST_FREE, "event of a name"))
SITE(xm_event_set_class, (void)xm_event_set_class(XM_TRACE_FIRST_FREE, XM_CLASS_USER))
SITE(xm_trace, for (uint32_t i = 0; i < 3u * RECORDS; i++) { xm_trace(XM_TRACE_USER, (long)i, i); })
SITE(xm_trace2, trace(3u * RECORDS))
SITE(xm_finalize, xm_trace2(XM_TRACE_FINALIZE, 0))
SITE(xm_lost_traces, (void)xm_lost_traces())
SITE(xm_trace_stop, (void)xm_trace_stop())

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
static const tt_target_t target = {.name = "masked", .tick_hz = BOARD_CLOCK_HZ};

void application_main(void)
{
    (void)tt_init(&target, &link);
    site_xm_set_finalize();
    site_xm_event_set_name();
    site_xm_event_set_class();
    site_xm_trace_start();
    site_xm_set_class_mask();
    site_xm_event_disable();
    site_xm_event_enable();
    site_xm_trace();
    site_xm_trace2();
    for (uint32_t i = 0; i <= TT_CONFIG_BUFFERS; i++) { /* the last traces find no free buffer */
        trace(2u * RECORDS - 3u);
        site_xm_finalize();
    }
    site_xm_lost_traces();
    site_xm_trace_stop();
    board_exit(0);
}
