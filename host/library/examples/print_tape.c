/*
 * Print the events, the losses and the balance of a tape, one line each:
 *
 *     build/library/print_tape T.tape
 *
 * Exit code: 0: success; 1: the tape cannot be read; 2: wrong command line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickertape/tape.h"

/* Read a whole file; the caller frees it. On failure print a line and return NULL. */
static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    while (file != NULL && !feof(file) && !ferror(file)) {
        if (*size == room) {
            room = room == 0u ? 1u << 16u : 2u * room;
            char *grown = realloc(bytes, room);
            if (grown == NULL) {
                break;
            }
            bytes = grown;
        }
        *size += fread(bytes + *size, 1, room - *size, file);
    }
    if (file == NULL || !feof(file)) {
        perror(path);
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return bytes;
}

static void print_event(const tt_tape_event_t *event)
{
    printf("event %" PRIu32 " %u %u %" PRIu64 " ", event->epoch, event->stream, event->cpu,
           event->ticks);
    if (event->ns == TT_TAPE_NO_NS) {
        printf("-");
    } else {
        printf("%" PRIu64, event->ns);
    }
    tt_tape_type_t type;
    if (tt_tape_type(event->event_class, event->event, &type) == TT_TAPE_OK) {
        printf(" %s.%s", type.event_class, type.name);
    } else {
        printf(" %u.%u", event->event_class, event->event);
    }
    printf(" domain %u ordinal %" PRIu64, event->domain, event->ordinal);
    if (event->payload == NULL) {
        printf(" words %" PRIu32 " %" PRIu32, event->words[0], event->words[1]);
    } else {
        const unsigned char *bytes = event->payload;
        printf(" payload ");
        for (uint32_t i = 0; i < event->payload_bytes; i++) {
            printf("%02x", bytes[i]);
        }
    }
    printf("%s%s\n", event->is_truncated ? " truncated" : "", event->is_of_host ? " host" : "");
}

static void print_gap(const tt_tape_gap_t *gap)
{
    printf("gap %" PRIu32 " %u %u ordinals %" PRIu64 " %" PRIu64 " dropped %" PRIu64
           " overwritten %" PRIu64 " damaged %" PRIu64 "%s\n",
           gap->epoch, gap->stream, gap->cpu, gap->first_ordinal, gap->end_ordinal, gap->dropped,
           gap->overwritten, gap->damaged, gap->is_unknown ? " or more" : "");
}

static void print_balance(const tt_tape_balance_t *balance)
{
    printf("offered %" PRId64 " delivered %" PRId64 " overwritten %" PRId64 " dropped %" PRId64
           " damaged %" PRId64 " unsettled %" PRIu64 " unknown %" PRIu64 " contradictions %" PRIu64
           "%s\n",
           balance->offered, balance->delivered, balance->overwritten, balance->dropped,
           balance->damaged, balance->unsettled, balance->unknown_losses, balance->contradictions,
           balance->is_final ? " final" : "");
}

static void print_balances(const tt_tape_t *tape)
{
    tt_tape_balance_t total;
    for (size_t i = 0; i < tt_tape_ring_count(tape); i++) {
        tt_tape_ring_t ring;
        (void)tt_tape_ring(tape, i, &ring);
        printf("ring %" PRIu32 " %u %u ", ring.epoch, ring.stream, ring.cpu);
        print_balance(&ring.balance);
    }
    tt_tape_balance(tape, &total);
    printf("total ");
    print_balance(&total);
}

static void print_counters(const tt_tape_t *tape)
{
    tt_tape_counters_t counters;
    tt_tape_info_t info;
    tt_tape_counters(tape, &counters);
    tt_tape_info(tape, &info);
    printf("decoded records %" PRIu64 " events %" PRIu64 " incomplete %" PRIu64 " orphans %" PRIu64
           " mismatched %" PRIu64 " lost %" PRIu64 " repeated %" PRIu64 " time faults %" PRIu64
           "\n",
           counters.records, counters.events, counters.incomplete_events, counters.orphan_records,
           counters.mismatched_events, counters.lost_records, counters.repeated_records,
           counters.time_faults);
    printf("tape chunks %" PRIu64 " damaged %" PRIu64 " unknown %" PRIu64 " skipped bytes %" PRIu64
           "%s\n",
           info.chunks, info.damaged_chunks, info.unknown_chunks, info.skipped_bytes,
           info.is_closed ? " closed" : "");
}

static void print_boots(const tt_tape_t *tape)
{
    for (size_t i = 0; i < tt_tape_boot_count(tape); i++) {
        tt_tape_boot_t boot;
        (void)tt_tape_boot(tape, i, &boot);
        printf("boot %" PRIu32 " %" PRIu32 " Hz %" PRIu32 " CPUs ", boot.epoch, boot.tick_hz,
               boot.cpu_count);
        for (size_t j = 0; j < boot.target_bytes; j++) {
            (void)putchar(boot.target[j] < ' ' ? '?' : boot.target[j]);
        }
        (void)putchar('\n');
    }
}

static int print_tape(tt_tape_t *tape)
{
    tt_tape_item_t item;
    int status;
    print_boots(tape);
    while ((status = tt_tape_next(tape, &item)) > 0) {
        if (item.kind == TT_TAPE_EVENT) {
            print_event(&item.event);
        } else {
            print_gap(&item.gap);
        }
    }
    print_balances(tape);
    print_counters(tape);
    return status;
}

int main(int count, char **words)
{
    if (count != 2) {
        (void)fprintf(stderr, "usage: print_tape T.tape\n");
        return 2;
    }
    size_t size;
    void *bytes = read_file(words[1], &size);
    if (bytes == NULL) {
        return 1;
    }
    tt_tape_t *tape;
    int status = tt_tape_open(&tape, bytes, size);
    if (status == TT_TAPE_OK) {
        status = print_tape(tape);
    }
    if (status != TT_TAPE_OK) {
        (void)fprintf(stderr, "%s: %s\n", words[1], tt_tape_message(status));
    }
    tt_tape_close(tape);
    free(bytes);
    return status == TT_TAPE_OK ? 0 : 1;
}
