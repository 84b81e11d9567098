/*
 * Events as lines of text: what tickertape/printing/text.py writes, byte for byte.
 *
 * The writer goes on until something is missing that Python has to say, then again from there.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_H
#define TICKERTAPE_NATIVE_TEXT_H

#include <stdint.h>

#include "columns.h"
#include "text_table.h"

typedef struct tt_text tt_text_t;

/* Why tt_text_write() came back. */
enum {
    TT_TEXT_DONE,      /* all rows are written */
    TT_TEXT_FULL,      /* there is no room for the next line */
    TT_TEXT_NO_TYPE,   /* tt_text_set_type() for code `missing`, then again */
    TT_TEXT_NO_NAME,   /* tt_text_set_name() for key `missing`, then again */
    TT_TEXT_BY_PYTHON, /* row `row` has to be written by Python; go on behind it */
    TT_TEXT_NO_MEMORY
};

/* One call. */
typedef struct tt_text_job {
    tt_columns_t columns;
    const int64_t *running; /* thread that ran at each row, -1 for unknown */
    const uint8_t *skip;    /* 1: take names from the row, but do not print it; may be NULL */
    char *out;
    uint64_t room;    /* bytes in `out` */
    uint64_t row;     /* in: first row; out: the row at which it came back */
    uint64_t end_row; /* behind the last row */
    uint64_t written; /* out: bytes in `out` */
    uint64_t missing; /* out: see above */
    uint64_t learned; /* out: set to 1 when an event said a name that was not known */
} tt_text_job_t;

/* A new writer, which the caller frees; NULL without memory. With colours for a terminal or not. */
tt_text_t *tt_text_new(uint32_t colour);
void tt_text_free(tt_text_t *text);

/* Begin a boot whose clock has this rate; names are forgotten. */
void tt_text_begin(tt_text_t *text, uint64_t tick_hz);

/* Forget all names. */
void tt_text_forget(tt_text_t *text);

/* Tell how a type or a name is shown; 0, or -1 without memory. */
int tt_text_set_type(tt_text_t *text, const tt_text_type_t *type);
int tt_text_set_name(tt_text_t *text, uint64_t key, const char *name, uint32_t bytes);

/* Write lines, each with its line end. */
int tt_text_write(tt_text_t *text, tt_text_job_t *job);

#endif
