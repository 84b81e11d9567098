#include "tickertape/define.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "control.h"
#include "core.h"
#include "outlet.h"
#include "tickertape/events.h"
#include "tickertape/tickertape.h"

#if TT_CONFIG_DEFINITIONS > 0

typedef struct definition {
    uint32_t type; /* TT_UNDEFINED + 1 = 0: nobody has defined it; else the type + 1 */
    char name[TT_CONFIG_DEFINITION_NAME_BYTES];
} definition_t;

static definition_t definitions[TT_CONFIG_DEFINITIONS];

static bool is_called(const definition_t *definition, const char *name, uint32_t name_bytes)
{
    return definition->type != 0u && definition->name[name_bytes] == '\0' &&
           memcmp(definition->name, name, name_bytes) == 0;
}

int tt_define_by_name(const char *name, uint32_t name_bytes)
{
    if (name_bytes == 0u || name_bytes >= TT_CONFIG_DEFINITION_NAME_BYTES) {
        return TT_ERROR_ARGUMENT;
    }
    definition_t *definition = NULL;
    tt_port_key_t key = tt_control_lock();
    for (uint32_t i = TT_CONFIG_DEFINITIONS; i-- > 1u;) {
        if (is_called(&definitions[i], name, name_bytes)) {
            definition = &definitions[i];
            break;
        }
        definition = definitions[i].type == 0u ? &definitions[i] : definition;
    }
    if (definition != NULL && definition->type == 0u) {
        memcpy(definition->name, name, name_bytes);
        definition->name[name_bytes] = '\0';
        definition->type = TT_EVENT_TYPE(TT_CLASS_USER, definition - definitions) + 1u;
        tt_announce_ask(TT_ANNOUNCE_NAMES); /* so that hosts know the name before the first event */
    }
    tt_control_unlock(key);
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

#else

int tt_define(uint32_t handle, uint32_t event_class, uint32_t event, const char *name)
{
    (void)handle;
    (void)event_class;
    (void)event;
    (void)name;
    return TT_ERROR_ARGUMENT;
}

int tt_define_by_name(const char *name, uint32_t name_bytes)
{
    (void)name;
    (void)name_bytes;
    return TT_ERROR_STATE;
}

uint32_t tt_definition(uint32_t handle)
{
    (void)handle;
    return TT_UNDEFINED;
}

const char *tt_definition_name(uint32_t handle)
{
    (void)handle;
    return NULL;
}

#endif
