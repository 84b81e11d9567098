/*
 * Runs the recorder through short histories, each repeatable by its seed: several streams and
 * CPUs, changes of policy, start and stop, finished traces, shedding, streams that are held,
 * attached and read on the target, resets, a link that has room only at times, commands over it,
 * wraps of the counter. Whenever interrupts are not masked, in an emit, a flush, a poll of the
 * clock or the drain, an interrupt or another CPU may record or poll, and the thread may move to
 * another CPU.
 *
 * For each line "SEED MOST_STEPS" on standard input it writes one history to standard output: a
 * head, the truth, and the bytes of the link. The truth has a row for each record offered to a
 * ring, in the order of the ring: its content, and whether it was in the ring's memory right after
 * it was recorded (history_emission.h).
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "history_host.h"
#include "ring.h"
#include "tickertape/port.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#ifdef HISTORY_HANGS
#define HANG_SECONDS 1u
#else
#define HANG_SECONDS 10u
#endif

typedef struct head {
    uint32_t row_count;
    uint32_t link_bytes;
} head_t;

uint32_t history_cpu;

static uint32_t lock_depth;
static bool interruptible;

#if TT_CONFIG_READERS
static tt_reading_t reading;
static int read_stream; /* stream whose buffer is taken; -1: none */
#endif

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

/* Unmask interrupts; at times let an interrupt or another CPU record, or let time pass. The
 * interrupted code may continue on another CPU, except in a poll and in an event of several
 * records, which would end early. */
void tt_port_unlock(tt_port_key_t key)
{
    assert(lock_depth == key + 1u);
    lock_depth = key;
    if (lock_depth != 0u) {
        return;
    }
    emission_look();
    if (interruptible && one_in(emitting == NULL ? 12 : 3)) {
        uint32_t cpu = history_cpu;
        interruptible = false;
        history_cpu = random_below(CPUS);
        if (one_in(6)) {
            let_time_pass();
        } else {
            emit_simple();
        }
        history_cpu = emitting == NULL || emitting->count == 1u ? random_below(CPUS) : cpu;
        interruptible = true;
    }
}

uint32_t tt_port_ticks(void)
{
    ticks_now += random_below(3);
    return (uint32_t)ticks_now;
}

void tt_port_notify_drain(void)
{
}

/* Choose selection, policy and size of a stream that does not run. */
static void set_up(uint32_t stream)
{
    static const uint32_t masks[] = {
        1u << TT_CLASS_USER | 1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYNC,
        1u << TT_CLASS_USER,
        1u << TT_CLASS_SCHED | 1u << TT_CLASS_SYNC,
    };
    streams[stream].classes = masks[random_below(3)];
    bool by_host = one_in(4);
    for (uint32_t c = TT_CLASS_USER; c <= TT_CLASS_SCHED; c++) {
        bool selects = ((streams[stream].classes >> c) & 1u) != 0u;
        if (by_host) {
            simple_command(selects ? TT_COMMAND_ADD_CLASS : TT_COMMAND_DEL_CLASS, stream, c, 0);
        } else {
            int result = tt_select_class(stream, c, selects);
            assert(result == TT_OK);
        }
    }
    tt_policy_t policy = (tt_policy_t)random_below(TT_CONFIG_FINALIZE ? 5u : 3u);
    if (by_host) {
        simple_command(TT_COMMAND_POLICY, stream, policy, 0);
    } else {
        (void)tt_set_policy(stream, policy);
    }
    if (tt_rings[stream][0].policy == policy) { /* otherwise records wait, and the policy stays */
        streams[stream].may_shed = policy != TT_POLICY_UNTIL_FULL;
        (void)tt_set_shedding(stream, 0, 0);
    }
    if (one_in(3)) {
        (void)tt_set_buffers(stream, 2u + random_below(TT_CONFIG_BUFFERS - 1u));
    }
}

static void start(uint32_t stream)
{
    bool dumps = one_in(2);
    if (one_in(4)) {
        simple_command(TT_COMMAND_START, stream, !dumps, 0);
    } else {
        int result = dumps ? tt_start(stream) : tt_start_without_state(stream);
        assert(result == TT_OK);
    }
    streams[stream].running = true;
    streams[stream].filled = false;
}

static void stop(uint32_t stream)
{
    if (one_in(4)) {
        simple_command(TT_COMMAND_STOP, stream, 0, 0);
    } else {
        int result = tt_stop(stream);
        assert(result == TT_OK);
    }
    streams[stream].running = false;
    streams[stream].filled = false;
}

static void boot(uint32_t boot_id)
{
    static tt_target_t target = {.name = "history", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = host_get};
    target.boot_id = boot_id;
    ticks_now = one_in(2) ? random_below(1000) : 0xffff0000u + random_below(1u << 16);
    emission_reset();
    int result = tt_init(&target, &link);
    assert(result == TT_OK);
    host_last.count = 0; /* send no late copy of a command of the last boot */
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
    link_room = random_below(400); /* may cut the last frame */
    (void)tt_drain_step();
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
        tt_release_buffer((uint32_t)read_stream, &reading, random_below(reading.count + 1u));
        read_stream = -1;
    } else if (streams[stream].held && tt_acquire_buffer(stream, &reading)) {
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
        return; /* the reader still has a buffer of the stream */
    }
