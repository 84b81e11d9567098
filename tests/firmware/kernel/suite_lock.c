/* Masking of interrupts, spin locks, and interrupted kernel calls. */
#include "board.h"
#include "check.h"
#include "fake_recorder.h"
#include "kernel.h"
#include "tickertape/events.h"

#define EVENTS          3800u /* slightly less than the recorder can keep */
#define STORM_PERIOD_US 11u

static volatile uint32_t interrupt_count;
static kernel_spin_t spin;
static kernel_spin_t inner_spin;
static kernel_sem_t sem;

static void count_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    interrupt_count++;
}

/* An expected event of class IRQSTATE. */
typedef struct expected {
    uint32_t event;
    uint32_t value;
} expected_t;

static void check_events(const expected_t *expected, uint32_t count, uint32_t begin, uint32_t end)
{
    fake_recorder_take_irqstate(false);
    check_equal("events", fake_recorder_count(), count);
    for (uint32_t i = 0; i < count; i++) {
        const fake_event_t *event = fake_recorder_event(i);
        check_equal("class", event->event_class, TT_CLASS_IRQSTATE);
        check_equal("event", event->event, expected[i].event);
        check_equal("value", event->data[0], expected[i].value);
        check_equal("call site", event->data[1] > begin && event->data[1] <= end + 4u, true);
    }
}

static void check_masking(void)
{
    static const expected_t expected[] = {
        {TT_IRQSTATE_HARD_SAVE_FLAGS, 0},    {TT_IRQSTATE_HARD_SAVEF_AND_CLI, 0},
        {TT_IRQSTATE_HARD_SAVEF_AND_CLI, 1}, {TT_IRQSTATE_HARD_SAVE_FLAGS, 1},
        {TT_IRQSTATE_HARD_RESTORE_FLAGS, 1}, {TT_IRQSTATE_HARD_RESTORE_FLAGS, 0},
        {TT_IRQSTATE_HARD_CLI, 0},           {TT_IRQSTATE_HARD_SAVE_FLAGS, 1},
        {TT_IRQSTATE_HARD_STI, 0},
    };
    check_begin("masking in the trace");
    (void)kernel_sleep(1); /* so that no tick comes soon */
    fake_recorder_clear();
    fake_recorder_take_irqstate(true);
    uint32_t begin = kernel_port_here();
    bool before = kernel_irq_disabled();
    kernel_port_key_t outer = kernel_irq_save();
    kernel_port_key_t inner = kernel_irq_save();
    bool between = kernel_irq_disabled();
    kernel_irq_restore(inner);
    kernel_irq_restore(outer);
    kernel_irq_disable();
    bool again = kernel_irq_disabled();
    kernel_irq_enable();
    uint32_t end = kernel_port_here();
    check_events(expected, sizeof expected / sizeof expected[0], begin, end);
    check_equal("masked", !before && between && again, true);
}

static void check_spin_locks(void)
{
    const uint32_t locks[] = {(uint32_t)(uintptr_t)&spin, (uint32_t)(uintptr_t)&inner_spin};
    const expected_t expected[] = {
        {TT_IRQSTATE_HARD_SAVEF_AND_CLI, 0}, {TT_IRQSTATE_SPIN_LOCK, locks[0]},
        {TT_IRQSTATE_HARD_SAVEF_AND_CLI, 1}, {TT_IRQSTATE_SPIN_LOCK, locks[1]},
        {TT_IRQSTATE_SPIN_UNLOCK, locks[1]}, {TT_IRQSTATE_HARD_RESTORE_FLAGS, 1},
        {TT_IRQSTATE_SPIN_UNLOCK, locks[0]}, {TT_IRQSTATE_HARD_RESTORE_FLAGS, 0},
    };
    check_begin("spin locks in the trace");
    (void)kernel_sleep(1);
    fake_recorder_clear();
    fake_recorder_take_irqstate(true);
    uint32_t begin = kernel_port_here();
    kernel_port_key_t outer = kernel_spin_lock(&spin);
    kernel_port_key_t inner = kernel_spin_lock(&inner_spin);
    kernel_spin_unlock(&inner_spin, inner);
    kernel_spin_unlock(&spin, outer);
    uint32_t end = kernel_port_here();
    check_events(expected, sizeof expected / sizeof expected[0], begin, end);
    check_equal("unmasked", kernel_irq_disabled(), false);
}

