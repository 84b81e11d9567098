/* Event flags. A waiter gets its flags at the moment they are set, before anybody can clear them.
 */
#include "internal.h"

/* Those of `bits` that are set, or 0 when that is not enough. */
static uint32_t enough(const kernel_flags_t *flags, uint32_t bits, uint32_t how)
{
    uint32_t set = flags->bits & bits;
    return (how & KERNEL_FLAGS_ALL) != 0u && set != bits ? 0u : set;
}

/* [locked] */
static void take(kernel_flags_t *flags, uint32_t bits, uint32_t how)
{
    if ((how & KERNEL_FLAGS_CLEAR) != 0u) {
        flags->bits &= ~bits;
        tt_hook_flags_clear(flags, bits);
    }
}

static bool valid(const kernel_flags_t *flags, uint32_t bits)
{
    return flags != NULL && (bits & ~KERNEL_FLAGS_MASK) == 0u;
}

int kernel_flags_set(kernel_flags_t *flags, uint32_t bits)
{
    return kernel_call(TT_KERCALL_FLAGS_SET, (kernel_word_t)flags, bits, 0);
}

int32_t kernel_service_flags_set(const kernel_word_t *args)
{
    kernel_flags_t *flags = (kernel_flags_t *)args[0];
    uint32_t bits = (uint32_t)args[1];
    if (!valid(flags, bits)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    flags->bits |= bits;
    tt_hook_flags_set(flags, bits);
    kernel_thread_t *next = NULL;
    for (kernel_thread_t *waiter = flags->waiters.first; waiter != NULL; waiter = next) {
        next = waiter->next;
        uint32_t got = enough(flags, waiter->wait_bits, waiter->wait_how);
        if (got != 0u) {
            take(flags, got, waiter->wait_how);
            kernel_unblock(waiter, (int32_t)got);
        }
    }
    kernel_unlock(key);
    return KERNEL_OK;
}

int kernel_flags_clear(kernel_flags_t *flags, uint32_t bits)
{
    return kernel_call(TT_KERCALL_FLAGS_CLEAR, (kernel_word_t)flags, bits, 0);
}

int32_t kernel_service_flags_clear(const kernel_word_t *args)
{
    kernel_flags_t *flags = (kernel_flags_t *)args[0];
    uint32_t bits = (uint32_t)args[1];
    if (!valid(flags, bits)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    take(flags, bits, KERNEL_FLAGS_CLEAR);
    kernel_unlock(key);
    return KERNEL_OK;
}

/* What kernel_flags_wait() was asked for beside object and flags. */
typedef struct flags_wish {
    uint32_t how;
    uint32_t timeout_ticks;
} flags_wish_t;

/* Wait as the running thread. [locked] */
static int32_t wait(kernel_flags_t *flags, uint32_t bits, const flags_wish_t *wish)
{
    uint32_t got = enough(flags, bits, wish->how);
    if (got != 0u) {
        take(flags, got, wish->how);
        return (int32_t)got;
    }
    if (wish->timeout_ticks == 0u) {
        return KERNEL_ERROR_BUSY;
    }
    kernel_thread_t *self = kernel_this_cpu()->current;
    self->wait_bits = bits;
    self->wait_how = wish->how;
    tt_hook_flags_wait(flags, bits);
    kernel_queue_insert(&flags->waiters, self);
    return kernel_block(KERNEL_STATE_FLAGS, flags, wish->timeout_ticks);
}

int kernel_flags_wait(kernel_flags_t *flags, uint32_t bits, uint32_t how, uint32_t timeout_ticks)
{
    const flags_wish_t wish = {.how = how, .timeout_ticks = timeout_ticks};
    return kernel_call(TT_KERCALL_FLAGS_WAIT, (kernel_word_t)flags, bits, (kernel_word_t)&wish);
}

int32_t kernel_service_flags_wait(const kernel_word_t *args)
{
    kernel_flags_t *flags = (kernel_flags_t *)args[0];
    uint32_t bits = (uint32_t)args[1];
    const flags_wish_t *wish = (const flags_wish_t *)args[2];
    if (!valid(flags, bits) || bits == 0u || wish->how > (KERNEL_FLAGS_ALL | KERNEL_FLAGS_CLEAR) ||
        !kernel_timeout_valid(wish->timeout_ticks)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    kernel_port_key_t key = kernel_lock();
    int32_t result = wait(flags, bits, wish);
    kernel_unlock(key);
    return result;
}

int kernel_flags_delete(kernel_flags_t *flags)
{
    return kernel_call(TT_KERCALL_SYNC_DESTROY, (kernel_word_t)flags, 0, KERNEL_KIND_FLAGS);
}
