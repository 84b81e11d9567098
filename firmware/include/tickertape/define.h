/*
 * tickertape/define.h - event types that are defined while the program runs.
 *
 * A definition connects a handle, a number that the user chooses, with a class, an event number and
 * a name, which NAME frames carry to the host. It is valid until it is replaced.
 * TT_CONFIG_DEFINITIONS sets the number of handles.
 */
#ifndef TICKERTAPE_DEFINE_H
#define TICKERTAPE_DEFINE_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"

TT_API_BEGIN

/* Result of tt_definition() for an undefined handle. */
#define TT_UNDEFINED UINT32_MAX

/* Class and event number as one number. */
#define TT_EVENT_TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/*
 * Define `handle`, 0 to TT_CONFIG_DEFINITIONS - 1, as an event type with a name, which is copied
 * and cut to TT_CONFIG_DEFINITION_NAME_BYTES - 1 bytes. Wakes the drain, which announces all names
 * before it sends the next records. From one thread at a time. Masked: 233 for a name of 29 bytes.
 * Returns TT_OK, or TT_ERROR_ARGUMENT for a handle, class, event or name out of range.
 */
TT_API int tt_define(uint32_t handle, uint32_t event_class, uint32_t event, const char *name)
    TT_WITHOUT(TT_OK);

/*
 * Find or register an event type by its name of `name_bytes` bytes (no terminating zero). Returns
 * the type of an existing definition with this name; otherwise defines the first undefined handle
 * from 1 on as the event of class USER with its number. Threads and hosts (command EVENT_OPEN) get
 * the same event type for a name. Any context. Masked: the copy of a new name. Returns a
 * TT_EVENT_TYPE(), TT_ERROR_ARGUMENT for a name that is empty, too long or contains a zero byte, or
 * TT_ERROR_STATE when every handle is in use.
 */
TT_API int tt_define_by_name(const char *name, uint32_t name_bytes) TT_WITHOUT(TT_ERROR_STATE);

/* Return the event type of a handle, a TT_EVENT_TYPE(), or TT_UNDEFINED. Any context. Masked: 0. */
TT_API uint32_t tt_definition(uint32_t handle) TT_WITHOUT(TT_UNDEFINED);

/* Return the name of a handle, or NULL if it is undefined; valid until the handle is defined again.
 * Any context. Masked: 0. */
TT_API const char *tt_definition_name(uint32_t handle) TT_WITHOUT(NULL);

TT_API_END

#endif
