/*
 * Actions on the target of a history: events are recorded, or time passes. For history_driver.c
 * only.
 */
#ifndef HISTORY_EVENTS_H
#define HISTORY_EVENTS_H

#include "history_emission.h"
#include "tickertape/combine.h"
#include "tickertape/emitters.h"

#define MOST_PIECES    4u
#define COMBINE_EVENTS 20u

static uint64_t random_state;
static uint32_t serial;
static bool jumped; /* the counter advanced by more than a quarter of its period in this step */

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static bool one_in(uint32_t count)
{
    return random_below(count) == 0u;
}

static uint32_t next_serial(void)
{
    return ++serial * 2654435761u; /* unique among records, and unlikely elsewhere in memory */
}

static void emit_simple(void)
{
    tt_record_t record = {.data = {next_serial(), random_below(2) ? 0u : random_below(1u << 30)}};
    uint32_t kind = random_below(4);
    uint32_t event = random_below(COMBINE_EVENTS);
    record.header = kind == 0u ? TT_RECORD_HEADER(0, 0, 0, TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH)
                    : kind == 1u ? TT_RECORD_HEADER(0, 0, 0, TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL)
                                 : TT_RECORD_HEADER(0, 0, 0, TT_CLASS_USER, event);
    emission_t emission;
    emission_begin(&emission, &record, 1);
    switch (kind) {
    case 0:
        tt_emit_sched_context_switch(record.data[0], record.data[1]);
        break;
    case 1:
        tt_emit_sync_sem_signal(record.data[0], record.data[1]);
        break;
    default:
        tt_emit_user_user(event, record.data[0], record.data[1]);
    }
    emission_end(&emission);
}

/* An event of several records. Each record begins with a unique word; the last word is the length,
 * so the payload has an odd number of words. */
typedef struct pieces {
    tt_record_t records[MOST_PIECES];
    uint32_t words[2u * MOST_PIECES];
    uint32_t count;
    uint32_t bytes;
    uint32_t event;
} pieces_t;

static void make_pieces(pieces_t *pieces, uint32_t flags)
{
    uint32_t count = 2u + random_below(MOST_PIECES - 1u);
    *pieces = (pieces_t){
        .count = count, .bytes = 4u * (2u * count - 1u), .event = COMBINE_EVENTS + random_below(4)};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = i == 0u           ? TT_RECORD_BEGIN
                        : i + 1u == count ? TT_RECORD_END
                                          : TT_RECORD_CONTINUE;
        uint32_t *words = &pieces->words[2u * i];
        words[0] = next_serial();
        words[1] = i + 1u == count ? pieces->bytes : random_below(1u << 30);
        pieces->records[i].header =
            TT_RECORD_HEADER(kind, 0, 0, TT_CLASS_USER, pieces->event) | flags;
        memcpy(pieces->records[i].data, words, sizeof pieces->records[i].data);
    }
}

static void emit_combine(void)
{
    pieces_t pieces;
    make_pieces(&pieces, 0);
    emission_t emission;
    emission_begin(&emission, pieces.records, pieces.count);
    tt_combine_t combine;
    tt_combine_begin(&combine, TT_CLASS_USER, pieces.event);
    tt_combine_add(&combine, pieces.words, pieces.bytes);
    tt_combine_end(&combine);
    emission_end(&emission);
}

/* Poll the clock on every CPU. */
static void poll_clock(void)
{
    uint32_t cpu = history_cpu;
    for (history_cpu = 0; history_cpu < CPUS; history_cpu++) {
        emission_t poll;
        emission_begin(&poll, NULL, 0);
        tt_clock_poll();
        emission_end(&poll);
    }
    history_cpu = cpu;
}

/* Let time pass: less than a period of the counter per step, and between two polls less than the
 * limit of tickertape.h. */
static void let_time_pass(void)
{
    if (!jumped && one_in(3)) {
        jumped = true;
        for (uint32_t i = random_below(4); i > 0u; i--) {
            ticks_now += 3u << 28;
            poll_clock();
        }
    }
    ticks_now += random_below(1u << 22);
    poll_clock();
}

/* Between two calls for an event: record others, let time pass, perhaps move the thread. */
static void go_on_elsewhere(void)
{
    ticks_now++; /* so that the next event needs no key */
    for (uint32_t i = random_below(3); i > 0u; i--) {
        switch (random_below(6)) {
        case 0:
            emit_combine();
            break;
        case 1:
            let_time_pass();
            break;
        case 2:
            tt_flush(random_below(STREAMS));
            break;
        default:
            emit_simple();
        }
        ticks_now++;
    }
    if (one_in(6)) {
        history_cpu = random_below(CPUS);
    }
}

/* Record an event by several calls, one per record, with other events in between. If its thread
 * moves, the event ends early. */
static void emit_open(void)
{
    pieces_t pieces;
    make_pieces(&pieces, 0);
    tt_combine_t combine;
    tt_combine_begin(&combine, TT_CLASS_USER, pieces.event);
    bool taken = combine.route != 0u;
    for (uint32_t i = 0; i < pieces.count && (i == 0u || combine.route != 0u || !taken); i++) {
        go_on_elsewhere();
        emission_t emission;
        emission_begin(&emission, &pieces.records[i], 1);
        if (i + 1u < pieces.count) {
            tt_combine_add(&combine, &pieces.words[2u * i], 2u * sizeof pieces.words[0]);
        } else {
            tt_combine_add(&combine, &pieces.words[2u * i], sizeof pieces.words[0]);
            tt_combine_end(&combine);
        }
        emission_end_at(&emission, combine.bytes == UINT32_MAX);
    }
}

static void emit_several(void)
{
    if (one_in(3)) {
        emit_open();
    } else {
        emit_combine();
    }
}

#endif
