#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickertape/events.h"

#define STRUCT(header)   ((header) >> 30)
#define CLASS(header)    (((header) >> 10) & 31u)
#define CPU(header)      (((header) >> 24) & 63u)
#define TYPE(header)     ((header) & 0x7fffu)
#define IS_FIRST(header) (STRUCT(header) <= TT_RECORD_BEGIN)
#define IS_KEYED(header) (((header) >> 15 & 1u) != 0u)

const kind_type_t truth_types[KIND_ALL] = {
    [KIND_USER] = {TT_CLASS_USER, 1},
    [KIND_SWITCH] = {TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH},
    [KIND_READY] = {TT_CLASS_THREAD, TT_THREAD_READY},
    [KIND_TEXT] = {TT_CLASS_SYSTEM, TT_SYSTEM_SLOG},
    [KIND_PLAIN] = {20, 7},
    [KIND_BYTES] = {21, 1},
    [KIND_WORDS_TEXT] = {22, 900},
    [KIND_ENTRY] = {TT_CLASS_INT, TT_INT_ENTRY},
    [KIND_PIECES] = {23, 3},
    [KIND_TRACER] = {TT_CLASS_TRACER, 0},
};

typedef struct model {
    uint32_t selected[STREAMS]; /* bit per kind */
    bool running[STREAMS];
} model_t;

/* During a change: what holds in any case, what an interrupt may see, and what holds after it. */
static model_t surely;
static model_t perhaps;
static model_t after;
static bool changing;
static tt_policy_t policies[STREAMS];
static uint32_t lingering; /* streams that stopped themselves and still have routes */

typedef struct event {
    uint8_t surely; /* streams that have to record the event */
    uint8_t perhaps;
    uint8_t seen;
    uint8_t kind;
    uint8_t cpu;
    uint8_t records;
    bool passes;
} event_t;

static event_t events[EVENTS];
static uint32_t event_count;
static uint32_t open_events[MAX_DEPTH];
static uint32_t open_count;

typedef struct ring {
    uint64_t least[TT_CLASS_COUNT]; /* minimum of offered records */
    uint64_t most[TT_CLASS_COUNT];
    uint64_t sent[TT_CLASS_COUNT];
    uint64_t read_count;
    uint32_t last_time;
    bool any;
} ring_t;

static ring_t rings[STREAMS][CPUS];

void truth_expect(bool condition, const char *what, const char *file, int line)
{
    if (!condition) {
        printf("%s:%d: %s; event %" PRIu32 "\n", file, line, what, event_count);
        exit(1);
    }
}

static uint8_t takers(const model_t *model, kind_t kind, bool stop_themselves)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        bool runs = model->running[i] && (stop_themselves || policies[i] != TT_POLICY_UNTIL_FULL);
        runs = runs || (stop_themselves && ((lingering >> i) & 1u) != 0u);
        bool takes = runs && ((model->selected[i] >> kind) & 1u) != 0u;
        mask |= (uint32_t)takes << i;
    }
    return (uint8_t)mask;
}

/* Apply a change to the events that are being recorded. */
static void tell_open_events(void)
{
    for (uint32_t i = 0; i < open_count; i++) {
        event_t *event = &events[open_events[i]];
        if (event->passes) {
            event->surely &= takers(&surely, event->kind, false);
            event->perhaps |= takers(&perhaps, event->kind, true);
        }
    }
}

static void begin_change(void)
{
    EXPECT(!changing);
    changing = true;
    after = surely;
}

static void spread(void)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        surely.selected[i] &= after.selected[i];
        perhaps.selected[i] |= after.selected[i];
        surely.running[i] = surely.running[i] && after.running[i];
        perhaps.running[i] = perhaps.running[i] || after.running[i];
    }
    tell_open_events();
}

void truth_selects(uint32_t stream, uint32_t kind_mask, bool take)
{
    begin_change();
    after.selected[stream] =
        take ? after.selected[stream] | kind_mask : after.selected[stream] & ~kind_mask;
    spread();
}

void truth_runs(uint32_t stream, bool runs)
{
    begin_change();
    after.running[stream] = runs;
    spread();
}

void truth_changed(void)
{
    changing = false;
    surely = after;
    perhaps = after;
}

bool truth_is_changing(void)
{
    return changing;
}

void truth_policy(uint32_t stream, tt_policy_t policy)
{
    policies[stream] = policy;
}

tt_policy_t truth_policy_of(uint32_t stream)
{
    return policies[stream];
}

bool truth_running(uint32_t stream)
{
    return perhaps.running[stream];
}

void truth_stopped_itself(uint32_t stream)
{
    EXPECT(policies[stream] == TT_POLICY_UNTIL_FULL);
    surely.running[stream] = false;
    perhaps.running[stream] = false;
    after.running[stream] = false;
    lingering |= CPUS > 1 ? 1u << stream : 0u;
}

