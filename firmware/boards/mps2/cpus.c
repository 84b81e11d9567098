/*
 * CPU numbers, interrupts raised by software, and the second processor of AN521: its start, and how
 * it raises the interrupts of the drain and of the link, which CPU 0 serves. Both processors share
 * memory and devices, but each has its own interrupt controller and SysTick. A device interrupt
 * reaches both; the CPU that has enabled it serves it.
 */
#include "board.h"
#include "handlers.h"
#include "kernel.h"
#include "kernel_board.h"
#include "mps2.h"
#include "scs.h"
#include "tickertape/port.h"

void board_yield(void)
{
    __asm volatile("yield" ::: "memory");
}

void board_irq_raise(uint32_t irq)
{
    NVIC_ISPR[irq / 32u] = 1u << (irq % 32u);
}

#if MPS2_AN521

#define CPU1_STACK_BYTES 8192u

static vector_table_t cpu1_vectors __attribute__((aligned(256)));
static uint8_t cpu1_stack[CPU1_STACK_BYTES] __attribute__((aligned(8)));
static void (*cpu1_entry)(void);

/* The architecture requires a vector table aligned to its size, rounded up to a power of two. */
_Static_assert(sizeof(vector_table_t) <= 256u, "alignment of cpu1_vectors");

uint32_t board_cpu(void)
{
    return *(const volatile uint32_t *)TT_PORT_CPU_REGISTER;
}

/* Reset handler of CPU 1. CPU 0 has initialised memory and devices. */
static void cpu1_reset(void)
{
    cpu1_entry();
    for (;;) {
        __asm volatile("wfi");
    }
}

void board_cpu_start(uint32_t cpu, void (*entry)(void))
{
    cpu1_vectors = mps2_vectors;
    cpu1_vectors.stack_top = (uint32_t *)(void *)(cpu1_stack + sizeof cpu1_stack);
    cpu1_vectors.exceptions[0] = cpu1_reset;
    cpu1_entry = entry;
    MPS2_INITSVTOR1 = (uint32_t)(uintptr_t)&cpu1_vectors;
    __asm volatile("dsb" ::: "memory");
    MPS2_CPUWAIT &= ~(1u << cpu);
}

#if KERNEL_CPUS > 1

void kernel_board_start_cpu(uint32_t cpu, void (*entry)(void))
{
    board_cpu_start(cpu, entry);
}

static void serve_cpus(void *argument)
{
    (void)argument;
    MPS2_MHU1->cpus[board_cpu()].clear = UINT32_MAX;
    kernel_reschedule();
}

void kernel_board_accept_cpus(void)
{
    (void)kernel_irq_attach(MPS2_MHU1_IRQ, KERNEL_IRQ_LEVEL_KERNEL, serve_cpus, NULL);
}

void kernel_board_interrupt_cpu(uint32_t cpu)
{
    MPS2_MHU1->cpus[cpu].set = 1;
}

#endif

void mhu_start(void)
{
    nvic_set_priority(MPS2_MHU0_IRQ, PRIORITY_KERNEL);
    NVIC_ISER[0] = 1u << MPS2_MHU0_IRQ;
}

/* Requests from CPU 1: bits in the word of CPU 0. */
#define MHU_DRAIN   1u
#define MHU_TX_UART 2u

void mhu_handler(void)
{
    uint32_t asked = MPS2_MHU0->cpus[0].status;
    MPS2_MHU0->cpus[0].clear = asked;
    if ((asked & MHU_DRAIN) != 0u) {
        board_irq_raise(BOARD_DRAIN_IRQ);
    }
    if ((asked & MHU_TX_UART) != 0u) {
        board_irq_raise(MPS2_UART0_TX_IRQ);
    }
}

static void raise_on_first(uint32_t irq, uint32_t mhu_bit)
{
    if (board_cpu() == 0u) {
        board_irq_raise(irq);
    } else {
        MPS2_MHU0->cpus[0].set = mhu_bit;
    }
}

void tt_port_notify_drain(void)
{
    raise_on_first(BOARD_DRAIN_IRQ, MHU_DRAIN);
}

void trace_uart_raise_tx(void)
{
    raise_on_first(MPS2_UART0_TX_IRQ, MHU_TX_UART);
}

#else

uint32_t board_cpu(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
    board_irq_raise(BOARD_DRAIN_IRQ);
}

void trace_uart_raise_tx(void)
{
    board_irq_raise(MPS2_UART0_TX_IRQ);
}

#endif
