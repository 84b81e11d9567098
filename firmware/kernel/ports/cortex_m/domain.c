/*
 * Domains on Cortex-M: set up the memory protection unit, and end a thread that accesses memory
 * outside of its domain.
 *
 * The processor stacks a thread's registers with the thread's rights, so a stack pointer outside of
 * the domain is a fault like any other. Threads of a domain run without lazy stacking of FPU
 * registers, which would defer this fault to a handler that uses the FPU. The kernel stacks the
 * other registers with its own rights, so it checks the stack pointer first, at each kernel call
 * and each switch.
 *
 * A fault only marks the thread and requests a switch. PendSV follows before the thread executes
 * another instruction and ends it, whatever its registers and its stack contain and other threads
 * of its domain write.
 */
#include "domain.h"

#if !BASELINE

#include "kernel_board.h"
#include "mpu.h"

#include "tickertape/hooks.h"

#define FRAME_PC 6u

/* Smallest memory of a domain. */
#define MEMORY_MIN_BYTES 256u

/* A higher priority than the kernel's, so that a fault while a kernel call is stacked precedes the
 * call; a lower priority than that of devices. */
#define PRIORITY_FAULT 0xc0u

#define SHCSR_FAULTS (7u << 16) /* MemManage, BusFault and UsageFault enabled */

#define CFSR_MMARVALID (1u << 7)
#define CFSR_BFARVALID (1u << 15)
#define CFSR_FETCHING  ((1u << 0) | (1u << 8))               /* IACCVIOL, IBUSERR */
#define CFSR_STACKING  ((1u << 4) | (1u << 12) | (1u << 20)) /* MSTKERR, STKERR, STKOF */

#define EXC_RETURN_THREAD_MODE   (1u << 3)
#define EXC_RETURN_PROCESS_STACK (1u << 2)

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
    for (uint32_t fault = 4; fault <= 6u; fault++) {
        scb_set_priority(fault, PRIORITY_FAULT);
    }
    SCB_SHCSR |= SHCSR_FAULTS;
    kernel_board_code(&begin, &bytes);
    mpu_set(MPU_REGION_CODE, begin, bytes, MPU_EXECUTE);
    MPU_CTRL = MPU_CTRL_ENABLE | MPU_CTRL_PRIVDEFENA;
    mpu_barrier();
}

const kernel_thread_t *kernel_domain_enter(const kernel_thread_t *next)
{
    const kernel_domain_t *domain = next->domain;
    uint32_t control;
    __asm volatile("mrs %0, control" : "=r"(control));
    if (domain != NULL) {
        mpu_set(MPU_REGION_DOMAIN, domain->memory, domain->memory_bytes, MPU_WRITE);
        control |= CONTROL_UNPRIVILEGED;
    } else {
        control &= ~CONTROL_UNPRIVILEGED;
    }
#ifdef __ARM_FP
    FPU_FPCCR = (FPU_FPCCR & ~FPCCR_LSPEN) | (domain != NULL ? 0u : FPCCR_LSPEN);
#endif
    __asm volatile("msr control, %0\n\tisb" ::"r"(control) : "memory");
    return next;
}

/*
 * Handle a fault. Returns true when a thread of a domain caused it, which then ends; false for a
 * fault of the core.
 */
bool kernel_port_fault(const uint32_t *frame, uint32_t exc_return);
bool __attribute__((used)) kernel_port_fault(const uint32_t *frame, uint32_t exc_return)
{
    kernel_thread_t *thread = kernel_thread_self();
    if ((exc_return & EXC_RETURN_THREAD_MODE) == 0u || thread == NULL || thread->domain == NULL) {
        return false;
    }
    uint32_t cause = SCB_CFSR;
    uint32_t address = 0;
    uint32_t place = 0;
    if ((exc_return & EXC_RETURN_PROCESS_STACK) != 0u && (cause & CFSR_STACKING) == 0u) {
        place = frame[FRAME_PC];
    }
    if ((cause & CFSR_MMARVALID) != 0u) {
        address = SCB_MMFAR;
    } else if ((cause & CFSR_BFARVALID) != 0u) {
        address = SCB_BFAR;
    } else if ((cause & CFSR_FETCHING) != 0u) {
        address = place;
    }
    SCB_CFSR = cause; /* writing ones clears the bits */
    SCB_HFSR = SCB_HFSR;
    kernel_domain_fault(thread, address, place);
    kernel_port_want_switch();
    return true;
}

void __attribute__((naked)) kernel_fault_handler(void)
{
    __asm volatile("mrs r0, psp\n\t"
                   "mov r1, lr\n\t"
                   "push {r2, lr}\n\t"
                   "bl kernel_port_fault\n\t"
                   "pop {r2, lr}\n\t"
                   "cbz r0, 1f\n\t"
                   "bx lr\n\t"
                   "1: b kernel_board_fault_handler");
}

void kernel_domain_stop(kernel_thread_t *thread, const uint32_t *frame)
{
    if (!thread->faulted) {
        kernel_domain_fault(thread, (uint32_t)(uintptr_t)frame, frame[FRAME_PC]);
    }
    kernel_port_want_switch();
}

/* Check a thread of a domain before it leaves the CPU; its frame is at `sp`. Returns the address
 * below which its registers are stored, or NULL when the thread was ended. */
uint32_t *kernel_domain_leave(uint32_t *sp);
uint32_t *__attribute__((used)) kernel_domain_leave(uint32_t *sp)
{
    kernel_thread_t *thread = kernel_thread_self();
    if (kernel_domain_goes_on(thread, sp)) {
        return sp;
    }
    kernel_domain_stop(thread, sp);
    kernel_domain_end();
    return NULL;
}

#else

/* A processor without memory protection has no domains. */

bool kernel_port_can_protect(void)
{
    return false;
}

bool kernel_port_memory_fits(uintptr_t memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    return false;
}

void kernel_domain_protect(void)
{
}

void __attribute__((naked)) kernel_fault_handler(void)
{
    __asm volatile("ldr r0, 1f\n\t"
                   "bx r0\n\t"
                   ".balign 4\n\t"
                   "1: .word kernel_board_fault_handler");
}

#endif
