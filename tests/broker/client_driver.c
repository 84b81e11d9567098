/*
 * Runs the C client and prints its results as lines of text.
 *
 *   client_driver view ADDRESS NAME READERS      reads a stream with READERS threads until it ends
 *   client_driver emit ADDRESS NAME COUNT THREADS BYTES   emits events of a type
 *   client_driver attribute ADDRESS STREAM NAMINGS ATTRIBUTE
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broker_client.h"

#define MOST_THREADS 16

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ended;

static int complain(const char *what, int error)
{
    printf("%s: %s\n", what, strerror(error));
    return 1;
}

/* Read buffers until the stream ends. A lock keeps reading and printing of a buffer together. */
static void *read_all(void *argument)
{
    tt_view_t *view = argument;
    for (;;) {
        tt_view_buffer_t buffer;
        (void)pthread_mutex_lock(&turn);
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        int result = tt_view_next(view, &until, &buffer);
        if (result == 0) {
            printf("buffer %" PRIu32 " %" PRIu64 " %" PRIu64, buffer.cpu, buffer.ticks,
                   buffer.lost_count);
            for (uint32_t i = 0; i < buffer.count; i++) {
                printf(" %" PRIx32 ".%" PRIx32 ".%" PRIx32 ".%" PRIx32, buffer.records[i][0],
                       buffer.records[i][1], buffer.records[i][2], buffer.records[i][3]);
            }
            printf("\n");
            (void)fflush(stdout);
        }
        (void)pthread_mutex_unlock(&turn);
        if (result != 0 && result != ETIMEDOUT && result != EINTR) {
            atomic_store(&ended, true);
            return (void *)(intptr_t)result;
        }
    }
}

/* Send requests until the readers have ended. */
static void *ask_all(void *argument)
{
    tt_view_t *view = argument;
    while (!atomic_load(&ended)) {
        char name[TT_BROKER_NAME_BYTES];
        tt_view_about_t about;
        tt_view_balance_t balance;
        tt_view_about(view, &about);
        tt_view_balance(view, &balance);
        for (uint32_t i = 0; i < TT_BROKER_USER_TYPES; i++) {
            (void)tt_view_type_name(view, i, name);
        }
        const struct timespec pause = {.tv_nsec = 1000000};
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

static void say_end(tt_view_t *view)
{
    tt_view_balance_t balance;
    tt_view_about_t about;
    char name[TT_BROKER_NAME_BYTES];
    tt_view_about(view, &about);
    tt_view_balance(view, &balance);
    for (uint32_t i = 0; i < TT_BROKER_USER_TYPES; i++) {
        if (tt_view_type_name(view, i, name)) {
            printf("type %" PRIu32 " %s\n", i, name);
        }
    }
    printf("about %" PRIu32 " %" PRIu32 " %" PRIu32 " %d\n", about.stream, about.generation,
           about.tick_hz, about.gone);
    printf("balance %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", balance.offered,
           balance.delivered, balance.overwritten, balance.dropped, balance.damaged);
}

static int view_stream(const char *address, const char *name, int reader_count)
{
    tt_view_t *view;
    pthread_t readers[MOST_THREADS];
    pthread_t asker;
    int result = tt_view_open(&view, address, name);
    if (result != 0) {
        return complain("attach", result);
    }
    printf("attached\n");
    (void)fflush(stdout);
    (void)pthread_create(&asker, NULL, ask_all, view);
    for (int i = 0; i < reader_count; i++) {
        (void)pthread_create(&readers[i], NULL, read_all, view);
    }
    for (int i = 0; i < reader_count; i++) {
        void *why;
        (void)pthread_join(readers[i], &why);
        printf("end %s\n", (intptr_t)why == EINVAL ? "EINVAL" : "?");
    }
    (void)pthread_join(asker, NULL);
    say_end(view);
    tt_view_close(view);
    return 0;
}

typedef struct emitter {
    tt_caller_t *caller;
    uint32_t type;
    uint32_t first;
    uint32_t count;
    size_t bytes;
    uint32_t taken;
    int result;
} emitter_t;

static void *emit_some(void *argument)
{
    emitter_t *emitter = argument;
    static const uint8_t origin[TT_BROKER_ORIGIN_BYTES] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    uint8_t data[1000] = {0};
    for (uint32_t i = 0; i < emitter->count && emitter->result == 0; i++) {
        const uint32_t number = emitter->first + i;
        uint32_t streams;
        memcpy(data, &number, sizeof number);
        emitter->result =
            tt_caller_emit(emitter->caller, emitter->type, origin, data, emitter->bytes, &streams);
        emitter->taken += streams != 0u;
    }
    return NULL;
}

static int emit(const char *address, const char *name, uint32_t count, uint32_t thread_count,
                size_t bytes)
{
    tt_caller_t *caller;
    pthread_t threads[MOST_THREADS];
    emitter_t emitters[MOST_THREADS];
    uint32_t type;
    uint32_t again;
    int result = tt_caller_open(&caller, address);
    if (result != 0) {
        return complain("connect", result);
    }
    result = tt_caller_event_open(caller, name, &type);
    result = result == 0 ? tt_caller_event_open(caller, name, &again) : result;
    if (result != 0) {
        tt_caller_close(caller);
        return complain("open", result);
    }
    printf("type %" PRIu32 " %s\n", type, again == type ? "again" : "another");
    uint32_t taken = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        emitters[i] = (emitter_t){
            .caller = caller, .type = type, .first = i * count, .count = count, .bytes = bytes};
        (void)pthread_create(&threads[i], NULL, emit_some, &emitters[i]);
    }
    for (uint32_t i = 0; i < thread_count; i++) {
        (void)pthread_join(threads[i], NULL);
        result = emitters[i].result != 0 ? emitters[i].result : result;
        taken += emitters[i].taken;
    }
    tt_caller_close(caller);
    printf("taken %" PRIu32 "\n", taken);
    return result != 0 ? complain("emit", result) : 0;
}

static int number_of(const char *word)
{
    return (int)strtol(word, NULL, 10);
}

static int ask(const char *address, const char *const *words)
{
    tt_caller_t *caller;
    uint64_t value;
    int result = tt_caller_open(&caller, address);
    if (result != 0) {
        return complain("connect", result);
    }
    result =
        tt_caller_attribute(caller, (uint32_t)number_of(words[0]), (uint32_t)number_of(words[1]),
                            (tt_stream_attribute_t)number_of(words[2]), &value);
    tt_caller_close(caller);
    if (result != 0) {
        return complain("attribute", result);
    }
    printf("value %" PRIu64 "\n", value);
    return 0;
}

int main(int count, char **words)
{
    if (count > 2 && strcmp(words[2], "-") == 0) {
        words[2] = NULL; /* the default address */
    }
    if (count == 5 && strcmp(words[1], "view") == 0) {
        return view_stream(words[2], words[3], number_of(words[4]));
    }
    if (count == 7 && strcmp(words[1], "emit") == 0) {
        return emit(words[2], words[3], (uint32_t)number_of(words[4]),
                    (uint32_t)number_of(words[5]), (size_t)number_of(words[6]));
    }
    if (count == 6 && strcmp(words[1], "attribute") == 0) {
        return ask(words[2], (const char *const *)&words[3]);
    }
    return 2;
}
