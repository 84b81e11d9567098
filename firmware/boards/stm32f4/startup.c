/* The devices that start with the board, interrupts raised by program, and the vector table. */
#include "board.h"
#include "handlers.h"
#include "kernel_port.h"
#include "scs.h"
#include "semihosting.h"

#define IRQ_COUNT 51u

typedef struct vector_table {
    uint32_t *stack_top;
    vector_t exceptions[15]; /* 1 to 15 */
    vector_t interrupts[IRQ_COUNT];
} vector_table_t;

void board_start(void)
{
    clocks_start();
    trace_uart_start();
}

/* Text for people goes to the debugger or emulator. */
void board_console_write(const char *text)
{
    semihosting_write_text(text);
}

uint32_t board_cpu(void)
{
    return 0;
}

void board_yield(void)
{
    __asm volatile("yield" ::: "memory");
}

void board_irq_raise(uint32_t irq)
{
    NVIC_ISPR[irq / 32u] = 1u << (irq % 32u);
}

#define KERNEL_IRQS_4 kernel_irq_handler, kernel_irq_handler, kernel_irq_handler, kernel_irq_handler
#define KERNEL_IRQS_12 KERNEL_IRQS_4, KERNEL_IRQS_4, KERNEL_IRQS_4

const vector_table_t stm32f4_vectors __attribute__((section(".vectors"), used)) = {
    .stack_top = main_stack_top,
    .exceptions =
        {
            Reset_Handler,
            unexpected_handler,
            kernel_fault_handler,
            kernel_fault_handler,
            kernel_fault_handler,
            kernel_fault_handler,
            kernel_fault_handler,
            unexpected_handler,
            unexpected_handler,
            unexpected_handler,
            SVC_Handler,
            unexpected_handler,
            unexpected_handler,
            PendSV_Handler,
            SysTick_Handler,
        },
    /* DMA1 stream 6 is interrupt 17, USART2 is 38. */
    .interrupts = {KERNEL_IRQS_12, KERNEL_IRQS_4, kernel_irq_handler, trace_dma_handler,
                   KERNEL_IRQS_12, KERNEL_IRQS_4, kernel_irq_handler, kernel_irq_handler,
                   kernel_irq_handler, kernel_irq_handler, trace_uart_handler, KERNEL_IRQS_12},
};
