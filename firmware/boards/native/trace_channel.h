/* boards/native/trace_channel.h - the trace link of the program, opened and closed. */
#ifndef NATIVE_TRACE_CHANNEL_H
#define NATIVE_TRACE_CHANNEL_H

#include "tickertape/api.h"

TT_API_BEGIN

/* Carry the trace over `link`, or throw it away when that is NULL. Ends the program on failure. */
TT_API void trace_channel_open(const char *link) TT_WITHOUT();

/* Send everything that waits and close. */
TT_API void trace_channel_close(void) TT_WITHOUT();

TT_API_END

#endif
