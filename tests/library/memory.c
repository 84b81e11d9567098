/*
 * Reads a tape repeatedly, each time with one more successful allocation before the others fail:
 * `memory T.tape`. Every call has to report the failure, and no memory may leak (linked with --wrap
 * for malloc, calloc and realloc).
 */
#include <stdio.h>
#include <stdlib.h>

#include "tickertape/tape.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static unsigned long left; /* number of allocations that still succeed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return left == 0u ? NULL : (left--, __real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return left == 0u ? NULL : (left--, __real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    return left == 0u ? NULL : (left--, __real_realloc(memory, size));
}

/* Read the whole tape; returns the last result. */
static int read_all(tt_tape_t *tape, unsigned long *events)
{
    tt_tape_item_t item;
    int status;
    *events = 0;
    while ((status = tt_tape_next(tape, &item)) > 0) {
        *events += item.kind == TT_TAPE_EVENT;
    }
    return status;
}

int main(int count, char **words)
{
    static unsigned char bytes[1u << 20u];
    CHECK(count == 2);
    FILE *file = fopen(words[1], "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    unsigned long refused = 0;
    unsigned long broken_off = 0;
    for (unsigned long allowed = 0;; allowed++) {
        tt_tape_t *tape;
        unsigned long events;
        left = allowed;
        int status = tt_tape_open(&tape, bytes, size);
        CHECK((status == TT_TAPE_OK) == (tape != NULL));
        if (status != TT_TAPE_OK) {
            CHECK(status == TT_TAPE_NO_MEMORY);
            refused++;
            continue;
        }
        status = read_all(tape, &events);
        CHECK(status == 0 || status == TT_TAPE_NO_MEMORY);
        if (status == 0) {
            tt_tape_close(tape);
            printf("%lu %lu %lu\n", events, refused, broken_off);
            return 0;
        }
        broken_off++;
        /* As soon as there is memory, the tape can be read from its beginning. */
        unsigned long all;
        left = (unsigned long)-1;
        tt_tape_rewind(tape);
        CHECK(read_all(tape, &all) == 0 && all >= events);
        tt_tape_close(tape);
    }
}
