/*
 * Domains: allowed and refused actions of their threads, and faults that end them. A thread of a
 * domain can write only its domain's memory, which therefore contains its results.
 *
 * Memory is protected on Cortex-M only; on Linux, check_protection() only checks that domains run.
 */
#include <string.h>

#include "check.h"
#include "fake_recorder.h"
#include "kernel.h"
#include "scenario.h"
#include "tickertape/events.h"

#define MEMORY_BYTES 1024u
#define STACK_BYTES  640u

/* Begin of a domain's memory; the stack is at the end. */
typedef struct room {
    int32_t results[8];
    uint32_t rounds;
    uintptr_t target;
} room_t;

#define FIRST  5u
#define SECOND 63u

/* Memory of no domain, of the first and of the second domain. */
static _Alignas(MEMORY_BYTES) uint8_t memories[3][MEMORY_BYTES];
#define memory_first  memories[1]
#define memory_second memories[2]

static kernel_domain_t first;
static kernel_domain_t second;
static kernel_thread_t thread_first;
static kernel_thread_t thread_second;
static kernel_sem_t sem;

static room_t *room_of(uint8_t *memory)
{
    return (room_t *)(void *)memory;
}

/* Create a thread; that of the second domain preempts that of the first. */
static int spawn(kernel_thread_t *thread, const kernel_domain_t *domain, kernel_entry_t entry)
{
    return kernel_domain_thread_create(
        thread, domain, "guest", entry, (void *)domain->memory, thread == &thread_first ? 1 : 2,
        (void *)(domain->memory + MEMORY_BYTES - STACK_BYTES), STACK_BYTES);
}

/* Run a function in a thread of the first domain and wait for its end. */
static void let(kernel_entry_t entry)
{
    check_equal("create", spawn(&thread_first, &first, entry), KERNEL_OK);
    check_equal("join", kernel_thread_join(&thread_first, 100), KERNEL_OK);
}

static const fake_event_t *event_of(uint32_t event_class, uint32_t event)
{
    for (uint32_t i = 0; i < fake_recorder_count(); i++) {
        const fake_event_t *found = fake_recorder_event(i);
        if (found->event_class == event_class && found->event == event) {
            return found;
        }
    }
    static const fake_event_t none = {.event_class = UINT32_MAX};
    return &none;
}

static void go_round(void *argument)
{
    room_t *room = argument;
    for (;;) {
        room->rounds++;
        (void)kernel_domain_trace(TT_CLASS_USER, 1, room->rounds);
        (void)kernel_sleep(1);
    }
}

static void check_arguments(void)
{
    check_begin("domains that cannot be");
    uint8_t *memory = memory_first;
    const int wrong = KERNEL_ERROR_ARGUMENT;
    check_equal("0", kernel_domain_create(&first, 0, "d", memory, MEMORY_BYTES), wrong);
    check_equal("64", kernel_domain_create(&first, 64, "d", memory, MEMORY_BYTES), wrong);
    check_equal("size", kernel_domain_create(&first, 1, "d", memory, MEMORY_BYTES - 8u), wrong);
    check_equal("small", kernel_domain_create(&first, 1, "d", memory, 128), wrong);
    check_equal("place", kernel_domain_create(&first, 1, "d", memory + 8, MEMORY_BYTES), wrong);
    check_equal("none", kernel_domain_create(&first, 1, "d", NULL, MEMORY_BYTES), wrong);
    check_equal("nameless", kernel_domain_create(&first, 1, NULL, memory, MEMORY_BYTES), wrong);
    kernel_domain_t empty = {.number = 0};
    check_equal("not created", spawn(&thread_first, &empty, NULL), wrong);
    check_equal("first", kernel_domain_create(&first, FIRST, "first", memory_first, MEMORY_BYTES),
                KERNEL_OK);
    check_equal("second",
                kernel_domain_create(&second, SECOND, "second", memory_second, MEMORY_BYTES),
                KERNEL_OK);
    check_equal("a stack of another domain",
                kernel_domain_thread_create(&thread_first, &first, "guest", go_round, NULL, 1,
                                            memory_second, STACK_BYTES),
                wrong);
    check_equal("a stack that is too long",
                kernel_domain_thread_create(&thread_first, &first, "guest", go_round, NULL, 1,
                                            memory + MEMORY_BYTES - 256, 512),
                wrong);
}

