/*
 * Records every golden vector with each function that can record it, and sends the rings. The host
 * compares the records byte for byte (test_conformance.py).
 *
 * The recorder sets CPU, time and flags itself; class, event and payload are those of the vector.
 */
#include <stddef.h>
#include <string.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/log.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"
#include "vectors.h"

static uint32_t word_at(const tt_vector_event_t *vector, uint32_t index)
{
    uint32_t word;
    memcpy(&word, vector->payload.bytes + sizeof word * index, sizeof word);
    return word;
}

static void record_simple(const tt_vector_event_t *vector)
{
    uint32_t header = TT_ADD_HEADER(vector->event_class, vector->event);
    tt_add_event(vector->event_class, vector->event, word_at(vector, 0), word_at(vector, 1));
    (void)add_trace_event(header, word_at(vector, 0), word_at(vector, 1));
}

static void record_text(const tt_vector_event_t *vector)
{
    uint32_t header = TT_ADD_HEADER(vector->event_class, vector->event);
    tt_add_d2_string(vector->event_class, vector->event, word_at(vector, 0), word_at(vector, 1),
                     vector->text);
    (void)add_trace_d2_string(header, word_at(vector, 0), word_at(vector, 1), vector->text);
}

static void record_wide(const tt_vector_event_t *vector)
{
    uint32_t words[TT_WIDE_WORDS_MAX];
    uint32_t count = vector->payload.count / (uint32_t)sizeof *words - 2u;
    memcpy(words, vector->payload.bytes + 2u * sizeof *words, count * sizeof *words);
    tt_record_wide(word_at(vector, 0), word_at(vector, 1),
                   TT_ADD_HEADER(vector->event_class, vector->event), 1u, words, count);
}

/* Record the payload in pieces of 1, 2, ... bytes. */
static void record_pieces(const tt_vector_event_t *vector)
{
    tt_combine_t combine;
    uint32_t piece = 1;
    uint32_t at = 0;
    (void)add_trace_b_init(&combine, TT_ADD_HEADER(vector->event_class, vector->event));
    while (at < vector->payload.count) {
        uint32_t left = vector->payload.count - at;
        uint32_t count = piece < left ? piece : left;
        (void)add_trace_b_add(&combine, vector->payload.bytes + at, count);
        at += count;
        piece++;
    }
    (void)add_trace_b_end(&combine);
}

/* Record a message as tt_logf() does. The copied text is in writable memory. */
static void record_message(const tt_vector_event_t *vector)
{
    static char copied[] = "motor";
    uint32_t format = word_at(vector, 0);
    if ((format & TT_LOG_TYPED) != 0u) {
        tt_log_typed(format ^ TT_LOG_TYPED, NULL, word_at(vector, 1), 7u, 0x0123456789abcdefull,
                     2.5, copied, (const char *)0x08002000u, 8u);
    } else if (vector->payload.count == 3u * sizeof(uint32_t)) {
        tt_log_two(format, word_at(vector, 1), word_at(vector, 2), 1u);
    } else {
        tt_log_three(format, word_at(vector, 1), word_at(vector, 2), word_at(vector, 3));
    }
}

static void record_combined(const tt_vector_event_t *vector)
{
    if (vector->text != NULL) {
        record_text(vector);
    }
    if (vector->wide != 0u) {
        record_wide(vector);
    }
    if (vector->event_class == TT_CLASS_SYSTEM && vector->event == TT_SYSTEM_LOG) {
        record_message(vector);
    }
    tt_add_buffer(vector->event_class, vector->event, vector->payload.bytes, vector->payload.count);
    (void)add_trace_buffer(TT_ADD_HEADER(vector->event_class, vector->event), vector->payload.bytes,
                           vector->payload.count);
    record_pieces(vector);
}

/* Send until no record waits: a ring is too small for all vectors. */
static void send(void)
{
    tt_ring_status_t status;
    do {
        tt_flush_all(0);
        (void)tt_drain_step();
        board_yield();
        (void)tt_ring_status(0, 0, &status);
    } while (status.sent != status.offered);
}

static void record_all(void *argument)
{
    static tt_target_t target = {.name = "conformance"};
    (void)argument;
    target.tick_hz = BOARD_CLOCK_HZ;
    target.build_id = board_build_id();
    (void)tt_init(&target, board_trace_link());
    (void)tt_set_packing(false);
    (void)tt_start_without_state(0);
    for (uint32_t i = 0; i < TT_VECTOR_EVENT_COUNT; i++) {
        const tt_vector_event_t *vector = &tt_vector_events[i];
        (void)tt_select_event(0, vector->event_class, vector->event, true);
        if (vector->combine != 0u) {
            record_combined(vector);
        } else {
            record_simple(vector);
        }
        (void)tt_select_event(0, vector->event_class, vector->event, false);
        send();
    }
    (void)tt_stop(0);
    while (!tt_drain_done() || !board_trace_sent()) {
        (void)tt_drain_step();
        board_yield();
    }
    board_exit(0);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    record_all(NULL);
#else
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[8192];
    (void)kernel_thread_create(&thread, "conformance", record_all, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
