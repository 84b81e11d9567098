#include "tickertape/tape.h"

#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "ledger.h"
#include "merge.h"
#include "rings.h"

#define EPOCHS      (1u << 16u)
#define NS_PER_S    1000000000u
#define WORD_BYTES  ((size_t)sizeof(uint32_t))
#define LAST_SECOND ((uint64_t)INT64_MAX / NS_PER_S - 1u)

struct tt_tape {
    tt_wire_tape_header_t header;
    chunks_t chunks;
    rings_t rings;
    tt_tape_boot_t *boots; /* ascending by epoch */
    size_t boot_count;
    tt_tape_counters_t counters;
    merge_t merge;
    size_t boot;   /* index of the boot that is read */
    bool has_boot; /* `merge` has begun this boot */
};

static const uint8_t *body_of(const tt_tape_t *tape, const chunk_t *chunk)
{
    return chunk_body(&tape->chunks, chunk);
}

static int compare_boots(const void *one, const void *other)
{
    uint32_t left = ((const tt_tape_boot_t *)one)->epoch;
    uint32_t right = ((const tt_tape_boot_t *)other)->epoch;
    return (left > right) - (left < right);
}

static tt_tape_boot_t *find_boot(const tt_tape_t *tape, uint32_t epoch)
{
    tt_tape_boot_t key = {.epoch = epoch};
    return tape->boot_count == 0u
               ? NULL
               : bsearch(&key, tape->boots, tape->boot_count, sizeof *tape->boots, compare_boots);
}

/* List the boots with at least one chunk; false without memory. */
static bool list_boots(tt_tape_t *tape)
{
    bool *is_there = calloc(EPOCHS, sizeof *is_there);
    size_t count = 0;
    for (uint64_t i = 0; is_there != NULL && i < tape->chunks.count; i++) {
        bool *one = &is_there[tape->chunks.table[i].header.epoch];
        count += !*one;
        *one = true;
    }
    tape->boots = calloc(count + 1u, sizeof *tape->boots);
    if (is_there == NULL || tape->boots == NULL) {
        free(is_there);
        return false;
    }
    for (uint32_t epoch = 0; epoch < EPOCHS && tape->boot_count < count; epoch++) {
        if (is_there[epoch]) {
            tape->boots[tape->boot_count++].epoch = epoch;
        }
    }
    free(is_there);
    return true;
}

static void describe_boot(tt_tape_boot_t *boot, const tt_tape_t *tape, const chunk_t *chunk)
{
    tt_wire_hello_t hello;
    const uint8_t *body = body_of(tape, chunk);
    memcpy(&hello, body, sizeof hello);
    boot->tick_hz = hello.tick_hz;
    boot->cpu_count = hello.cpu_count;
    boot->boot_id = hello.boot_id;
    boot->build_id = body + offsetof(tt_wire_hello_t, build_id);
    boot->target = (const char *)body + sizeof hello;
    boot->target_bytes = chunk->header.body_bytes - sizeof hello;
}

/* Describe each boot by its first HELLO; boots without HELLO get the clock rate of the first one.
 */
static void describe_boots(tt_tape_t *tape)
{
    const tt_tape_boot_t *first = NULL;
    for (uint64_t i = 0; i < tape->chunks.count; i++) {
        const chunk_t *chunk = &tape->chunks.table[i];
        if (chunk->is_sound && chunk->header.type == (uint16_t)TT_CHUNK_TYPE_HELLO) {
            tt_tape_boot_t *boot = find_boot(tape, chunk->header.epoch);
            if (boot->target == NULL) {
                describe_boot(boot, tape, chunk);
            }
            first = first == NULL ? boot : first;
        }
    }
    for (size_t i = 0; first != NULL && i < tape->boot_count; i++) {
        if (tape->boots[i].target == NULL) {
            tape->boots[i].tick_hz = first->tick_hz;
        }
    }
}

