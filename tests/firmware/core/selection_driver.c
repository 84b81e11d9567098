/*
 * Streams that record an event: random selection, also of single events that share a route entry,
 * wide forms, starts and stops, compared with the program's own table. Each running stream
 * that selects an event records it completely, and no other stream records it.
 *
 *     selection_driver SEED ROUNDS
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plain_port.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/tickertape.h"

#define STEPS 400u

typedef enum form {
    ADD_EVENT,
    ADD_STRING,
    EMIT_RUNNING,
    EMIT_ENTRY,
    EMIT_USER,
    FORMS,
} form_t;

/* Event types with and without a wide form. */
static const struct {
    uint32_t event_class;
    uint32_t event;
} types[] = {
    {TT_CLASS_THREAD, TT_THREAD_RUNNING},
    {TT_CLASS_INT, TT_INT_ENTRY},
    {TT_CLASS_USER, 3},
    {TT_CLASS_THREAD, TT_THREAD_DEAD},
    {TT_CLASS_TRACER, TT_TRACER_START},
    {TT_CLASS_SYSTEM, TT_SYSTEM_SLOG},
    /* These share the entries of their classes. */
    {TT_CLASS_USER, 32},
    {TT_CLASS_USER, 1023},
    {TT_CLASS_TRC, 23},
    {TT_CLASS_EMPTY, 0},
    {TT_CLASS_EMPTY, 9},
    {20, 0},
    {20, 1},
    {20, 1023},
    {31, 1023},
};
#define TYPES        (sizeof types / sizeof types[0])
#define START        4u
#define FIRST_SHARED 6u

static bool selected[TYPES][TT_CONFIG_STREAMS];
static bool others[TT_CLASS_COUNT][TT_CONFIG_STREAMS]; /* other events of the shared entry */
static bool wide[TYPES];
static bool running[TT_CONFIG_STREAMS];
static uint64_t expected[TT_CONFIG_STREAMS]; /* records offered */
static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static uint64_t offered(uint32_t stream)
{
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(stream, 0, &status), TT_OK);
    return status.offered;
}

static void expect_records(uint32_t type, uint32_t count)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        expected[stream] += selected[type][stream] && running[stream] ? count : 0u;
    }
}

/* Emit one event in a form that its type has. */
static void emit(void)
{
    uint32_t type = random_below(TYPES);
    switch ((form_t)random_below(FORMS)) {
    case ADD_EVENT:
        expect_records(type, 1);
        tt_add_event(types[type].event_class, types[type].event, 1, 2);
        break;
    case ADD_STRING:
        expect_records(type, 2); /* four letters and the length */
        tt_add_string(types[type].event_class, types[type].event, "text");
        break;
    case EMIT_RUNNING:
        expect_records(0, wide[0] ? 3 : 1); /* five words and the length */
        tt_emit_thread_running(1, 2, 3, 4, 5);
        break;
    case EMIT_ENTRY:
        expect_records(1, wide[1] ? 2 : 1); /* three words and the length */
        tt_emit_int_entry(1, 2, 3);
        break;
    default:
        expect_records(2, 1);
        tt_emit_user_user(3, 1, 2);
    }
}

static bool is_masked(uint32_t type)
{
    return type >= FIRST_SHARED &&
           memcmp(selected[type], others[types[type].event_class], sizeof selected[type]) != 0;
}

/* Select one event in the table; returns the expected result: a new mask needs a free place. */
static int select_one(uint32_t type, uint32_t stream, bool take)
{
    if (type >= FIRST_SHARED && TT_CONFIG_EVENT_MASKS == 0) {
        others[types[type].event_class][stream] = take;
        for (uint32_t i = FIRST_SHARED; i < TYPES; i++) {
            if (types[i].event_class == types[type].event_class) {
                selected[i][stream] = take;
            }
        }
        return TT_OK;
    }
    uint32_t masks = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        masks += is_masked(i);
    }
    if (type >= FIRST_SHARED && !is_masked(type) && masks == TT_CONFIG_EVENT_MASKS) {
        return selected[type][stream] == take ? TT_OK : TT_ERROR_STATE;
    }
    selected[type][stream] = take;
    return TT_OK;
}

