/* boards/cortex_m/startup.h - what boards with a Cortex-M have in common. */
#ifndef BOARD_STARTUP_H
#define BOARD_STARTUP_H

#include <stdint.h>

#include "tickertape/api.h"

typedef void (*vector_t)(void);

/* Of the linker script. */
extern uint32_t main_stack_top[];

/* From reset to application_main(): the FPU, initialised data, then board_start(). */
void Reset_Handler(void);

/* Handler of an exception or interrupt that nothing uses: kernel_panic(). */
void unexpected_handler(void);

/* Read the options that the host gave. */
void options_read(void);

/* A board has to define: its devices start. Data is initialised, interrupts are enabled. */
void board_start(void);

/* A board has to define: the end of the link that carries the trace. */
TT_API void trace_link_close(void) TT_WITHOUT();

#endif
