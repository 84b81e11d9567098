/* Attributes: a structure with getters and setters. */
#include <errno.h>
#include <string.h>

#include "posix_stream.h"

#define VALID 0x41545452u /* what an initialised object holds */

#define GENERATION_VERSION "tickertape 1"

#define DEFAULT_DATA_BYTES 256u
#define DEFAULT_LOG_BYTES  (1024u * 1024u)

/* What the default stream keeps. */
#ifndef TT_POSIX_STREAM_BYTES
#define TT_POSIX_STREAM_BYTES posix_stream_size_max()
#endif

#define NS_PER_S 1000000000u

_Static_assert(sizeof GENERATION_VERSION <= TRACE_NAME_MAX, "TRACE_NAME_MAX");

bool posix_attr_is_valid(const trace_attr_t *attr)
{
    return attr != NULL && attr->valid == VALID;
}

/* One buffer may be in a reader's hands. */
size_t posix_stream_size_max(void)
{
    return (size_t)(TT_CONFIG_BUFFERS - 1u) * TT_CONFIG_BUFFER_RECORDS * sizeof(tt_record_t);
}

int posix_trace_attr_init(trace_attr_t *attr)
{
    if (attr == NULL) {
        return EINVAL;
    }
    uint32_t hz = tt_clock_hz() == 0u ? 1u : tt_clock_hz();
    *attr = (trace_attr_t){
        .valid = VALID,
        .stream_full_policy = POSIX_TRACE_LOOP,
        .log_full_policy = POSIX_TRACE_LOOP,
        .inheritance = POSIX_TRACE_CLOSE_FOR_CHILD,
        .stream_min_size = TT_POSIX_STREAM_BYTES,
        .max_data_size = DEFAULT_DATA_BYTES,
        .log_max_size = DEFAULT_LOG_BYTES,
        .clock_resolution = {.tv_sec = hz == 1u, .tv_nsec = hz == 1u ? 0 : (long)(NS_PER_S / hz)},
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

static int get_text(const trace_attr_t *attr, const char *text, char *to)
{
    if (!posix_attr_is_valid(attr) || to == NULL) {
        return EINVAL;
    }
    memcpy(to, text, TRACE_NAME_MAX);
    return 0;
}

int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *genversion)
{
    return get_text(attr, attr == NULL ? NULL : attr->generation_version, genversion);
}

int posix_trace_attr_getname(const trace_attr_t *attr, char *tracename)
{
    return get_text(attr, attr == NULL ? NULL : attr->name, tracename);
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

static int get_time(const trace_attr_t *attr, const struct timespec *time, struct timespec *to)
{
    if (!posix_attr_is_valid(attr) || to == NULL) {
        return EINVAL;
    }
    *to = *time;
    return 0;
}

int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *createtime)
{
    return get_time(attr, attr == NULL ? NULL : &attr->creation_time, createtime);
}

int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *resolution)
{
    return get_time(attr, attr == NULL ? NULL : &attr->clock_resolution, resolution);
}

static int get_number(const trace_attr_t *attr, const int *number, int *to)
{
    if (!posix_attr_is_valid(attr) || to == NULL) {
        return EINVAL;
    }
    *to = *number;
    return 0;
}

static int set_number(trace_attr_t *attr, int *number, int value, uint32_t allowed)
{
    if (!posix_attr_is_valid(attr) || value < 0 || value > 31 || ((allowed >> value) & 1u) == 0u) {
        return EINVAL;
    }
    *number = value;
    return 0;
}

int posix_trace_attr_getinherited(const trace_attr_t *restrict attr,
                                  int *restrict inheritancepolicy)
{
    return get_number(attr, attr == NULL ? NULL : &attr->inheritance, inheritancepolicy);
}

int posix_trace_attr_setinherited(trace_attr_t *attr, int inheritancepolicy)
{
    return set_number(attr, attr == NULL ? NULL : &attr->inheritance, inheritancepolicy,
                      1u << POSIX_TRACE_CLOSE_FOR_CHILD | 1u << POSIX_TRACE_INHERITED);
}

int posix_trace_attr_getlogfullpolicy(const trace_attr_t *restrict attr, int *restrict logpolicy)
{
    return get_number(attr, attr == NULL ? NULL : &attr->log_full_policy, logpolicy);
}

int posix_trace_attr_setlogfullpolicy(trace_attr_t *attr, int logpolicy)
{
    return set_number(attr, attr == NULL ? NULL : &attr->log_full_policy, logpolicy,
                      1u << POSIX_TRACE_LOOP | 1u << POSIX_TRACE_UNTIL_FULL |
                          1u << POSIX_TRACE_APPEND);
}

int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *restrict attr,
                                         int *restrict streampolicy)
{
    return get_number(attr, attr == NULL ? NULL : &attr->stream_full_policy, streampolicy);
}

int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int streampolicy)
{
    int result =
        set_number(attr, attr == NULL ? NULL : &attr->stream_full_policy, streampolicy,
                   1u << POSIX_TRACE_LOOP | 1u << POSIX_TRACE_UNTIL_FULL | 1u << POSIX_TRACE_FLUSH);
    if (result == 0) {
        attr->stream_full_policy_set = true;
    }
    return result;
}

static int get_size(const trace_attr_t *attr, const size_t *size, size_t *to)
{
    if (!posix_attr_is_valid(attr) || to == NULL) {
        return EINVAL;
    }
    *to = *size;
    return 0;
}

static int set_size(trace_attr_t *attr, size_t *size, size_t value)
{
    if (!posix_attr_is_valid(attr)) {
        return EINVAL;
    }
    *size = value;
    return 0;
}

int posix_trace_attr_getlogsize(const trace_attr_t *restrict attr, size_t *restrict logsize)
{
    return get_size(attr, attr == NULL ? NULL : &attr->log_max_size, logsize);
}

int posix_trace_attr_setlogsize(trace_attr_t *attr, size_t logsize)
{
    return set_size(attr, attr == NULL ? NULL : &attr->log_max_size, logsize);
}

int posix_trace_attr_getstreamsize(const trace_attr_t *restrict attr, size_t *restrict streamsize)
{
    return get_size(attr, attr == NULL ? NULL : &attr->stream_min_size, streamsize);
}

int posix_trace_attr_setstreamsize(trace_attr_t *attr, size_t streamsize)
{
    return set_size(attr, attr == NULL ? NULL : &attr->stream_min_size, streamsize);
}

int posix_trace_attr_getmaxdatasize(const trace_attr_t *restrict attr, size_t *restrict maxdatasize)
{
    return get_size(attr, attr == NULL ? NULL : &attr->max_data_size, maxdatasize);
}

int posix_trace_attr_setmaxdatasize(trace_attr_t *attr, size_t maxdatasize)
{
    return set_size(attr, attr == NULL ? NULL : &attr->max_data_size, maxdatasize);
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