static bool open_all(tt_tape_t *tape)
{
    if (!chunks_find(&tape->chunks) || !rings_find(&tape->rings, &tape->chunks) ||
        !list_boots(tape)) {
        return false;
    }
    describe_boots(tape);
    return true;
}

int tt_tape_open(tt_tape_t **opened, const void *bytes, size_t size)
{
    tt_wire_tape_header_t header;
    *opened = NULL;
    int status = chunks_header(bytes, size, &header);
    if (status != TT_TAPE_OK) {
        return status;
    }
    tt_tape_t *tape = calloc(1, sizeof *tape);
    if (tape == NULL) {
        return TT_TAPE_NO_MEMORY;
    }
    tape->header = header;
    tape->chunks.bytes = bytes;
    tape->chunks.size = size;
    if (!open_all(tape)) {
        tt_tape_close(tape);
        return TT_TAPE_NO_MEMORY;
    }
    *opened = tape;
    return TT_TAPE_OK;
}

void tt_tape_close(tt_tape_t *tape)
{
    if (tape != NULL) {
        merge_end(&tape->merge);
        rings_free(&tape->rings);
        free(tape->chunks.table);
        free(tape->boots);
        free(tape);
    }
}

const char *tt_tape_message(int status)
{
    switch (status) {
    case TT_TAPE_OK:
        return "no error";
    case TT_TAPE_NO_MEMORY:
        return "no memory is left";
    case TT_TAPE_NOT_A_TAPE:
        return "this is not a tape; give a file that 'tickertape capture' wrote";
    case TT_TAPE_VERSION:
        return "another major version of the format; read it with the tickertape that wrote it";
    case TT_TAPE_DAMAGED:
        return "the header is cut or damaged; rebuild it with 'tickertape repair'";
    case TT_TAPE_OUT_OF_RANGE:
        return "the tape contains no such item";
    default:
        return "unknown status";
    }
}

void tt_tape_info(const tt_tape_t *tape, tt_tape_info_t *info)
{
    const chunks_t *chunks = &tape->chunks;
    *info =
        (tt_tape_info_t){.created_ns = tape->header.created_ns,
                         .chunks = chunks->count,
                         .damaged_chunks = chunks->damaged,
                         .unknown_chunks = chunks->unknown,
                         .skipped_bytes = chunks->skipped_bytes,
                         .major = tape->header.major,
                         .minor = tape->header.minor,
                         .is_closed = chunks->is_closed,
                         .is_big_endian = tape->header.byte_order == (uint8_t)TT_BYTE_ORDER_BIG};
    memcpy(info->uuid, tape->header.uuid, sizeof info->uuid);
}

size_t tt_tape_boot_count(const tt_tape_t *tape)
{
    return tape->boot_count;
}

int tt_tape_boot(const tt_tape_t *tape, size_t index, tt_tape_boot_t *boot)
{
    if (index >= tape->boot_count) {
        return TT_TAPE_OUT_OF_RANGE;
    }
    *boot = tape->boots[index];
    return TT_TAPE_OK;
}

size_t tt_tape_ring_count(const tt_tape_t *tape)
{
    return tape->rings.count;
}

int tt_tape_ring(const tt_tape_t *tape, size_t index, tt_tape_ring_t *ring)
{
    if (index >= tape->rings.count) {
        return TT_TAPE_OUT_OF_RANGE;
    }
    *ring = tape->rings.table[index].ring;
    return TT_TAPE_OK;
}

void tt_tape_balance(const tt_tape_t *tape, tt_tape_balance_t *balance)
{
    *balance = (tt_tape_balance_t){.is_final = tape->rings.count != 0u};
    for (size_t i = 0; i < tape->rings.count; i++) {
        balance_add(balance, &tape->rings.table[i].ring.balance);
    }
}

void tt_tape_counters(const tt_tape_t *tape, tt_tape_counters_t *counters)
{
    *counters = tape->counters;
}