static void check_nothing_comes(void)
{
    check_begin("while interrupts are masked none comes");
    interrupt_count = 0;
    check_equal("attach",
                kernel_irq_attach(BOARD_SPARE_IRQ, KERNEL_IRQ_LEVEL_DEVICE, count_interrupt, NULL),
                KERNEL_OK);
    kernel_port_key_t key = kernel_spin_lock(&spin);
    board_irq_raise(BOARD_SPARE_IRQ);
    kernel_work_us(20);
    check_equal("masked", interrupt_count, 0);
    kernel_spin_unlock(&spin, key);
    kernel_work_us(20);
    check_equal("afterwards", interrupt_count, 1);
}

/* The begins and ends of the kernel's critical sections in the trace are balanced. */
static void check_kernels_own(void)
{
    check_begin("critical sections of the kernel in the trace");
    fake_recorder_clear();
    fake_recorder_take_irqstate(true);
    check_equal("post", kernel_sem_post(&sem), KERNEL_ERROR_FULL);
    fake_recorder_take_irqstate(false);
    uint32_t begins = fake_recorder_count_of(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_SAVEF_AND_CLI);
    check_equal("some", begins >= 2u, true);
    check_equal("balanced",
                fake_recorder_count_of(TT_CLASS_IRQSTATE, TT_IRQSTATE_HARD_RESTORE_FLAGS), begins);
}

/* Return the kernel call in progress at event `index`, or -1. */
static int64_t call_at(uint32_t index)
{
    while (index > 0u) {
        const fake_event_t *event = fake_recorder_event(--index);
        if (event->event_class == TT_CLASS_KERCALL && event->event < TT_KERCALL_EXIT_OFFSET) {
            return event->event;
        }
        if (event->event_class == TT_CLASS_KERCALL &&
            event->event < TT_KERCALL_INTERRUPTED_OFFSET) {
            return -1;
        }
    }
    return -1;
}

/* The trace marks the begin and end of exactly those interrupts that come in a kernel call. */
static void check_interrupted_calls(void)
{
    check_begin("interrupted kernel calls in the trace");
    check_equal("attach",
                kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, count_interrupt, NULL),
                KERNEL_OK);
    board_sensor_start(STORM_PERIOD_US);
    fake_recorder_clear();
    /* Pauses of different lengths: with counted instructions, a loop of constant length could meet
     * every interrupt at the same instruction, outside a call. */
    for (uint32_t round = 0; fake_recorder_count() < EVENTS; round++) {
        for (volatile uint32_t pause = round % 29u; pause > 0u; pause--) {
        }
        (void)kernel_sem_trywait(&sem);
    }
    uint32_t count = fake_recorder_count();
    uint32_t returns = 0;
    uint32_t interrupted = 0;
    for (uint32_t i = 0; i < count; i++) {
        const fake_event_t *event = fake_recorder_event(i);
        returns += event->event_class == TT_CLASS_INT && event->event == TT_INT_EXIT &&
                   event->data[1] == 1u;
        if (event->event_class == TT_CLASS_KERCALL &&
            event->event >= TT_KERCALL_INTERRUPTED_OFFSET && i + 1u < count) {
            interrupted++;
            check_equal("call", event->event - TT_KERCALL_INTERRUPTED_OFFSET, call_at(i));
            check_equal("entry follows", fake_recorder_event(i + 1u)->event, TT_INT_ENTRY);
        }
    }
    board_sensor_start(1000000);
    check_equal("some were", interrupted > 5u, true);
    check_equal("each is returned to", returns, interrupted);
}

void suite_lock(void)
{
    check_masking();
    check_spin_locks();
    check_nothing_comes();
    check_kernels_own();
    check_interrupted_calls();
}
