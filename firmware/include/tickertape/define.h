/*
 * tickertape/define.h - event types that are defined while the program runs.
 *
 * A definition gives a handle, a number that the user chooses, a class, an event number, and a
 * name, which NAME frames carry to the host. A definition is valid until it is replaced.
 * TT_CONFIG_DEFINITIONS sets their number.
 */
#ifndef TICKERTAPE_DEFINE_H
#define TICKERTAPE_DEFINE_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"

TT_API_BEGIN

/* What tt_definition() returns for an undefined handle. */
#define TT_UNDEFINED UINT32_MAX

/* An event type as one number. */
#define TT_EVENT_TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/*
 * Let `handle`, 0 to TT_CONFIG_DEFINITIONS - 1, stand for an event type with a name, which is
 * copied and cut to TT_CONFIG_DEFINITION_NAME_BYTES - 1 bytes. The drain announces it within
 * a second. From one thread at a time. Masked: 225 for a name of 29 bytes. Returns TT_OK, or
 * TT_ERROR_ARGUMENT for a handle, class, event or name out of range.
 */
TT_API int tt_define(uint32_t handle, uint32_t event_class, uint32_t event, const char *name)
    TT_WITHOUT(TT_OK);

/*
 * Find or register an event type by name (without end mark). Returns the type of an existing
 * definition with this name; otherwise defines the first undefined handle from 1 on as the event of
 * class USER with its number. Tasks and hosts (command EVENT_OPEN) get the same event type for a
 * name. Any context. Masked: the copy of a new name. Returns TT_EVENT_TYPE, TT_ERROR_ARGUMENT for a
 * name that is empty, too long or contains a zero byte, or TT_ERROR_STATE when every handle is in
 * use.
 */
TT_API int tt_define_by_name(const char *name, uint32_t name_bytes) TT_WITHOUT(TT_ERROR_STATE);

/* The event type that a handle stands for, TT_EVENT_TYPE, or TT_UNDEFINED. Any context. Masked: 0.
 */
TT_API uint32_t tt_definition(uint32_t handle) TT_WITHOUT(TT_UNDEFINED);

/* Its name, NULL when it is not defined; valid until it is defined anew. Any context. Masked: 0. */
TT_API const char *tt_definition_name(uint32_t handle) TT_WITHOUT(NULL);

TT_API_END

#endif
