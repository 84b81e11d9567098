/*
 * Lets the recorder live through short histories, each repeatable by its seed: several streams and
 * CPUs, every policy and its change in the middle, start and stop, finished traces, shedding,
 * streams that are held, attached and read on the target, resets, a link that has room only
 * sometimes, interrupts and other CPUs in the middle of the drain.
 *
 * For each line "SEED MOST_STEPS" on standard input it writes one history to standard output: a
 * head, the truth, and the bytes of the link. The truth is one row for each record that was offered
 * to a ring, in the order of the ring, with what this program knows of it: its content, and whether
 * it stood in the ring's memory right after it was recorded. No counter of the recorder is used for
 * it.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history_truth.h"
#include "ring.h"
#include "tickertape/combine.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define STREAMS    TT_CONFIG_STREAMS
#define CPUS       TT_CONFIG_CPUS
#define MOST_BYTES (4u << 20)
#ifdef HISTORY_HANGS
#define HANG_SECONDS 1u
#else
#define HANG_SECONDS 10u
#endif
#define MOST_PIECES    4u
#define DRAIN_STEPS    20000u
#define COMBINE_EVENTS 20u

typedef struct head {
    uint32_t row_count;
    uint32_t link_bytes;
} head_t;

uint32_t history_cpu;

static uint64_t random_state;
static uint64_t ticks;
static uint32_t lock_depth;
static bool interruptible;
static uint32_t serial;
static uint32_t link_room;

static uint8_t link_bytes[MOST_BYTES];
static uint32_t link_count;

/* What this program asked for, by itself. */
static struct {
    bool running;
    bool filled; /* it stopped by itself: a ring may go on in the buffer that is open */
    bool held;
    bool may_shed;
    uint32_t classes;
} streams[STREAMS];

#if TT_CONFIG_READERS
static tt_reading_t reading;
static int read_stream; /* -1: no buffer is taken */
#endif

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static bool one_in(uint32_t count)
{
    return random_below(count) == 0u;
}

/* Whether a stream that has just dropped a record goes on: with UNTIL_FULL it stops by itself. */
static void follow_stop(uint32_t stream)
{
    tt_ring_status_t status;
    int result = tt_ring_status(stream, history_cpu, &status);
    assert(result == TT_OK);
    streams[stream].filled = !status.running;
    streams[stream].running = status.running;
}

/* These records were handed to the recorder, in this order; the first gave the time. */
static void offered(const tt_record_t *records, uint32_t count)
{
    uint32_t class_bit = 1u << tt_record_class(records->header);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        bool selected = (streams[stream].classes & class_bit) != 0u;
        for (uint32_t i = 0; i < count; i++) {
            const tt_record_t *found = find(&tt_rings[stream][history_cpu], &records[i]);
            if (!selected || !streams[stream].running) {
                assert(found == NULL || (selected && streams[stream].filled));
                if (found == NULL) {
                    continue;
                }
            }
            row_t *row = add_row(ROW_OFFERED, stream, history_cpu);
            row->header = records[i].header | history_cpu << TT_RECORD_CPU_FIRST_BIT;
            row->data[0] = records[i].data[0];
            row->data[1] = records[i].data[1];
            row->time = ticks;
            if (found != NULL) { /* the stamp was taken on the way, less than a period ago */
                row->time -= (uint32_t)((uint32_t)ticks - found->time);
                row->opening = opening_of(&tt_rings[stream][history_cpu], found);
            } else {
                follow_stop(stream);
            }
        }
    }
}

static uint32_t next_serial(void)
{
    return ++serial * 2654435761u; /* no other record has it, and hardly what else lies there */
}

static void emit_simple(void)
{
    tt_record_t record = {.data = {next_serial(), random_below(2) ? 0u : random_below(1u << 30)}};
    switch (random_below(4)) {
    case 0:
        record.header = TT_RECORD_HEADER(0, 0, 0, TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH);
        tt_emit_sched_context_switch(record.data[0], record.data[1]);
        break;
    case 1:
        record.header = TT_RECORD_HEADER(0, 0, 0, TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL);
        tt_emit_sync_sem_signal(record.data[0], record.data[1]);
        break;
    default: {
        uint32_t event = random_below(COMBINE_EVENTS);
        record.header = TT_RECORD_HEADER(0, 0, 0, TT_CLASS_USER, event);
        tt_emit_user_user(event, record.data[0], record.data[1]);
    }
    }
    offered(&record, 1);
}

