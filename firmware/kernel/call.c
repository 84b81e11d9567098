/*
 * Kernel calls: the functions of kernel.h that make them, and the dispatch to the services
 * (calls.h). Functions whose arguments do not fit into three words are in the files of their
 * services.
 */
#include "internal.h"

typedef struct service {
    kernel_service_t *run;
    bool anywhere;
    bool domains;
} service_t;

#define TABLE_ROW(number, service, anywhere, domains)                                              \
    [TT_KERCALL_##number] = {kernel_service_##service, anywhere, domains},
static const service_t services[] = {KERNEL_CALLS(TABLE_ROW)};

static const service_t *find_service(uint32_t call)
{
    if (call >= sizeof services / sizeof services[0] || services[call].run == NULL) {
        return NULL;
    }
    return &services[call];
}

/* Not inlined, so that one function contains the traps of all calls. */
__attribute__((noinline)) int32_t kernel_call(uint32_t call, kernel_word_t arg0, kernel_word_t arg1,
                                              kernel_word_t arg2)
{
    if (kernel_port_in_thread()) {
        return kernel_port_trap(call, arg0, arg1, arg2);
    }
    const service_t *service = find_service(call);
    if (service == NULL || !service->anywhere) {
        return KERNEL_ERROR_STATE;
    }
    const kernel_word_t args[] = {arg0, arg1, arg2};
    return service->run(args);
}

void kernel_call_handle(uint32_t call, const kernel_word_t *args)
{
    kernel_thread_t *self = kernel_this_cpu()->current;
    const service_t *service = find_service(call);
    if (service == NULL) {
        kernel_port_set_result(self, KERNEL_ERROR_ARGUMENT);
        return;
    }
    if (self->domain == NULL) {
        tt_hook_call_enter(call, (uint32_t)args[0], (uint32_t)args[1], (uint32_t)args[2], 0u,
                           self->tid, self->priority);
    } else {
        kernel_domain_trace_enter(self, call);
    }
    self->call = (uint8_t)call;
    self->in_call = true;
    kernel_port_pass_call();
    kernel_enter();
    bool allowed = self->domain == NULL || service->domains;
    int32_t result = KERNEL_ERROR_DENIED;
    if (KERNEL_CPUS > 1 && self->ending) {
        result = KERNEL_ERROR_STATE; /* another CPU has ended it: it ends at the switch */
    } else if (allowed) {
        result = service->run(args);
    }
    if (result != KERNEL_BLOCKED) {
        self->call_result = result;
    }
    kernel_call_done(self);
}

/* FUNCTION(name, parameters, number, arguments): kernel_<name>() makes call TT_KERCALL_<number>. */
#define WORDS(arg0, arg1, arg2, ...)                                                               \
    (kernel_word_t)(arg0), (kernel_word_t)(arg1), (kernel_word_t)(arg2)
#define FUNCTION(name, parameters, number, ...)                                                    \
    int kernel_##name parameters                                                                   \
    {                                                                                              \
        return kernel_call(TT_KERCALL_##number, WORDS(__VA_ARGS__, 0, 0, 0));                      \
    }

/* clang-format off */
FUNCTION(channel_delete, (kernel_channel_t *channel), CHANNEL_DESTROY, channel)
FUNCTION(pulse_send, (kernel_channel_t *channel, uint32_t pulse), MSG_SEND_PULSE, channel, pulse)
FUNCTION(cond_broadcast, (kernel_cond_t *cond), SYNC_CONDVAR_SIGNAL, cond, 1)
FUNCTION(cond_delete, (kernel_cond_t *cond), SYNC_DESTROY, cond, 0, KERNEL_KIND_COND)
FUNCTION(cond_signal, (kernel_cond_t *cond), SYNC_CONDVAR_SIGNAL, cond)
FUNCTION(cond_wait, (kernel_cond_t *cond, kernel_mutex_t *mutex, uint32_t timeout_ticks),
         SYNC_CONDVAR_WAIT, cond, mutex, timeout_ticks)
FUNCTION(flags_clear, (kernel_flags_t *flags, uint32_t bits), FLAGS_CLEAR, flags, bits)
FUNCTION(flags_delete, (kernel_flags_t *flags), SYNC_DESTROY, flags, 0, KERNEL_KIND_FLAGS)
FUNCTION(flags_set, (kernel_flags_t *flags, uint32_t bits), FLAGS_SET, flags, bits)
FUNCTION(mutex_delete, (kernel_mutex_t *mutex), SYNC_DESTROY, mutex, 0, KERNEL_KIND_MUTEX)
FUNCTION(mutex_lock, (kernel_mutex_t *mutex, uint32_t timeout_ticks), SYNC_MUTEX_LOCK, mutex,
         timeout_ticks)
FUNCTION(mutex_trylock, (kernel_mutex_t *mutex), SYNC_MUTEX_TRYLOCK, mutex)
FUNCTION(mutex_unlock, (kernel_mutex_t *mutex), SYNC_MUTEX_UNLOCK, mutex)
FUNCTION(sem_delete, (kernel_sem_t *sem), SYNC_DESTROY, sem, 0, KERNEL_KIND_SEM)
FUNCTION(sem_post, (kernel_sem_t *sem), SYNC_SEM_POST, sem)
FUNCTION(sem_trywait, (kernel_sem_t *sem), SYNC_SEM_TRYWAIT, sem)
FUNCTION(sem_wait, (kernel_sem_t *sem, uint32_t timeout_ticks), SYNC_SEM_WAIT, sem, timeout_ticks)
FUNCTION(sleep, (uint32_t ticks), THREAD_SLEEP, ticks)
FUNCTION(thread_bind, (kernel_thread_t *thread, uint32_t cpu), THREAD_BIND, thread, cpu)
FUNCTION(thread_join, (kernel_thread_t *thread, uint32_t timeout_ticks), THREAD_JOIN, thread,
         timeout_ticks)
FUNCTION(thread_resume, (kernel_thread_t *thread), THREAD_RESUME, thread)
FUNCTION(thread_set_period, (kernel_thread_t *thread, uint32_t period_ticks), THREAD_SET_PERIOD,
         thread, period_ticks)
FUNCTION(thread_set_priority, (kernel_thread_t *thread, uint32_t priority), SCHED_SET, thread,
         priority)
FUNCTION(thread_suspend, (kernel_thread_t *thread), THREAD_SUSPEND, thread)
FUNCTION(timer_create,
         (kernel_timer_t *timer, kernel_timer_handler_t handler, void *argument),
         TIMER_CREATE, timer, handler, argument)
FUNCTION(timer_delete, (kernel_timer_t *timer), TIMER_DESTROY, timer)
FUNCTION(timer_stop, (kernel_timer_t *timer), TIMER_SETTIME, timer)
FUNCTION(wait_period, (void), THREAD_WAIT_PERIOD, 0)
/* clang-format on */
