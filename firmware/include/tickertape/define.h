/*
 * tickertape/define.h - event types that are defined while the program runs.
 *
 * A definition gives a number of the user's, its handle, a class and an event number, and a name
 * that the host is told in NAME frames. Definitions stay until they are made anew. Where and how
 * many: TT_CONFIG_DEFINITIONS.
 */
#ifndef TICKERTAPE_DEFINE_H
#define TICKERTAPE_DEFINE_H

#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"

TT_API_BEGIN

/* What tt_definition() returns for a handle that nobody has defined. */
#define TT_UNDEFINED UINT32_MAX

/* An event type as one number. */
#define TT_EVENT_TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/*
 * Let `handle`, 0 to TT_CONFIG_DEFINITIONS - 1, stand for an event type with a name, which is
 * copied and cut to TT_CONFIG_DEFINITION_NAME_BYTES - 1 bytes. The drain tells the host within a
 * second. From one thread at a time. Returns TT_OK, or TT_ERROR_ARGUMENT for a handle, class, event
 * or name out of range.
 */
TT_API int tt_define(uint32_t handle, uint32_t event_class, uint32_t event, const char *name)
    TT_WITHOUT(TT_OK);

/*
 * The event type of this name, without end mark: that of the handle which is defined so, else of
 * the first handle from 1 on that nobody has defined, which stands for the event of class USER with
 * its number from now on. So whoever asks for a name gets the same event type, tasks and hosts
 * (command EVENT_OPEN). Any context. Returns TT_EVENT_TYPE, TT_ERROR_ARGUMENT for a name that is
 * empty or too long, or TT_ERROR_STATE when every handle is in use.
 */
TT_API int tt_define_by_name(const char *name, uint32_t name_bytes) TT_WITHOUT(TT_ERROR_STATE);

/* The event type that a handle stands for, TT_EVENT_TYPE, or TT_UNDEFINED. Any context. */
TT_API uint32_t tt_definition(uint32_t handle) TT_WITHOUT(TT_UNDEFINED);

/* Its name, NULL when it is not defined; valid until it is defined anew. */
TT_API const char *tt_definition_name(uint32_t handle) TT_WITHOUT(NULL);

TT_API_END

#endif
