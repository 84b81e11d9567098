/*
 * Port of the kernel to Linux. The duties of a port are in kernel/port.h.
 *
 * Each kernel thread has a stack of its own; one Linux thread executes all of them, so Linux has no
 * part in a context switch. Interrupts are virtual and are delivered at checkpoints only: kernel
 * calls and kernel_work_us(). Nothing is interrupted between two of them, so there is nothing to
 * mask. A loop without a checkpoint cannot be preempted.
 */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

#include <stdbool.h>
#include <stdint.h>

typedef uintptr_t kernel_word_t;
typedef uint32_t kernel_port_key_t;

typedef struct kernel_port_context {
    struct native_fiber *fiber;
    int32_t result;      /* of the kernel call under way */
    uint32_t call_place; /* its call site */
} kernel_port_context_t;

/* As on Cortex-M, so that a program that fits there fits here. */
#define KERNEL_STACK_MIN_BYTES 256u

/* Interrupts come at checkpoints only, and not at those with a depth above 0. */
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

/* The next checkpoint reads the kernel's own flag. */
static inline void kernel_port_want_switch(void)
{
}

#define kernel_port_set_result(thread, call_result)                                                \
    ((void)((thread)->context.result = (call_result)))

#endif