static void select_class(uint32_t event_class, uint32_t stream, bool take)
{
    others[event_class][stream] = take;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (types[i].event_class == event_class) {
            selected[i][stream] = take;
        }
    }
}

static void select_some(uint32_t stream)
{
    uint32_t type = random_below(TYPES);
    uint32_t event_class = types[type].event_class;
    bool take = random_below(2) != 0u;
    switch (random_below(8)) {
    case 0:
        take = take && event_class != TT_CLASS_TRACER;
        EXPECT_EQUAL(tt_select_class(stream, event_class, take), TT_OK);
        select_class(event_class, stream, take);
        break;
    case 1:
        EXPECT_EQUAL(tt_select_all(stream, take), TT_OK);
        /* Deselect the recorder's own events, which the table does not count; START is tested. */
        EXPECT_EQUAL(tt_select_class(stream, TT_CLASS_TRACER, false), TT_OK);
        EXPECT_EQUAL(tt_select_class(stream, TT_CLASS_CONTROL, false), TT_OK);
        for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
            select_class(i, stream, take && i != TT_CLASS_TRACER && i != TT_CLASS_CONTROL);
        }
        break;
    default:
        EXPECT_EQUAL(tt_select_event(stream, event_class, types[type].event, take),
                     select_one(type, stream, take));
    }
}

static void change_form(void)
{
    uint32_t type = random_below(TYPES);
    bool take = random_below(2) != 0u;
    bool all = random_below(2) != 0u;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (i == type || (all && types[i].event_class == types[type].event_class)) {
            wide[i] = take;
        }
    }
    EXPECT_EQUAL(
        tt_set_wide(types[type].event_class, all ? TT_EVERY_EVENT : types[type].event, take),
        TT_OK);
}

/* Start a stream; every stream that selects TRACER START records it. */
static void start(uint32_t stream)
{
    running[stream] = true;
    expect_records(START, 1);
    EXPECT_EQUAL(tt_start_without_state(stream), TT_OK);
}

static void step(void)
{
    uint32_t stream = random_below(TT_CONFIG_STREAMS);
    switch (random_below(12)) {
    case 0:
        select_some(stream);
        break;
    case 1:
        change_form();
        break;
    case 2:
        start(stream);
        break;
    case 3:
        EXPECT_EQUAL(tt_stop(stream), TT_OK);
        running[stream] = false;
        break;
    case 4:
        tt_flush(stream);
        break;
    default:
        emit();
    }
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS; i++) {
        EXPECT_EQUAL(offered(i), expected[i]);
    }
}

static void begin(void)
{
    static const tt_target_t target = {.name = "selection_driver", .tick_hz = 1000};
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    memset(selected, 0, sizeof selected);
    memset(others, 0, sizeof others);
    memset(wide, 0, sizeof wide);
    memset(running, 0, sizeof running);
    memset(expected, 0, sizeof expected);
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS; i++) {
        uint32_t policy = random_below(2) == 0u ? TT_POLICY_OVERWRITE : TT_POLICY_DROP;
        EXPECT_EQUAL(tt_set_policy(i, policy), TT_OK);
    }
    /* Clear a filter that does not exist. */
    if (random_below(3) == 0u) {
        EXPECT_EQUAL(tt_set_thread_filter(TT_CLASS_USER, TT_EVERY_EVENT, 0, 0), TT_OK);
    }
}

int main(int argc, char **argv)
{
    EXPECT_EQUAL(argc, 3);
    random_state = strtoull(argv[1], NULL, 10);
    for (unsigned long round = strtoul(argv[2], NULL, 10); round > 0u; round--) {
        begin();
        for (uint32_t i = 0; i < STEPS; i++) {
            step();
        }
    }
    return plain_port.failures == 0 ? 0 : 1;
}
