/*
 * Records combine events by a script, which interleaves them like threads and interrupts.
 *
 *     combine_driver LINK_FILE < SCRIPT
 *
 * Words of the script; events are numbered by their `b` or `p`, from 0:
 *
 *     t N      the clock advances by N ticks
 *     c N      the next words run on CPU N
 *     s E      a simple event
 *     b S E    slot S begins an event
 *     a S N    slot S gets N bytes
 *     e S      slot S ends its event
 *     p E N    one call records an event of N bytes
 *     q E N    the same, by tt_record_pair() if there is room; N is 8 to 12
 *     m K N    at the K-th unmasking of interrupts from now on, the code moves to CPU N
 *     i K      at the K-th unmasking, an interrupt executes the words up to `r`
 *     d        the drain sends all records
 *
 * Byte i of event n is n + 37 i. Standard output lists the actions: `b EVENT TYPE`, `a EVENT BYTES
 * CPU`, `e EVENT CPU`, `p EVENT TYPE BYTES`.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define SLOTS       8u
#define SCRIPT_MOST 65536u
#define BYTES_MOST  256u

static char script[SCRIPT_MOST];
static const char *next_word = script;

static uint32_t cpu;
static uint32_t ticks = 0xfffffff0u; /* shortly before the first wrap */
static uint32_t lock_depth;

static uint32_t move_after; /* unmaskings until the move; 0: never */
static uint32_t move_to;
static uint32_t interrupt_after;
static const char *interrupt_script;

static struct {
    tt_combine_t combine;
    uint32_t number;
    uint32_t bytes;
} slots[SLOTS];
static uint32_t event_count;

static void run(void);

static void move(void)
{
    if (move_after != 0u && --move_after == 0u) {
        cpu = move_to;
    }
}

static void interrupt(void)
{
    if (interrupt_after != 0u && --interrupt_after == 0u) {
        const char *back = next_word;
        const uint32_t home = cpu;
        next_word = interrupt_script;
        run();
        next_word = back;
        cpu = home;
    }
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    assert(lock_depth == key + 1u);
    lock_depth = key;
    if (lock_depth == 0u) {
        move();
        interrupt();
    }
}

uint32_t tt_port_ticks(void)
{
    return ticks;
}

uint32_t tt_port_cpu(void)
{
    return cpu;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    size_t written = fwrite(bytes, 1, count, context);
    assert(written == count);
}

static uint32_t number(void)
{
    char *end;
    unsigned long value = strtoul(next_word, &end, 10);
    assert(end != next_word);
    next_word = end;
    return (uint32_t)value;
}

static const uint8_t *bytes_of(uint32_t event, uint32_t first, uint32_t count)
{
    static uint8_t bytes[BYTES_MOST];
    assert(count <= sizeof bytes);
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(event + 37u * (first + i));
    }
    return bytes;
}

static void begin_slot(uint32_t slot, uint32_t event)
{
    printf("b %u %u\n", event_count, event);
    slots[slot].number = event_count++;
    slots[slot].bytes = 0;
    tt_combine_begin(&slots[slot].combine, TT_CLASS_USER, event);
}

static void add_to_slot(uint32_t slot, uint32_t count)
{
    uint8_t bytes[BYTES_MOST];
    memcpy(bytes, bytes_of(slots[slot].number, slots[slot].bytes, count), count);
    printf("a %u %u %u\n", slots[slot].number, count, cpu);
    slots[slot].bytes += count;
    tt_combine_add(&slots[slot].combine, bytes, count);
}

static void end_slot(uint32_t slot)
{
    printf("e %u %u\n", slots[slot].number, cpu);
    tt_combine_end(&slots[slot].combine);
}

static void record_at_once(uint32_t event, uint32_t count)
{
    printf("p %u %u %u\n", event_count, event, count);
    uint8_t bytes[BYTES_MOST];
    memcpy(bytes, bytes_of(event_count++, 0, count), count);
    tt_add_buffer(TT_CLASS_USER, event, bytes, count);
}

static void record_as_pair(uint32_t event, uint32_t count)
{
    printf("p %u %u %u\n", event_count, event, count);
    uint32_t words[3] = {0};
    uint32_t header = TT_ADD_HEADER(TT_CLASS_USER, event);
    memcpy(words, bytes_of(event_count++, 0, count), count);
    uint32_t streams = tt_add_route(TT_CLASS_USER, event) & TT_ROUTE_STREAMS_MASK;
    uint32_t left = tt_record_pair(header, streams, words, count);
    if (left != 0u) {
        tt_record_payload(header, left, NULL, 0, words, count);
    }
}

static void arm_interrupt(void)
{
    interrupt_after = number();
    interrupt_script = next_word;
    next_word = strchr(next_word, 'r') + 1;
}

static void drain(void)
{
    uint32_t home = cpu;
    for (cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_clock_poll();
        tt_flush(0);
    }
    cpu = home;
    while (tt_drain_step()) {
    }
}

/* Execute one word with its numbers; false at the end. */
static bool step(void)
{
    uint32_t first;
    next_word += strspn(next_word, " ");
    switch (*next_word++) {
    case 't':
        ticks += number();
        return true;
    case 'c':
        cpu = number();
        return true;
    case 's':
        tt_add_event(TT_CLASS_USER, number(), 1, 2);
        return true;
    case 'b':
        first = number();
        begin_slot(first, number());
        return true;
    case 'a':
        first = number();
        add_to_slot(first, number());
        return true;
    case 'e':
        end_slot(number());
        return true;
    case 'p':
        first = number();
        record_at_once(first, number());
        return true;
    case 'q':
        first = number();
        record_as_pair(first, number());
        return true;
    case 'm':
        move_after = number();
        move_to = number();
        return true;
    case 'i':
        arm_interrupt();
        return true;
    case 'd':
        drain();
        return true;
    default: /* the end of the script or of an interrupt */
        return false;
    }
}

static void run(void)
{
    while (step()) {
    }
}

int main(int argc, char **argv)
{
    static const tt_target_t target = {.name = "combine", .tick_hz = 1000};
    assert(argc == 2);
    FILE *file = fopen(argv[1], "wb");
    assert(file != NULL);
    const tt_link_t link = {.room_bytes = room_bytes, .put = put, .context = file};
    size_t length = fread(script, 1, sizeof script - 1u, stdin);
    assert(length < sizeof script - 1u);
    bool ready = tt_init(&target, &link) == TT_OK &&
                 tt_select_class(0, TT_CLASS_USER, true) == TT_OK &&
                 tt_start_without_state(0) == TT_OK;
    assert(ready);
    run();
    move_after = 0;
    interrupt_after = 0;
    (void)tt_stop(0);
    drain();
    while (!tt_drain_done()) {
        (void)tt_drain_step();
    }
    int failed = fclose(file);
    assert(failed == 0 && lock_depth == 0u);
    return 0;
}
