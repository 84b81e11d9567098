#include "columns.h"

#include <stdlib.h>
#include <string.h>

void tt_columns_free(tt_columns_t *columns)
{
    free(columns->header);
    free(columns->time);
    free(columns->data0);
    free(columns->data1);
    free(columns->ordinal);
    free(columns->payload_offset);
    free(columns->payload_bytes);
    free(columns->payload);
    memset(columns, 0, sizeof *columns);
}

bool tt_columns_allocate(tt_columns_t *columns, uint64_t rows, uint64_t pairs)
{
    tt_columns_free(columns);
    /* One more, because malloc(0) may return NULL. */
    rows++;
    columns->header = malloc(rows * sizeof *columns->header);
    columns->time = malloc(rows * sizeof *columns->time);
    columns->data0 = malloc(rows * sizeof *columns->data0);
    columns->data1 = malloc(rows * sizeof *columns->data1);
    columns->ordinal = malloc(rows * sizeof *columns->ordinal);
    columns->payload_offset = malloc(rows * sizeof *columns->payload_offset);
    columns->payload_bytes = malloc(rows * sizeof *columns->payload_bytes);
    columns->payload = malloc((pairs + 1u) * sizeof *columns->payload);
    if (columns->header == NULL || columns->time == NULL || columns->data0 == NULL ||
        columns->data1 == NULL || columns->ordinal == NULL || columns->payload_offset == NULL ||
        columns->payload_bytes == NULL || columns->payload == NULL) {
        tt_columns_free(columns);
        return false;
    }
    return true;
}
