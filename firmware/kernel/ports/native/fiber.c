/* Fibers of one Linux thread, implemented by POSIX.1-2001 contexts. */
#include "fiber.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* Sanitizers need several times the stack of the plain program. Only used pages take memory. */
#define STACK_BYTES ((size_t)512 * 1024)
#define GUARD_BYTES ((size_t)64 * 1024) /* a multiple of every page size */

struct native_fiber {
    ucontext_t place; /* context in which it continues */
    void (*entry)(void);
    uint8_t *memory; /* guard pages, and the stack above them */
    const void *stack;
    size_t stack_bytes;
    void *shadow; /* state of a sanitizer */
};

static struct native_fiber main_fiber;
static struct native_fiber *running = &main_fiber;
static struct native_fiber *ended; /* its stack is freed when another fiber runs */

void native_fiber_free(struct native_fiber *fiber)
{
    if (fiber == NULL) {
        return;
    }
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(fiber->shadow);
#endif
#ifdef __SANITIZE_ADDRESS__
    /* Its functions have not returned, and other memory may get these addresses soon. */
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
    (void)munmap(fiber->memory, GUARD_BYTES + STACK_BYTES);
    free(fiber);
}

/* Complete a switch from `from`: the first function that a fiber executes after it. */
static void arrive(struct native_fiber *from)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(running->shadow, &from->stack, &from->stack_bytes);
#endif
    (void)from;
    native_fiber_free(ended);
    ended = NULL;
}

static struct native_fiber *previous;

static void enter(void)
{
    arrive(previous);
    running->entry();
}

/* Not inlined, because the compiler treats getcontext() as a function that may return twice. */
__attribute__((noinline)) static bool is_context_known(ucontext_t *context)
{
    return getcontext(context) == 0;
}

static bool allocate(struct native_fiber *fiber)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    size_t bytes = GUARD_BYTES + STACK_BYTES;
    fiber->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (fiber->memory == MAP_FAILED) {
        return false;
    }
    fiber->stack = fiber->memory + GUARD_BYTES;
    fiber->stack_bytes = STACK_BYTES;
    fiber->place.uc_stack.ss_sp = fiber->memory + GUARD_BYTES;
    fiber->place.uc_stack.ss_size = STACK_BYTES;
    return mprotect(fiber->memory, GUARD_BYTES, PROT_NONE) == 0;
}

struct native_fiber *native_fiber_new(void (*entry)(void))
{
    struct native_fiber *fiber = calloc(1, sizeof *fiber);
    if (fiber == NULL || !is_context_known(&fiber->place) || !allocate(fiber)) {
        return NULL; /* the caller ends the program */
    }
    fiber->entry = entry;
#ifdef __SANITIZE_THREAD__
    fiber->shadow = __tsan_create_fiber(0);
#endif
    makecontext(&fiber->place, enter, 0);
    return fiber;
}

struct native_fiber *native_fiber_here(void)
{
#ifdef __SANITIZE_THREAD__
    main_fiber.shadow = __tsan_get_current_fiber();
#endif
    return &main_fiber;
}

/* Switch contexts. Not swapcontext(), which the address sanitizer reports although it was informed
 * of the switch. getcontext() returns a second time when this fiber continues. */
__attribute__((noinline)) static void go_on(void)
{
    volatile bool is_back = false;
    (void)getcontext(&previous->place);
    if (!is_back) {
        is_back = true;
        (void)setcontext(&running->place);
    }
}

void native_fiber_switch(struct native_fiber *from, struct native_fiber *to, bool ends)
{
    previous = from;
    running = to;
    ended = ends ? from : NULL;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(ends ? NULL : &from->shadow, to->stack, to->stack_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(to->shadow, 0);
#endif
    go_on();
    arrive(previous);
}