/* Record trace points of both allowed classes and of others. */
static void trace(void *argument)
{
    room_t *room = argument;
    room->results[0] = kernel_domain_trace(TT_CLASS_USER, 3, 0x11);
    room->results[1] = kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_USER, 0x22);
    room->results[2] = kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_FAULT, 0x33);
    room->results[3] = kernel_domain_trace(TT_CLASS_SCHED, 0, 0x44);
    room->results[4] = kernel_domain_trace(TT_CLASS_CONTROL, 1, 0x55);
    room->results[5] = kernel_domain_trace(22, TT_DOMAIN_USER, 0x66);
}

static void check_event(uint32_t event_class, uint32_t event, uint32_t data)
{
    const fake_event_t *found = event_of(event_class, event);
    uint32_t offset = found->data[1] - (uint32_t)(uintptr_t)trace;
    check_equal("domain", (int64_t)found->domain, FIRST);
    check_equal("data", (int64_t)found->data[0], (int64_t)data);
    check_equal("the place is in the function", offset > 0u && offset < 512u, 1);
}

static void check_trace_points(void)
{
    check_begin("a domain records of classes USER and DOMAIN");
    room_t *room = room_of(memory_first);
    fake_recorder_clear();
    let(trace);
    check_event(TT_CLASS_USER, 3, 0x11);
    check_event(TT_CLASS_DOMAIN, TT_DOMAIN_USER, 0x22);
    for (uint32_t i = 0; i < 6u; i++) {
        check_equal("result", room->results[i], i < 2u ? KERNEL_OK : KERNEL_ERROR_DENIED);
    }
    check_equal("no forged fault",
                (int64_t)fake_recorder_count_of(TT_CLASS_DOMAIN, TT_DOMAIN_FAULT), 0);
    check_equal("no other class", (int64_t)fake_recorder_count_of(22, 0), 0);
    check_equal("its pid", (int64_t)event_of(TT_CLASS_THREAD, TT_THREAD_CREATE)->data[0], FIRST);
    check_equal("its end", (int64_t)event_of(TT_CLASS_THREAD, TT_THREAD_DESTROY)->data[0], FIRST);
}

/* Make allowed and forbidden kernel calls. */
static void call(void *argument)
{
    room_t *room = argument;
    room->results[0] = kernel_sleep(2);
    kernel_yield();
    room->results[1] = kernel_wait_period();
    room->results[2] = kernel_sem_post(&sem);
    room->results[3] = kernel_thread_suspend((kernel_thread_t *)argument);
    room->results[4] = kernel_thread_set_priority((kernel_thread_t *)argument, 31);
    kernel_domain_exit();
}

static void check_calls(void)
{
    check_begin("kernel calls of a domain");
    room_t *room = room_of(memory_first);
    static const int expected[] = {KERNEL_OK, KERNEL_ERROR_STATE, KERNEL_ERROR_DENIED,
                                   KERNEL_ERROR_DENIED, KERNEL_ERROR_DENIED};
    sem = (kernel_sem_t)KERNEL_SEM_INIT(0, 1);
    fake_recorder_clear();
    let(call);
    for (uint32_t i = 0; i < 5u; i++) {
        check_equal("result", room->results[i], expected[i]);
    }
    check_equal("nothing was posted", kernel_sem_trywait(&sem), KERNEL_ERROR_BUSY);
    const fake_event_t *enter = event_of(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER);
    check_equal("a call is traced with its number", (int64_t)enter->data[0],
                TT_KERCALL_THREAD_SLEEP);
    check_equal("and the domain", (int64_t)enter->domain, FIRST);
    check_equal("and a place", enter->data[1] != 0u, 1);
    check_equal("calls", (int64_t)fake_recorder_count_of(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_ENTER),
                7);
    check_equal("returns", (int64_t)fake_recorder_count_of(TT_CLASS_DOMAIN, TT_DOMAIN_SYSCALL_EXIT),
                6); /* all but the last call, which exits */
    check_equal("not as calls of the core",
                (int64_t)fake_recorder_count_of(TT_CLASS_KERCALL, TT_KERCALL_THREAD_SLEEP), 0);
}

#ifdef __arm__

#define PATTERN 0x5a5a5a5au

static uint32_t secret = PATTERN; /* memory of the core */

