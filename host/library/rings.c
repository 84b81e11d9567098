#include "rings.h"

#include <stdlib.h>
#include <string.h>

#include "ledger.h"

/* Return epoch, stream and CPU as one number. */
static uint32_t key_of(const tt_wire_chunk_header_t *header)
{
    return (uint32_t)header->epoch << 16u | (uint32_t)header->stream << 8u | header->cpu;
}

static uint32_t key_at(const rings_t *rings, size_t number)
{
    const tt_tape_ring_t *ring = &rings->table[number].ring;
    return ring->epoch << 16u | (uint32_t)ring->stream << 8u | ring->cpu;
}

/* Return the index of the first ring whose key is `key` or greater. */
static size_t find(const rings_t *rings, uint32_t key)
{
    size_t low = 0;
    size_t high = rings->count;
    while (low != high) {
        size_t middle = low + (high - low) / 2u;
        if (key_at(rings, middle) < key) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t rings_first_of(const rings_t *rings, uint32_t epoch)
{
    return find(rings, epoch << 16u);
}

static int compare_keys(const void *one, const void *other)
{
    uint32_t left = *(const uint32_t *)one;
    uint32_t right = *(const uint32_t *)other;
    return (left > right) - (left < right);
}

static bool has_ring(const chunk_t *chunk)
{
    return chunk->header.type == (uint16_t)TT_CHUNK_TYPE_RECORDS ||
           chunk->header.type == (uint16_t)TT_CHUNK_TYPE_STATUS;
}

/* Sort the keys and make one ring per different key. False without memory. */
static bool make_rings(rings_t *rings, uint32_t *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, compare_keys);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0u || keys[i] != keys[kept - 1u]) {
            keys[kept++] = keys[i];
        }
    }
    rings->table = calloc(kept + 1u, sizeof *rings->table);
    if (rings->table == NULL) {
        return false;
    }
    for (size_t i = 0; i < kept; i++) {
        rings->table[i] = (ring_entry_t){.ring = {.epoch = keys[i] >> 16u,
                                                  .stream = (uint8_t)(keys[i] >> 8u),
                                                  .cpu = (uint8_t)keys[i]},
                                         .records = NO_CHUNK,
                                         .statuses = NO_CHUNK};
    }
    rings->count = kept;
    return true;
}

/* Make the table of rings from the chunks. False without memory. */
static bool list(rings_t *rings, const chunks_t *chunks)
{
    uint32_t *keys = malloc(((size_t)chunks->count + 1u) * sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    size_t count = 0;
    for (uint64_t i = 0; i < chunks->count; i++) {
        if (has_ring(&chunks->table[i])) {
            keys[count++] = key_of(&chunks->table[i].header);
        }
    }
    bool is_good = make_rings(rings, keys, count);
    free(keys);
    return is_good;
}

static void append(chunk_t *table, uint64_t *first, uint64_t *last, uint64_t number)
{
    if (*first == NO_CHUNK) {
        *first = number;
    } else {
        table[*last].next = number;
    }
    *last = number;
}

static void close_books(ring_entry_t *entry, const chunks_t *chunks)
{
    ledger_t ledger = {0};
    for (uint64_t i = entry->records; i != NO_CHUNK; i = chunks->table[i].next) {
        const chunk_t *chunk = &chunks->table[i];
        for (uint32_t j = 0; chunk->is_sound && j < chunk->header.buffer_count; j++) {
            tt_wire_buffer_header_t buffer = chunk_buffer(chunks, chunk, j);
            ledger_buffer(&ledger, &buffer);
        }
    }
    for (uint64_t i = entry->statuses; i != NO_CHUNK; i = chunks->table[i].next) {
        const chunk_t *chunk = &chunks->table[i];
        if (chunk->is_sound) {
            tt_wire_status_t status;
            memcpy(&status, chunk_body(chunks, chunk), sizeof status);
            ledger_status(&ledger, &status);
        }
    }
    ledger_close(&ledger, &entry->ring);
}

bool rings_find(rings_t *rings, const chunks_t *chunks)
{
    if (!list(rings, chunks)) {
        return false;
    }
    for (uint64_t i = 0; i < chunks->count; i++) {
        const chunk_t *chunk = &chunks->table[i];
        if (!has_ring(chunk)) {
            continue;
        }
        ring_entry_t *entry = &rings->table[find(rings, key_of(&chunk->header))];
        if (chunk->header.type == (uint16_t)TT_CHUNK_TYPE_RECORDS) {
            append(chunks->table, &entry->records, &entry->last_records, i);
        } else {
            append(chunks->table, &entry->statuses, &entry->last_status, i);
        }
    }
    for (size_t i = 0; i < rings->count; i++) {
        close_books(&rings->table[i], chunks);
    }
    return true;
}

void rings_free(rings_t *rings)
{
    free(rings->table);
    memset(rings, 0, sizeof *rings);
}

void balance_add(tt_tape_balance_t *sum, const tt_tape_balance_t *balance)
{
    number_add(&sum->offered, (uint64_t)balance->offered);
    number_add(&sum->delivered, (uint64_t)balance->delivered);
    number_add(&sum->overwritten, (uint64_t)balance->overwritten);
    number_add(&sum->dropped, (uint64_t)balance->dropped);
    number_add(&sum->damaged, (uint64_t)balance->damaged);
    sum->unsettled += balance->unsettled;
    sum->unknown_losses += balance->unknown_losses;
    sum->contradictions += balance->contradictions;
    sum->is_final = sum->is_final && balance->is_final;
}
