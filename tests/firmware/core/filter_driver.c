/*
 * Cases for filters, handlers, shedding and the wide mark. Each case begins with a recorder that
 * records all events, and checks the numbers of offered and dropped records. Exit code: 0 if all
 * expectations hold; prints the failed one otherwise.
 */
#include <string.h>

#include "plain_port.h"
#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

static uint32_t current_pid;
static uint32_t current_tid;
static bool link_open;
static uint32_t link_bytes;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_open ? 1u << 20 : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    link_bytes += count;
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = current_pid;
    *tid = current_tid;
}

static void begin(void)
{
    static const tt_target_t target = {
        .name = "filter_driver", .tick_hz = 1000000u, .current_thread = current_thread};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT(tt_init(&target, &link) == TT_OK);
    EXPECT(tt_select_all(0, true) == TT_OK);
    EXPECT(tt_start(0) == TT_OK);
    plain_port.exception = 0;
    current_pid = 0;
    current_tid = 1;
    link_open = false;
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    return status.offered;
}

static uint32_t dropped(uint32_t event_class)
{
    tt_wire_class_counters_t counters;
    EXPECT(tt_class_status(0, 0, event_class, &counters) == TT_OK);
    return counters.dropped;
}

/* Records offered by one call of `emit`. */
#define OFFERED_BY(statement)                                                                      \
    __extension__({                                                                                \
        uint64_t before = offered();                                                               \
        statement;                                                                                 \
        offered() - before;                                                                        \
    })

static void masks_take_and_leave(void)
{
    begin();
    EXPECT(OFFERED_BY(tt_emit_user_user(3, 1, 2)) == 1);
    EXPECT(tt_select_event(0, TT_CLASS_USER, 3, false) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(3, 1, 2)) == 0);
    EXPECT(OFFERED_BY(tt_emit_user_user(4, 1, 2)) == 1);
    EXPECT(tt_select_class(0, TT_CLASS_USER, false) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(4, 1, 2)) == 0);
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_USER, 1000, 1, 2)) == 0);
    EXPECT(tt_select_event(0, TT_CLASS_USER, 900, true) == TT_OK); /* shares one entry with 1000 */
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_USER, 900, 1, 2)) == 1);
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_USER, 1000, 1, 2)) == !TT_CONFIG_EVENT_MASKS);
    EXPECT(tt_select_all(0, false) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_sched_tick(1, 0)) == 0);
    EXPECT(tt_select_class(0, 32, true) == TT_ERROR_ARGUMENT);
    EXPECT(tt_select_event(0, TT_CLASS_USER, 1024, true) == TT_ERROR_ARGUMENT);
    EXPECT(tt_select_all(TT_CONFIG_STREAMS, true) == TT_ERROR_ARGUMENT);
}

static void thread_filters_look_at_the_emitter(void)
{
    begin();
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, TT_EVERY_EVENT, 0, 5) == TT_OK);
    current_tid = 4;
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 0);
    EXPECT(OFFERED_BY(tt_add_buffer(TT_CLASS_USER, 1, "abc", 3)) == 0);
    EXPECT(OFFERED_BY(tt_emit_sched_tick(1, 0)) == 1);
    current_tid = 5;
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 1);
    EXPECT(OFFERED_BY(tt_add_buffer(TT_CLASS_USER, 1, "abc", 3)) == 2);
    /* A filter of one event applies in addition to that of its class. */
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, 1, 2, 0) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 0);
    EXPECT(OFFERED_BY(tt_emit_user_user(2, 0, 0)) == 1);
    current_pid = 2;
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 1);
    /* Domain and thread 0 remove the filter. */
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, TT_EVERY_EVENT, 0, 0) == TT_OK);
    current_tid = 4;
    EXPECT(OFFERED_BY(tt_emit_user_user(2, 0, 0)) == 1);
    EXPECT(tt_set_thread_filter(99, 0, 0, 1) == TT_ERROR_ARGUMENT);
}

