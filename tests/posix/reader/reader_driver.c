/*
 * Reads buffers from standard input with the reader of POSIX Trace and prints each event: type,
 * time, whether it was truncated, data. A buffer is four words - count, overflow and ticks (low
 * word first) - and its records. The type of an event is its class; the data of a simple event is
 * its first word.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posix_stream.h"

#define RECORDS_MOST 4096u
#define DATA_MOST    1024u

static bool next_buffer(void *context, posix_buffer_t *buffer)
{
    static tt_record_t *records;
    uint32_t head[4];
    (void)context;
    free(records); /* sanitizers report any later use */
    records = NULL;
    if (fread(head, sizeof head, 1, stdin) != 1u || head[0] > RECORDS_MOST) {
        return false;
    }
    records = malloc(head[0] * sizeof records[0]);
    if (records == NULL || fread(records, sizeof records[0], head[0], stdin) != head[0]) {
        exit(2);
    }
    *buffer = (posix_buffer_t){.records = records,
                               .count = head[0],
                               .overflow = head[1] != 0u,
                               .ticks = (uint64_t)head[3] << 32 | head[2]};
    return true;
}

bool posix_translate(posix_reader_t *reader, const tt_record_t *record, posix_found_t *found,
                     posix_data_t *data)
{
    (void)reader;
    found->id = (trace_event_id_t)(record->header >> TT_RECORD_CLASS_FIRST_BIT & 31u);
    posix_data_add(data, record->data, sizeof record->data[0]);
    return true;
}

int main(void)
{
    static const trace_event_set_t nothing_filtered;
    static posix_reader_t reader;
    static uint8_t bytes[DATA_MOST];
    posix_reader_init(&reader, next_buffer, NULL);
    for (;;) {
        posix_found_t found;
        posix_data_t data = {.to = bytes, .room = sizeof bytes};
        if (!posix_reader_read(&reader, &nothing_filtered, &found, &data)) {
            return 0;
        }
        printf("%d %" PRIu64 " %d ", (int)found.id, found.ticks, found.cut);
        for (size_t i = 0; i < found.data_bytes; i++) {
            printf("%02x", bytes[i]);
        }
        printf("\n");
    }
}
