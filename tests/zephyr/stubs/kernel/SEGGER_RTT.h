#ifndef STUB_SEGGER_RTT_H
#define STUB_SEGGER_RTT_H
#define SEGGER_RTT_MODE_NO_BLOCK_SKIP 0u
int SEGGER_RTT_ConfigUpBuffer(unsigned channel, const char *name, void *buffer, unsigned bytes,
                              unsigned flags);
int SEGGER_RTT_ConfigDownBuffer(unsigned channel, const char *name, void *buffer, unsigned bytes,
                                unsigned flags);
unsigned SEGGER_RTT_GetAvailWriteSpace(unsigned channel);
unsigned SEGGER_RTT_GetBytesInBuffer(unsigned channel);
unsigned SEGGER_RTT_WriteNoLock(unsigned channel, const void *bytes, unsigned count);
unsigned SEGGER_RTT_ReadNoLock(unsigned channel, void *bytes, unsigned count);
#endif
