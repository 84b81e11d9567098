/* Convert events to lines of text. The reference is printing/text.py. */
#include "interface.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text_parts.h"
#include "text_table.h"
#include "text_tail.h"

#define NS_PER_S       1000000000u
#define CODE_MASK      0x7fffu
#define CPU_SHIFT      24u
#define CPU_MASK       0x3fu
#define TRUNCATED_BITS 0x00800000u
#define HOST_BITS      0x00400000u
#define DOMAIN_SHIFT   16u
#define DOMAIN_MASK    0x3fu
#define TASK_BYTES     12u /* width of the column */
#define SECOND_DIGITS  5u  /* width of the column */

/* A line without payload is shorter: time, head and four names of the greatest length. */
#define LINE_BYTES       1024u
/* Texts are copied in blocks of this size; only the first bytes may be valid. */
#define NAME_COPY_BYTES  16u
#define LABEL_COPY_BYTES 16u
#define HEAD_COPY_BYTES  48u

#define SAID_NAMES 64u /* a power of two */
#define SAID_BYTES 24u

#define DIM   "\x1b[2m"
#define CYAN  "\x1b[36m"
#define RESET "\x1b[0m"

/* Name from an event, to detect a repetition quickly. */
typedef struct said_name {
    uint32_t tid;
    uint32_t bytes; /* 0: none */
    char name[SAID_BYTES];
} said_name_t;

/* State for the conversion of times. */
typedef struct clock_text {
    bool colour;
    uint32_t tick_ns; /* nanoseconds per tick if that is a whole number, else 0 */
    uint64_t tick_hz;
    uint64_t begin_ticks; /* begin of the second of the last time */
    uint32_t second_bytes;
    char second_text[32]; /* that second, with the text before it */
} clock_text_t;

struct tt_text {
    tt_text_table_t table;
    tt_text_tails_t tails;
    said_name_t said[SAID_NAMES];
    clock_text_t clock;
    char four_digits[4u * 10000u]; /* digits of each number below 10000 */
};

/* State of the line being written. */
typedef struct line {
    tt_text_t *text;
    tt_text_job_t *job;
    uint64_t row;
    char *at;
    int problem; /* TT_TEXT_DONE: no problem */
} line_t;

/* Set the text of the second that contains `ticks`. */
static void enter_second(clock_text_t *clock, uint64_t ticks)
{
    uint64_t second = ticks / clock->tick_hz;
    clock->begin_ticks = second * clock->tick_hz;
    char digits[20];
    char *end = put_decimal(digits, second);
    char *at = clock->second_text;
    if (clock->colour) {
        at = PUT_LITERAL(at, DIM);
    }
    for (size_t count = (size_t)(end - digits); count < SECOND_DIGITS; count++) {
        *at++ = ' ';
    }
    at = put_bytes(at, digits, (size_t)(end - digits));
    *at++ = '.';
    clock->second_bytes = (uint32_t)(at - clock->second_text);
}

/* Put a time; `digits`: tt_text.four_digits. */
static inline char *put_time(clock_text_t *clock, const char *digits, char *at, uint64_t ticks)
{
    if (ticks - clock->begin_ticks >= clock->tick_hz) {
        clock_text_t now = *clock; /* a copy: no other pointer may alias it */
        enter_second(&now, ticks);
        *clock = now;
    }
    memcpy(at, clock->second_text, sizeof clock->second_text);
    at += clock->second_bytes;
    uint64_t part = ticks - clock->begin_ticks;
    uint32_t ns = clock->tick_ns != 0u
                      ? (uint32_t)part * clock->tick_ns
                      : (uint32_t)(part * NS_PER_S / clock->tick_hz); /* part < tick_hz < 2^32 */
    uint32_t high = ns / 10000u;                                      /* the first five digits */
    *at = (char)('0' + high / 10000u);
    memcpy(at + 1, digits + 4u * (high % 10000u), 4);
    memcpy(at + 5, digits + 4u * (ns % 10000u), 4);
    at += 9;
    return clock->colour ? PUT_LITERAL(at, RESET) : at;
}

static inline void put_name(line_t *line, uint32_t kind, int64_t number)
{
    uint64_t key = tt_text_key(kind, number);
    const tt_text_name_t *name = tt_text_table_find(&line->text->table, key);
    if (name == NULL) {
        line->job->missing = key;
        line->problem = TT_TEXT_NO_NAME;
        return;
    }
    if (name->bytes == 0u) {
        line->problem = TT_TEXT_BY_PYTHON;
        return;
    }
    line->at = put_short(line->at, name->text, name->bytes, NAME_COPY_BYTES);
}