/* The payload has an odd number of words, so that each record begins with a word of its own. */
static void emit_combine(void)
{
    tt_record_t records[MOST_PIECES];
    uint32_t count = 2u + random_below(MOST_PIECES - 1u);
    uint32_t event = COMBINE_EVENTS + random_below(4);
    uint32_t words[2u * MOST_PIECES];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = i == 0u           ? TT_RECORD_BEGIN
                        : i + 1u == count ? TT_RECORD_END
                                          : TT_RECORD_CONTINUE;
        words[2u * i] = next_serial();
        words[2u * i + 1u] = i + 1u == count ? 4u * (2u * count - 1u) : random_below(1u << 30);
        records[i].header = TT_RECORD_HEADER(kind, 0, 0, TT_CLASS_USER, event);
        records[i].data[0] = words[2u * i];
        records[i].data[1] = words[2u * i + 1u];
    }
    tt_combine_t combine;
    tt_combine_begin(&combine, TT_CLASS_USER, event);
    tt_combine_add(&combine, words, 4u * (2u * count - 1u));
    tt_combine_end(&combine);
    offered(records, count);
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    assert(lock_depth == key + 1u);
    lock_depth = key;
    if (lock_depth == 0u && interruptible && one_in(12)) {
        uint32_t cpu = history_cpu;
        interruptible = false;
        history_cpu = random_below(CPUS);
        emit_simple();
        history_cpu = cpu;
        interruptible = true;
    }
}

uint32_t tt_port_ticks(void)
{
    ticks += random_below(3);
    return (uint32_t)ticks;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    assert(count <= link_room && link_count + count <= MOST_BYTES);
    link_room -= count;
    memcpy(link_bytes + link_count, bytes, count);
    link_count += count;
}

/* Choose what a stream takes and does, while it does not run. */
static void set_up(uint32_t stream)
{
    static const uint32_t masks[] = {
        1u << TT_CLASS_USER | 1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYNC,
        1u << TT_CLASS_USER,
        1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYNC,
    };
    streams[stream].classes = masks[random_below(3)];
    for (uint32_t c = TT_CLASS_USER; c <= TT_CLASS_SCHED; c++) {
        int result = tt_select_class(stream, c, ((streams[stream].classes >> c) & 1u) != 0u);
        assert(result == TT_OK);
    }
    tt_policy_t policy = (tt_policy_t)random_below(TT_CONFIG_FINALIZE ? 5u : 3u);
    if (tt_set_policy(stream, policy) == TT_OK) {
        streams[stream].may_shed = policy != TT_POLICY_UNTIL_FULL;
        (void)tt_set_shedding(stream, 0, 0);
    }
    if (one_in(3)) {
        (void)tt_set_buffers(stream, 2u + random_below(TT_CONFIG_BUFFERS - 1u));
    }
}

static void start(uint32_t stream)
{
    int result = one_in(2) ? tt_start(stream) : tt_start_without_state(stream);
    assert(result == TT_OK);
    streams[stream].running = true;
    streams[stream].filled = false;
}

static void stop(uint32_t stream)
{
    int result = tt_stop(stream);
    assert(result == TT_OK);
    streams[stream].running = false;
    streams[stream].filled = false;
}

static void boot(uint32_t boot_id)
{
    static tt_target_t target = {.name = "history", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    target.boot_id = boot_id;
    ticks = one_in(2) ? random_below(1000) : 0xffff0000u + random_below(1u << 16);
    int result = tt_init(&target, &link);
    assert(result == TT_OK);
    memset(streams, 0, sizeof streams);
#if TT_CONFIG_READERS
    read_stream = -1;
#endif
    row_t *row = add_row(ROW_BOOT, 0, 0);
    row->data[0] = boot_id;
    row->data[1] = link_count;
    (void)tt_set_packing(one_in(2));
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        set_up(stream);
        if (!one_in(4)) {
            start(stream);
        }
    }
}

static void end_boot(void)
{
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            add_waiting(stream, cpu);
        }
    }
}

#if TT_CONFIG_READERS
static void read_step(uint32_t stream)
{
    if (read_stream >= 0) {
        tt_give_back((uint32_t)read_stream, &reading, random_below(reading.count + 1u));
        read_stream = -1;
    } else if (streams[stream].held && tt_take(stream, &reading)) {
        read_stream = (int)stream;
        for (uint32_t i = 0; i < reading.count; i++) {
            add_row(ROW_READ, stream, 0)->data[0] = reading.records[i].data[0];
        }
    }
}
#else
static void read_step(uint32_t stream)
{
    (void)stream;
}
#endif

