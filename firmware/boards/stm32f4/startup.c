/* Start of the board's devices, and the vector table. */
#include "handlers.h"
#include "kernel_port.h"
#include "scs.h"

#define KERNEL_IRQS_4 kernel_irq_handler, kernel_irq_handler, kernel_irq_handler, kernel_irq_handler
#define KERNEL_IRQS_12 KERNEL_IRQS_4, KERNEL_IRQS_4, KERNEL_IRQS_4

const VECTOR_TABLE(51u) stm32f4_vectors __attribute__((section(".vectors"), used)) = {
    .stack_top = main_stack_top,
    .exceptions = {KERNEL_EXCEPTIONS, SysTick_Handler},
    /* DMA1 stream 6 is interrupt 17, USART2 is 38. */
    .interrupts = {KERNEL_IRQS_12, KERNEL_IRQS_4, kernel_irq_handler, trace_dma_handler,
                   KERNEL_IRQS_12, KERNEL_IRQS_4, kernel_irq_handler, kernel_irq_handler,
                   kernel_irq_handler, kernel_irq_handler, trace_uart_handler, KERNEL_IRQS_12},
};

/* A boot loader starts this program with its own vector table. */
void board_start(void)
{
    SCB_VTOR = (uint32_t)(uintptr_t)&stm32f4_vectors;
    clocks_start();
    trace_uart_start();
}
