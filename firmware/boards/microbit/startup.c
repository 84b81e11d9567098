/* Start of the board's devices, and the vector table. */
#include "handlers.h"
#include "kernel_port.h"
#include "nrf51.h"

void board_start(void)
{
    NRF51_CLOCK_HFCLKSTART = 1;
    clock_start();
    trace_uart_start();
}

#define KERNEL_IRQS_3 kernel_irq_handler, kernel_irq_handler, kernel_irq_handler
#define KERNEL_IRQS_9 KERNEL_IRQS_3, KERNEL_IRQS_3, KERNEL_IRQS_3

const VECTOR_TABLE(24u) microbit_vectors __attribute__((section(".vectors"), used)) = {
    .stack_top = main_stack_top,
    .exceptions =
        {
            Reset_Handler,
            unexpected_handler,
            kernel_fault_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            SVC_Handler,
            unexpected_handler,
            unexpected_handler,
            PendSV_Handler,
            unexpected_handler, /* an nRF51 has no SysTick */
        },
    .interrupts = {kernel_irq_handler, kernel_irq_handler, trace_uart_handler, KERNEL_IRQS_9,
                   KERNEL_IRQS_9, KERNEL_IRQS_3},
};
