/* Names of event types that were defined at run time, and names of streams. */
#include "names.h"

#include <stddef.h>
#include <string.h>

#include "control_lock.h"
#include "tickertape/events.h"

_Atomic bool tt_names_changed;

#if TT_CONFIG_DEFINITIONS > 0 || TT_CONFIG_STREAM_NAMES

/* Have the drain announce all names, before the first event that needs the new one. Interrupts
 * masked. */
static void announce_names(void)
{
    tt_set(&tt_names_changed, true);
    tt_port_notify_drain();
}

#endif

#if TT_CONFIG_DEFINITIONS > 0

typedef struct definition {
    uint32_t type; /* 0: undefined (TT_UNDEFINED + 1); else the type + 1 */
    char name[TT_CONFIG_DEFINITION_NAME_BYTES];
} definition_t;

static definition_t definitions[TT_CONFIG_DEFINITIONS];

static bool is_called(const definition_t *definition, const char *name, uint32_t name_bytes)
{
    return definition->type != 0u && definition->name[name_bytes] == '\0' &&
           memcmp(definition->name, name, name_bytes) == 0;
}

/* Number of changes of the table. */
static _Atomic uint32_t changes;

/* Return the definition with this name, else the free slot with the lowest handle from 1 on, else
 * NULL. */
static definition_t *find(const char *name, uint32_t name_bytes)
{
    definition_t *found = NULL;
    for (uint32_t i = TT_CONFIG_DEFINITIONS; i-- > 1u;) {
        if (is_called(&definitions[i], name, name_bytes)) {
            return &definitions[i];
        }
        found = definitions[i].type == 0u ? &definitions[i] : found;
    }
    return found;
}

/* The search runs with interrupts enabled, and again if the table has changed meanwhile. */
int tt_define_by_name(const char *name, uint32_t name_bytes)
{
    definition_t *definition;
    bool is_current;
    if (name == NULL || name_bytes == 0u || name_bytes >= TT_CONFIG_DEFINITION_NAME_BYTES ||
        memchr(name, '\0', name_bytes) != NULL) {
        return TT_ERROR_ARGUMENT;
    }
    do {
        uint32_t before = tt_load(&changes);
        definition = find(name, name_bytes);
        tt_port_key_t key = tt_control_lock();
        is_current = before == tt_peek(&changes);
        if (is_current && definition != NULL && definition->type == 0u) {
            memcpy(definition->name, name, name_bytes);
            definition->name[name_bytes] = '\0';
            definition->type = TT_EVENT_TYPE(TT_CLASS_USER, definition - definitions) + 1u;
            tt_count(&changes, 1);
            announce_names();
        }
        tt_control_unlock(key);
    } while (!is_current);
    return definition == NULL ? TT_ERROR_STATE : (int)(definition->type - 1u);
}

int tt_define(uint32_t handle, uint32_t event_class, uint32_t event, const char *name)
{
    if (handle >= TT_CONFIG_DEFINITIONS || event_class >= TT_CLASS_COUNT ||
        event > TT_RECORD_EVENT_MASK || name == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    definition_t *definition = &definitions[handle];
    size_t length = 0;
    tt_port_key_t key = tt_control_lock();
    while (length < sizeof definition->name - 1u && name[length] != '\0') {
        definition->name[length] = name[length];
        length++;
    }
    definition->name[length] = '\0';
    definition->type = TT_EVENT_TYPE(event_class, event) + 1u;
    tt_count(&changes, 1);
    announce_names();
    tt_control_unlock(key);
    return TT_OK;
}

uint32_t tt_definition(uint32_t handle)
{
    return handle < TT_CONFIG_DEFINITIONS ? definitions[handle].type - 1u : TT_UNDEFINED;
}

const char *tt_definition_name(uint32_t handle)
{
    return tt_definition(handle) != TT_UNDEFINED ? definitions[handle].name : NULL;
}

#endif

#if TT_CONFIG_STREAM_NAMES

typedef struct named {
    char name[TT_CONFIG_STREAM_NAME_BYTES]; /* empty: no name */
    uint32_t generation;
} named_t;

static named_t streams[TT_CONFIG_STREAMS];

void tt_names_reset(void)
{
    memset(streams, 0, sizeof streams);
}

int tt_name_stream(uint32_t stream, const char *name)
{
    if (stream >= TT_CONFIG_STREAMS || (name != NULL && name[0] == '\0')) {
        return TT_ERROR_ARGUMENT;
    }
    named_t *named = &streams[stream];
    size_t length = 0;
    tt_port_key_t key = tt_control_lock();
    while (name != NULL && length < sizeof named->name - 1u && name[length] != '\0') {
        named->name[length] = name[length];
        length++;
    }
    memset(named->name + length, 0, sizeof named->name - length);
    named->generation += name != NULL;
    announce_names();
    tt_control_unlock(key);
    return TT_OK;
}

const char *tt_stream_name(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS && streams[stream].name[0] != '\0' ? streams[stream].name
                                                                         : NULL;
}

uint32_t tt_stream_generation(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS ? streams[stream].generation : 0u;
}

int tt_stream_by_name(const char *name, uint32_t name_bytes)
{
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS && name_bytes > 0u; i++) {
        const named_t *named = &streams[i];
        if (name_bytes < sizeof named->name && strlen(named->name) == name_bytes &&
            memcmp(named->name, name, name_bytes) == 0) {
            return (int)i;
        }
    }
    return TT_ERROR_ARGUMENT;
}

#endif
