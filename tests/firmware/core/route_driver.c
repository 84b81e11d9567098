/*
 * The route table under concurrent changes: routes are updated one entry at a time, and interrupts
 * between any two entries select, start, stop and filter themselves. When all calls have returned,
 * every route follows from the selection, the running streams, the filters and the wide marks, and
 * the selection is the requested one. Exit code: 0 if this holds.
 */
#include <stdio.h>
#include <string.h>

#include "ring.h"
#include "route.h"
#include "selection.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

#define ROUNDS 3000u
#define DEPTH  3u

/* The requested selection, kept by the test; EITHER if calls overlapped. */
typedef enum asked {
    NO,
    YES,
    EITHER,
} asked_t;

/* Entries after those of the route table: the first events of each class, for events that share a
 * route entry and have their own masks. */
#define SINGLES       8u
#define SINGLE(c, e)  (TT_ROUTE_COUNT + (c) * SINGLES + (e))
#define ENTRIES       SINGLE(TT_CLASS_COUNT, 0u)
#define EVERY_SINGLE  TT_ROUTE_RANGE(TT_ROUTE_COUNT, ENTRIES)
#define SINGLES_OF(c) TT_ROUTE_RANGE(SINGLE(c, 0u), SINGLE(c, SINGLES))

static asked_t selected[TT_CONFIG_STREAMS][ENTRIES];
static asked_t wide[ENTRIES];
static uint32_t filter_count[TT_CLASS_COUNT]; /* 0 or 1 for the class as a whole */

static uint32_t lock_depth;
static uint32_t interrupt_depth; /* number of nested calls */
static uint32_t interrupt_permille;
static uint64_t random_state = 1;
static bool is_filtering[TT_CLASS_COUNT]; /* a call that sets a filter has not returned */
static uint32_t filtering_count;
static bool is_clearing;
static void (*at_next_lock)(void); /* function that interrupts before the next lock */
static uint32_t ticks;
static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: expected %s\n", __func__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void call(void);

static void interrupt(void)
{
    if (lock_depth == 0u && interrupt_depth > 0u && interrupt_depth < DEPTH &&
        random_below(1000) < interrupt_permille) {
        call();
    }
}

tt_port_key_t tt_port_lock(void)
{
    interrupt();
    void (*once)(void) = at_next_lock;
    at_next_lock = NULL;
    if (once != NULL) {
        once();
    }
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
    interrupt();
}

