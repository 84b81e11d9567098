/*
 * Tables of the text writer: the format of each event type, and names by number. Python adds an
 * entry whenever one is missing, so that only Python decides about names.
 */
#ifndef TICKERTAPE_NATIVE_TEXT_TABLE_H
#define TICKERTAPE_NATIVE_TEXT_TABLE_H

#include <stdbool.h>

#include "interface.h"

#define TT_TEXT_CODES 32768u /* class << 10 | event */

/* A name as printed. With 0 bytes, Python must write the line. */
typedef struct tt_text_name {
    uint64_t key; /* result of tt_text_key(); 0: free */
    uint8_t bytes;
    char text[TT_TEXT_NAME_BYTES];
} tt_text_name_t;

typedef struct tt_text_table {
    tt_text_type_t *types;
    uint64_t type_count;
    uint64_t type_room;
    uint16_t type_of[TT_TEXT_CODES]; /* index in `types` + 1; 0: unknown */
    tt_text_name_t *names;           /* open addressing */
    uint64_t name_count;
    uint64_t name_room; /* a power of two, or 0 */
} tt_text_table_t;

/* Return the key of a name; `number` is a word of an event, or -1 for an unknown thread. */
static inline uint64_t tt_text_key(uint32_t kind, int64_t number)
{
    return (uint64_t)kind << 40 | ((uint64_t)number & 0x1ffffffffu);
}

/* Return the name with a key; NULL if it is not in the table. */
const tt_text_name_t *tt_text_table_find(const tt_text_table_t *table, uint64_t key);

/* Set a name of at most TT_TEXT_NAME_BYTES; false without memory. */
bool tt_text_table_set(tt_text_table_t *table, uint64_t key, const char *text, uint32_t bytes);

/* Set the format of an event type; false without memory. */
bool tt_text_table_set_type(tt_text_table_t *table, const tt_text_type_t *type);

/* Remove all names; keep the types. */
void tt_text_table_forget(tt_text_table_t *table);

/* Free the memory of the table; it is empty afterwards. */
void tt_text_table_free(tt_text_table_t *table);

#endif