#endif
    char name[] = "stream 0";
    name[sizeof name - 2u] += (char)stream;
    int result = TT_OK;
    if (one_in(2)) {
        result = tt_pause_drain(stream, held);
    } else {
        result = tt_name_stream(stream, name);
        assert(result == TT_OK);
        if (one_in(2)) {
            const uint32_t arguments[4] = {0};
            command(held ? TT_COMMAND_STREAM_DETACH : TT_COMMAND_STREAM_ATTACH, 0, arguments, name,
                    sizeof name - 1u);
        } else {
            result = tt_stream_attach(stream, !held);
        }
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

/* Change whether and how a stream records. */
static void change(uint32_t stream)
{
    switch (random_below(5)) {
    case 0:
        stop(stream);
        break;
    case 1:
        start(stream);
        break;
    case 2: /* records may wait; the policy changes if none do */
        stop(stream);
        set_up(stream);
        start(stream);
        break;
    case 3:
        if (streams[stream].may_shed) { /* UNTIL_FULL: the truth could not know what is shed */
            uint32_t classes = one_in(2) ? 0u : 1u << TT_CLASS_SCHED;
            uint32_t below = random_below(2);
            if (one_in(4)) {
                simple_command(TT_COMMAND_SHED, stream, classes, below);
            } else {
                (void)tt_set_shedding(stream, classes, below);
            }
        }
        break;
    default:
        hold(stream, one_in(2));
    }
}

static void announce(uint32_t stream)
{
    if (one_in(4)) {
        tt_drain_announce();
    } else if (one_in(4)) {
        simple_command(one_in(2) ? TT_COMMAND_HELLO : TT_COMMAND_STATUS, stream, 0, 0);
    }
    (void)tt_set_packing(!one_in(3));
}

static void flush_all(uint32_t stream)
{
    if (one_in(4)) {
        simple_command(TT_COMMAND_FLUSH, stream, 0, 0);
    } else {
        interruptible = true;
        tt_flush_all(stream);
    }
    let_time_pass();
}

static void one_step(void)
{
    uint32_t stream = random_below(STREAMS);
    history_cpu = random_below(CPUS);
    jumped = false;
    interruptible = false;
    switch (random_below(26)) {
    case 0:
    case 1:
        change(stream);
        break;
    case 2:
        interruptible = true;
        tt_flush(stream);
        break;
    case 3:
        flush_all(stream);
        break;
    case 4:
        interruptible = true;
        let_time_pass();
        break;
    case 5:
#if TT_CONFIG_FINALIZE
        (void)tt_finalize(stream);
#endif
        break;
    case 6:
        interruptible = true;
        read_step(stream);
        break;
    case 7:
        announce(stream);
        break;
    case 8:
    case 9:
    case 10:
        interruptible = true;
        drain_steps();
        break;
    case 11:
        interruptible = true;
        insert();
        break;
    case 12:
    case 13:
        interruptible = one_in(2);
        emit_several();
        break;
    case 14:
        interruptible = one_in(2);
        for (uint32_t i = random_below(40); i > 0u; i--) {
            emit_simple();
        }
        break;
    default:
        interruptible = one_in(2);
        emit_simple();
    }
    interruptible = false;
}

/* Stop all streams and send everything; the last STATUS of each ring is final. */
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
        jumped = false;
        link_room = 100000u;
        history_cpu = i % CPUS;
        let_time_pass();
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

/* Send the rest of a cut frame, so that it does not appear in the next history. */
static void end_frame(void)
{
    tt_drain_announce();
    for (uint32_t i = 0; i < DRAIN_STEPS; i++) {
        jumped = false;
        link_room = 100000u;
        if (!tt_drain_step()) {
            break;
        }
    }
}

int main(void)
{
    char line[32];
    /* Limits processor time, because a busy machine is not a hang. */
    const struct itimerval most = {.it_value = {.tv_sec = HANG_SECONDS}};
    while (fgets(line, sizeof line, stdin) != NULL) {
        (void)setitimer(ITIMER_PROF, &most, NULL);
#ifdef HISTORY_HANGS /* for a test of this limit */
        while (true) {
        }
#endif
        char *most_steps;
        uint64_t seed = strtoull(line, &most_steps, 10);
        live(seed, (uint32_t)strtoul(most_steps, NULL, 10));
        const head_t head = {row_count, link_count};
        size_t written = fwrite(&head, sizeof head, 1, stdout);
        written += fwrite(rows, sizeof rows[0], row_count, stdout);
        written += fwrite(link_bytes, 1, link_count, stdout);
        assert(written == 1u + row_count + link_count);
        (void)fflush(stdout);
        end_frame();
    }
    return 0;
}
