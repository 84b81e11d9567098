/* Sample of one figure in bounded memory. The reference is `Sample` in answers/sample.py. */
#ifndef TICKERTAPE_NATIVE_SAMPLES_H
#define TICKERTAPE_NATIVE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "interface.h"

#define TT_NO_INSTANCE (-1)

/* Add a value and its instance; false without memory. All zeros is an empty sample. */
bool tt_sample_add(tt_sample_t *sample, int64_t value, int64_t instance);

/* Add the values of another sample, and clear that one; false without memory. */
bool tt_sample_merge(tt_sample_t *sample, tt_sample_t *other);

/* Free the memory of a sample; it is empty afterwards. */
void tt_sample_clear(tt_sample_t *sample);

#endif
