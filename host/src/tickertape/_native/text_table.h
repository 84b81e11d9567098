/*
 * What the text writer knows: how each event type is shown, and which names go with which numbers.
 *
 * Python fills it, one miss at a time, so all questions of names are answered in one place.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TABLE_H
#define TICKERTAPE_NATIVE_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define TT_TEXT_CODES      32768u /* class << 10 | event */
#define TT_TEXT_FIELDS     2u
#define TT_TEXT_HEAD_BYTES 118u
#define TT_TEXT_NAME_BYTES 119u

/* How a word is shown; from TT_WORD_NAMES on by a name, which is looked up. */
enum {
    TT_WORD_DECIMAL,
    TT_WORD_SIGNED,
    TT_WORD_HEX,
    TT_WORD_NAMES
};

/* Kinds of names. TASK is the column of the thread that runs; the others are values of fields. */
enum {
    TT_NAME_TASK = TT_WORD_NAMES,
    TT_NAME_THREAD,
    TT_NAME_IRQ,
    TT_NAME_OBJECT,
    TT_NAME_ADDRESS
};

typedef struct tt_text_field {
    uint8_t word; /* 0 or 1 */
    uint8_t kind; /* TT_WORD_..., TT_NAME_... */
    uint8_t label_bytes;
    char label[61]; /* "name=", after a blank when it is not the first */
} tt_text_field_t;

/* How events of one type are shown. */
typedef struct tt_text_type {
    uint32_t code;
    uint8_t by_python; /* 1: this writer cannot do it; 2: not with a payload */
    uint8_t string;    /* 1: text follows the words of its payload */
    uint8_t words;     /* in front of that text */
    uint8_t field_count;
    uint8_t says_name; /* 1: the text becomes the name of the thread in word 1 */
    uint8_t head_bytes;
    char head[TT_TEXT_HEAD_BYTES]; /* class and event, with the blanks behind */
    tt_text_field_t fields[TT_TEXT_FIELDS];
} tt_text_type_t;

/* A name as it is printed. No name, no bytes: this writer cannot show it. */
typedef struct tt_text_name {
    uint64_t key; /* of tt_text_key(), or 0 for a free place */
    uint8_t bytes;
    char text[TT_TEXT_NAME_BYTES];
} tt_text_name_t;

typedef struct tt_text_table {
    tt_text_type_t *types;
    uint64_t type_count;
    uint64_t type_room;
    uint16_t type_of[TT_TEXT_CODES]; /* number in `types` + 1, 0 for unknown */
    tt_text_name_t *names;           /* open addressing */
    uint64_t name_count;
    uint64_t name_room; /* a power of two, or 0 */
} tt_text_table_t;

/* Key of a name; `number` is a word of an event, or -1 for a thread that is not known. */
static inline uint64_t tt_text_key(uint32_t kind, int64_t number)
{
    return (uint64_t)kind << 40 | ((uint64_t)number & 0x1ffffffffu);
}

/* The name with this key; NULL when it is not in the table. */
const tt_text_name_t *tt_text_table_find(const tt_text_table_t *table, uint64_t key);

/* Set a name, at most TT_TEXT_NAME_BYTES long; false without memory. */
bool tt_text_table_set(tt_text_table_t *table, uint64_t key, const char *text, uint32_t bytes);

/* Set how a type is shown; false without memory. */
bool tt_text_table_set_type(tt_text_table_t *table, const tt_text_type_t *type);

/* Forget all names, but no types. */
void tt_text_table_forget(tt_text_table_t *table);

/* Free what the table holds. */
void tt_text_table_free(tt_text_table_t *table);

#endif
