/*
 * Domains on Cortex-M: the memory protection unit, and what becomes of a thread that touches what
 * is not its own.
 *
 * The processor stacks a thread's registers with the thread's own rights, so a stack pointer that
 * leads out of the domain is a fault like any other. What the kernel stacks beside that is stored
 * with its rights; so it looks at the stack pointer before (kernel_domain_stack).
 *
 * A thread that is to end gets a new exception frame at the top of its stack, which leads to
 * kernel_domain_exit(): what its registers and its stack hold does not matter any more.
 */
#include "domain.h"

#include "kernel_board.h"
#include "mpu.h"
#include "scs.h"

#include "tickertape/hooks.h"

#define FRAME_WORDS 8u
#define FRAME_R12   4u
#define FRAME_PC    6u
#define FRAME_XPSR  7u
#define XPSR_THUMB  (1u << 24)

/* r4-r11, EXC_RETURN and s16-s31: what the kernel stacks at most. */
#define SAVED_BYTES (25u * 4u)

/* Memory that a domain has at least. */
#define MEMORY_MIN_BYTES 256u

/* More urgent than the kernel, so that a fault while a kernel call is being stacked comes before
 * the call; less urgent than devices. */
#define PRIORITY_FAULT 0xc0u

#define SHCSR_FAULTS (7u << 16) /* MemManage, BusFault and UsageFault enabled */

#define CFSR_MMARVALID (1u << 7)
#define CFSR_BFARVALID (1u << 15)
#define CFSR_STACKING  ((1u << 4) | (1u << 12) | (1u << 20)) /* MSTKERR, STKERR, STKOF */

#define EXC_RETURN_MODE_MASK 0xcu
#define EXC_RETURN_TO_THREAD 0xcu /* on the process stack */

bool kernel_port_can_protect(void)
{
    return MPU_TYPE_REGIONS(MPU_TYPE) >= MPU_REGION_COUNT;
}

bool kernel_port_memory_fits(uintptr_t memory, size_t bytes)
{
    return bytes >= MEMORY_MIN_BYTES && (bytes & (bytes - 1u)) == 0u && memory % bytes == 0u &&
           memory != 0u;
}

void kernel_domain_protect(void)
{
    uintptr_t begin = 0;
    size_t bytes = 0;
    if (!kernel_port_can_protect()) {
        return;
    }
    for (uint32_t fault = 0; fault < 3u; fault++) {
        SCB_SHPR[fault] = PRIORITY_FAULT; /* exceptions 4 to 6 */
    }
    SCB_SHCSR |= SHCSR_FAULTS;
    kernel_board_code(&begin, &bytes);
    mpu_set(MPU_REGION_CODE, begin, bytes, MPU_EXECUTE);
    MPU_CTRL = MPU_CTRL_ENABLE | MPU_CTRL_PRIVDEFENA;
    mpu_barrier();
}

void kernel_domain_enter(const kernel_thread_t *thread)
{
    uint32_t control;
    __asm volatile("mrs %0, control" : "=r"(control));
    control &= ~CONTROL_UNPRIVILEGED;
    if (thread->domain != NULL) {
        const kernel_domain_t *domain = thread->domain;
        mpu_set(MPU_REGION_DOMAIN, domain->memory, domain->memory_bytes, MPU_WRITE);
        control |= CONTROL_UNPRIVILEGED;
        /* The stack is the domain's; of EXC_RETURN only the bit for the FPU is believed. */
        uint32_t *saved = &thread->context.sp[SAVED_EXC_RETURN];
        *saved = (EXC_RETURN_THREAD & ~EXC_RETURN_BASIC) | (*saved & EXC_RETURN_BASIC);
    }
    __asm volatile("msr control, %0\n\tisb" ::"r"(control) : "memory");
}

/* What the thread takes up instead of where it was. */
static uint32_t *end_frame(const kernel_thread_t *thread)
{
    uintptr_t top = ((uintptr_t)thread->stack + thread->stack_bytes) & ~(uintptr_t)7u;
    uint32_t *frame = (uint32_t *)top - FRAME_WORDS;
    for (uint32_t i = 0; i < FRAME_WORDS; i++) {
        frame[i] = 0;
    }
    frame[FRAME_R12] = TT_KERCALL_THREAD_DESTROY; /* for a call that was being made */
    frame[FRAME_PC] = (uint32_t)(uintptr_t)kernel_domain_exit & ~1u;
    frame[FRAME_XPSR] = XPSR_THUMB;
#ifdef __ARM_FP
    FPU_FPCCR &= ~FPCCR_LSPACT; /* nothing of the FPU goes to where the old frame was */
#endif
    return frame;
}

/*
 * A fault. Returns the frame that the thread goes on with, or NULL when it was no thread of a
 * domain that did it: then the system is broken.
 */
uint32_t *kernel_port_fault(const uint32_t *frame, uint32_t exc_return);
uint32_t *kernel_port_fault(const uint32_t *frame, uint32_t exc_return)
{
    const kernel_thread_t *thread = kernel_thread_self();
    if ((exc_return & EXC_RETURN_MODE_MASK) != EXC_RETURN_TO_THREAD || thread == NULL ||
        thread->domain == NULL) {
        return NULL;
    }
    uint32_t cause = SCB_CFSR;
    uint32_t address = 0;
    if ((cause & CFSR_MMARVALID) != 0u) {
        address = SCB_MMFAR;
    } else if ((cause & CFSR_BFARVALID) != 0u) {
        address = SCB_BFAR;
    }
    SCB_CFSR = cause; /* ones clear */
    kernel_domain_fault(thread, address, (cause & CFSR_STACKING) != 0u ? 0u : frame[FRAME_PC]);
    return end_frame(thread);
}

void __attribute__((naked)) kernel_fault_handler(void)
{
    __asm volatile("tst lr, #4\n\t" /* which stack was in use */
                   "ite eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "mov r1, lr\n\t"
                   "push {r2, lr}\n\t"
                   "bl kernel_port_fault\n\t"
                   "pop {r2, lr}\n\t"
                   "cbnz r0, 1f\n\t"
                   "b HardFault_Handler\n\t"
                   "1: msr psp, r0\n\t"
                   "orr lr, lr, #16\n\t" /* a frame without the FPU's registers */
                   "bx lr");
}

/*
 * Look at the stack pointer of an unprivileged thread before its registers are stored below it.
 * Returns it, or that of a frame that ends the thread.
 */
uint32_t *kernel_domain_stack(uint32_t *sp);
uint32_t *kernel_domain_stack(uint32_t *sp)
{
    const kernel_thread_t *thread = kernel_thread_self();
    uintptr_t lowest = (uintptr_t)sp - SAVED_BYTES;
    if (kernel_domain_holds(thread->domain, lowest, SAVED_BYTES + FRAME_WORDS * sizeof *sp)) {
        return sp;
    }
    kernel_domain_fault(thread, (uint32_t)lowest, sp[FRAME_PC]);
    return end_frame(thread);
}
