/*
 * Kernel calls from an interrupt in which CONTROL.SPSEL reads as 1. By the architecture, handlers
 * read 0; Renode leaves the thread's 1, and QEMU's M33 keeps the value that the handler writes.
 * Exit code: 0 if every call succeeded, EXIT_CALL if one was refused.
 */
#include "board.h"
#include "kernel.h"
#include "kernel_sync.h"
#include "tracer.h"

#define STACK_BYTES 1024u
#define INTERRUPTS  10u
#define EXIT_CALL   9

static kernel_sem_t arrived = KERNEL_SEM_INIT(0, INTERRUPTS);
static uint32_t set_in_handler;

static void handler(void *argument)
{
    uint32_t control;
    (void)argument;
    __asm volatile("mrs %0, control\n\t"
                   "orr %0, %0, #2\n\t"
                   "msr control, %0\n\t"
                   "isb\n\t"
                   "mrs %0, control"
                   : "=&r"(control)
                   :
                   : "memory");
    set_in_handler += (control >> 1) & 1u;
    if (kernel_sem_post(&arrived) != KERNEL_OK) {
        board_exit(EXIT_CALL);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < INTERRUPTS; i++) {
        board_irq_raise(BOARD_SPARE_IRQ);
        if (kernel_sem_wait(&arrived, 100) != KERNEL_OK) {
            board_exit(EXIT_CALL);
        }
    }
    board_console_write(set_in_handler > 0u ? "SPSEL was 1\n" : "SPSEL was 0\n");
    tracer_finish();
}

void application_main(void)
{
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[STACK_BYTES];
    tracer_start("control_register", NULL, 0);
    (void)kernel_irq_attach(BOARD_SPARE_IRQ, KERNEL_IRQ_LEVEL_DEVICE, handler, NULL);
    (void)kernel_thread_create(&thread, "waiter", waiter, NULL, 10, stack, sizeof stack);
    (void)kernel_thread_bind(&thread, 0); /* CPU 0 serves the interrupt */
    kernel_start();
}
