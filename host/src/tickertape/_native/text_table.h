/*
 * What the text writer knows: how each event type is shown, and which names go with which numbers.
 *
 * Python fills it, one miss at a time, so all questions of names are answered in one place.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TABLE_H
#define TICKERTAPE_NATIVE_TEXT_TABLE_H

#include <stdbool.h>

#include "interface.h"

#define TT_TEXT_CODES 32768u /* class << 10 | event */

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
