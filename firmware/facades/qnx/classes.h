/*
 * facades/qnx/classes.h - which recorded events the classes and events of TraceEvent() are.
 */
#ifndef QNX_CLASSES_H
#define QNX_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#define QNX_EVERY_EVENT UINT32_MAX

/* Action on a recorded class and event, or on all of its events (TT_EVERY_EVENT). Returns a
 * tt_result_t. */
typedef int (*qnx_action_t)(uint32_t event_class, uint32_t event, const void *argument);

/*
 * Execute an action for every recorded event of `event` in TraceEvent()'s class `outer`, or of the
 * whole class (QNX_EVERY_EVENT). `few` is for actions with few slots: a class that is part of a
 * recorded class is then refused. Returns the last result other than 0, TT_ERROR_ARGUMENT when
 * there is no such class or event.
 */
int qnx_for_each(uint32_t outer, uint32_t event, bool few, qnx_action_t action,
                 const void *argument);

/* The recorded class of an outer one; TT_CLASS_COUNT when there is none. */
uint32_t qnx_recorded_class(uint32_t outer);

#endif
