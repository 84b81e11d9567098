/*
 * Drives the recorder with a random but repeatable load: events of several classes, texts of any
 * length, interrupts that record, a link that has room only at times, a clock that jumps. Writes
 * the bytes of the link to a file and prints its own counts, for comparison with the host's.
 *
 *     core_driver SEED STEPS POLICY FLUSH PACKING JUMP_TICKS LINK_FILE
 *
 * FLUSH 0 leaves buffers open until they are full. PACKING 1 sends packed buffers, 0 raw ones. The
 * clock jumps by less than JUMP_TICKS about every 64 steps.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickertape/combine.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

/* More kinds of records than one packed body can hold. */
#define USER_EVENTS 80u

static uint64_t random_state;
static uint64_t ticks = 0xfffff000u; /* shortly before the first wrap */
static uint32_t lock_depth;
static bool in_interrupt;
static bool recording;
static bool notified;
static bool flushes;
static uint32_t jump_ticks;
static FILE *link_file;
static uint32_t link_room;

/* Records offered by this program, by class. */
static uint64_t offered_by_class[32];
static uint32_t serial;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Return the content for a serial number, from which the host recognises torn records. */
static uint32_t check_word(uint32_t n)
{
    return n * 2654435761u;
}

static void emit_one(void)
{
    uint32_t n = serial++;
    switch (random_below(4)) {
    case 0:
        offered_by_class[TT_CLASS_SCHED]++;
        tt_emit_sched_context_switch(n, check_word(n));
        break;
    case 1:
        offered_by_class[TT_CLASS_SYNC]++;
        tt_emit_sync_sem_signal(n, check_word(n));
        break;
    default:
        offered_by_class[TT_CLASS_USER]++;
        tt_emit_user_user(random_below(USER_EVENTS), n, check_word(n));
    }
}

/* Record a text whose content follows from its length and serial number. */
static void emit_text(void)
{
    char text[200];
    uint32_t n = serial++;
    uint32_t length = random_below(sizeof text);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)('a' + (n + i) % 26u);
    }
    text[length] = '\0';
    uint32_t words = 2u + (length + 3u) / 4u;
    offered_by_class[TT_CLASS_SYSTEM] += (words + 2u) / 2u;
    tt_emit_system_slog(n, length, text);
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    assert(lock_depth == key + 1u);
    lock_depth = key;
    if (lock_depth == 0u && recording && !in_interrupt && random_below(16) == 0u) {
        in_interrupt = true;
        if (random_below(4) == 0u) {
            emit_text();
        } else {
            emit_one();
        }
        in_interrupt = false;
    }
}

uint32_t tt_port_ticks(void)
{
    ticks += 1u + random_below(49); /* events of one tick have keys: combine_driver.c */
    return (uint32_t)ticks;
}

uint32_t tt_port_exception(void)
{
    return in_interrupt ? 16u : 0u;
}

void tt_port_notify_drain(void)
{
    assert(lock_depth > 0u);
    notified = true;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return link_room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    assert(count <= link_room);
    link_room -= count;
    size_t written = fwrite(bytes, 1, count, link_file);
    assert(written == count);
}

static void one_step(void)
{
    switch (random_below(64)) {
    case 0:
        tt_drain_announce();
        break;
    case 1:
        if (flushes) {
            tt_flush(0);
        }
        break;
    case 2: /* the clock jumps, but polls still come in time */
        ticks += random_below(jump_ticks);
        tt_clock_poll();
        break;
    case 3: /* the link gets or loses room */
        link_room = random_below(2) == 0u ? 0u : random_below(20000);
        break;
    case 4:
    case 5:
        while (random_below(8) != 0u && tt_drain_step()) {
        }
        break;
    case 6:
    case 7:
        emit_text();
        break;
    default:
        emit_one();
    }
}

static void finish(void)
{
    recording = false;
    tt_stop(0);
    tt_flush(0);
    while (!tt_drain_done()) {
        link_room = 1u << 20;
        bool sent = tt_drain_step();
        assert(sent);
    }
    assert(!tt_drain_step());
    assert(lock_depth == 0u);
    int failed = fclose(link_file);
    assert(failed == 0);
}

static void print_counts(void)
{
    tt_ring_status_t status;
    int result = tt_ring_status(0, 0, &status);
    assert(result == TT_OK);
    printf("{\"offered\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"overwritten\": %" PRIu64
           ", \"sent\": %" PRIu64 ", \"serials\": %" PRIu32 ", \"by_class\": [",
           status.offered, status.dropped, status.overwritten, status.sent, serial);
    for (uint32_t i = 0; i < 32u; i++) {
        printf("%s%" PRIu64, i == 0u ? "" : ", ", offered_by_class[i]);
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    static const tt_target_t target = {.name = "core_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    if (argc != 8) {
        fprintf(stderr,
                "usage: core_driver SEED STEPS POLICY FLUSH PACKING JUMP_TICKS LINK_FILE\n");
        return 2;
    }
    random_state = strtoull(argv[1], NULL, 10);
    uint32_t steps = (uint32_t)strtoul(argv[2], NULL, 10);
    link_file = fopen(argv[7], "wb");
    if (link_file == NULL) {
        perror(argv[7]);
        return 2;
    }
    flushes = strcmp(argv[4], "0") != 0;
    jump_ticks = (uint32_t)strtoul(argv[6], NULL, 10);
    int result = tt_init(&target, &link);
    result |= tt_set_policy(0, (tt_policy_t)strtoul(argv[3], NULL, 10));
    result |= tt_set_packing(strcmp(argv[5], "0") != 0);
    result |= tt_select_all(0, true);
    tt_clock_poll();
    result |= tt_start(0);
    assert(result == TT_OK);
    recording = true;
    for (uint32_t i = 0; i < steps; i++) {
        one_step();
    }
    finish();
    print_counts();
    return notified ? 0 : 1;
}
