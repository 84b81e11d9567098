/*
 * ports/cortex_m/scs.h - the registers of the System Control Space that the port uses, and the
 * priorities it gives. Lower number is more urgent; a processor keeps the upper bits only.
 */
#ifndef KERNEL_PORT_SCS_H
#define KERNEL_PORT_SCS_H

#include <stdint.h>

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)

#define NVIC_ISER ((volatile uint32_t *)0xe000e100u) /* set enable, a bit per interrupt */
#define NVIC_ISPR ((volatile uint32_t *)0xe000e200u) /* set pending, a bit per interrupt */
#define NVIC_IPR  ((volatile uint8_t *)0xe000e400u)  /* priority, a byte per interrupt */

/* Priority of exceptions 4 to 15, a byte each. */
#define SCB_SHPR     ((volatile uint8_t *)0xe000ed18u)
#define SHPR_SVC     (11u - 4u)
#define SHPR_PENDSV  (14u - 4u)
#define SHPR_SYSTICK (15u - 4u)

/* Faults: enabled ones, their causes, and the addresses that they were about. */
#define SCB_SHCSR (*(volatile uint32_t *)0xe000ed24u)
#define SCB_CFSR  (*(volatile uint32_t *)0xe000ed28u)
#define SCB_HFSR  (*(volatile uint32_t *)0xe000ed2cu)
#define SCB_MMFAR (*(const volatile uint32_t *)0xe000ed34u)
#define SCB_BFAR  (*(const volatile uint32_t *)0xe000ed38u)

/* On exception entry the FPU's registers get room only and are stored when somebody else uses the
 * FPU. */
#define FPU_FPCCR   (*(volatile uint32_t *)0xe000ef34u)
#define FPCCR_LSPEN (1u << 30)

/* Return to a thread, on the process stack, without FPU state. The Non-secure state of an M33
 * has another value; this one is right for ARMv7-M and for the Secure state. */
#define EXC_RETURN_THREAD 0xfffffffdu
#define EXC_RETURN_BASIC  (1u << 4) /* clear: the frame has the FPU's registers */

#define CONTROL_UNPRIVILEGED 1u

#define FIRST_IRQ_EXCEPTION 16u
#define SYSTICK_EXCEPTION   15u

#define PRIORITY_KERNEL 0xffu /* the lowest, whatever number of bits there is */
#define PRIORITY_DEVICE 0x80u

#endif