void tt_tape_rewind(tt_tape_t *tape)
{
    merge_end(&tape->merge);
    memset(&tape->counters, 0, sizeof tape->counters);
    tape->boot = 0;
    tape->has_boot = false;
}

/* Convert ticks to nanoseconds, rounded down. */
static uint64_t ns_of(uint64_t ticks, uint32_t hz)
{
    if (hz == 0u || ticks / hz > LAST_SECOND) {
        return TT_TAPE_NO_NS;
    }
    return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* Begin the current boot unless it has begun. False without memory. */
static bool begin_boot(tt_tape_t *tape)
{
    bool is_big = tape->header.byte_order == (uint8_t)TT_BYTE_ORDER_BIG;
    if (!tape->has_boot && !merge_begin(&tape->merge, &tape->chunks, &tape->rings,
                                        tape->boots[tape->boot].epoch, &tape->counters, is_big)) {
        return false;
    }
    tape->has_boot = true;
    return true;
}

int tt_tape_next(tt_tape_t *tape, tt_tape_item_t *item)
{
    while (tape->boot != tape->boot_count) {
        int found = begin_boot(tape) ? merge_next(&tape->merge, item) : -1;
        if (found < 0) {
            return TT_TAPE_NO_MEMORY;
        }
        if (found > 0) {
            if (item->kind == TT_TAPE_EVENT) {
                item->event.ns = ns_of(item->event.ticks, tape->boots[tape->boot].tick_hz);
            }
            return 1;
        }
        merge_end(&tape->merge);
        tape->has_boot = false;
        tape->boot++;
    }
    return 0;
}

uint32_t tt_tape_word(const tt_tape_event_t *event, size_t index)
{
    if (event->payload == NULL) {
        return index < 2u ? event->words[index] : 0u;
    }
    if (index >= event->payload_bytes / WORD_BYTES) {
        return 0;
    }
    uint32_t word;
    memcpy(&word, (const uint8_t *)event->payload + index * WORD_BYTES, sizeof word);
    return event->is_big_endian ? __builtin_bswap32(word) : word;
}

int tt_tape_name(const tt_tape_t *tape, uint32_t epoch, uint8_t kind, uint32_t id,
                 tt_tape_name_t *name)
{
    for (uint64_t i = tape->chunks.count; i-- != 0u;) {
        const chunk_t *chunk = &tape->chunks.table[i];
        if (!chunk->is_sound || chunk->header.type != (uint16_t)TT_CHUNK_TYPE_NAME ||
            chunk->header.epoch != epoch) {
            continue;
        }
        tt_wire_name_t found;
        const uint8_t *body = body_of(tape, chunk);
        memcpy(&found, body, sizeof found);
        if (found.kind == kind && found.id == id) {
            *name = (tt_tape_name_t){.text = (const char *)body + sizeof found,
                                     .bytes = chunk->header.body_bytes - sizeof found,
                                     .id = found.id,
                                     .parent = found.parent,
                                     .kind = found.kind,
                                     .state = found.state,
                                     .priority = found.priority,
                                     .cpu = found.cpu};
            return TT_TAPE_OK;
        }
    }
    return TT_TAPE_OUT_OF_RANGE;
}

int tt_tape_chunk(const tt_tape_t *tape, size_t index, tt_tape_chunk_t *chunk)
{
    if (index >= tape->chunks.count) {
        return TT_TAPE_OUT_OF_RANGE;
    }
    const chunk_t *found = &tape->chunks.table[index];
    *chunk = (tt_tape_chunk_t){.epoch = found->header.epoch,
                               .type = found->header.type,
                               .stream = found->header.stream,
                               .cpu = found->header.cpu,
                               .is_sound = found->is_sound};
    if (found->is_sound) {
        chunk->body = body_of(tape, found);
        chunk->body_bytes = found->header.body_bytes;
    }
    return TT_TAPE_OK;
}
