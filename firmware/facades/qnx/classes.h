/*
 * facades/qnx/classes.h - which recorded events the classes and events of TraceEvent() are.
 */
#ifndef QNX_CLASSES_H
#define QNX_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#define QNX_EVERY_EVENT UINT32_MAX

/* What is done with a recorded class and event, or TT_EVERY_EVENT of it. Returns a tt_result_t. */
typedef int (*qnx_action_t)(uint32_t event_class, uint32_t event, const void *argument);

/*
 * Do it for every recorded event that `event` of TraceEvent()'s class `outer` stands for, or for
 * all of that class (QNX_EVERY_EVENT). `few` is for what has few places: a class that is a part of
 * a recorded one is refused then. Returns the last result that was not 0, TT_ERROR_ARGUMENT where
 * there is no such class or event.
 */
int qnx_for_each(uint32_t outer, uint32_t event, bool few, qnx_action_t action,
                 const void *argument);

/* The recorded class of an outer one; TT_CLASS_COUNT when there is none. */
uint32_t qnx_recorded_class(uint32_t outer);

#endif