static inline void put_field(line_t *line, const tt_text_field_t *field)
{
    const tt_columns_t *columns = &line->job->columns;
    uint32_t word = (field->word == 0u ? columns->data0 : columns->data1)[line->row];
    line->at = put_short(line->at, field->label, field->label_bytes, LABEL_COPY_BYTES);
    switch (field->kind) {
    case TT_WORD_DECIMAL:
        line->at = put_decimal(line->at, word);
        break;
    case TT_WORD_SIGNED:
        if (word >> 31 != 0u) {
            *line->at++ = '-';
            word = 0u - word;
        }
        line->at = put_decimal(line->at, word);
        break;
    case TT_WORD_HEX:
        line->at = put_hex(line->at, word);
        break;
    default:
        put_name(line, field->kind, word);
    }
}

static char *put_flags(char *at, const char *details, uint32_t header)
{
    uint32_t domain = header >> DOMAIN_SHIFT & DOMAIN_MASK;
    if (domain != 0u) {
        at = at == details ? at : PUT_LITERAL(at, " ");
        at = PUT_LITERAL(at, "domain=");
        at = put_decimal(at, domain);
    }
    if ((header & HOST_BITS) != 0u) {
        at = at == details ? at : PUT_LITERAL(at, " ");
        at = PUT_LITERAL(at, "(from the host)");
    }
    if ((header & TRUNCATED_BITS) != 0u) {
        at = at == details ? at : PUT_LITERAL(at, " ");
        at = PUT_LITERAL(at, "(truncated by the recorder)");
    }
    return at;
}

static const uint8_t *payload_of(const line_t *line)
{
    const tt_columns_t *columns = &line->job->columns;
    return (const uint8_t *)columns->payload + columns->payload_offset[line->row];
}

static void put_details(line_t *line, const tt_text_type_t *type)
{
    const tt_columns_t *columns = &line->job->columns;
    char *details = line->at;
    uint32_t header = columns->header[line->row];
    uint32_t bytes = columns->payload_bytes[line->row];
    bool simple = columns->payload_offset[line->row] < 0;
    if (simple || type->string != 0u) {
        for (uint32_t i = 0; i < type->field_count; i++) {
            put_field(line, &type->fields[i]);
        }
    }
    if (!simple) {
        uint32_t skipped = type->string != 0u ? type->words * WORD_BYTES : 0u;
        line->at = line->at == details ? line->at : PUT_LITERAL(line->at, " ");
        line->at = type->string != 0u
                       ? put_quoted(line->at, payload_of(line) + skipped, bytes - skipped)
                       : put_bytes_in_hex(line->at, payload_of(line), bytes);
    }
    if ((header & (DOMAIN_MASK << DOMAIN_SHIFT | HOST_BITS | TRUNCATED_BITS)) != 0u) {
        line->at = put_flags(line->at, details, header);
    }
}

/* Put the number of a thread like thread_id() of model/codes.py: an address in hexadecimal. */
static char *put_thread(char *at, uint32_t tid)
{
    if (tid < 1u << 16) {
        return put_decimal(at, tid);
    }
    at = PUT_LITERAL(at, "0x");
    for (int shift = 28; shift >= 0; shift -= 4) {
        *at++ = hex_digits[tid >> shift & 15u];
    }
    return at;
}

/* Store the name that an event gives to a thread; false without memory. */
static bool learn(line_t *line, const uint8_t *name, uint32_t bytes)
{
    tt_text_t *text = line->text;
    uint32_t tid = line->job->columns.data1[line->row];
    said_name_t *said = &text->said[tid & (SAID_NAMES - 1u)];
    if (said->tid == tid && said->bytes == bytes && memcmp(said->name, name, bytes) == 0) {
        return true;
    }
    char shown[TT_TEXT_NAME_BYTES];
    char *at = put_thread(shown, tid);
    if (bytes != (uint32_t)(at - shown) || memcmp(shown, name, bytes) != 0) {
        *at++ = ':'; /* a thread without a name has only its number */
        at = put_bytes(at, (const char *)name, bytes);
    }
    uint64_t key = tt_text_key(TT_WORD_THREAD, tid);
    uint32_t count = (uint32_t)(at - shown);
    const tt_text_name_t *known = tt_text_table_find(&text->table, key);
    said->bytes = 0;
    if (bytes <= SAID_BYTES) {
        said->tid = tid;
        said->bytes = bytes;
        memcpy(said->name, name, bytes);
    }
    if (known != NULL && known->bytes == count && memcmp(known->text, shown, count) == 0) {
        return true;
    }
    tt_text_tails_forget(&text->tails);
    line->job->learned = 1;
    if (!tt_text_table_set(&text->table, key, shown, count)) {
        return false;
    }
    at = text->clock.colour ? PUT_LITERAL(shown, CYAN) : shown;
    at = put_bytes(at, (const char *)name, bytes);
    for (; bytes < TASK_BYTES; bytes++) {
        *at++ = ' ';
    }
    at = text->clock.colour ? PUT_LITERAL(at, RESET) : at;
    key = tt_text_key(TT_WORD_TASK, tid);
    return tt_text_table_set(&text->table, key, shown, (uint32_t)(at - shown));
}

