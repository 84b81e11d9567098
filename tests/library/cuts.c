/*
 * Opens a tape cut at every byte, then COUNT times with a changed bit: `cuts T.tape SEED COUNT`.
 * Every version is in memory of exactly its size, so that a sanitizer finds accesses outside of it.
 * Balance and number of events have to agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickertape/tape.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint64_t read_all(tt_tape_t *tape)
{
    tt_tape_item_t item;
    tt_tape_counters_t counters;
    tt_tape_balance_t balance;
    uint64_t events = 0;
    int status;
    while ((status = tt_tape_next(tape, &item)) > 0) {
        if (item.kind == TT_TAPE_EVENT) {
            const volatile unsigned char *bytes = item.event.payload;
            for (uint32_t i = 0; i < item.event.payload_bytes; i++) {
                (void)bytes[i];
            }
            events++;
        }
    }
    CHECK(status == 0);
    tt_tape_counters(tape, &counters);
    CHECK(counters.events == events && events + counters.lost_records <= counters.records);
    tt_tape_balance(tape, &balance);
    CHECK(balance.offered ==
          balance.delivered + balance.overwritten + balance.dropped + balance.damaged);
    CHECK((uint64_t)balance.delivered == counters.records);
    return events;
}

/* Return the number of events in `size` bytes; 0 if they are not a tape. */
static uint64_t events_of(const unsigned char *bytes, size_t size)
{
    tt_tape_t *tape;
    unsigned char *exact = malloc(size + (size == 0u));
    CHECK(exact != NULL);
    if (size != 0u) {
        memcpy(exact, bytes, size);
    }
    int status = tt_tape_open(&tape, exact, size);
    uint64_t events = status == TT_TAPE_OK ? read_all(tape) : 0u;
    CHECK(status <= 0 && (status == TT_TAPE_OK) == (tape != NULL));
    tt_tape_close(tape);
    free(exact);
    return events;
}

int main(int count, char **words)
{
    static unsigned char bytes[1u << 20u];
    CHECK(count == 4);
    FILE *file = fopen(words[1], "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    CHECK(size != 0u && size < sizeof bytes);
    (void)fclose(file);
    uint64_t all = events_of(bytes, size);
    uint64_t before = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        uint64_t events = events_of(bytes, cut);
        CHECK(events >= before && events <= all);
        before = events;
    }
    CHECK(before == all && all != 0u);
    srand((unsigned)strtoul(words[2], NULL, 10));
    for (unsigned long i = strtoul(words[3], NULL, 10); i != 0u; i--) {
        size_t place = (size_t)rand() % size;
        unsigned char was = bytes[place];
        bytes[place] = (unsigned char)(was ^ (1u << (unsigned)rand() % 8u));
        CHECK(events_of(bytes, size) <= all);
        bytes[place] = was;
    }
    printf("%llu events, %zu bytes\n", (unsigned long long)all, size);
    return 0;
}
