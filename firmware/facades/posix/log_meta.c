#include "log_meta.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A number in a structure, and its key in the text. Numbers are not negative and little-endian. */
typedef struct field {
    const char *key;
    uint16_t offset;
    uint16_t bytes;
} field_t;

#define FIELD(type, name, member)                                                                  \
    {"\"" name "\": ", offsetof(type, member), sizeof((type){0}.member)}

static const field_t attr_fields[] = {
    FIELD(trace_attr_t, "stream_full_policy", stream_full_policy),
    FIELD(trace_attr_t, "log_full_policy", log_full_policy),
    FIELD(trace_attr_t, "inheritance", inheritance),
    FIELD(trace_attr_t, "stream_min_size", stream_min_size),
    FIELD(trace_attr_t, "max_data_size", max_data_size),
    FIELD(trace_attr_t, "log_max_size", log_max_size),
    FIELD(trace_attr_t, "created_s", creation_time.tv_sec),
    FIELD(trace_attr_t, "created_ns", creation_time.tv_nsec),
    FIELD(trace_attr_t, "resolution_ns", clock_resolution.tv_nsec),
};

static const field_t state_fields[] = {
    FIELD(posix_log_state_t, "overrun", overrun),
    FIELD(posix_log_state_t, "flush_error", flush_error),
    FIELD(posix_log_state_t, "log_overrun", log_overrun),
    FIELD(posix_log_state_t, "log_full", log_full),
    FIELD(posix_log_state_t, "filter_low", filter_low),
};

#define ATTR_COUNT  (sizeof attr_fields / sizeof attr_fields[0])
#define STATE_COUNT (sizeof state_fields / sizeof state_fields[0])

static const char attr_begin[] = "\"posix_trace\": {";
static const char state_begin[] = "\"posix_trace_status\": {";

/* The name is hexadecimal, because it may contain any bytes. */
static const char name_key[] = "\"name\": \"";

/* Writing. ------------------------------------------------------------------------------------- */

/* Append a text; returns its end. POSIX_META_BYTES are enough for all texts. */
static char *put(char *at, const char *more)
{
    size_t count = strlen(more);
    memcpy(at, more, count + 1u);
    return at + count;
}

static char *put_digits(char *at, uint64_t number, uint32_t base, uint32_t least)
{
    char digits[24];
    uint32_t first = sizeof digits - 1u;
    digits[first] = '\0';
    do {
        digits[--first] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0u || sizeof digits - 1u - first < least);
    return put(at, &digits[first]);
}

static char *put_fields(char *at, const field_t *fields, size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        memcpy(&number, (const uint8_t *)from + fields[i].offset, fields[i].bytes);
        at = put(at, i == 0u ? "" : ", ");
        at = put_digits(put(at, fields[i].key), number, 10, 1);
    }
    return at;
}

uint32_t posix_meta_put_attr(char text[POSIX_META_BYTES], const trace_attr_t *attr)
{
    char *at = put(put(text, "{\"tool\": \"posix_trace\", "), attr_begin);
    at = put_fields(at, attr_fields, ATTR_COUNT, attr);
    at = put(put(at, ", "), name_key);
    for (const char *c = attr->name; *c != '\0'; c++) {
        at = put_digits(at, (uint8_t)*c, 16, 2);
    }
    return (uint32_t)(put(at, "\"}}") - text);
}

uint32_t posix_meta_put_state(char text[POSIX_META_BYTES], const posix_log_state_t *state)
{
    char *at = put(put(text, "{"), state_begin);
    at = put_fields(at, state_fields, STATE_COUNT, state);
    return (uint32_t)(put(at, "}}") - text);
}

/* Reading. ------------------------------------------------------------------------------------- */

/* Return the text after a key, or NULL if the key is missing. */
static const char *find(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return found == NULL ? NULL : found + strlen(key);
}

static void get_fields(const char *text, const field_t *fields, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        const char *digits = find(text, fields[i].key);
        if (digits != NULL) {
            const uint64_t number = strtoull(digits, NULL, 10);
            memcpy((uint8_t *)to + fields[i].offset, &number, fields[i].bytes);
        }
    }
}

static void get_name(const char *digits, char name[TRACE_NAME_MAX])
{
    for (uint32_t i = 0; i < TRACE_NAME_MAX - 1u; i++, digits += 2) {
        const char pair[3] = {digits[0], digits[0] == '\0' ? '\0' : digits[1], '\0'};
        char *end;
        unsigned long byte = strtoul(pair, &end, 16);
        if (end != pair + 2) {
            return;
        }
        name[i] = (char)byte;
    }
}

void posix_meta_get(const char *text, trace_attr_t *attr, posix_log_state_t *state)
{
    if (find(text, attr_begin) != NULL) {
        const char *name = find(text, name_key);
        get_fields(text, attr_fields, ATTR_COUNT, attr);
        attr->clock_resolution.tv_sec = 0;
        if (name != NULL) {
            get_name(name, attr->name);
        }
    }
    if (find(text, state_begin) != NULL) {
        get_fields(text, state_fields, STATE_COUNT, state);
    }
}