uint32_t truth_lingering(void)
{
    return lingering;
}

void truth_routes_follow(uint32_t stream_mask)
{
    lingering &= ~stream_mask;
}

uint32_t truth_begin(kind_t kind, uint32_t cpu, uint32_t records, bool passes)
{
    EXPECT(event_count < EVENTS && open_count < MAX_DEPTH);
    events[event_count] = (event_t){
        .kind = (uint8_t)kind,
        .cpu = (uint8_t)cpu,
        .records = (uint8_t)records,
        .surely = passes ? takers(&surely, kind, false) : 0u,
        .perhaps = passes ? takers(&perhaps, kind, true) : 0u,
        .passes = passes,
    };
    open_events[open_count++] = event_count;
    return event_count++;
}

static void count(uint32_t event_class, uint32_t cpu, uint32_t sure, uint32_t maybe,
                  uint32_t records)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        rings[i][cpu].least[event_class] += ((sure >> i) & 1u) * records;
        /* The second combine event of a tick has a key, which takes a record. */
        rings[i][cpu].most[event_class] += ((maybe >> i) & 1u) * (records + (records > 1u));
    }
}

void truth_end(void)
{
    const event_t *event = &events[open_events[--open_count]];
    count(truth_types[event->kind].event_class, event->cpu, event->surely, event->perhaps,
          event->records);
}

uint32_t truth_event_count(void)
{
    return event_count;
}

void truth_tracer(uint32_t stream_mask, uint32_t cpu, bool maybe)
{
    uint32_t sure = maybe ? 0u : stream_mask & takers(&surely, KIND_TRACER, false);
    for (uint32_t i = 0; i < CPUS; i++) {
        if (i == cpu || cpu == CPUS) {
            count(TT_CLASS_TRACER, i, cpu == CPUS ? 0u : sure,
                  stream_mask & takers(&perhaps, KIND_TRACER, true), 1);
        }
    }
}

/* Check the first record of an event of the driver. */
static void see_first(uint32_t stream, uint32_t cpu, const tt_record_t *record)
{
    uint32_t serial = record->data[0];
    EXPECT(serial < event_count && record->data[1] == CHECK(serial));
    event_t *event = &events[serial];
    const kind_type_t *type = &truth_types[event->kind];
    EXPECT(TYPE(record->header) == (type->event_class << 10 | type->event));
    EXPECT(event->cpu == cpu);
    EXPECT((STRUCT(record->header) == TT_RECORD_SIMPLE) == (event->records == 1u));
    EXPECT(((event->perhaps >> stream) & 1u) != 0u); /* the stream may record it */
    EXPECT(((event->seen >> stream) & 1u) == 0u);
    event->seen |= (uint8_t)(1u << stream);
}

void truth_see(uint32_t stream, uint32_t cpu, const tt_record_t *records, uint32_t record_count,
               bool read)
{
    ring_t *ring = &rings[stream][cpu];
    for (uint32_t i = 0; i < record_count; i++) {
        uint32_t header = records[i].header;
        EXPECT(CPU(header) == cpu);
        if (read) {
            ring->read_count++;
        } else {
            ring->sent[CLASS(header)]++;
        }
        if (!IS_FIRST(header)) {
            continue;
        }
        EXPECT(!ring->any || (int32_t)(records[i].time - ring->last_time) >= 0);
        ring->last_time = records[i].time;
        ring->any = true;
        if (CLASS(header) != TT_CLASS_TRACER && CLASS(header) != TT_CLASS_CONTROL &&
            !IS_KEYED(header)) {
            see_first(stream, cpu, &records[i]);
        }
    }
}

void truth_settle(uint32_t stream, uint32_t cpu, const tt_ring_status_t *status)
{
    const ring_t *ring = &rings[stream][cpu];
    uint64_t offered = 0;
    uint64_t sent = 0;
    for (uint32_t c = 0; c < TT_CLASS_COUNT; c++) {
        tt_wire_class_counters_t counters;
        EXPECT(tt_class_status(stream, cpu, c, &counters) == TT_OK);
        uint64_t all = (uint64_t)counters.dropped + counters.overwritten + counters.sent;
        EXPECT(counters.sent == ring->sent[c]);
        EXPECT(all >= ring->least[c]);
        EXPECT(all <= ring->most[c] || c == TT_CLASS_CONTROL);
        offered += all;
        sent += counters.sent;
    }
    EXPECT(status->offered == offered);
    EXPECT(status->sent == sent);
    EXPECT(status->offered == status->sent + status->dropped + status->overwritten);
    EXPECT(status->overwritten >= ring->read_count);
}