/* Longest name that is stored here: it still fits with number or colours. */
#define LEARNED_BYTES (TT_TEXT_NAME_BYTES - 16u)

/* Check whether this writer can write the row; store the thread name in it, if any. */
static int prepare(line_t *line, const tt_text_type_t *type)
{
    const tt_columns_t *columns = &line->job->columns;
    bool simple = columns->payload_offset[line->row] < 0;
    if (type->by_python == 1u || (type->by_python != 0u && !simple)) {
        return TT_TEXT_BY_PYTHON;
    }
    uint32_t words_bytes = type->words * WORD_BYTES;
    if (simple || type->string == 0u) {
        return TT_TEXT_DONE;
    }
    uint32_t bytes = columns->payload_bytes[line->row];
    if (bytes < words_bytes) {
        return TT_TEXT_BY_PYTHON;
    }
    const uint8_t *name = payload_of(line) + words_bytes;
    bytes -= words_bytes;
    if (kind_of_text(name, bytes) == NOT_PLAIN) {
        return TT_TEXT_BY_PYTHON;
    }
    if (type->says_name == 0u || bytes == 0u) {
        return TT_TEXT_DONE;
    }
    if (bytes > LEARNED_BYTES) {
        return TT_TEXT_BY_PYTHON;
    }
    return learn(line, name, bytes) ? TT_TEXT_DONE : TT_TEXT_NO_MEMORY;
}

/* Cache the part of a line after the time. */
static void keep_tail(line_t *line, const char *tail)
{
    const tt_text_job_t *job = line->job;
    const tt_columns_t *columns = &job->columns;
    uint64_t row = line->row;
    uint64_t where = tt_text_where(columns->header[row], job->running[row]);
    uint64_t words = (uint64_t)columns->data1[row] << 32 | columns->data0[row];
    tt_text_tails_t *tails = &line->text->tails;
    bool simple = columns->payload_offset[row] < 0;
    tt_text_tail_keep(tails, tt_text_tail_at(tails, where, words), where, words,
                      simple ? NULL : payload_of(line), simple ? 0u : columns->payload_bytes[row],
                      tail, (uint64_t)(line->at - tail));
}

/* Write one line; return TT_TEXT_DONE or the reason for stopping. */
static inline int put_line(line_t *line, const tt_text_type_t *type)
{
    const tt_columns_t *columns = &line->job->columns;
    char *begin = line->at;
    line->problem = TT_TEXT_DONE;
    line->at =
        put_time(&line->text->clock, line->text->four_digits, line->at, columns->time[line->row]);
    const char *tail = line->at;
    line->at = PUT_LITERAL(line->at, "  ");
    line->at = put_decimal(line->at, columns->header[line->row] >> CPU_SHIFT & CPU_MASK);
    line->at = PUT_LITERAL(line->at, "  ");
    put_name(line, TT_WORD_TASK, line->job->running[line->row]);
    line->at = PUT_LITERAL(line->at, "  ");
    line->at = put_short(line->at, type->head, type->head_bytes, HEAD_COPY_BYTES);
    put_details(line, type);
    if (line->problem != TT_TEXT_DONE) {
        line->at = begin;
        return line->problem;
    }
    while (is_blank(line->at[-1])) {
        line->at--;
    }
    *line->at++ = '\n';
    keep_tail(line, tail);
    return TT_TEXT_DONE;
}

/* Write lines whose tails are cached, up to the first line without one. Values read for every line
 * are copied first, because character stores may alias any reachable object. */
