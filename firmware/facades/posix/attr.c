/* Attributes: a structure with getters and setters. */
#include <errno.h>
#include <string.h>

#include "posix_stream.h"
#include "posix_time.h"

#define VALID 0x41545452u /* value of `valid` in an initialised object */

#define GENERATION_VERSION "tickertape 1"

#define DEFAULT_DATA_BYTES 256u
#define DEFAULT_LOG_BYTES  ((size_t)1024 * 1024)

/* Capacity of a stream with default attributes. */
#ifndef TT_POSIX_STREAM_BYTES
#define TT_POSIX_STREAM_BYTES posix_stream_size_max()
#endif

_Static_assert(sizeof GENERATION_VERSION <= TRACE_NAME_MAX, "TRACE_NAME_MAX");

bool posix_attr_is_valid(const trace_attr_t *attr)
{
    return attr != NULL && attr->valid == VALID;
}

/* One buffer does not count, because a reader may have it. */
size_t posix_stream_size_max(void)
{
    return (size_t)(TT_CONFIG_BUFFERS - 1u) * TT_CONFIG_BUFFER_RECORDS * sizeof(tt_record_t);
}

int posix_trace_attr_init(trace_attr_t *attr)
{
    if (attr == NULL) {
        return EINVAL;
    }
    *attr = (trace_attr_t){
        .valid = VALID,
        .stream_full_policy = POSIX_TRACE_LOOP,
        .log_full_policy = POSIX_TRACE_LOOP,
        .inheritance = POSIX_TRACE_CLOSE_FOR_CHILD,
        .stream_min_size = TT_POSIX_STREAM_BYTES,
        .max_data_size = DEFAULT_DATA_BYTES,
        .log_max_size = DEFAULT_LOG_BYTES,
        .clock_resolution = posix_time_of_ticks(1, tt_clock_hz()),
        .generation_version = GENERATION_VERSION,
    };
    return 0;
}

int posix_trace_attr_destroy(trace_attr_t *attr)
{
    if (!posix_attr_is_valid(attr)) {
        return EINVAL;
    }
    attr->valid = 0;
    return 0;
}

/* GETTER(name, declaration, parameter, field): posix_trace_attr_get<name>() copies a field. */
#define GETTER(attribute, declaration, parameter, field)                                           \
    int posix_trace_attr_get##attribute(const trace_attr_t *attr, declaration)                     \
    {                                                                                              \
        if (!posix_attr_is_valid(attr) || (parameter) == NULL) {                                   \
            return EINVAL;                                                                         \
        }                                                                                          \
        memcpy(parameter, &attr->field, sizeof attr->field);                                       \
        return 0;                                                                                  \
    }

/* SETTER(name, declaration, parameter, field, allowed): posix_trace_attr_set<name>() stores the
 * parameter in a field when the expression `allowed` is true. */
#define SETTER(attribute, declaration, parameter, field, allowed)                                  \
    int posix_trace_attr_set##attribute(trace_attr_t *attr, declaration)                           \
    {                                                                                              \
        if (!posix_attr_is_valid(attr) || !(allowed)) {                                            \
            return EINVAL;                                                                         \
        }                                                                                          \
        attr->field = (parameter);                                                                 \
        return 0;                                                                                  \
    }

/* clang-format off */
GETTER(genversion, char *genversion, genversion, generation_version)
GETTER(name, char *tracename, tracename, name)
GETTER(createtime, struct timespec *createtime, createtime, creation_time)
GETTER(clockres, struct timespec *resolution, resolution, clock_resolution)
GETTER(inherited, int *inheritancepolicy, inheritancepolicy, inheritance)
GETTER(logfullpolicy, int *logpolicy, logpolicy, log_full_policy)
GETTER(streamfullpolicy, int *streampolicy, streampolicy, stream_full_policy)
GETTER(logsize, size_t *logsize, logsize, log_max_size)
GETTER(streamsize, size_t *streamsize, streamsize, stream_min_size)
GETTER(maxdatasize, size_t *maxdatasize, maxdatasize, max_data_size)

SETTER(inherited, int inheritancepolicy, inheritancepolicy, inheritance,
       inheritancepolicy == POSIX_TRACE_CLOSE_FOR_CHILD ||
           inheritancepolicy == POSIX_TRACE_INHERITED)
SETTER(logfullpolicy, int logpolicy, logpolicy, log_full_policy,
       logpolicy == POSIX_TRACE_LOOP || logpolicy == POSIX_TRACE_UNTIL_FULL ||
           logpolicy == POSIX_TRACE_APPEND)
SETTER(logsize, size_t logsize, logsize, log_max_size, true)
SETTER(streamsize, size_t streamsize, streamsize, stream_min_size, true)
SETTER(maxdatasize, size_t maxdatasize, maxdatasize, max_data_size, true)
/* clang-format on */

int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int streampolicy)
{
    if (!posix_attr_is_valid(attr) ||
        (streampolicy != POSIX_TRACE_LOOP && streampolicy != POSIX_TRACE_UNTIL_FULL &&
         streampolicy != POSIX_TRACE_FLUSH)) {
        return EINVAL;
    }
    attr->stream_full_policy = streampolicy;
    attr->stream_full_policy_set = true;
    return 0;
}

int posix_trace_attr_setname(trace_attr_t *attr, const char *tracename)
{
    if (!posix_attr_is_valid(attr) || tracename == NULL) {
        return EINVAL;
    }
    memset(attr->name, 0, sizeof attr->name);
    for (size_t i = 0; i < TRACE_NAME_MAX - 1u && tracename[i] != '\0'; i++) {
        attr->name[i] = tracename[i];
    }
    return 0;
}

/* POSIX_TRACE_FILTER is the largest: two words and two sets in BEGIN, CONTINUE, CONTINUE, END. */
int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *restrict attr,
                                           size_t *restrict eventsize)
{
    if (!posix_attr_is_valid(attr) || eventsize == NULL) {
        return EINVAL;
    }
    *eventsize = 4u * sizeof(tt_record_t);
    return 0;
}

/* Origin and data in pairs of words; END takes up to four bytes more (protocol/SPEC.md). */
int posix_trace_attr_getmaxusereventsize(const trace_attr_t *restrict attr, size_t data_len,
                                         size_t *restrict eventsize)
{
    if (!posix_attr_is_valid(attr) || eventsize == NULL) {
        return EINVAL;
    }
    posix_port_origin_t origin;
    posix_port_origin(NULL, &origin);
    size_t bytes = data_len < attr->max_data_size ? data_len : attr->max_data_size;
    bytes += origin.word_count * sizeof origin.words[0];
    *eventsize = (bytes / 8u + (bytes % 8u > 4u) + 1u) * sizeof(tt_record_t);
    return 0;
}