static void hold(uint32_t stream, bool held)
{
#if TT_CONFIG_READERS
    if (read_stream == (int)stream) {
        return; /* who reads the stream still has a buffer of it */
    }
#endif
    int result;
    if (one_in(2)) {
        result = tt_hold(stream, held);
    } else {
        static const char *const names[] = {"a", "b"};
        result = tt_name_stream(stream, names[random_below(2)]);
        assert(result == TT_OK);
        result = tt_stream_attach(stream, !held);
    }
    assert(result == TT_OK);
    streams[stream].held = held;
}

static void drain_steps(void)
{
    history_cpu = random_below(CPUS);
    link_room = one_in(4) ? random_below(3000) : 100000u;
    for (uint32_t i = random_below(6); i > 0u && tt_drain_step(); i--) {
    }
}

/* The life of one stream: whether and how it records. */
static void change(uint32_t stream)
{
    switch (random_below(5)) {
    case 0:
        stop(stream);
        break;
    case 1:
        start(stream);
        break;
    case 2: /* with what waits, or without; the policy may change over the records of the old one */
        stop(stream);
        set_up(stream);
        start(stream);
        break;
    case 3:
        if (streams[stream].may_shed) { /* else what a full stream sheds could not be known */
            (void)tt_set_shedding(stream, one_in(2) ? 0u : 1u << TT_CLASS_SCHED, random_below(2));
        }
        break;
    default:
        hold(stream, one_in(2));
    }
}

static void one_step(void)
{
    uint32_t stream = random_below(STREAMS);
    history_cpu = random_below(CPUS);
    interruptible = false;
    switch (random_below(24)) {
    case 0:
    case 1:
        change(stream);
        break;
    case 2:
        interruptible = true;
        tt_flush(stream);
        break;
    case 3:
        interruptible = true;
        tt_flush_all(stream);
        history_cpu = random_below(CPUS);
        tt_clock_poll();
        break;
    case 4:
        ticks += random_below(1u << 22);
        tt_clock_poll();
        break;
    case 5:
        (void)tt_finalize(stream);
        break;
    case 6:
        interruptible = true;
        read_step(stream);
        break;
    case 7:
        if (one_in(4)) {
            tt_drain_announce();
        }
        (void)tt_set_packing(!one_in(3));
        break;
    case 8:
    case 9:
    case 10:
        interruptible = true;
        drain_steps();
        break;
    case 11:
    case 12:
        emit_combine();
        break;
    case 13:
        for (uint32_t i = random_below(40); i > 0u; i--) {
            emit_simple();
        }
        break;
    default:
        emit_simple();
    }
    interruptible = false;
}

/* Stop in order: everything is sent, and the last STATUS of each ring is final. */
static void finish(void)
{
#if TT_CONFIG_READERS
    if (read_stream >= 0) {
        read_step(0);
    }
#endif
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        stop(stream);
        hold(stream, false);
    }
    for (uint32_t i = 0; i < DRAIN_STEPS && !tt_drain_done(); i++) {
        link_room = 100000u;
        history_cpu = i % CPUS;
        tt_clock_poll();
        (void)tt_drain_step();
    }
    assert(tt_drain_done());
}

static void live(uint64_t seed, uint32_t most_steps)
{
    random_state = seed * 0x9e3779b97f4a7c15u + 1u;
    (void)random_below(2);
    row_count = 0;
    link_count = 0;
    serial = 0;
    uint32_t boot_id = one_in(2) ? 0u : 1u + random_below(1000);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            tt_ring_reset(&tt_rings[stream][cpu]);
            memset(tt_rings[stream][cpu].records, 0, RING_RECORDS * sizeof(tt_record_t));
        }
    }
    boot(boot_id);
    uint32_t steps = 20u + random_below(120);
    for (uint32_t i = 0; i < steps && i < most_steps; i++) {
        one_step();
        if (one_in(150)) {
            end_boot();
            boot(boot_id = boot_id == 0u ? 0u : boot_id + 1u);
        }
    }
    if (!one_in(4)) {
        finish();
    }
    end_boot();
}

int main(void)
{
    char line[32];
    while (fgets(line, sizeof line, stdin) != NULL) {
        alarm(HANG_SECONDS);
#ifdef HISTORY_HANGS /* so that a test sees what becomes of it */
        while (true) {
        }
#endif
        char *most_steps;
        uint64_t seed = strtoull(line, &most_steps, 10);
        live(seed, (uint32_t)strtoul(most_steps, NULL, 10));
        alarm(0);
        const head_t head = {row_count, link_count};
        size_t written = fwrite(&head, sizeof head, 1, stdout);
        written += fwrite(rows, sizeof rows[0], row_count, stdout);
        written += fwrite(link_bytes, 1, link_count, stdout);
        assert(written == 1u + row_count + link_count);
        (void)fflush(stdout);
    }
    return 0;
}