static void write_to_target(void *argument)
{
    room_t *room = argument;
    *(volatile uint32_t *)room->target = 0;
    room->results[0] = 1; /* not reached */
}

static void read_target(void *argument)
{
    room_t *room = argument;
    room->results[0] = *(const volatile int32_t *)room->target;
}

static void execute_target(void *argument)
{
    room_t *room = argument;
    ((void (*)(void))(room->target | 1u))();
    room->results[0] = 1;
}

static void emit_directly(void *argument)
{
    (void)argument;
    tt_route[0] = 0; /* a domain may not even read it */
}

static void use_the_undefined(void *argument)
{
    __asm volatile("udf #0");
    ((room_t *)argument)->results[0] = 1;
}

/* The processor would store the registers of the call at the target. */
static void call_on_foreign_stack(void *argument)
{
    const room_t *room = argument;
    __asm volatile("mov sp, %0\n\tsvc 0" ::"r"(room->target + 64u) : "memory");
}

static void be_interrupted_on_foreign_stack(void *argument)
{
    const room_t *room = argument;
    __asm volatile("mov sp, %0\n\t1: b 1b" ::"r"(room->target + 64u) : "memory");
}

#ifdef __ARM_FP

/* Fault with FPU registers saved on the stack, or to be saved there. */
static void write_with_fpu(void *argument)
{
    room_t *room = argument;
    volatile float number = (float)room->target;
    (void)kernel_sleep(1);
    number = number * 2.0f;
    *(volatile uint32_t *)room->target = (uint32_t)number;
    room->results[0] = 1;
}

#endif

#ifdef __ARM_FP
#define FRAME_BYTES 104u
#else
#define FRAME_BYTES 32u
#endif

/* The exception frame fits into the stack; the registers that the kernel saves do not. */
static void be_switched_at_the_bottom(void *argument)
{
    uintptr_t bottom = (uintptr_t)argument + MEMORY_BYTES - STACK_BYTES;
    __asm volatile("mov sp, %0\n\t1: b 1b" ::"r"(bottom + FRAME_BYTES) : "memory");
}

static void mask_interrupts(void *argument)
{
    __asm volatile("cpsid i\n\tmsr control, %0\n\tisb" ::"r"(2) : "memory");
    *(volatile uint32_t *)((room_t *)argument)->target = 0;
}

typedef struct crime {
    const char *what;
    kernel_entry_t entry;
    uintptr_t target;
    bool address_known;
    bool place_known;
} crime_t;

static void check_crime(const crime_t *crime)
{
    room_t *room = room_of(memory_first);
    room_t *other = room_of(memory_second);
    check_begin(crime->what);
    fake_recorder_clear();
    *room = (room_t){.results = {0}, .target = crime->target};
    uint32_t rounds = other->rounds;
    let(crime->entry);
    const fake_event_t *fault = event_of(TT_CLASS_DOMAIN, TT_DOMAIN_FAULT);
    check_equal("one fault", (int64_t)fake_recorder_count_of(TT_CLASS_DOMAIN, TT_DOMAIN_FAULT), 1);
    check_equal("whose", (int64_t)fault->domain, FIRST);
    if (crime->address_known) {
        check_equal("address", (int64_t)fault->data[0], (int64_t)crime->target);
    }
    check_equal("place", fault->data[1] != 0u, crime->place_known);
    check_equal("it had no effect", (int64_t)secret, (int64_t)PATTERN);
    check_equal("it did not go on", room->results[0], 0);
    (void)kernel_sleep(3);
    check_equal("the other goes on", other->rounds > rounds + 1u, 1);
    check_equal("in the trace, too", fake_recorder_count_of(TT_CLASS_USER, 1) > 1u, 1);
}

