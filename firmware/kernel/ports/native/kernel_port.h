/*
 * Port of the kernel to Linux. kernel/port.h describes the functions of a port.
 *
 * Each kernel thread has its own stack. One Linux thread executes all of them, so Linux does not
 * take part in a context switch. Interrupts are virtual and occur only at checkpoints: kernel calls
 * and kernel_work_us(). Code between two checkpoints is never interrupted, so no interrupts have to
 * be masked. A loop without a checkpoint cannot be preempted.
 */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

#include <stdbool.h>
#include <stdint.h>

typedef uintptr_t kernel_word_t;
typedef uint32_t kernel_port_key_t;

typedef struct kernel_port_context {
    struct native_fiber *fiber;
    int32_t result;      /* result of the current kernel call */
    uint32_t call_place; /* call site of the current kernel call */
} kernel_port_context_t;

/* The value of Cortex-M, so that a program that fits there fits here. */
#define KERNEL_STACK_MIN_BYTES 256u

/* Nesting depth of masked sections: at a depth above 0, checkpoints serve no interrupts. */
extern uint32_t native_lock_depth;

static inline kernel_port_key_t kernel_port_lock(void)
{
    return native_lock_depth++;
}

static inline void kernel_port_unlock(kernel_port_key_t key)
{
    native_lock_depth = key;
}

static inline uint32_t kernel_port_here(void)
{
    uintptr_t address;
#ifdef __x86_64__
    __asm volatile("lea 0(%%rip), %0" : "=r"(address));
#else
    __asm volatile("adr %0, ." : "=r"(address));
#endif
    return (uint32_t)address;
}

static inline uint32_t kernel_port_cpu(void)
{
    return 0;
}

static inline void kernel_port_spin(void)
{
}

#define kernel_port_code_address(address) (address)
#define kernel_port_call_place(thread)    ((thread)->context.call_place)

bool kernel_port_in_thread(void);
int32_t kernel_port_trap(uint32_t call, kernel_word_t arg0, kernel_word_t arg1, kernel_word_t arg2);
void kernel_port_pass_call(void);
void kernel_port_pass_switch(void);

/* Nothing to do: the next checkpoint calls kernel_switch(). */
static inline void kernel_port_want_switch(void)
{
}

#define kernel_port_set_result(thread, call_result)                                                \
    ((void)((thread)->context.result = (call_result)))

#endif
