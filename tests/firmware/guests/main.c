/*
 * Runs hostile guests among working threads: all guests of table.py that do not flood the trace,
 * one after another, or the one that option guest=N selects.
 *
 *     thread     domain  priority  does
 *     control    1       20        every ms: a step of its filter, which it records
 *     logger     2       10        every 2 ms: a trace point with a counter
 *     owner      core    12        every ms: records a counter, with secrets in its registers
 *     guest      3       15 or 5   the body in table.py
 *     mate       3       4         another thread of the guest's domain, if it has one
 *     supervisor core    30        starts the guests; suspends one that does not end in GUEST_MS
 *
 * A device interrupt comes every 170 us, also during a guest, and leaves secrets in the registers
 * that an interrupt need not preserve. With two CPUs, the guests run on the second one, and every
 * other mate on the first.
 */
#include <string.h>

#include "guest.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define FIRST_GUEST_MS   3u /* until then the other threads have used every register */
#define GUEST_MS         30u
#define SENSOR_PERIOD_US 170u
#define ALL_GUESTS       UINT32_MAX

#define DOMAIN_CONTROL 1u
#define DOMAIN_LOGGER  2u
#define DOMAIN_GUEST   3u

const uint32_t secrets[SECRET_WORDS] = {
#define FOUR(n) SECRET + (n), SECRET + (n) + 1u, SECRET + (n) + 2u, SECRET + (n) + 3u
    FOUR(0u), FOUR(4u), FOUR(8u), FOUR(12u), FOUR(16u), FOUR(20u), FOUR(24u), FOUR(28u),
};

/* Memory of guest, control and logger, in this order. */
_Alignas(MEMORY_BYTES) uint8_t memories[3][MEMORY_BYTES];
uint32_t core_words[8] = {SECRET, SECRET, SECRET, SECRET, SECRET, SECRET, SECRET, SECRET};
kernel_mutex_t core_mutex;
kernel_sem_t core_sem = KERNEL_SEM_INIT(0, 1);

kernel_thread_t owner_thread;
static kernel_domain_t domains[3];
static kernel_thread_t control_thread;
static kernel_thread_t logger_thread;
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t owner_stack[1024];
static _Alignas(8) uint8_t supervisor_stack[1024];

/* Work of domain 1. Its memory contains secrets, which a guest must not be able to read. */
static void control(void *memory)
{
    volatile int32_t *estimate = (volatile int32_t *)memory + SECRET_WORDS;
    memcpy(memory, secrets, sizeof secrets);
    for (uint32_t step = 0;; step++) {
        *estimate += ((int32_t)(step % 100u) * 256 - *estimate) / 8;
        (void)kernel_domain_trace(TT_CLASS_USER, EVENT_STEP, (uint32_t)*estimate);
        (void)kernel_wait_period();
    }
}

static void logger(void *memory)
{
    (void)memory;
    for (uint32_t i = 0;; i++) {
        (void)kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_USER, i);
        (void)kernel_sleep(2);
    }
}

/*
 * Make kernel call `number` with argument 1 and secrets in r4-r11 and, if they exist, s0-s31; then
 * store these registers in `seen`, 8 and 32 words.
 */
static void __attribute__((naked, noinline)) sleep_on(const uint32_t *all, uint32_t *seen,
                                                      uint32_t number)
{
    (void)all;
    (void)seen;
    (void)number;
    __asm volatile("push {r4-r11, lr}\n"
                   "push {r1}\n"
#ifdef __ARM_FP
                   "vpush {s16-s31}\n"
                   "vldmia r0, {s0-s31}\n"
#endif
                   "ldmia r0, {r4-r11}\n"
                   "mov r12, r2\n"
                   "movs r0, #1\n"
                   "svc 0\n"
#ifdef __ARM_FP
                   "ldr r1, [sp, #64]\n"
                   "adds r2, r1, #32\n"
                   "vstmia r2, {s0-s31}\n"
                   "vpop {s16-s31}\n"
#endif
                   "pop {r1}\n"
                   "stmia r1, {r4-r11}\n"
                   "pop {r4-r11, pc}");
}

static void owner(void *argument)
{
    (void)argument;
    uint32_t seen[8u + SECRET_WORDS];
    for (uint32_t reading = 0;; reading++) {
        memcpy(seen, secrets, 32);
        memcpy(seen + 8, secrets, sizeof secrets);
        sleep_on(secrets, seen, TT_KERCALL_THREAD_SLEEP);
        bool kept =
            memcmp(seen, secrets, 32) == 0 && memcmp(seen + 8, secrets, sizeof secrets) == 0;
        tt_emit_user_user(EVENT_READING, reading, kept);
    }
}

