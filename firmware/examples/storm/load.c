#include "load.h"

#include "board.h"
#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/emitters.h"

/* The second word of a simple event is the first times this factor, so that the host detects a torn
 * record. */
#define CHECK_FACTOR 2654435761u

/* The lengths of texts, buffers and pieces vary, so that the last record of an event contains any
 * number of its eight bytes. */
#define TEXT_LENGTHS  61u
#define BYTES_LENGTHS 47u
#define PIECE_LENGTHS 13u

static uint64_t counted[BOARD_CPUS][LOAD_LEVELS][TT_CLASS_COUNT];
static uint32_t serials[BOARD_CPUS][LOAD_LEVELS];
static uint64_t limit = UINT64_MAX;
static uint64_t total; /* counted only if there is a limit */

void load_limit(uint64_t records)
{
    limit = records == 0u ? UINT64_MAX : records;
}

void load_count(load_level_t level, uint32_t event_class, uint32_t records)
{
    if (limit != UINT64_MAX) {
        uint64_t left = limit - total;
        records = records < left ? records : (uint32_t)left;
        total += records;
    }
    counted[board_cpu()][level][event_class] += records;
}

uint64_t load_counted(uint32_t cpu, uint32_t event_class)
{
    uint64_t sum = 0;
    for (uint32_t level = 0; level < LOAD_LEVELS; level++) {
        sum += counted[cpu][level][event_class];
    }
    return sum;
}

/* Return the number of records of a payload: its words and the word with its length, two words per
 * record (protocol/SPEC.md, "The record"). */
static uint32_t records_of(uint32_t bytes)
{
    uint32_t words = (bytes + 3u) / 4u + 1u;
    uint32_t records = (words + 1u) / 2u;
    return records < 2u ? 2u : records;
}

/* Return the next serial number of a level of this CPU; all serial numbers differ. */
static uint32_t next_serial(load_level_t level)
{
    uint32_t cpu = board_cpu();
    return (serials[cpu][level]++ << 4) | (cpu << 2) | (uint32_t)level;
}

void load_simple(load_level_t level, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t serial = next_serial(level);
        load_count(level, TT_CLASS_USER, 1);
        tt_emit_user_user((uint32_t)level, serial, serial * CHECK_FACTOR);
    }
}

/* Fill in bytes derived from a serial number; the host derives the same. */
static void fill(uint8_t *bytes, uint32_t count, uint32_t serial, uint32_t first, uint32_t letters)
{
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(first + (serial + i) % letters);
    }
}

void load_text(load_level_t level)
{
    char text[TEXT_LENGTHS];
    uint32_t serial = next_serial(level);
    uint32_t length = (serial >> 4) % TEXT_LENGTHS;
    fill((uint8_t *)text, length, serial, 'a', 26u);
    text[length] = '\0';
    load_count(level, TT_CLASS_SYSTEM, records_of(8u + length));
    tt_emit_system_slog(serial, length, text);
}

void load_buffer(load_level_t level)
{
    uint8_t bytes[4u + BYTES_LENGTHS];
    uint32_t serial = next_serial(level);
    uint32_t length = 4u + (serial >> 4) % BYTES_LENGTHS;
    for (uint32_t i = 0; i < 4u; i++) {
        bytes[i] = (uint8_t)(serial >> (8u * i));
    }
    fill(bytes + 4, length - 4u, serial, 0, 256u);
    load_count(level, LOAD_CLASS_BYTES, records_of(length));
    tt_add_buffer(LOAD_CLASS_BYTES, (uint32_t)level, bytes, length);
}

void load_pieces(load_level_t level, void (*between)(void))
{
    uint8_t bytes[3u * PIECE_LENGTHS];
    tt_combine_t combine;
    uint32_t serial = next_serial(level);
    uint32_t length = (serial >> 4) % PIECE_LENGTHS;
    fill(bytes, 3u * length, serial, 0, 256u);
    load_count(level, LOAD_CLASS_BYTES, records_of(4u + 3u * length));
    tt_combine_begin(&combine, LOAD_CLASS_BYTES, (uint32_t)level);
    tt_combine_add(&combine, &serial, 4);
    const uint8_t *piece = bytes;
    tt_combine_add(&combine, piece, length);
    between();
    piece += length;
    tt_combine_add(&combine, piece, length);
    between();
    piece += length;
    tt_combine_add(&combine, piece, length);
    tt_combine_end(&combine);
}
