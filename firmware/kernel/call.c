/*
 * Kernel calls: from a function of kernel.h over the port's trap to a service, and back.
 *
 * The number of a call is that of its trace events, so the table below needs no second list.
 */
#include "internal.h"

typedef struct service {
    kernel_service_t *run;
    bool anywhere; /* never blocks: interrupts may use it, and main() before kernel_start() */
    bool domains;  /* takes no pointer: threads of every domain may use it */
} service_t;

static const service_t services[] = {
    [TT_KERCALL_TRACE_EVENT] = {.run = kernel_service_trace_event, .domains = true},
    [TT_KERCALL_MSG_SENDV] = {.run = kernel_service_message_send},
    [TT_KERCALL_MSG_RECEIVEV] = {.run = kernel_service_message_receive},
    [TT_KERCALL_MSG_REPLYV] = {.run = kernel_service_message_reply},
    [TT_KERCALL_MSG_SEND_PULSE] = {.run = kernel_service_pulse_send, .anywhere = true},
    [TT_KERCALL_CHANNEL_DESTROY] = {.run = kernel_service_channel_delete},
    [TT_KERCALL_THREAD_CREATE] = {.run = kernel_service_thread_create, .anywhere = true},
    [TT_KERCALL_THREAD_DESTROY] = {.run = kernel_service_thread_exit, .domains = true},
    [TT_KERCALL_THREAD_JOIN] = {.run = kernel_service_thread_join},
    [TT_KERCALL_TIMER_CREATE] = {.run = kernel_service_timer_create, .anywhere = true},
    [TT_KERCALL_TIMER_DESTROY] = {.run = kernel_service_timer_delete, .anywhere = true},
    [TT_KERCALL_TIMER_SETTIME] = {.run = kernel_service_timer_start, .anywhere = true},
    [TT_KERCALL_SYNC_DESTROY] = {.run = kernel_service_delete},
    [TT_KERCALL_SYNC_MUTEX_LOCK] = {.run = kernel_service_mutex_lock},
    [TT_KERCALL_SYNC_MUTEX_UNLOCK] = {.run = kernel_service_mutex_unlock},
    [TT_KERCALL_SYNC_CONDVAR_WAIT] = {.run = kernel_service_cond_wait},
    [TT_KERCALL_SYNC_CONDVAR_SIGNAL] = {.run = kernel_service_cond_signal},
    [TT_KERCALL_SYNC_SEM_POST] = {.run = kernel_service_sem_post, .anywhere = true},
    [TT_KERCALL_SYNC_SEM_WAIT] = {.run = kernel_service_sem_wait},
    [TT_KERCALL_SCHED_SET] = {.run = kernel_service_set_priority},
    [TT_KERCALL_SCHED_YIELD] = {.run = kernel_service_yield, .domains = true},
    [TT_KERCALL_THREAD_SLEEP] = {.run = kernel_service_sleep, .domains = true},
    [TT_KERCALL_THREAD_WAIT_PERIOD] = {.run = kernel_service_wait_period, .domains = true},
    [TT_KERCALL_FLAGS_SET] = {.run = kernel_service_flags_set, .anywhere = true},
    [TT_KERCALL_FLAGS_CLEAR] = {.run = kernel_service_flags_clear, .anywhere = true},
    [TT_KERCALL_FLAGS_WAIT] = {.run = kernel_service_flags_wait},
    [TT_KERCALL_THREAD_SUSPEND] = {.run = kernel_service_suspend},
    [TT_KERCALL_THREAD_RESUME] = {.run = kernel_service_resume, .anywhere = true},
    [TT_KERCALL_SYNC_MUTEX_TRYLOCK] = {.run = kernel_service_mutex_trylock},
    [TT_KERCALL_SYNC_SEM_TRYWAIT] = {.run = kernel_service_sem_trywait, .anywhere = true},
    [TT_KERCALL_THREAD_SET_PERIOD] = {.run = kernel_service_set_period, .anywhere = true},
    [TT_KERCALL_THREAD_BIND] = {.run = kernel_service_bind, .anywhere = true},
};

static const service_t *find_service(uint32_t call)
{
    if (call >= sizeof services / sizeof services[0] || services[call].run == NULL) {
        return NULL;
    }
    return &services[call];
}

int32_t kernel_call(uint32_t call, kernel_word_t arg0, kernel_word_t arg1, kernel_word_t arg2)
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
        kernel_domain_tell_enter(self, call);
    }
    self->call = (uint8_t)call;
    self->in_call = true;
    kernel_port_pass_call();
    kernel_enter();
    bool allowed = self->domain == NULL || service->domains;
    int32_t result = allowed ? service->run(args) : KERNEL_ERROR_DENIED;
    if (result != KERNEL_BLOCKED) {
        self->call_result = result;
    }
    kernel_call_done(self);
}
