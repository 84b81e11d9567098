/*
 * Runs the assembler and the CRC under the sanitizers: takes chunks on stdin, answers on stdout,
 * in the machine's own byte order. tests/native/driver.py is the other end and has the layout.
 */
#include <stdio.h>
#include <stdlib.h>

#include "assemble.h"
#include "crc32.h"

/* What a chunk begins with on stdin. */
typedef struct request {
    uint64_t buffer_count;
    uint64_t record_count;
    uint64_t swap;
    uint64_t last;
} request_t;

/* The next `count` items, in memory of exactly that size so that a sanitizer sees every overrun. */
static void *get(uint64_t count, size_t size)
{
    void *items = malloc(count * size + (count == 0u));
    if (items == NULL || fread(items, size, count, stdin) != count) {
        exit(2);
    }
    return items;
}

static void *room(uint64_t count, size_t size)
{
    void *items = malloc(count * size + (count == 0u));
    if (items == NULL) {
        exit(2);
    }
    return items;
}

static void put(const void *items, uint64_t count, size_t size)
{
    if (count != 0u && fwrite(items, size, count, stdout) != count) {
        exit(2);
    }
}

static void answer(const tt_chunk_t *chunk, const tt_columns_t *columns, const tt_found_t *found)
{
    put(found, 1, sizeof *found);
    put(chunk->ticks_before, chunk->buffer_count, sizeof(uint64_t));
    put(chunk->has_ticks_before, chunk->buffer_count, 1);
    put(columns->header, found->rows, sizeof(uint32_t));
    put(columns->time, found->rows, sizeof(uint64_t));
    put(columns->data0, found->rows, sizeof(uint32_t));
    put(columns->data1, found->rows, sizeof(uint32_t));
    put(columns->ordinal, found->rows, sizeof(uint64_t));
    put(columns->payload_offset, found->rows, sizeof(int64_t));
    put(columns->payload_bytes, found->rows, sizeof(uint32_t));
    put(columns->payload, found->payload_pairs, sizeof(uint64_t));
    put(found->given_up, found->incomplete, sizeof(uint64_t));
    (void)fflush(stdout);
}

static void take(tt_assembler_t *assembler, const request_t *request)
{
    uint64_t *first_ordinal = get(request->buffer_count, sizeof(uint64_t));
    uint64_t *ticks = get(request->buffer_count, sizeof(uint64_t));
    uint32_t *count = get(request->buffer_count, sizeof(uint32_t));
    uint8_t *gap = get(request->buffer_count, 1);
    uint8_t *records = get(request->record_count, 16);
    tt_chunk_t chunk = {.records = records,
                        .first_ordinal = first_ordinal,
                        .ticks = ticks,
                        .count = count,
                        .gap = gap,
                        .ticks_before = room(request->buffer_count, sizeof(uint64_t)),
                        .has_ticks_before = room(request->buffer_count, 1),
                        .buffer_count = request->buffer_count,
                        .swap = (uint32_t)request->swap,
                        .last = (uint32_t)request->last};
    tt_columns_t columns = {0};
    uint64_t rows = request->record_count + tt_assembler_kept_rows(assembler);
    uint64_t pairs = request->record_count + tt_assembler_kept_pairs(assembler);
    tt_found_t found;
    columns.header = room(rows, sizeof(uint32_t));
    columns.time = room(rows, sizeof(uint64_t));
    columns.data0 = room(rows, sizeof(uint32_t));
    columns.data1 = room(rows, sizeof(uint32_t));
    columns.ordinal = room(rows, sizeof(uint64_t));
    columns.payload_offset = room(rows, sizeof(int64_t));
    columns.payload_bytes = room(rows, sizeof(uint32_t));
    columns.payload = room(pairs, sizeof(uint64_t));
    if (tt_assemble(assembler, &chunk, &columns, &found) != 0) {
        exit(3);
    }
    answer(&chunk, &columns, &found);
    tt_columns_free(&columns);
    free(first_ordinal);
    free(ticks);
    free(count);
    free(gap);
    free(records);
    free(chunk.ticks_before);
    free(chunk.has_ticks_before);
}

/* CRC of the next bytes; 0 where the processor does not help. */
static void check_crc(uint64_t size)
{
    uint8_t *data = get(size, 1);
    uint32_t crc = tt_crc32_available() ? tt_crc32(data, size) : 0u;
    put(&crc, 1, sizeof crc);
    (void)fflush(stdout);
    free(data);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        check_crc(strtoull(argv[1], NULL, 10));
        return 0;
    }
    tt_assembler_t *assembler = tt_assembler_new();
    request_t request;
    while (fread(&request, sizeof request, 1, stdin) == 1) {
        take(assembler, &request);
    }
    tt_assembler_free(assembler);
    return 0;
}
