/*
 * Measures how long the view of S.Ha.R.K. masks interrupts, as firmware/bench/masked does for the
 * recorder. The program creates a circular queue, a fixed queue, and a queue of its own type, which
 * takes events one by one.
 */
#include "board.h"
#include "tickertape/tickertape.h"
#include "trc.h"

#define EVENTS ((int32_t)(6 * TT_CONFIG_BUFFER_RECORDS))

#define SITE(name, ...)                                                                            \
    static __attribute__((noinline, noclone)) void site_##name(void)                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        __asm volatile("@ " #name); /* unique, so that sites are not merged */                     \
    }

static trc_event_t own_event;

static trc_event_t *get(void *data)
{
    (void)data;
    return &own_event;
}

static int post(void *data)
{
    (void)data;
    return 0;
}

static int create(trc_queue_t *queue, void *args)
{
    (void)args;
    queue->get = get;
    queue->post = post;
    return 0;
}

static int activate(void *data, int number)
{
    (void)data;
    return number > 0 ? 0 : -1;
}

static int terminate(void *data)
{
    (void)data;
    return 0;
}

static TRC_CIRCULAR_PARMS circular;
static TRC_FIXED_PARMS fixed;

static void log_events(int event, int32_t count)
{
    for (trc_user_event_t user = {.n = 0}; user.n < count; user.n++) {
        (void)trc_logevent(event, &user);
    }
}

SITE(TRC_init_phase1, (void)TRC_init_phase1(NULL))
SITE(TRC_init_phase1_standard, (void)TRC_init_phase1_standard())
SITE(TRC_init_phase2, (void)TRC_init_phase2())
SITE(TRC_init_phase2_standard, (void)TRC_init_phase2_standard())
SITE(trc_register_queuetype, (void)trc_register_queuetype(7, create, activate, terminate))
SITE(trc_register_dummy_queue, (void)trc_register_dummy_queue())
SITE(trc_register_fixed_queue, (void)trc_register_fixed_queue())
SITE(trc_register_dosfs_fixed_queue, (void)trc_register_dosfs_fixed_queue())
SITE(trc_register_circular_queue, (void)trc_register_circular_queue())
SITE(trc_register_udp_queue, (void)trc_register_udp_queue())
SITE(trc_create_queue, (void)trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
     (void)trc_create_queue(TRC_FIXED_QUEUE, &fixed); (void)trc_create_queue(7, NULL))
SITE(trc_assign_event_to_queue, (void)trc_assign_event_to_queue(TRC_USER1, 1);
     (void)trc_assign_event_to_queue(TRC_USER2, 2))
SITE(trc_assign_class_to_queue, (void)trc_assign_class_to_queue(TRC_CLASS_USER, 0))
SITE(trc_trace_event, (void)trc_trace_event(TRC_USER1))
SITE(trc_notrace_event, (void)trc_notrace_event(TRC_USER1))
SITE(trc_trace_class, (void)trc_trace_class(TRC_CLASS_USER))
SITE(trc_notrace_class, (void)trc_notrace_class(TRC_CLASS_USER))
SITE(trc_suspend, (void)trc_suspend())
SITE(trc_resume, (void)trc_resume())
SITE(trc_logevent, log_events(TRC_USER0, EVENTS); log_events(TRC_USER1, EVENTS);
     log_events(TRC_USER2, 20))
SITE(trc_end, trc_end())

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
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
    trc_circular_default_parms(circular);
    trc_fixed_default_parms(fixed);
    (void)tt_init(&target, &link);
    site_TRC_init_phase1_standard();
    site_TRC_init_phase2_standard();
    (void)tt_init(&target, &link);
    site_TRC_init_phase1();
    site_trc_register_dummy_queue();
    site_trc_register_fixed_queue();
    site_trc_register_dosfs_fixed_queue();
    site_trc_register_circular_queue();
    site_trc_register_udp_queue();
    site_trc_register_queuetype();
    site_trc_create_queue();
    site_trc_assign_class_to_queue();
    site_trc_assign_event_to_queue();
    site_TRC_init_phase2();
    site_trc_notrace_class();
    site_trc_trace_class();
    site_trc_notrace_event();
    site_trc_trace_event();
    site_trc_logevent();
    site_trc_suspend();
    site_trc_resume();
    site_trc_end();
    board_exit(0);
}
