#define _GNU_SOURCE /* REG_EFL */

#include "step_port.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "tickertape/port.h"

/* Processor flag: trap after each instruction. */
#define TRAP_FLAG 0x100

step_port_t step_port = {.step_ticks = 1};

static volatile long left; /* instructions before the interrupt is requested */
static void (*volatile pending)(void);
static volatile bool each; /* interrupt after each instruction */
static volatile bool served;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return step_port.room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

const tt_link_t step_port_link = {.room_bytes = room_bytes, .put = put};

/* Prevent that accesses move across a mask, also if link-time optimization inlines it. */
static void barrier(void)
{
    __asm volatile("" ::: "memory");
}

tt_port_key_t tt_port_lock(void)
{
    tt_port_key_t key = step_port.lock_depth++;
    barrier();
    return key;
}

void tt_port_unlock(tt_port_key_t key)
{
    barrier();
    assert(step_port.lock_depth == key + 1u);
    step_port.lock_depth = key;
}

uint32_t tt_port_ticks(void)
{
    step_port.now_ticks += step_port.step_ticks;
    return (uint32_t)step_port.now_ticks;
}

#ifdef TT_PORT_HAS_TIME
uint64_t tt_port_time(void)
{
    return step_port.now_ticks;
}
#endif

#ifdef PORT_HAS_CPUS
uint32_t tt_port_cpu(void)
{
    return step_port.cpu;
}
#endif

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

/* Serve the interrupt if it is due. The trap flag is off in this handler. */
static void after_instruction(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    left -= left > 0;
    bool masked = step_port.lock_depth != 0u && !step_port.is_other_cpu;
    if (left == 0 && pending != NULL && !masked) {
        void (*interrupt)(void) = pending;
        served = true;
        if (!each) {
            pending = NULL;
            ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        }
        interrupt();
    }
}

bool step_call(void (*call)(void), long after, void (*interrupt)(void))
{
    const struct sigaction action = {.sa_sigaction = after_instruction, .sa_flags = SA_SIGINFO};
    int result = sigaction(SIGTRAP, &action, NULL);
    assert(result == 0);
    left = after;
    each = after == STEP_EACH;
    served = false;
    pending = interrupt;
    __asm volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    call();
    __asm volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    pending = NULL;
    return served;
}