static struct {
    uint32_t calls;
    uint32_t word_count;
    uint32_t first_word;
    uint32_t tid;
    void *context;
    bool verdict;
    bool emits;
} seen;

static bool look(const tt_event_view_t *view)
{
    seen.calls++;
    seen.word_count = view->word_count;
    seen.first_word = view->word_count > 0u ? view->data[0] : 0u;
    seen.tid = view->tid;
    seen.context = view->context;
    if (seen.emits) {
        tt_emit_user_user(7, 1, 1); /* of the handler's own class */
    }
    return seen.verdict;
}

static bool refuse(const tt_event_view_t *view)
{
    (void)view;
    return false;
}

/* With masks, two events that share a route entry have separate filters and handlers. */
static void filters_of_events_that_share_an_entry(void)
{
    begin();
    memset(&seen, 0, sizeof seen);
    EXPECT(tt_set_thread_filter(20, 1, 0, 5) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(20, 1, 1, 2)) == 0);
    EXPECT(OFFERED_BY(tt_add_event(20, 2, 1, 2)) == (TT_CONFIG_EVENT_MASKS != 0));
    EXPECT(tt_set_thread_filter(20, 2, 0, 1) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(20, 1, 1, 2)) == !TT_CONFIG_EVENT_MASKS);
    EXPECT(OFFERED_BY(tt_add_string(20, 2, "text")) == 2);
    tt_clear_filters();
    EXPECT(tt_add_handler(TT_CLASS_TRC, 40, refuse, NULL) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_TRC, 40, 1, 2)) == 0);
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_TRC, 41, 1, 2)) == (TT_CONFIG_EVENT_MASKS != 0));
    EXPECT(tt_remove_handler(TT_CLASS_TRC, 41) == (TT_CONFIG_EVENT_MASKS ? TT_ERROR_STATE : TT_OK));
    /* The handler is not called for an event that the stream does not select. */
    seen.verdict = true;
    EXPECT(tt_add_handler(21, TT_EVERY_EVENT, look, NULL) == TT_OK);
    EXPECT(tt_select_event(0, 21, 3, false) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(21, 3, 1, 2)) == 0);
    EXPECT(seen.calls == 0);
    EXPECT(OFFERED_BY(tt_add_event(21, 4, 1, 2)) == (TT_CONFIG_EVENT_MASKS != 0));
    EXPECT(seen.calls == (TT_CONFIG_EVENT_MASKS != 0));
    /* A filter of the whole class applies to all its events. */
    EXPECT(tt_set_thread_filter(22, TT_EVERY_EVENT, 0, 5) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(22, 7, 1, 2)) == 0);
    EXPECT(tt_set_thread_filter(22, TT_EVERY_EVENT, 0, 0) == TT_OK);
    EXPECT(OFFERED_BY(tt_add_event(22, 7, 1, 2)) == 1);
}

static void filters_run_out(void)
{
    begin();
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        EXPECT(tt_set_thread_filter(TT_CLASS_USER, i, 0, 9) == TT_OK);
    }
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, 30, 0, 9) == TT_ERROR_STATE);
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, 0, 0, 8) == TT_OK); /* replaces */
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, 0, 0, 0) == TT_OK); /* frees */
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, 30, 0, 9) == TT_OK);
}

