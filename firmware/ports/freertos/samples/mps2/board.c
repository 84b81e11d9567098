/* Start-up, vector table, memory of the kernel's own tasks, and the end of the program. */
#include "sample_board.h"

#include <string.h>

#include "task.h"

#include "semihosting.h"

#define CLOCK        (*(const volatile uint32_t *)TT_PORT_CLOCK_REGISTER)
#define CPACR        (*(volatile uint32_t *)0xe000ed88u)
#define NVIC_ISER    (*(volatile uint32_t *)0xe000e100u)
#define NVIC_ISPR    (*(volatile uint32_t *)0xe000e200u)
#define NVIC_IPR     ((volatile uint8_t *)0xe000e400u)
#define TICKS_PER_US (configCPU_CLOCK_HZ / 1000000u)

extern uint32_t main_stack_top[];
extern uint8_t data_begin[];
extern uint8_t data_end[];
extern const uint8_t data_load[];
extern uint8_t bss_begin[];
extern uint8_t bss_end[];

typedef void (*vector_t)(void);

void Reset_Handler(void);
#if defined(SAMPLE_MPU) && !defined(SAMPLE_KERNEL_SVC)
#define SVC tt_freertos_svc_handler
#else
#define SVC SVC_Handler
void SVC_Handler(void);
#endif
void PendSV_Handler(void);
void SysTick_Handler(void);

void board_print(const char *text)
{
    semihosting_write_text(text);
}

void board_failed(const char *file, int line)
{
    char digits[] = "00000\n";
    for (int place = 4; place >= 0; place--, line /= 10) {
        digits[place] = (char)('0' + line % 10);
    }
    board_print("failed: ");
    board_print(file);
    board_print(":");
    board_print(digits);
    semihosting_exit(1);
    for (;;) {
    }
}

static void unexpected_handler(void)
{
    board_failed("exception", 0);
}

/* Called when a task has accessed memory that it may not access. */
__attribute__((weak)) void application_fault_handler(void)
{
    unexpected_handler();
}

__attribute__((weak)) void application_irq_handler(void)
{
}

__attribute__((weak)) void application_urgent_handler(void)
{
}

/* With several cores: interrupt by which one core makes another choose its task again. */
__attribute__((weak)) void board_core_handler(void)
{
    unexpected_handler();
}

const struct {
    uint32_t *stack_top;
    vector_t exceptions[15]; /* 1 to 15 */
    vector_t interrupts[48];
} board_vectors __attribute__((section(".vectors"), used)) = {
    .stack_top = main_stack_top,
    .exceptions = {Reset_Handler, unexpected_handler, unexpected_handler, application_fault_handler,
                   unexpected_handler, unexpected_handler, unexpected_handler, NULL, NULL, NULL,
                   SVC, unexpected_handler, NULL, PendSV_Handler, SysTick_Handler},
    .interrupts = {[BOARD_CORE_IRQ] = board_core_handler,
                   [BOARD_RX_IRQ] = board_uart_rx_handler,
                   [BOARD_TX_IRQ] = board_uart_tx_handler,
                   [BOARD_SPARE_IRQ] = application_irq_handler,
                   [BOARD_URGENT_IRQ] = application_urgent_handler},
};

void Reset_Handler(void)
{
#ifdef __ARM_FP
    CPACR |= 0xfu << 20; /* full access to the FPU */
    __asm volatile("dsb\n\tisb" ::: "memory");
#endif
    memcpy(data_begin, data_load, (uintptr_t)data_end - (uintptr_t)data_begin);
    memset(bss_begin, 0, (uintptr_t)bss_end - (uintptr_t)bss_begin);
    board_start_uart();
    NVIC_IPR[BOARD_SPARE_IRQ] = 0xc0u;  /* its handler may call the kernel */
    NVIC_IPR[BOARD_URGENT_IRQ] = 0x40u; /* its handler may not: the kernel does not mask it */
    NVIC_ISER = 1u << BOARD_SPARE_IRQ | 1u << BOARD_URGENT_IRQ;
    application_main();
    unexpected_handler();
}

void board_raise_spare_irq(void)
{
    NVIC_ISPR = 1u << BOARD_SPARE_IRQ;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void board_raise_urgent_irq(void)
{
    NVIC_ISPR = 1u << BOARD_URGENT_IRQ;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void board_work_us(uint32_t us)
{
    uint32_t begin = CLOCK;
    while (CLOCK - begin < us * TICKS_PER_US) {
#ifdef SAMPLE_CORES
        __asm volatile("yield" ::: "memory"); /* makes an emulator continue with the other core */
#endif
    }
}

void board_end(uint32_t code)
{
    tt_freertos_finish();
    while (board_trace_link.room_bytes(NULL) < 32768u) {
        vTaskDelay(1);
    }
    semihosting_exit(code);
}

void vApplicationGetIdleTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words);
void vApplicationGetTimerTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words);

void vApplicationGetIdleTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words)
{
    static StaticTask_t task;
    static StackType_t memory[configMINIMAL_STACK_SIZE];
    *tcb = &task;
    *stack = memory;
    *words = configMINIMAL_STACK_SIZE;
}

void vApplicationGetTimerTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words)
{
    static StaticTask_t task;
    static StackType_t memory[configTIMER_TASK_STACK_DEPTH];
    *tcb = &task;
    *stack = memory;
    *words = configTIMER_TASK_STACK_DEPTH;
}

#ifdef SAMPLE_CORES

void vApplicationGetPassiveIdleTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words,
                                          BaseType_t index);
void vApplicationIdleHook(void);
void vApplicationPassiveIdleHook(void);

void vApplicationGetPassiveIdleTaskMemory(StaticTask_t **tcb, StackType_t **stack, uint32_t *words,
                                          BaseType_t index)
{
    static StaticTask_t tasks[SAMPLE_CORES - 1];
    static StackType_t memory[SAMPLE_CORES - 1][configMINIMAL_STACK_SIZE];
    *tcb = &tasks[index];
    *stack = memory[index];
    *words = configMINIMAL_STACK_SIZE;
}

/* An emulator that runs cores in turns continues with the next one at YIELD. */
__attribute__((weak)) void vApplicationIdleHook(void)
{
    __asm volatile("yield" ::: "memory");
}

__attribute__((weak)) void vApplicationPassiveIdleHook(void)
{
    __asm volatile("yield" ::: "memory");
}

#endif