static void sensor(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
#ifdef __ARM_FP
    __asm volatile("vldmia %0, {s0-s15}" ::"r"(secrets)
                   : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
                     "s12", "s13", "s14", "s15");
#endif
}

void done(void)
{
    (void)kernel_domain_trace(TT_CLASS_USER, EVENT_DONE, 0);
}

void breach_of(uint32_t what)
{
    breach(what);
}

/* Use up any stack, with a kernel call in each turn. */
void __attribute__((naked)) recurse(uint32_t depth)
{
    (void)depth;
    ASM("1: push {r0, r4-r11}\n"
        "mov r12, #102\n" /* TT_KERCALL_THREAD_SLEEP */
        "movs r0, #1\n"
        "svc 0\n"
        "b 1b");
}

_Static_assert(TT_KERCALL_THREAD_SLEEP == 102u, "the call that recurse() makes");

#include "guests.inc"

#define GUEST_COUNT (sizeof guests / sizeof guests[0])

/* One per guest, because a suspended guest keeps its thread forever. */
kernel_thread_t guest_threads[GUEST_COUNT];
static kernel_thread_t mate_threads[GUEST_COUNT];

static void enter(kernel_thread_t *thread, uint32_t place, const char *name, kernel_entry_t run,
                  uint32_t priority)
{
    static const uint32_t numbers[] = {DOMAIN_GUEST, DOMAIN_CONTROL, DOMAIN_LOGGER};
    uint8_t *memory = memories[place];
    (void)kernel_domain_destroy(&domains[place]); /* refused while a suspended guest uses it */
    (void)kernel_domain_create(&domains[place], numbers[place], name, memory, MEMORY_BYTES);
    (void)kernel_domain_thread_create(thread, &domains[place], name, run, memory, priority,
                                      memory + STACK_BEGIN, STACK_BYTES);
}

static void enter_mate(kernel_thread_t *thread, kernel_entry_t run, uint32_t cpu)
{
    uint8_t *stack = memories[0] + STACK_BEGIN + STACK_BYTES;
    (void)kernel_domain_thread_create(thread, &domains[0], "mate", run, memories[0], 4, stack,
                                      MATE_BYTES);
    (void)kernel_thread_bind(thread, cpu);
}

/* Run one guest until it ends or is suspended. */
static void host(uint32_t number)
{
    const guest_t *guest = &guests[number];
    kernel_thread_t *thread = &guest_threads[number];
    kernel_thread_t *mate = &mate_threads[number];
    memset(memories[0], 0, MEMORY_BYTES);
    tt_emit_user_user(EVENT_GUEST, number, 0);
    enter(thread, 0, guest->name, guest->run, guest->low ? 5 : 15);
    (void)kernel_thread_bind(thread, KERNEL_CPUS - 1u);
    if (guest->mate != NULL) {
        enter_mate(mate, guest->mate, number % KERNEL_CPUS);
    }
    (void)kernel_thread_join(thread, GUEST_MS);
    (void)kernel_thread_suspend(thread);
    (void)kernel_thread_suspend(mate);
    (void)kernel_sleep(3); /* lets the drain run, which a guest prevents */
}

/* Report whether the core's memory was written or its objects were used. */
static void say_damage(void)
{
    for (uint32_t i = 0; i < sizeof core_words / sizeof core_words[0]; i++) {
        if (core_words[i] != SECRET) {
            board_console_write("the core's memory was written\n");
        }
    }
    if (core_mutex.owner != NULL || kernel_sem_trywait(&core_sem) == KERNEL_OK) {
        board_console_write("an object of the core was used\n");
    }
}

static void supervise(void *argument)
{
    (void)argument;
    uint32_t chosen = board_option("guest", ALL_GUESTS);
    (void)kernel_sleep(FIRST_GUEST_MS);
    for (uint32_t number = 0; number < GUEST_COUNT; number++) {
        if (chosen == ALL_GUESTS ? !guests[number].alone : chosen == number) {
            host(number);
        }
    }
    say_damage();
    tracer_finish();
}

void application_main(void)
{
    tracer_start("guests", NULL, 0);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
    enter(&control_thread, 1, "control", control, 20);
    (void)kernel_thread_set_period(&control_thread, 1);
    enter(&logger_thread, 2, "logger", logger, 10);
    (void)kernel_thread_create(&owner_thread, "owner", owner, NULL, 12, owner_stack,
                               sizeof owner_stack);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervise, NULL, 30,
                               supervisor_stack, sizeof supervisor_stack);
    kernel_start();
}