static void handlers_decide(void)
{
    begin();
    memset(&seen, 0, sizeof seen);
    current_tid = 6;
    EXPECT(tt_add_handler(TT_CLASS_USER, TT_EVERY_EVENT, look, &seen) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 42, 0)) == 0);
    EXPECT(seen.calls == 1 && seen.word_count == 2 && seen.first_word == 42);
    EXPECT(seen.tid == 6 && seen.context == &seen);
    seen.verdict = true;
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 42, 0)) == 1);
    EXPECT(OFFERED_BY(tt_add_d1_string(TT_CLASS_USER, 1, 77, "text")) == 2);
    EXPECT(seen.calls == 3 && seen.first_word == 77); /* one call for a combine event */
    /* The event's handler is called after the class handler, if that accepted the event. */
    EXPECT(tt_add_handler(TT_CLASS_USER, 1, refuse, NULL) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 42, 0)) == 0);
    EXPECT(OFFERED_BY(tt_emit_user_user(2, 42, 0)) == 1);
    EXPECT(tt_remove_handler(TT_CLASS_USER, 1) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 42, 0)) == 1);
    EXPECT(tt_remove_handler(TT_CLASS_USER, 1) == TT_ERROR_STATE);
    EXPECT(tt_add_handler(TT_CLASS_USER, 1, NULL, NULL) == TT_ERROR_ARGUMENT);
    /* Thread filters come first: a handler is not called for an event that they refuse. */
    uint32_t calls = seen.calls;
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, TT_EVERY_EVENT, 0, 1) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 0);
    EXPECT(seen.calls == calls);
}

static void handlers_may_record(void)
{
    begin();
    memset(&seen, 0, sizeof seen);
    seen.verdict = true;
    seen.emits = true;
    EXPECT(tt_add_handler(TT_CLASS_USER, TT_EVERY_EVENT, look, NULL) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_user_user(1, 0, 0)) == 2);
    EXPECT(seen.calls == 1);
}

static void wide_forms_are_whole(void)
{
    begin();
    EXPECT(OFFERED_BY(tt_emit_thread_mutex(0, 7, 12, 1, 5)) == 1);
    EXPECT(tt_set_wide(TT_CLASS_THREAD, TT_THREAD_MUTEX, true) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_thread_mutex(0, 7, 12, 1, 5)) == 3);
    EXPECT(OFFERED_BY(tt_emit_thread_sem(0, 7, 12, 1, 5)) == 1);
    EXPECT(OFFERED_BY(tt_add_event(TT_CLASS_THREAD, TT_THREAD_MUTEX, 0, 7)) == 1);
    /* A whole class: events without a wide form stay as they are. */
    EXPECT(tt_set_wide(TT_CLASS_THREAD, TT_EVERY_EVENT, true) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_thread_sem(0, 7, 12, 1, 5)) == 3);
    EXPECT(OFFERED_BY(tt_emit_thread_destroy(0, 7)) == 1);
    EXPECT(tt_route[TT_ROUTE_THREAD_DESTROY] == 1u);
    EXPECT(tt_set_wide(TT_CLASS_THREAD, TT_EVERY_EVENT, false) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_thread_sem(0, 7, 12, 1, 5)) == 1);
    EXPECT(tt_set_wide(TT_CLASS_INT, TT_INT_ENTRY, true) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_int_entry(25, 0, 7)) == 2);
    EXPECT(tt_set_wide(32, TT_EVERY_EVENT, true) == TT_ERROR_ARGUMENT);
}

/* A handler sees a wide event as one event with all its words. */
static void wide_forms_are_decided_once(void)
{
    begin();
    memset(&seen, 0, sizeof seen);
    EXPECT(tt_set_wide(TT_CLASS_KERCALL, TT_EVERY_EVENT, true) == TT_OK);
    EXPECT(tt_add_handler(TT_CLASS_KERCALL, TT_EVERY_EVENT, look, NULL) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_kercall_enter(TT_KERCALL_SYNC_MUTEX_LOCK, 42, 2, 3, 4, 5, 6)) == 0);
    EXPECT(seen.calls == 1 && seen.word_count == 6 && seen.first_word == 42);
    seen.verdict = true;
    EXPECT(OFFERED_BY(tt_emit_kercall_enter(TT_KERCALL_SYNC_MUTEX_LOCK, 42, 2, 3, 4, 5, 6)) == 4);
    EXPECT(OFFERED_BY(tt_emit_kercall_exit(TT_KERCALL_SYNC_MUTEX_LOCK, -3, 0, 5, 6)) == 3);
    EXPECT(seen.calls == 3 && seen.word_count == 4);
    EXPECT(tt_set_thread_filter(TT_CLASS_KERCALL, TT_EVERY_EVENT, 0, 99) == TT_OK);
    EXPECT(OFFERED_BY(tt_emit_kercall_exit(TT_KERCALL_SYNC_MUTEX_LOCK, -3, 0, 5, 6)) == 0);
}