static void put_again(line_t *line, const char *end)
{
    const tt_columns_t columns = line->job->columns;
    const int64_t *running = line->job->running;
    const uint64_t end_row = line->job->end_row;
    tt_text_t *text = line->text;
    tt_text_tails_t *tails = &text->tails;
    clock_text_t clock = text->clock;
    uint64_t row = line->row;
    char *at = line->at;
    for (; row < end_row && (uint64_t)(end - at) >= LINE_BYTES; row++) {
        uint64_t where = tt_text_where(columns.header[row], running[row]);
        uint64_t words = (uint64_t)columns.data1[row] << 32 | columns.data0[row];
        const tt_text_tail_t *tail = tt_text_tail_at(tails, where, words);
        if (!tt_text_tail_is(tails, tail, where, words)) {
            break;
        }
        int64_t offset = columns.payload_offset[row];
        bool same = offset < 0 ? tail->payload_bytes == 0u
                               : tt_text_tail_has(tail, (const uint8_t *)columns.payload + offset,
                                                  columns.payload_bytes[row]);
        if (!same) {
            break;
        }
        at = put_time(&clock, text->four_digits, at, columns.time[row]);
        at = tt_text_tail_put(tail, at);
    }
    text->clock = clock;
    line->row = row;
    line->at = at;
}

static int put_row(line_t *line, const char *end)
{
    const tt_text_job_t *job = line->job;
    tt_text_table_t *table = &line->text->table;
    uint32_t code = job->columns.header[line->row] & CODE_MASK;
    uint32_t number = table->type_of[code];
    if (number == 0u) {
        line->job->missing = code;
        return TT_TEXT_NO_TYPE;
    }
    /* A byte of payload needs at most 9/4 bytes in hex, or 2 bytes quoted. */
    uint64_t needed = LINE_BYTES + 3u * (uint64_t)job->columns.payload_bytes[line->row];
    if ((uint64_t)(end - line->at) < needed) {
        return job->out == line->at ? TT_TEXT_BY_PYTHON : TT_TEXT_FULL;
    }
    const tt_text_type_t *type = &table->types[number - 1u];
    int problem = prepare(line, type);
    if (problem != TT_TEXT_DONE || (job->skip != NULL && job->skip[line->row] != 0u)) {
        return problem;
    }
    return put_line(line, type);
}

int tt_text_write(tt_text_t *text, tt_text_job_t *job)
{
    line_t line = {.text = text, .job = job, .row = job->row, .at = job->out};
    int problem = TT_TEXT_DONE;
    while (line.row < job->end_row && problem == TT_TEXT_DONE) {
        if (job->skip == NULL) {
            put_again(&line, job->out + job->room);
        }
        if (line.row < job->end_row) {
            problem = put_row(&line, job->out + job->room);
            line.row += problem == TT_TEXT_DONE;
        }
    }
    job->row = line.row;
    job->written = (uint64_t)(line.at - job->out);
    return problem;
}

tt_text_t *tt_text_new(uint32_t colour)
{
    tt_text_t *text = calloc(1, sizeof *text);
    if (text != NULL) {
        text->clock.colour = colour != 0u;
        for (uint32_t i = 0; i < 10000u; i++) {
            memcpy(text->four_digits + 4u * i, digit_pairs + 2u * (i / 100u), 2);
            memcpy(text->four_digits + 4u * i + 2u, digit_pairs + 2u * (i % 100u), 2);
        }
        tt_text_begin(text, 1);
    }
    return text;
}

void tt_text_free(tt_text_t *text)
{
    if (text != NULL) {
        tt_text_table_free(&text->table);
        free(text);
    }
}

void tt_text_begin(tt_text_t *text, uint64_t tick_hz)
{
    tt_text_forget(text);
    clock_text_t *clock = &text->clock;
    clock->tick_hz = tick_hz == 0u ? 1u : tick_hz;
    clock->tick_ns = NS_PER_S % clock->tick_hz == 0u ? (uint32_t)(NS_PER_S / clock->tick_hz) : 0u;
    enter_second(clock, 0);
}

void tt_text_forget(tt_text_t *text)
{
    tt_text_table_forget(&text->table);
    tt_text_tails_forget(&text->tails);
    memset(text->said, 0, sizeof text->said);
}

int tt_text_set_type(tt_text_t *text, const tt_text_type_t *type)
{
    return tt_text_table_set_type(&text->table, type) ? 0 : -1;
}

int tt_text_set_name(tt_text_t *text, uint64_t key, const char *name, uint32_t bytes)
{
    return tt_text_table_set(&text->table, key, name, bytes) ? 0 : -1;
}
