/* Sample of one figure in bounded memory. The reference is `Sample` in answers/sample.py. */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

#define EXACT           65536u
#define FIRST_ROOM      64u
#define RESOLUTION_BITS 10u
#define BUCKET_STEP     1024u /* number of buckets per power of two */
#define ONE_EACH        2048u /* smaller values have one bucket each */
#define MANTISSA_BITS   52u
#define EXPONENT_BIAS   1023u

/* Values below 2^11 have one bucket each; each later power of two has 2^10 buckets. The power is
 * that of the nearest `double`, as in the reference. */
static uint64_t bucket_of(int64_t value)
{
    uint64_t positive = value > 0 ? (uint64_t)value : 0u;
    if (positive < ONE_EACH) {
        return positive;
    }
    double nearest = (double)positive;
    uint64_t pattern = 0;
    memcpy(&pattern, &nearest, sizeof pattern);
    uint64_t shift = (pattern >> MANTISSA_BITS) - EXPONENT_BIAS - RESOLUTION_BITS;
    return (shift << RESOLUTION_BITS) + (positive >> shift);
}

static int64_t *grown(int64_t *items, uint64_t count)
{
    return realloc(items, (size_t)count * sizeof *items);
}

static bool count_bucket(tt_sample_t *sample, uint64_t bucket, int64_t times)
{
    if (bucket >= sample->room || sample->counts == NULL) {
        uint64_t known = sample->counts == NULL ? 0u : sample->room;
        uint64_t room = bucket + BUCKET_STEP;
        int64_t *counts = grown(sample->counts, room);
        if (counts == NULL) {
            return false;
        }
        memset(counts + known, 0, (size_t)(room - known) * sizeof *counts);
        sample->counts = counts;
        sample->room = room;
    }
    sample->counts[bucket] += times;
    return true;
}

static bool count_value(tt_sample_t *sample, int64_t value)
{
    return count_bucket(sample, bucket_of(value), 1);
}

/* Store a value exactly, at index `count`; false without memory. */
static bool keep_value(tt_sample_t *sample, int64_t value, uint64_t count)
{
    if (count == sample->room) {
        uint64_t room = count == 0u ? FIRST_ROOM : 2u * count;
        int64_t *values = grown(sample->values, room);
        if (values == NULL) {
            return false;
        }
        sample->values = values;
        sample->room = room;
    }
    sample->values[count] = value;
    return true;
}

/* Move all values to buckets, and use buckets from now on; false without memory. */
static bool begin_buckets(tt_sample_t *sample, uint64_t count)
{
    int64_t *values = sample->values;
    bool done = true;
    sample->values = NULL;
    for (uint64_t i = 0; i < count && done; i++) {
        done = count_value(sample, values[i]);
    }
    free(values);
    return done;
}

/* Store a value in addition to `count` others; false without memory. */
static bool store(tt_sample_t *sample, int64_t value, uint64_t count)
{
    if (count < EXACT) {
        return keep_value(sample, value, count);
    }
    return (count != EXACT || begin_buckets(sample, EXACT)) && count_value(sample, value);
}

bool tt_sample_add(tt_sample_t *sample, int64_t value, int64_t instance)
{
    uint64_t count = sample->count++;
    if (count == 0u || value > sample->maximum) {
        sample->maximum = value;
        sample->worst = instance;
    }
    if (count == 0u || value < sample->minimum) {
        sample->minimum = value;
    }
    uint64_t low = sample->total_low + (uint64_t)value;
    sample->total_high += (low < sample->total_low ? 1 : 0) - (value < 0 ? 1 : 0);
    sample->total_low = low;
    return store(sample, value, count);
}

bool tt_sample_merge(tt_sample_t *sample, tt_sample_t *other)
{
    if (other->count == 0u) {
        return true;
    }
    uint64_t count = sample->count;
    if (count == 0u || other->maximum > sample->maximum) {
        sample->maximum = other->maximum;
        sample->worst = other->worst;
    }
    if (count == 0u || other->minimum < sample->minimum) {
        sample->minimum = other->minimum;
    }
    uint64_t low = sample->total_low + other->total_low;
    sample->total_high += other->total_high + (low < sample->total_low ? 1 : 0);
    sample->total_low = low;
    sample->count += other->count;
    bool done = true;
    if (other->counts == NULL) {
        for (uint64_t i = 0; i < other->count && done; i++) {
            done = store(sample, other->values[i], count + i);
        }
    } else {
        done = sample->counts != NULL || begin_buckets(sample, count);
        for (uint64_t i = 0; i < other->room && done; i++) {
            done = other->counts[i] == 0 || count_bucket(sample, i, other->counts[i]);
        }
    }
    tt_sample_clear(other);
    return done;
}

void tt_sample_clear(tt_sample_t *sample)
{
    free(sample->values);
    free(sample->counts);
    *sample = (tt_sample_t){0};
}
