/* boards/native/trace_channel.h - opens and closes the trace link of the program. */
#ifndef NATIVE_TRACE_CHANNEL_H
#define NATIVE_TRACE_CHANNEL_H

#include "tickertape/api.h"

TT_API_BEGIN

/* Open `link` for the trace, or discard the trace if it is NULL. Ends the program on failure. */
TT_API void trace_channel_open(const char *link) TT_WITHOUT();

/* Send all waiting bytes and close the link. */
TT_API void trace_channel_close(void) TT_WITHOUT();

TT_API_END

#endif
