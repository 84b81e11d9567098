#include "text_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM  256u
/* The number of names of addresses is unlimited; at this size the table is cleared. */
#define MOST_NAMES  65536u
/* Fibonacci hashing: 2^64 divided by the golden ratio. */
#define HASH_FACTOR 0x9e3779b97f4a7c15u

/* Return the place of a key, or the free place for it. */
static tt_text_name_t *place_of(tt_text_name_t *names, uint64_t room, uint64_t key)
{
    uint64_t at = (key * HASH_FACTOR >> 32) & (room - 1u);
    while (names[at].key != 0u && names[at].key != key) {
        at = (at + 1u) & (room - 1u);
    }
    return &names[at];
}

const tt_text_name_t *tt_text_table_find(const tt_text_table_t *table, uint64_t key)
{
    if (table->name_room == 0u) {
        return NULL;
    }
    const tt_text_name_t *name = place_of(table->names, table->name_room, key);
    return name->key == key ? name : NULL;
}

static bool grow_names(tt_text_table_t *table)
{
    uint64_t room = table->name_room == 0u ? FIRST_ROOM : 2u * table->name_room;
    tt_text_name_t *names = calloc(room, sizeof *names);
    if (names == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < table->name_room; i++) {
        if (table->names[i].key != 0u) {
            *place_of(names, room, table->names[i].key) = table->names[i];
        }
    }
    free(table->names);
    table->names = names;
    table->name_room = room;
    return true;
}

bool tt_text_table_set(tt_text_table_t *table, uint64_t key, const char *text, uint32_t bytes)
{
    if (table->name_count >= MOST_NAMES) {
        tt_text_table_forget(table);
    }
    if (2u * table->name_count >= table->name_room && !grow_names(table)) {
        return false;
    }
    tt_text_name_t *name = place_of(table->names, table->name_room, key);
    table->name_count += name->key == 0u;
    name->key = key;
    name->bytes = (uint8_t)bytes;
    memcpy(name->text, text, bytes);
    return true;
}

bool tt_text_table_set_type(tt_text_table_t *table, const tt_text_type_t *type)
{
    if (table->type_count == table->type_room) {
        uint64_t room = table->type_room == 0u ? FIRST_ROOM : 2u * table->type_room;
        tt_text_type_t *types = realloc(table->types, room * sizeof *types);
        if (types == NULL) {
            return false;
        }
        table->types = types;
        table->type_room = room;
    }
    table->types[table->type_count++] = *type;
    table->type_of[type->code] = (uint16_t)table->type_count;
    return true;
}

void tt_text_table_forget(tt_text_table_t *table)
{
    if (table->name_count != 0u) {
        memset(table->names, 0, table->name_room * sizeof *table->names);
    }
    table->name_count = 0;
}

void tt_text_table_free(tt_text_table_t *table)
{
    free(table->types);
    free(table->names);
    memset(table, 0, sizeof *table);
}
