/* Copy rows of tt_columns_t, and manage its memory. */
#ifndef TICKERTAPE_NATIVE_COLUMNS_H
#define TICKERTAPE_NATIVE_COLUMNS_H

#include <stdbool.h>

#include "interface.h"

/* Copy one row without its payload. */
static inline void tt_columns_copy_row(const tt_columns_t *to, uint64_t at,
                                       const tt_columns_t *from, uint64_t row)
{
    to->header[at] = from->header[row];
    to->time[at] = from->time[row];
    to->data0[at] = from->data0[row];
    to->data1[at] = from->data1[row];
    to->ordinal[at] = from->ordinal[row];
    to->payload_offset[at] = from->payload_offset[row];
    to->payload_bytes[at] = from->payload_bytes[row];
}

/* Replace the columns by new ones with room for `rows` and `pairs`; false, and no columns, without
 * memory. */
bool tt_columns_allocate(tt_columns_t *columns, uint64_t rows, uint64_t pairs);

/* Free the memory of tt_columns_allocate(). All zeros is allowed. */
void tt_columns_free(tt_columns_t *columns);

#endif
