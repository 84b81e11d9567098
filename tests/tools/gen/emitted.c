/* Emitters check the route of their event, and pass header and words as declared. */
#include <stdio.h>
#include <string.h>

#include "tickertape/emitters.h"

tt_route_t tt_route[TT_ROUTE_COUNT];

static struct {
    uint32_t count;
    uint32_t header;
    uint32_t route;
    uint32_t data[2];
    const char *text;
    uint32_t words[TT_WIDE_WORDS_MAX];
    uint32_t word_count; /* without the two words in data */
} seen;

static uint32_t evaluated; /* calls of costly() */

static int failures;

void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                      const char *text)
{
    seen.count++;
    seen.header = header;
    seen.route = route;
    seen.data[0] = data0;
    seen.data[1] = data1;
    seen.text = text;
}

void tt_record(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    tt_record_string(header, route, data0, data1, NULL);
}

void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                    const uint32_t *words, uint32_t word_count)
{
    tt_record_string(header, route, data0, data1, NULL);
    memcpy(seen.words, words, word_count * sizeof *words);
    seen.word_count = word_count;
}

/* An argument that an emitter must not evaluate unless it records the argument. */
static uint32_t costly(uint32_t value)
{
    evaluated++;
    return value;
}

/* Check that exactly one record was emitted since the last check: type, words and route `index`. */
static void expect(uint32_t index, uint32_t type, uint32_t data0, uint32_t data1, int line)
{
    int good = seen.count == 1u && seen.header == type && seen.route == index + 1u &&
               seen.data[0] == data0 && seen.data[1] == data1;
    if (!good) {
        printf("line %d: %u records, header %x, route %u, words %x %x\n", line,
               (unsigned)seen.count, (unsigned)seen.header, (unsigned)seen.route,
               (unsigned)seen.data[0], (unsigned)seen.data[1]);
        failures++;
    }
    memset(&seen, 0, sizeof seen);
}

#define EXPECT(route, event_class, event, data0, data1)                                            \
    expect(route, (uint32_t)(event_class) << 10 | (uint32_t)(event), data0, data1, __LINE__)

/* Not inlined, so that the event number is not a constant. */
static void __attribute__((noinline)) emit_user(uint32_t number)
{
    tt_emit_user_user(number, 3, 4);
}

static void __attribute__((noinline)) emit_call(uint32_t call)
{
    tt_emit_kercall_interrupted(call, -2, 9, costly(1), costly(2));
}

static void check_constant_types(void)
{
    tt_emit_sched_context_switch(7, 8);
    EXPECT(TT_ROUTE_SCHED_CONTEXT_SWITCH, 9, 0, 7, 8);
    tt_emit_tracer_command(5, -3);
    EXPECT(TT_ROUTE_TRACER_COMMAND, 14, 10, 5, 0xfffffffdu);
    tt_emit_user_user(31, 1, 2);
    EXPECT(TT_ROUTE_USER_USER + 31u, 6, 31, 1, 2);
    tt_emit_user_user(32, 1, 2);
    EXPECT(TT_ROUTE_USER_OTHER, 6, 32, 1, 2);
    tt_emit_thread_state(TT_THREAD_SEM, 1, 2, costly(3), 1, 5);
    EXPECT(TT_ROUTE_THREAD_SEM, 4, 17, 1, 2);
    tt_emit_kercall_enter(TT_KERCALL_SYNC_SEM_WAIT, 5, 6, costly(7), 8, 9, 10);
    EXPECT(TT_ROUTE_KERCALL_SYNC_SEM_WAIT_ENTER, 2, 85, 5, 6);
    tt_emit_kercall_exit(TT_KERCALL_SYNC_SEM_WAIT, -1, 0, 9, costly(10));
    EXPECT(TT_ROUTE_KERCALL_SYNC_SEM_WAIT_EXIT, 2, 85 + 128, 0xffffffffu, 0);
}

static void check_variable_types(void)
{
    emit_user(9);
    EXPECT(TT_ROUTE_USER_USER + 9u, 6, 9, 3, 4);
    emit_user(1023);
    EXPECT(TT_ROUTE_USER_OTHER, 6, 1023, 3, 4);
    emit_call(TT_KERCALL_SYNC_SEM_TRYWAIT);
    EXPECT(TT_ROUTE_KERCALL_SYNC_SEM_TRYWAIT_INTERRUPTED, 2, 110 + 256, 0xfffffffeu, 9);
    emit_call(100);
    EXPECT(TT_ROUTE_KERCALL_OTHER, 2, 100 + 256, 0xfffffffeu, 9);
}

/* Check the wide words, and that each argument is evaluated once. */
static void check_wide(void)
{
    static const uint32_t expected[] = {7, 8, 9, 10};
    uint32_t call = TT_KERCALL_SYNC_SEM_WAIT;
    for (uint32_t i = 0; i < TT_ROUTE_COUNT; i++) {
        tt_route[i] = (tt_route_t)((i + 1u) | TT_ROUTE_WIDE);
    }
    tt_emit_kercall_enter(call++, costly(5), 6, costly(7), 8, 9, 10);
    if (call != TT_KERCALL_SYNC_SEM_WAIT + 1u || evaluated != 2u) {
        printf("arguments are not evaluated once each\n");
        failures++;
    }
    if (seen.word_count != 4u || memcmp(seen.words, expected, sizeof expected) != 0) {
        printf("the wide words are lost\n");
        failures++;
    }
    seen.route &= ~TT_ROUTE_WIDE;
    EXPECT(TT_ROUTE_KERCALL_SYNC_SEM_WAIT_ENTER, 2, 85, 5, 6);
    tt_emit_int_entry(25, 0, 3);
    if (seen.word_count != 1u || seen.words[0] != 3u) {
        printf("the wide word is lost\n");
        failures++;
    }
    seen.route &= ~TT_ROUTE_WIDE;
    EXPECT(TT_ROUTE_INT_ENTRY, 3, 1, 25, 0);
}

static void check_nobody(void)
{
    tt_emit_sched_tick(1, 2);
    tt_emit_thread_ready(1, costly(2), costly(3), 1, 0);
    if (seen.count != 0u || evaluated != 0u) {
        printf("an event that no stream takes was recorded, or its words were evaluated\n");
        failures++;
    }
}

int main(void)
{
    check_nobody();
    for (uint32_t i = 0; i < TT_ROUTE_COUNT; i++) {
        tt_route[i] = (uint16_t)(i + 1u);
    }
    check_constant_types();
    check_variable_types();
    if (evaluated != 0u) {
        printf("words of the wide form were evaluated for the fast one\n");
        failures++;
    }
    tt_emit_thread_name(0, 3, "motor");
    if (seen.text == NULL || strcmp(seen.text, "motor") != 0) {
        printf("the text is lost\n");
        failures++;
    }
    EXPECT(TT_ROUTE_THREAD_NAME, 4, 320, 0, 3);
    check_wide();
    return failures != 0;
}
