/* Threads of the native port: preparation, switches, traps. */
#include "fiber.h"
#include "kernel_board.h"
#include "native.h"
#include "port.h"

#define DOMAIN_MIN_BYTES 256u

uint32_t native_lock_depth;
static bool started;

static void begin(void)
{
    kernel_thread_main(kernel_thread_self());
}

void kernel_port_prepare(kernel_thread_t *thread)
{
    thread->context.fiber = native_fiber_new(begin);
    if (thread->context.fiber == NULL) {
        kernel_panic("no stack for a kernel thread");
    }
}

void kernel_port_forget(kernel_thread_t *thread)
{
    native_fiber_free(thread->context.fiber);
}

/* The port checks the rules of domains, but all threads share the memory of the process. */
bool kernel_port_can_protect(void)
{
    return true;
}

/* The rules of Cortex-M, so that a program that fits here fits there. */
bool kernel_port_memory_fits(uintptr_t memory, size_t bytes)
{
    return bytes >= DOMAIN_MIN_BYTES && (bytes & (bytes - 1u)) == 0u && memory % bytes == 0u &&
           memory != 0u;
}

bool kernel_port_in_thread(void)
{
    return started && !native_serves_interrupt();
}

void kernel_port_pass_call(void)
{
    native_pass(NATIVE_CALL_TICKS / 2u);
    native_serve_device_interrupts();
}

void kernel_port_pass_switch(void)
{
    native_pass(NATIVE_SWITCH_TICKS);
}

/* Switch to another thread if it has to run. Returns when this thread runs again. */
static void switch_thread(void)
{
    kernel_thread_t *self = kernel_thread_self();
    if (native_lock_depth != 0u) {
        kernel_panic("a lock of the kernel was not given back");
    }
    kernel_thread_t *next = kernel_switch();
    if (next == self) {
        return;
    }
    bool ends = self->state == KERNEL_STATE_DEAD;
    native_fiber_switch(self->context.fiber, next->context.fiber, ends);
}

void native_checkpoint(void)
{
    if (native_lock_depth == 0u) {
        native_serve_interrupts();
        switch_thread();
    }
}

int32_t kernel_port_trap(uint32_t call, kernel_word_t arg0, kernel_word_t arg1, kernel_word_t arg2)
{
    const kernel_word_t args[] = {arg0, arg1, arg2};
    kernel_thread_t *self = kernel_thread_self();
    self->context.call_place = (uint32_t)(uintptr_t)__builtin_return_address(0);
    if (native_lock_depth != 0u) {
        kernel_panic("a kernel call was made with interrupts masked");
    }
    native_pass(NATIVE_CALL_TICKS / 2u);
    native_checkpoint();
    kernel_call_handle(call, args);
    switch_thread();
    return self->context.result;
}

void kernel_port_begin(void)
{
}

void kernel_port_start(kernel_thread_t *idle)
{
    idle->context.fiber = native_fiber_here();
    native_lock_depth = 0;
    started = true;
    switch_thread();
    kernel_idle();
}