uint32_t tt_port_ticks(void)
{
    return ++ticks;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

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

/* Enter a request. If an interrupted call may request the same entry, the result is EITHER, because
 * the last call to reach the entry decides. `before`: the entries when the call began. */
static void ask(asked_t *entries, const asked_t *before, tt_route_range_t range, bool take)
{
    for (uint32_t i = tt_route_range_first(range); i < tt_route_range_end(range); i++) {
        bool is_alone = interrupt_depth == 1u && entries[i] == before[i];
        entries[i] = !is_alone ? EITHER : take ? YES : NO;
    }
}

static bool has_mask(uint32_t event_class, uint32_t event)
{
    return TT_CONFIG_EVENT_MASKS != 0 && event < SINGLES &&
           (tt_route_types[tt_route_index(event_class, event)] & TT_ROUTE_TYPE_OTHER) != 0u;
}

/* Return the number of free masks. */
static uint32_t free_masks(void)
{
    uint32_t count = 0;
#if TT_CONFIG_EVENT_MASKS
    for (uint32_t i = 0; i < TT_CONFIG_EVENT_MASKS; i++) {
        count += tt_requested.masks[i] == 0u;
    }
#endif
    return count;
}

static void select_range(uint32_t event_class, uint32_t event, tt_route_range_t range)
{
    static asked_t kept[DEPTH][ENTRIES];
    asked_t *before = kept[interrupt_depth - 1u];
    uint32_t stream = random_below(TT_CONFIG_STREAMS);
    bool take = random_below(2) == 0u;
    bool is_wide = event_class < TT_CLASS_COUNT && random_below(3) == 0u;
    asked_t *entries = is_wide ? wide : selected[stream];
    memcpy(before, entries, sizeof kept[0]);
    int result = is_wide                         ? tt_set_wide(event_class, event, take)
                 : event_class == TT_CLASS_COUNT ? tt_select_all(stream, take)
                 : event == TT_EVERY_EVENT ? tt_select_class(stream, event_class, take)
                                           : tt_select_event(stream, event_class, event, take);
    if (!is_wide && has_mask(event_class, event)) {
        if (result == TT_ERROR_STATE) {
            EXPECT(interrupt_permille != 0u || free_masks() == 0u);
            return;
        }
        const uint32_t single = SINGLE(event_class, event);
        range = TT_ROUTE_RANGE(single, single + 1u);
    } else if (!is_wide && event == TT_EVERY_EVENT) {
        ask(entries, before, event_class == TT_CLASS_COUNT ? EVERY_SINGLE : SINGLES_OF(event_class),
            take);
    }
    EXPECT(result == TT_OK);
    ask(entries, before, range, take);
}

static void select_something(void)
{
    tt_route_range_t range = TT_EVERY_ROUTE;
    uint32_t event_class = random_below(TT_CLASS_COUNT + 1u);
    uint32_t event = event_class == TT_CLASS_COUNT || random_below(2) == 0u ? TT_EVERY_EVENT
                                                                            : random_below(SINGLES);
    if (event_class < TT_CLASS_COUNT) {
        range = tt_route_range(event_class, event);
        EXPECT(range != 0u);
    }
    select_range(event_class, event, range);
}

static void change_filter(uint32_t event_class)
{
    bool add = filter_count[event_class] == 0u;
    int result = tt_set_thread_filter(event_class, TT_EVERY_EVENT, 0, add ? 1u : 0u);
    EXPECT(result == TT_OK || (add && result == TT_ERROR_STATE));
    if (result == TT_OK) {
        filter_count[event_class] = add ? 1u : 0u;
    }
}

/* Change a filter. Calls may overlap, but not for one class: the result would be unknown. */
static void filter(void)
{
    uint32_t event_class = random_below(TT_CLASS_COUNT);
    if (is_clearing || is_filtering[event_class]) {
        return;
    }
    if (filtering_count == 0u && random_below(20) == 0u) {
        is_clearing = true;
        tt_clear_filters();
        memset(filter_count, 0, sizeof filter_count);
        is_clearing = false;
        return;
    }
    is_filtering[event_class] = true;
    filtering_count++;
    change_filter(event_class);
    filtering_count--;
    is_filtering[event_class] = false;
}

static void call(void)
{
    interrupt_depth++;
    uint32_t stream = random_below(TT_CONFIG_STREAMS);
    switch (random_below(6)) {
    case 0:
        EXPECT(tt_start_without_state(stream) == TT_OK);
        break;
    case 1:
        EXPECT(tt_stop(stream) == TT_OK);
        break;
    case 2:
        filter();
        break;
    case 3: /* may fill a stream, which then stops */
        for (uint32_t i = random_below(3u * TT_CONFIG_BUFFER_RECORDS); i > 0u; i--) {
            tt_emit_user_user(1, i, i);
        }
        break;
    default:
        select_something();
        break;
    }
    interrupt_depth--;
}

/* Return the streams that the masks of an entry add to its route; check the masks. */
static uint32_t check_masks(uint32_t event_class, uint32_t i, bool *is_masked)
{
    uint32_t route = 0;
    for (uint32_t event = 0; event < SINGLES; event++) {
        if (!has_mask(event_class, event) || tt_route_index(event_class, event) != i) {
            continue;
        }
        const uint32_t header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0u, 0u, event_class, event);
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            bool takes = tt_selection_of_event(header, i, 1u << stream) != 0u;
            asked_t *asked = &selected[stream][SINGLE(event_class, event)];
            EXPECT(*asked == EITHER || (*asked == YES) == takes);
            *asked = takes ? YES : NO;
            *is_masked |= takes != tt_route_selected(stream, i);
            bool runs = tt_is_set(&tt_streams[stream].running);
            route |= takes && runs ? 1u << stream : 0u;
        }
    }
    return route;
}

