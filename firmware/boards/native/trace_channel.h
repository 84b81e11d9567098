/* boards/native/trace_channel.h - the trace link of the program, opened and closed. */
#ifndef NATIVE_TRACE_CHANNEL_H
#define NATIVE_TRACE_CHANNEL_H

/* Carry the trace over `link`, or throw it away when that is NULL. Ends the program on failure. */
void trace_channel_open(const char *link);

/* Send everything that waits and close. */
void trace_channel_close(void);

#endif
