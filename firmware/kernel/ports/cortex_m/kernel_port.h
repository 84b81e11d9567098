/*
 * Port of the kernel to Cortex-M (ARMv6-M, ARMv7-M and ARMv8-M, with or without FPU). kernel/port.h
 * describes the functions of a port.
 *
 * Threads of the core run privileged, threads of a domain unprivileged; both use the process stack.
 * ARMv6-M and ARMv8-M Baseline have no domains. Kernel calls (SVC), context switches (PendSV) and
 * the tick have the same, lowest priority, so they never preempt each other and every device
 * interrupt preempts them.
 */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel_config.h"

typedef uintptr_t kernel_word_t;
typedef uint32_t kernel_port_key_t;

/* Saved state of a thread that does not run. Its registers lie on its stack,
 *     sp -> r4 ... r11, [s16 ... s31], r0-r3, r12, lr, pc, xPSR, [s0 ... s15, FPSCR]
 * where the parts in brackets exist after the thread has used the FPU, and always in a domain. The
 * values that the kernel relies on are here and not on the stack, to which other threads of a
 * domain may write. */
typedef struct kernel_port_context {
    uint32_t *sp;
    uint32_t exc_return;       /* EXC_RETURN; also reports whether the parts in brackets exist */
    kernel_word_t *call_frame; /* frame of the current kernel call, its r0 first */
} kernel_port_context_t;

/* Room for both register frames with FPU (51 words), for alignment, and for one level of calls. */
#define KERNEL_STACK_MIN_BYTES 256u

static inline kernel_port_key_t kernel_port_lock(void)
{
    kernel_port_key_t key;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(key)::"memory");
    return key;
}

static inline void kernel_port_unlock(kernel_port_key_t key)
{
    __asm volatile("msr primask, %0" ::"r"(key) : "memory");
}

/* Return an address in the function into which this is inlined. */
static inline uint32_t kernel_port_here(void)
{
    uint32_t address;
    __asm volatile("mov %0, pc" : "=r"(address));
    return address;
}

/* Return the number of the CPU. A board with several CPUs defines KERNEL_CPU_REGISTER, the address
 * at which each CPU reads its own number. */
static inline uint32_t kernel_port_cpu(void)
{
#if KERNEL_CPUS > 1
    return *(const volatile uint32_t *)KERNEL_CPU_REGISTER;
#else
    return 0;
#endif
}

/* Let an emulator that runs one CPU at a time continue with the next one. */
static inline void kernel_port_spin(void)
{
    __asm volatile("yield" ::: "memory");
}

/* Clear the bit that marks Thumb code. */
#define kernel_port_code_address(address) ((address) & ~(kernel_word_t)1u)

/* The return address in the exception frame of the call. */
#define kernel_port_call_place(thread) ((uint32_t)(thread)->context.call_frame[6])

/*
 * Return whether a thread runs: IPSR is 0 outside of handlers, and CONTROL.SPSEL is set in threads,
 * because main() runs on the main stack. SPSEL alone is not sufficient: by the architecture
 * handlers read it as 0, but Renode 1.16 leaves it set, and QEMU's M33 keeps the value that a
 * handler writes.
 */
static inline bool kernel_port_in_thread(void)
{
    uint32_t control;
    uint32_t exception;
    __asm volatile("mrs %0, control" : "=r"(control));
    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    return exception == 0u && (control & 2u) != 0u;
}

/* Make a kernel call. The handler reads the arguments from the stacked frame, which also contains
 * r12. */
static inline int32_t kernel_port_trap(uint32_t call, kernel_word_t arg0, kernel_word_t arg1,
                                       kernel_word_t arg2)
{
    register kernel_word_t r0 __asm("r0") = arg0;
    register kernel_word_t r1 __asm("r1") = arg1;
    register kernel_word_t r2 __asm("r2") = arg2;
    register uint32_t r12 __asm("r12") = call;
    __asm volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r12) : "memory");
    return (int32_t)r0;
}

/* Set ICSR.PENDSVSET: PendSV follows as soon as no exception of higher priority runs. */
static inline void kernel_port_want_switch(void)
{
    *(volatile uint32_t *)0xe000ed04u = 1u << 28;
    __asm volatile("dsb" ::: "memory");
}

#define kernel_port_set_result(thread, result)                                                     \
    ((void)(*(thread)->context.call_frame = (kernel_word_t)(result)))

static inline void kernel_port_pass_call(void)
{
}

static inline void kernel_port_pass_switch(void)
{
}

/*
 * Use SysTick as the source of the kernel's tick: `tick_hz` interrupts a second at a processor
 * clock of `core_hz`. The board routes exception 15 to SysTick_Handler.
 */
void kernel_systick_start(uint32_t core_hz, uint32_t tick_hz);

/* Handlers for the vector table of a board: exceptions 11, 14, 15, and every device interrupt that
 * the kernel dispatches. */
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void kernel_irq_handler(void);

/* Handler for exceptions 3 to 7: a fault of a thread of a domain ends the thread, any other fault
 * continues in kernel_board_fault_handler(). */
void kernel_fault_handler(void);

/* Defined by the board: the handler of a fault of the core. Entered as an exception handler, with
 * EXC_RETURN in lr and the registers of the interrupted code. */
void kernel_board_fault_handler(void);

#endif
