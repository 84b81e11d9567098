/* Event flags. A waiter gets its flags when they are set, before another thread can clear them. */
#include "internal.h"

/* Return the set flags among `bits`, or 0 when they do not satisfy the wait. */
static uint32_t satisfying(const kernel_flags_t *flags, uint32_t bits, uint32_t how)
{
    uint32_t set = flags->bits & bits;
    return (how & KERNEL_FLAGS_ALL) != 0u && set != bits ? 0u : set;
}

/* Clear `bits` if `how` requests it. [locked] */
static void take(kernel_flags_t *flags, uint32_t bits, uint32_t how)
{
    if ((how & KERNEL_FLAGS_CLEAR) != 0u) {
        flags->bits &= ~bits;
        tt_hook_flags_clear(flags, bits);
    }
}

static bool valid(uint32_t bits)
{
    return (bits & ~KERNEL_FLAGS_MASK) == 0u;
}

KERNEL_OBJECT_SERVICE(flags_set, kernel_flags_t *flags)
{
    uint32_t bits = (uint32_t)args[1];
    if (!valid(bits)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    flags->bits |= bits;
    tt_hook_flags_set(flags, bits);
    kernel_thread_t *next = NULL;
    for (kernel_thread_t *waiter = flags->waiters.first; waiter != NULL; waiter = next) {
        next = waiter->next;
        uint32_t got = satisfying(flags, waiter->wait_bits, waiter->wait_how);
        if (got != 0u) {
            take(flags, got, waiter->wait_how);
            kernel_unblock(waiter, (int32_t)got);
        }
    }
    return KERNEL_OK;
}

KERNEL_OBJECT_SERVICE(flags_clear, kernel_flags_t *flags)
{
    uint32_t bits = (uint32_t)args[1];
    if (!valid(bits)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    take(flags, bits, KERNEL_FLAGS_CLEAR);
    return KERNEL_OK;
}

/* Arguments of kernel_flags_wait() other than object and flags. */
typedef struct flags_args {
    uint32_t how;
    uint32_t timeout_ticks;
} flags_args_t;

int kernel_flags_wait(kernel_flags_t *flags, uint32_t bits, uint32_t how, uint32_t timeout_ticks)
{
    const flags_args_t more = {.how = how, .timeout_ticks = timeout_ticks};
    return kernel_call(TT_KERCALL_FLAGS_WAIT, (kernel_word_t)flags, bits, (kernel_word_t)&more);
}

KERNEL_OBJECT_SERVICE(flags_wait, kernel_flags_t *flags)
{
    uint32_t bits = (uint32_t)args[1];
    const flags_args_t *more = (const flags_args_t *)args[2];
    if (!valid(bits) || bits == 0u || more->how > (KERNEL_FLAGS_ALL | KERNEL_FLAGS_CLEAR) ||
        !kernel_timeout_valid(more->timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    uint32_t got = satisfying(flags, bits, more->how);
    if (got != 0u) {
        take(flags, got, more->how);
        return (int32_t)got;
    }
    if (more->timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    kernel_thread_t *self = kernel_this_cpu()->current;
    self->wait_bits = bits;
    self->wait_how = more->how;
    tt_hook_flags_wait(flags, bits);
    kernel_queue_insert(&flags->waiters, self);
    return kernel_block(KERNEL_STATE_FLAGS, flags, more->timeout_ticks);
}
