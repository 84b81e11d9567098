/*
 * ports/cortex_m/scs.h - the registers of the System Control Space that the port uses, and
 * priorities. A lower number is a higher priority; a processor implements only the upper bits.
 */
#ifndef KERNEL_PORT_SCS_H
#define KERNEL_PORT_SCS_H

#include <stdint.h>

#include "kernel_port.h"

/* ARMv6-M and ARMv8-M Baseline: no IT blocks, r0-r7 in most instructions, one fault handler, and
 * priorities that are accessed as words. */
#define BASELINE (__ARM_ARCH_ISA_THUMB == 1)

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)

#define NVIC_ISER ((volatile uint32_t *)0xe000e100u) /* set enable, a bit per interrupt */
#define NVIC_ISPR ((volatile uint32_t *)0xe000e200u) /* set pending, a bit per interrupt */
#define NVIC_IPR  ((volatile uint32_t *)0xe000e400u) /* priority, a byte per interrupt */

#define SCB_VTOR          (*(volatile uint32_t *)0xe000ed08u) /* address of the vector table */
#define SCB_SHPR          ((volatile uint32_t *)0xe000ed18u)  /* priorities of exceptions 4 to 15 */
#define EXCEPTION_SVC     11u
#define EXCEPTION_PENDSV  14u
#define EXCEPTION_SYSTICK 15u

/* Faults: enable bits, causes and accessed addresses. */
#define SCB_SHCSR (*(volatile uint32_t *)0xe000ed24u)
#define SCB_CFSR  (*(volatile uint32_t *)0xe000ed28u)
#define SCB_HFSR  (*(volatile uint32_t *)0xe000ed2cu)
#define SCB_MMFAR (*(const volatile uint32_t *)0xe000ed34u)
#define SCB_BFAR  (*(const volatile uint32_t *)0xe000ed38u)

/* Lazy stacking: an exception entry only reserves room for FPU registers; the next use of the FPU
 * stores them. */
#define FPU_FPCCR   (*(volatile uint32_t *)0xe000ef34u)
#define FPCCR_LSPEN (1u << 30)

/* Return to a thread, on the process stack, without FPU state. Valid for ARMv7-M and the Secure
 * state of an M33; the Non-secure state has another value. */
#define EXC_RETURN_THREAD 0xfffffffdu
#define EXC_RETURN_BASIC  (1u << 4) /* clear: the frame contains FPU registers */

#define CONTROL_UNPRIVILEGED 1u

#define FIRST_IRQ_EXCEPTION 16u

#define PRIORITY_KERNEL 0xffu /* the lowest, for any number of implemented bits */
#define PRIORITY_DEVICE 0x80u

/* Set byte `index` of registers with one priority per byte. On a baseline core this masks
 * interrupts for a few instructions. */
static inline void scs_set_priority(volatile uint32_t *priorities, uint32_t index,
                                    uint32_t priority)
{
#if BASELINE
    uint32_t shift = 8u * (index % 4u);
    kernel_port_key_t key = kernel_port_lock();
    priorities[index / 4u] = (priorities[index / 4u] & ~(0xffu << shift)) | (priority << shift);
    kernel_port_unlock(key);
#else
    ((volatile uint8_t *)priorities)[index] = (uint8_t)priority;
#endif
}

static inline void nvic_set_priority(uint32_t irq, uint32_t priority)
{
    scs_set_priority(NVIC_IPR, irq, priority);
}

/* Set the priority of an exception, 4 to 15; on a baseline core 11 to 15. */
static inline void scb_set_priority(uint32_t exception, uint32_t priority)
{
    scs_set_priority(SCB_SHPR, exception - 4u, priority);
}

#endif
