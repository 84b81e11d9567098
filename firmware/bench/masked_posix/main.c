/*
 * Measures how long POSIX Trace masks interrupts, as firmware/bench/masked does for the recorder.
 * Each event of 256 bytes is recorded into eight streams. Functions of attributes and event sets
 * are left out because they do not call the recorder.
 */
#include <stdint.h>
#include <trace.h>

#include "board.h"
#include "posix_files.h"
#include "posix_port.h"
#include "tickertape/tickertape.h"

#define EVENTS (2u * TT_CONFIG_BUFFER_RECORDS / 16u)

#define SITE(name, ...)                                                                            \
    static __attribute__((noinline, noclone)) void site_##name(void)                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        __asm volatile("@ " #name); /* unique, so that sites are not merged */                     \
    }

static uint8_t log_bytes[1u << 16];
static uint8_t data[256];
static trace_attr_t attr;
static trace_id_t trid;
static trace_id_t opened;
static trace_event_id_t event;
static trace_event_set_t set;
static struct posix_trace_status_info status;
static struct posix_trace_event_info info;
static const struct timespec past;
static char name[TRACE_NAME_MAX];
static size_t bytes;
static int flag;
static int file;

static void trace(uint32_t count, size_t data_bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        posix_trace_event(event, data, data_bytes);
    }
}

static void read_all(void)
{
    do {
        (void)posix_trace_trygetnext_event(trid, &info, data, sizeof data, &bytes, &flag);
    } while (flag == 0);
}

SITE(posix_trace_create, (void)posix_trace_create(0, &attr, &trid))
SITE(posix_trace_create_withlog, (void)posix_trace_create_withlog(0, &attr, file, &trid))
SITE(posix_trace_start, (void)posix_trace_start(trid))
SITE(posix_trace_stop, (void)posix_trace_stop(trid))
SITE(posix_trace_flush, (void)posix_trace_flush(trid))
SITE(posix_trace_clear, (void)posix_trace_clear(trid))
SITE(posix_trace_shutdown, (void)posix_trace_shutdown(trid))
SITE(posix_trace_get_filter, (void)posix_trace_get_filter(trid, &set))
SITE(posix_trace_set_filter, (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET))
SITE(posix_trace_get_attr, (void)posix_trace_get_attr(trid, &attr))
SITE(posix_trace_get_status, (void)posix_trace_get_status(trid, &status))
SITE(posix_trace_eventid_open, (void)posix_trace_eventid_open("an event", &event))
SITE(posix_trace_trid_eventid_open,
     (void)posix_trace_trid_eventid_open(trid, "another event", &event))
SITE(posix_trace_eventid_equal, (void)posix_trace_eventid_equal(trid, event, event))
SITE(posix_trace_eventid_get_name, (void)posix_trace_eventid_get_name(trid, event, name))
SITE(posix_trace_eventtypelist_getnext_id,
     (void)posix_trace_eventtypelist_getnext_id(trid, &event, &flag))
SITE(posix_trace_eventtypelist_rewind, (void)posix_trace_eventtypelist_rewind(trid))
SITE(posix_trace_event, trace(EVENTS, sizeof data))
SITE(posix_trace_event_small, trace(20, 4))
SITE(posix_trace_getnext_event,
     (void)posix_trace_getnext_event(trid, &info, data, sizeof data, &bytes, &flag))
SITE(posix_trace_timedgetnext_event,
     (void)posix_trace_timedgetnext_event(trid, &info, data, sizeof data, &bytes, &flag, &past))
SITE(posix_trace_trygetnext_event, read_all())
SITE(posix_trace_open, (void)posix_trace_open(file, &opened))
SITE(posix_trace_rewind, (void)posix_trace_rewind(opened))
SITE(posix_trace_close, (void)posix_trace_close(opened))
SITE(rtl_ktrace_start, (void)rtl_ktrace_start())
SITE(rtl_ktrace_stop, (void)rtl_ktrace_stop())
SITE(posix_shutdown_all, posix_shutdown_all())

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *from, uint32_t count)
{
    (void)context;
    (void)from;
    (void)count;
}

static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
static const tt_target_t target = {.name = "masked", .tick_hz = BOARD_CLOCK_HZ};

static void prepare(int policy)
{
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, policy);
    (void)posix_trace_attr_setmaxdatasize(&attr, sizeof data);
}

void application_main(void)
{
    (void)tt_init(&target, &link);
    (void)posix_trace_eventid_open("an event", &event);
    site_posix_trace_eventid_open();
    prepare(POSIX_TRACE_LOOP);
    for (uint32_t i = 0; i < TRACE_SYS_MAX; i++) {
        site_posix_trace_create();
        site_posix_trace_start();
        (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
        site_posix_trace_set_filter();
    }
    site_posix_trace_event();
    site_posix_trace_event_small();
    site_posix_trace_getnext_event();
    site_posix_trace_timedgetnext_event();
    site_posix_trace_trygetnext_event();
    site_posix_trace_trid_eventid_open();
    site_posix_trace_eventid_equal();
    site_posix_trace_eventid_get_name();
    site_posix_trace_eventtypelist_getnext_id();
    site_posix_trace_eventtypelist_rewind();
    site_posix_trace_get_filter();
    site_posix_trace_get_status();
    site_posix_trace_get_attr();
    trace(EVENTS, sizeof data);
    site_posix_trace_clear();
    site_posix_trace_stop();
    site_posix_trace_shutdown();
    file = posix_memory_file(log_bytes, sizeof log_bytes);
    prepare(POSIX_TRACE_FLUSH);
    site_posix_trace_create_withlog();
    site_posix_trace_start();
    trace(2, sizeof data);
    site_posix_trace_flush();
    site_posix_trace_shutdown();
    site_posix_trace_open();
    site_posix_trace_rewind();
    site_posix_trace_close();
    site_rtl_ktrace_start();
    site_rtl_ktrace_stop();
    site_posix_shutdown_all();
    board_exit(0);
}
