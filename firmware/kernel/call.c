/*
 * Kernel calls: from a function of kernel.h over the port's trap to a service, and back.
 *
 * The number of a call is that of its trace events, so the table below needs no second list.
 */
#include "internal.h"

typedef struct service {
    kernel_service_t *run;
    bool anywhere; /* never blocks: interrupts may use it, and main() before kernel_start() */
} service_t;

static const service_t services[] = {
    [TT_KERCALL_MSG_SENDV] = {kernel_service_message_send, false},
    [TT_KERCALL_MSG_RECEIVEV] = {kernel_service_message_receive, false},
    [TT_KERCALL_MSG_REPLYV] = {kernel_service_message_reply, false},
    [TT_KERCALL_MSG_SEND_PULSE] = {kernel_service_pulse_send, true},
    [TT_KERCALL_CHANNEL_DESTROY] = {kernel_service_channel_delete, false},
    [TT_KERCALL_THREAD_CREATE] = {kernel_service_thread_create, true},
    [TT_KERCALL_THREAD_DESTROY] = {kernel_service_thread_exit, false},
    [TT_KERCALL_THREAD_JOIN] = {kernel_service_thread_join, false},
    [TT_KERCALL_TIMER_CREATE] = {kernel_service_timer_create, true},
    [TT_KERCALL_TIMER_DESTROY] = {kernel_service_timer_delete, true},
    [TT_KERCALL_TIMER_SETTIME] = {kernel_service_timer_start, true},
    [TT_KERCALL_SYNC_DESTROY] = {kernel_service_delete, false},
    [TT_KERCALL_SYNC_MUTEX_LOCK] = {kernel_service_mutex_lock, false},
    [TT_KERCALL_SYNC_MUTEX_UNLOCK] = {kernel_service_mutex_unlock, false},
    [TT_KERCALL_SYNC_CONDVAR_WAIT] = {kernel_service_cond_wait, false},
    [TT_KERCALL_SYNC_CONDVAR_SIGNAL] = {kernel_service_cond_signal, false},
    [TT_KERCALL_SYNC_SEM_POST] = {kernel_service_sem_post, true},
    [TT_KERCALL_SYNC_SEM_WAIT] = {kernel_service_sem_wait, false},
    [TT_KERCALL_SCHED_SET] = {kernel_service_set_priority, false},
    [TT_KERCALL_SCHED_YIELD] = {kernel_service_yield, false},
    [TT_KERCALL_THREAD_SLEEP] = {kernel_service_sleep, false},
    [TT_KERCALL_THREAD_WAIT_PERIOD] = {kernel_service_wait_period, false},
    [TT_KERCALL_FLAGS_SET] = {kernel_service_flags_set, true},
    [TT_KERCALL_FLAGS_CLEAR] = {kernel_service_flags_clear, true},
    [TT_KERCALL_FLAGS_WAIT] = {kernel_service_flags_wait, false},
    [TT_KERCALL_THREAD_SUSPEND] = {kernel_service_suspend, false},
    [TT_KERCALL_THREAD_RESUME] = {kernel_service_resume, true},
    [TT_KERCALL_SYNC_MUTEX_TRYLOCK] = {kernel_service_mutex_trylock, false},
    [TT_KERCALL_SYNC_SEM_TRYWAIT] = {kernel_service_sem_trywait, true},
    [TT_KERCALL_THREAD_SET_PERIOD] = {kernel_service_set_period, true},
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
    tt_hook_call_enter(call, (uint32_t)args[0], (uint32_t)args[1], (uint32_t)args[2], 0u, self->tid,
                       self->priority);
    self->call = (uint8_t)call;
    self->in_call = true;
    kernel_port_pass_call();
    int32_t result = service->run(args);
    if (result != KERNEL_BLOCKED) {
        self->call_result = result;
    }
    kernel_call_done(self);
}