static void shedding_keeps_room_for_the_others(void)
{
    begin();
    const uint32_t capacity = TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS;
    const uint32_t reserve = TT_CONFIG_BUFFERS / 2u;
    EXPECT(tt_set_shedding(0, 1u << TT_CLASS_USER, TT_CONFIG_BUFFERS) == TT_ERROR_ARGUMENT);
    EXPECT(tt_set_shedding(0, 1u << TT_CLASS_USER, reserve) == TT_OK);
    uint64_t start = offered(); /* counts TRACER START */
    for (uint32_t i = 0; i < capacity; i++) {
        tt_emit_user_user(0, i, i);
    }
    uint32_t shed = dropped(TT_CLASS_USER);
    uint32_t kept = capacity - shed;
    EXPECT(kept + start == (TT_CONFIG_BUFFERS - reserve) * TT_CONFIG_BUFFER_RECORDS);
    for (uint32_t i = 0; i < reserve * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_sched_context_switch(i, i + 1u);
        tt_emit_user_user(0, i, i); /* still shed */
    }
    EXPECT(dropped(TT_CLASS_SCHED) == 0);
    EXPECT(dropped(TT_CLASS_USER) == shed + reserve * TT_CONFIG_BUFFER_RECORDS);
    tt_emit_sched_context_switch(1, 2); /* the reserve is used up */
    EXPECT(dropped(TT_CLASS_SCHED) == 1);
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(status.offered == capacity + start + 2u * reserve * TT_CONFIG_BUFFER_RECORDS + 1u);
    EXPECT(status.dropped == dropped(TT_CLASS_USER) + 1u);
    EXPECT(status.high_water_buffers == TT_CONFIG_BUFFERS);
    /* As soon as there is room, no class is shed. */
    link_open = true;
    while (tt_drain_step()) {
    }
    uint32_t before = dropped(TT_CLASS_USER);
    tt_emit_user_user(0, 0, 0);
    EXPECT(dropped(TT_CLASS_USER) == before);
    tt_stop(0);
    tt_flush(0);
    while (!tt_drain_done()) {
        EXPECT(tt_drain_step());
    }
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(status.offered == status.sent + status.dropped);
}

static void until_full_stops(void)
{
    begin();
    EXPECT(tt_set_policy(0, TT_POLICY_UNTIL_FULL) == TT_ERROR_STATE); /* the stream records */
    EXPECT(tt_stop(0) == TT_OK);
    EXPECT(tt_set_policy(0, TT_POLICY_UNTIL_FULL) == TT_ERROR_STATE); /* a buffer is open */
    link_open = true;
    while (!tt_drain_done()) {
        EXPECT(tt_drain_step());
    }
    link_open = false;
    uint64_t before = offered();
    EXPECT(tt_set_policy(0, TT_POLICY_UNTIL_FULL) == TT_OK);
    EXPECT(tt_start(0) == TT_OK);
    for (uint32_t i = 0; i < 3u * TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS; i++) {
        tt_emit_user_user(0, i, i);
    }
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(!status.running);
    EXPECT(status.dropped == 1); /* the record that found the ring full */
    EXPECT(status.offered == before + TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS + 1u);
}

int main(void)
{
    masks_take_and_leave();
    thread_filters_look_at_the_emitter();
    filters_run_out();
    filters_of_events_that_share_an_entry();
    handlers_decide();
    handlers_may_record();
    wide_forms_are_whole();
    wide_forms_are_decided_once();
    shedding_keeps_room_for_the_others();
    until_full_stops();
    EXPECT(plain_port.lock_depth == 0);
    EXPECT(link_bytes > 0);
    return plain_port.failures == 0 ? 0 : 1;
}