static void check_route(uint32_t i)
{
    uint32_t route = 0;
    bool is_masked = false;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        bool takes = tt_route_selected(stream, i);
        EXPECT(selected[stream][i] == EITHER || (selected[stream][i] == YES) == takes);
        selected[stream][i] = takes ? YES : NO;
        bool runs = tt_is_set(&tt_streams[stream].running);
        route |= takes && runs ? 1u << stream : 0u;
    }
    uint32_t event_class = 0;
    while (tt_class_first_route(event_class + 1u) <= i) {
        event_class++;
    }
    route |= check_masks(event_class, i, &is_masked);
    if (route != 0u && (filter_count[event_class] != 0u || is_masked)) {
        route |= TT_ROUTE_SLOW;
    }
    uint32_t found = tt_route[i];
    if (route == 0u || wide[i] == NO || !tt_route_has_wide(i)) {
        EXPECT(found == route);
    } else {
        EXPECT(found == (route | TT_ROUTE_WIDE) || (wide[i] == EITHER && found == route));
        wide[i] = (found & TT_ROUTE_WIDE) != 0u ? YES : NO;
    }
}

/* Check all routes. Only the recorder knows which streams run, because start and stop overlap. */
static void check(void)
{
    (void)tt_drain_step(); /* closes the routes of full streams */
    for (uint32_t i = 0; i < TT_ROUTE_COUNT; i++) {
        check_route(i);
    }
    while (tt_drain_step()) {
    }
}

/* A stream that stopped in an emitter records nothing, although its routes are still open. */
static void a_full_stream_is_refused_before_its_routes_follow(void)
{
    tt_ring_status_t status;
    EXPECT(tt_stop(0) == TT_OK);
    while (tt_drain_step()) {
    }
    EXPECT(tt_set_policy(0, TT_POLICY_UNTIL_FULL) == TT_OK);
    EXPECT(tt_select_all(0, true) == TT_OK);
    EXPECT(tt_start_without_state(0) == TT_OK);
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    uint64_t dropped = status.dropped;
    uint64_t room = (uint64_t)TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS;
    for (uint32_t i = 0; i < 2u * room; i++) {
        tt_emit_user_user(1, i, i);
    }
    EXPECT((tt_route[TT_ROUTE_USER_OTHER] & 1u) != 0u);
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(!status.running);
    EXPECT(status.dropped == dropped + 1u);
    uint64_t offered = status.offered;
    (void)tt_drain_step();
    EXPECT((tt_route[TT_ROUTE_USER_OTHER] & 1u) == 0u);
    tt_emit_user_user(1, 0, 0);
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(status.offered == offered);
    while (tt_drain_step()) {
    }
    EXPECT(tt_start_without_state(0) == TT_OK);
    EXPECT((tt_route[TT_ROUTE_USER_OTHER] & 1u) != 0u);
}

static void set_an_other_filter(void)
{
    EXPECT(tt_set_thread_filter(TT_CLASS_SYNC, TT_EVERY_EVENT, 0, 1) == TT_OK);
}

/* Two calls find the same free slot for their filters before one of them stores its filter. */
static void filters_that_are_set_at_once_are_both_kept(void)
{
    tt_clear_filters();
    at_next_lock = set_an_other_filter;
    EXPECT(tt_set_thread_filter(TT_CLASS_USER, TT_EVERY_EVENT, 0, 1) == TT_OK);
    EXPECT(tt_filter_covers(tt_class_first_route(TT_CLASS_USER)));
    EXPECT(tt_filter_covers(tt_class_first_route(TT_CLASS_SYNC)));
    tt_clear_filters();
}

int main(void)
{
    static const tt_target_t target = {.name = "route_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT(tt_init(&target, &link) == TT_OK);
    for (uint32_t stream = 1; stream < TT_CONFIG_STREAMS; stream++) {
        EXPECT(tt_set_policy(stream, stream == 1u ? TT_POLICY_OVERWRITE : TT_POLICY_UNTIL_FULL) ==
               TT_OK);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        interrupt_permille = round % 4u == 0u ? 0u : random_below(20);
        call();
        check();
    }
    EXPECT(lock_depth == 0u);
    memset(filter_count, 0, sizeof filter_count);
    filters_that_are_set_at_once_are_both_kept();
    a_full_stream_is_refused_before_its_routes_follow();
    return failures == 0 ? 0 : 1;
}
