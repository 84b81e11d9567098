/* facades/qnx/classes.h - translate the classes and events of TraceEvent() to recorded events. */
#ifndef QNX_CLASSES_H
#define QNX_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#define QNX_EVERY_EVENT UINT32_MAX

/* Action on one recorded event, or on all events of a class (TT_EVERY_EVENT). Returns a
 * tt_result_t. */
typedef int (*qnx_action_t)(uint32_t event_class, uint32_t event, const void *argument);

/*
 * Execute an action for every recorded event that `event` of TraceEvent()'s class `outer` means, or
 * for the whole class (QNX_EVERY_EVENT). `few`: the action has few slots, so refuse a class that is
 * only a part of a recorded class. Returns TT_OK, an error of the action, or TT_ERROR_ARGUMENT when
 * the class or event does not exist or is refused.
 */
int qnx_for_each(uint32_t outer, uint32_t event, bool few, qnx_action_t action,
                 const void *argument);

/* Return the recorded class of a class of TraceEvent(); TT_CLASS_COUNT when it does not exist. */
uint32_t qnx_recorded_class(uint32_t outer);

#endif
