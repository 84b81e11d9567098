/* boards/cortex_m/startup.h - shared by boards with a Cortex-M. */
#ifndef BOARD_STARTUP_H
#define BOARD_STARTUP_H

#include <stdint.h>

#include "tickertape/api.h"

typedef void (*vector_t)(void);

/* The vector table of a processor with a number of interrupts. */
#define VECTOR_TABLE(irq_count)                                                                    \
    struct {                                                                                       \
        uint32_t *stack_top;                                                                       \
        vector_t exceptions[15]; /* 1 to 15 */                                                     \
        vector_t interrupts[irq_count];                                                            \
    }

/* Exceptions 1 to 14 of an ARMv7-M or ARMv8-M whose kernel is the reference kernel. */
#define KERNEL_EXCEPTIONS                                                                          \
    Reset_Handler, unexpected_handler, kernel_fault_handler, kernel_fault_handler,                 \
        kernel_fault_handler, kernel_fault_handler, kernel_fault_handler, unexpected_handler,      \
        unexpected_handler, unexpected_handler, SVC_Handler, unexpected_handler,                   \
        unexpected_handler, PendSV_Handler

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
