/* boards/cortex_m/startup.h - start-up and vector table of boards with a Cortex-M. */
#ifndef BOARD_STARTUP_H
#define BOARD_STARTUP_H

#include <stdint.h>

#include "tickertape/api.h"

typedef void (*vector_t)(void);

/* Type of the vector table of a processor with `irq_count` interrupts. */
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

/* Defined in the linker script. */
extern uint32_t main_stack_top[];

/* Reset handler: enables the FPU, initialises data, then calls board_start() and
 * application_main(). */
void Reset_Handler(void);

/* Handler of unused exceptions and interrupts: calls kernel_panic(). */
void unexpected_handler(void);

/* Read the command line from the host. */
void options_read(void);

/* A board has to define: start its devices. Data is initialised and interrupts are enabled. */
void board_start(void);

/* A board has to define: close the link that carries the trace. */
TT_API void trace_link_close(void) TT_WITHOUT();

#endif
