/* Start of the board's devices, and the vector table. */
#include "handlers.h"
#include "kernel_port.h"
#include "mps2.h"

void board_start(void)
{
    console_start();
    trace_uart_start();
#if MPS2_AN521
    mhu_start();
#endif
}

#define KERNEL_IRQS_5                                                                              \
    kernel_irq_handler, kernel_irq_handler, kernel_irq_handler, kernel_irq_handler,                \
        kernel_irq_handler
#define KERNEL_IRQS_25 KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5

/* Without a second processor the kernel handles the interrupt of the message handling unit like any
 * other. */
#if MPS2_AN521
#define MHU_HANDLER mhu_handler
#else
#define MHU_HANDLER kernel_irq_handler
#endif

const vector_table_t mps2_vectors __attribute__((section(".vectors"), used)) = {
    .stack_top = main_stack_top,
    .exceptions = {KERNEL_EXCEPTIONS, SysTick_Handler},
    .interrupts =
        {
#if MPS2_AN547
            KERNEL_IRQS_25, KERNEL_IRQS_5, kernel_irq_handler, kernel_irq_handler,
            kernel_irq_handler, trace_uart_rx_handler, trace_uart_tx_handler
#elif MPS2_M33
            KERNEL_IRQS_5, kernel_irq_handler, MHU_HANDLER, KERNEL_IRQS_25, trace_uart_rx_handler,
            trace_uart_tx_handler
#else
            trace_uart_rx_handler, trace_uart_tx_handler, KERNEL_IRQS_25, KERNEL_IRQS_5
#endif
        },
};
