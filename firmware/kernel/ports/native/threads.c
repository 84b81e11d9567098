/* Threads of the native port: the thread that holds the baton runs. */
#include "port.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "kernel_board.h"
#include "native.h"

/* Stack of the Linux thread of each kernel thread; sanitizers need a multiple of the plain program.
 * Only pages in use take memory. */
#define LINUX_STACK_BYTES ((size_t)512 * 1024)

#define DOMAIN_MIN_BYTES 256u

uint32_t native_lock_depth;
static bool started;

static void wait_for_baton(kernel_thread_t *thread)
{
    while (sem_wait(&thread->context.baton) != 0) {
        if (errno != EINTR) {
            kernel_panic("sem_wait failed");
        }
    }
}

static void *begin(void *argument)
{
    kernel_thread_t *thread = argument;
    wait_for_baton(thread);
    kernel_thread_main(thread);
}

void kernel_port_prepare(kernel_thread_t *thread)
{
    pthread_attr_t attributes;
    pthread_t handle;
    if (sem_init(&thread->context.baton, 0, 0) != 0 || pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, LINUX_STACK_BYTES) != 0 ||
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) != 0 ||
        pthread_create(&handle, &attributes, begin, thread) != 0) {
        kernel_panic("no Linux thread for a kernel thread");
    }
    (void)pthread_attr_destroy(&attributes);
}

/* The threads of a domain keep to its rules; the memory of one process is open to all of them. */
bool kernel_port_can_protect(void)
{
    return true;
}

/* As on Cortex-M, so that a program that fits here fits there. */
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

/* Pass the baton if another thread has to run. Comes back when it is this thread's turn again. */
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
    /* Once the baton is passed on, a thread that has ended may not touch its memory any more. */
    bool ended = self->state == KERNEL_STATE_DEAD;
    uint64_t left = native_clock();
    (void)sem_post(&next->context.baton);
    if (ended) {
        pthread_exit(NULL);
    }
    wait_for_baton(self);
    self->context.away_ticks += native_clock() - left;
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
    if (sem_init(&idle->context.baton, 0, 0) != 0) {
        kernel_panic("sem_init failed");
    }
    native_lock_depth = 0;
    started = true;
    switch_thread();
    kernel_idle();
}