static void check_protection(void)
{
    const uintptr_t kernel = (uintptr_t)&secret;
    const crime_t crimes[] = {
        {"writing the core's memory", write_to_target, kernel, true, true},
        {"writing the trace", write_to_target, (uintptr_t)&tt_route[0], true, true},
        {"reading the core's memory", read_target, kernel, true, true},
        {"writing code", write_to_target, (uintptr_t)trace & ~3u, true, true},
        {"writing another domain's memory", write_to_target, (uintptr_t)memory_second, true, true},
        {"a register of a device", write_to_target, 0x40004000u, true, true},
        {"a register of the processor", write_to_target, 0xe000ed94u, false, true},
        {"executing data", execute_target, (uintptr_t)memory_first, false, true},
        {"going round the system call", emit_directly, 0, false, true},
        {"no instruction", use_the_undefined, 0, false, true},
        {"a call with a foreign stack", call_on_foreign_stack, kernel, false, false},
        {"an interrupt with a foreign stack", be_interrupted_on_foreign_stack, kernel, false,
         false},
        {"a switch at the bottom of the stack", be_switched_at_the_bottom, 0, false, true},
        {"the processor's privileges", mask_interrupts, kernel, true, true},
#ifdef __ARM_FP
        {"with the FPU in use", write_with_fpu, kernel, true, true},
#endif
    };
    for (size_t i = 0; i < sizeof crimes / sizeof crimes[0]; i++) {
        check_crime(&crimes[i]);
    }
    uint32_t written = 0;
    for (size_t i = 0; i < MEMORY_BYTES; i++) {
        written += memories[0][i] != 0u;
    }
    check_equal("memory of no domain below a domain's", (int64_t)written, 0);
}

#else

static void check_protection(void)
{
    check_begin("without protection both domains run");
    room_t *other = room_of(memory_second);
    uint32_t rounds = other->rounds;
    fake_recorder_clear();
    let(trace);
    (void)kernel_sleep(3);
    check_equal("the other goes on", other->rounds > rounds + 1u, 1);
}

#endif

/* Check the only process event since the trace was cleared. */
static void check_process(const char *what, uint32_t event, uint32_t pid)
{
    const fake_event_t *found = event_of(TT_CLASS_THREAD, event);
    check_equal(what,
                (int64_t)fake_recorder_count_of(TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE) +
                    (int64_t)fake_recorder_count_of(TT_CLASS_THREAD, TT_THREAD_PROCESS_DESTROY),
                1);
    check_equal("ppid", (int64_t)found->data[0], 0);
    check_equal("pid", (int64_t)found->data[1], pid);
}

/* A domain without living threads can be destroyed and created again. */
static void check_lives(void)
{
    static kernel_domain_t third;
    check_begin("domains come and go");
    fake_recorder_clear();
    check_equal("never created", kernel_domain_destroy(&third), KERNEL_ERROR_STATE);
    check_equal("it exists", kernel_domain_create(&first, 1, "d", memory_first, MEMORY_BYTES),
                KERNEL_ERROR_STATE);
    check_equal("its number", kernel_domain_create(&third, FIRST, "d", memory_first, MEMORY_BYTES),
                KERNEL_ERROR_STATE);
    check_equal("threads", kernel_domain_destroy(&second), KERNEL_ERROR_BUSY);
    check_equal("nothing",
                (int64_t)fake_recorder_count_of(TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE), 0);
    check_equal("destroy", kernel_domain_destroy(&first), KERNEL_OK);
    check_process("an end", TT_THREAD_PROCESS_DESTROY, FIRST);
    check_equal("twice", kernel_domain_destroy(&first), KERNEL_ERROR_STATE);
    check_equal("no thread for it", spawn(&thread_first, &first, trace), KERNEL_ERROR_ARGUMENT);
    check_equal("no name", kernel_domain_name(FIRST) == NULL, 1);
    check_equal("the other's name", strcmp(kernel_domain_name(SECOND), "second"), 0);
    check_equal("no such number", kernel_domain_name(UINT32_MAX) == NULL, 1);
    fake_recorder_clear();
    check_equal("again", kernel_domain_create(&first, FIRST, "again", memory_first, MEMORY_BYTES),
                KERNEL_OK);
    check_process("a begin", TT_THREAD_PROCESS_CREATE, FIRST);
    check_equal("its name", strcmp(kernel_domain_name(FIRST), "again"), 0);
    let(trace);
    check_equal("a thread of it", (int64_t)event_of(TT_CLASS_THREAD, TT_THREAD_CREATE)->data[0],
                FIRST);
}

void suite_domain(void)
{
    check_arguments();
    check_trace_points();
    check_calls();
    check_equal("the other domain", spawn(&thread_second, &second, go_round), KERNEL_OK);
    check_protection();
    check_lives();
    check_equal("suspend", kernel_thread_suspend(&thread_second), KERNEL_OK);
}
