/* An array that grows. */
#ifndef TICKERTAPE_NATIVE_ITEMS_H
#define TICKERTAPE_NATIVE_ITEMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tt_items {
    void *items;
    uint64_t count;
    uint64_t room;
} tt_items_t;

/* Add an item of zeros and return it; NULL, and TT_LIVES_NO_MEMORY in *status, without memory. */
void *tt_items_add(tt_items_t *items, size_t item_bytes, int *status);

/* Remove an item; the order of the others stays. */
void tt_items_remove(tt_items_t *items, size_t item_bytes, uint64_t at);

#endif
