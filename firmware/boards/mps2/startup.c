/* From reset to application_main(), and the vector table. */
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "handlers.h"
#include "kernel_port.h"
#include "mps2.h"

#define SCB_CPACR (*(volatile uint32_t *)0xe000ed88u)

/* Of the linker script. */
extern uint8_t data_begin[];
extern uint8_t data_end[];
extern const uint8_t data_load[];
extern uint8_t bss_begin[];
extern uint8_t bss_end[];
extern uint32_t main_stack_top[];

void Reset_Handler(void)
{
#ifdef __ARM_FP
    SCB_CPACR |= 0xfu << 20; /* full access to the FPU */
    __asm volatile("dsb\n\tisb" ::: "memory");
#endif
    memcpy(data_begin, data_load, (uintptr_t)data_end - (uintptr_t)data_begin);
    memset(bss_begin, 0, (uintptr_t)bss_end - (uintptr_t)bss_begin);
    console_start();
    trace_uart_start();
#if MPS2_AN521
    mhu_start();
#endif
    application_main();
    board_exit(0);
}

#define KERNEL_IRQS_5                                                                              \
    kernel_irq_handler, kernel_irq_handler, kernel_irq_handler, kernel_irq_handler,                \
        kernel_irq_handler
#define KERNEL_IRQS_25 KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5, KERNEL_IRQS_5

const vector_table_t mps2_vectors __attribute__((section(".vectors"), used)) = {
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
    .interrupts =
        {
#if MPS2_AN521
            KERNEL_IRQS_5, kernel_irq_handler, mhu_handler, KERNEL_IRQS_25, trace_uart_rx_handler,
            trace_uart_tx_handler
#else
            trace_uart_rx_handler, trace_uart_tx_handler, KERNEL_IRQS_25, KERNEL_IRQS_5
#endif
        },
};
