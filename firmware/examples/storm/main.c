/*
 * storm - records much faster than the link can send, on purpose, and prints the counts.
 *
 * On each CPU three levels record as fast as they can and preempt each other: the main program, the
 * spare interrupt, which the program raises in the middle of its own events, and the sensor
 * interrupt, which occurs at any time. Each records simple and combine events. CPU 0 drains over a
 * slow link; the second CPU, if there is one, only polls. On boards whose interrupts do not need
 * the kernel, no kernel runs.
 *
 * At the end the program prints one line for each CPU and class: "offered CPU CLASS RECORDS". These
 * are the program's own counts; the host's balance must be equal.
 *
 * Options (board_option, all numbers):
 *     duration_ms        length of the storm; 100. Longer on a slow or busy machine: see ROUNDS
 *     policy             a tt_policy_t; 2 drops the newest
 *     link_bytes_per_ms  rate of the link; 500. 0: the rate of the board's own link
 *     closed_ms          time in which the link takes no bytes; 0
 *     sensor_us          period of the sensor interrupt; 50. 0: no interrupts at all
 *     burst              simple events in a row; 16
 *     cpus               number of CPUs that record; all
 *     packing            1 sends packed buffers; 0
 */
#include <stdatomic.h>
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "kernel_board.h"
#include "load.h"
#include "slow_link.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define STREAM       0u
#define TICKS_PER_MS (BOARD_CLOCK_HZ / 1000u)

/* Minimum number of rounds per CPU, however little processor time it gets: they record more than a
 * ring stores. */
#define ROUNDS (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS / 32u + 1u)

/* Time in which every pending interrupt is served. */
#define QUIET_TICKS (TICKS_PER_MS / 10u)

static uint32_t cpu_count;
static uint32_t burst;
static bool interrupts;
static atomic_uint raging_cpus; /* CPUs that have completed their ROUNDS */
static atomic_bool storm_over;  /* start no new interrupt and no new round */
static atomic_uint quiet_cpus;  /* CPUs other than the first that have ended their rounds */

static void nothing(void)
{
}

static void raise_spare(void)
{
    board_irq_raise(BOARD_SPARE_IRQ);
}

/* Count the records of an interrupt: the kernel's dispatcher traces its entry and exit, and those
 * of the handler. */
static void count_interrupt(load_level_t level)
{
#if BOARD_BARE_METAL
    load_count(level, TT_CLASS_INT, 4);
#else
    (void)level; /* the class is not selected, because the kernel's tick would add records */
#endif
}

static void spare_interrupt(void *argument)
{
    (void)argument;
    count_interrupt(LOAD_SPARE);
    load_simple(LOAD_SPARE, burst / 2u);
    load_text(LOAD_SPARE);
    load_pieces(LOAD_SPARE, nothing);
}

/* Raises the spare interrupt, which is served when this one ends. If this one has preempted a spare
 * interrupt, that one continues first. */
static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    count_interrupt(LOAD_SENSOR);
    load_simple(LOAD_SENSOR, burst / 4u);
    load_pieces(LOAD_SENSOR, raise_spare);
    load_text(LOAD_SENSOR);
}

static void attach(void)
{
    if (interrupts) {
        (void)kernel_irq_attach(BOARD_SPARE_IRQ, KERNEL_IRQ_LEVEL_KERNEL, spare_interrupt, NULL);
        (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    }
}

static void pass_time(void)
{
    kernel_work_us(1); /* if time is virtual, interrupts occur here; otherwise no effect */
}

static void between_pieces(void)
{
    if (interrupts) {
        raise_spare();
    }
    pass_time();
}

static void record_round(void)
{
    load_simple(LOAD_MAIN, burst);
    load_text(LOAD_MAIN);
    load_buffer(LOAD_MAIN);
    load_pieces(LOAD_MAIN, between_pieces);
    tt_clock_poll();
    board_yield();
}

/* Wait until the last interrupts of the stopped sensor have been served. Takes at least four turns,
 * because the clock may jump while the machine does something else. */
static void become_quiet(void)
{
    uint32_t begin = kernel_board_clock();
    for (uint32_t turn = 0; turn < 4u || kernel_board_clock() - begin < QUIET_TICKS; turn++) {
        pass_time();
        board_yield();
    }
}

#if TT_CONFIG_CPUS > 1
/* The program of the other CPU; after the storm it polls, like a CPU with a tick. */
static void other_cpu(void)
{
    attach();
    for (uint32_t round = 1; !atomic_load(&storm_over); round++) {
        record_round();
        if (round == ROUNDS) {
            atomic_fetch_add(&raging_cpus, 1u);
        }
    }
    become_quiet();
    atomic_fetch_add(&quiet_cpus, 1u);
    for (;;) {
        tt_clock_poll();
        board_yield();
    }
}
#endif

static void start_recorder(void)
{
    static tt_target_t target = {.name = "storm"};
    uint32_t policy = board_option("policy", TT_POLICY_DROP);
    target.tick_hz = BOARD_CLOCK_HZ;
    target.boot_id = board_option("boot_id", 0);
    target.build_id = board_build_id();
    (void)tt_init(&target,
                  slow_link_start(board_trace_link(), board_option("link_bytes_per_ms", 500),
                                  board_option("closed_ms", 0)));
    (void)tt_set_policy(STREAM, policy);
    (void)tt_set_packing(board_option("packing", 0) != 0u);
    (void)tt_select_class(STREAM, TT_CLASS_USER, true);
    (void)tt_select_class(STREAM, TT_CLASS_SYSTEM, true);
    (void)tt_select_class(STREAM, LOAD_CLASS_BYTES, true);
    (void)tt_select_class(STREAM, TT_CLASS_TRACER, true);
    (void)tt_select_class(STREAM, TT_CLASS_INT, BOARD_BARE_METAL != 0);
    if (policy == TT_POLICY_UNTIL_FULL && cpu_count == 1u && !interrupts) {
        load_limit(TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS + 1u);
    }
    load_count(LOAD_MAIN, TT_CLASS_TRACER, 1);
    (void)tt_start(STREAM);
}

static void begin_storm(void)
{
    attach();
#if TT_CONFIG_CPUS > 1
    if (cpu_count > 1u) {
        board_cpu_start(1, other_cpu);
    }
#endif
    if (interrupts) {
        board_sensor_start(board_option("sensor_us", 50));
    }
}

/* Stop the sensor first: an interrupt on a CPU that is already quiet would be counted, but not
 * recorded. */
static void end_storm(void)
{
    if (interrupts) {
        board_sensor_start(0);
    }
    atomic_store(&storm_over, true);
    become_quiet();
    while (atomic_load(&quiet_cpus) < cpu_count - 1u) {
        board_yield();
    }
}

static void rage(uint32_t duration_ms)
{
    uint32_t begin = kernel_board_clock();
    begin_storm();
    for (uint32_t round = 1; atomic_load(&raging_cpus) < cpu_count ||
                             kernel_board_clock() - begin < duration_ms * TICKS_PER_MS;
         round++) {
        record_round();
        (void)tt_drain_step();
        if (round == ROUNDS) {
            atomic_fetch_add(&raging_cpus, 1u);
        }
    }
    end_storm();
}

static void finish_recorder(void)
{
    load_count(LOAD_MAIN, TT_CLASS_TRACER, 1);
    (void)tt_stop(STREAM);
    slow_link_open();
    while (!tt_drain_done() || !board_trace_sent()) {
        (void)tt_drain_step();
        board_yield();
    }
}

static void write_number(uint64_t number, char after)
{
    char digits[22];
    uint32_t at = sizeof digits;
    digits[--at] = '\0';
    digits[--at] = after;
    do {
        digits[--at] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    board_console_write(digits + at);
}

static void report_counts(void)
{
    for (uint32_t cpu = 0; cpu < BOARD_CPUS; cpu++) {
        for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
            uint64_t records = load_counted(cpu, i);
            if (records != 0u) {
                board_console_write("offered ");
                write_number(cpu, ' ');
                write_number(i, ' ');
                write_number(records, '\n');
            }
        }
    }
}

static void storm(void *argument)
{
    (void)argument;
    cpu_count = board_option("cpus", TT_CONFIG_CPUS);
    cpu_count = cpu_count > 1u && TT_CONFIG_CPUS > 1 ? 2u : 1u;
    burst = board_option("burst", 16);
    interrupts = board_option("sensor_us", 50) != 0u;
    start_recorder();
    rage(board_option("duration_ms", 100));
    finish_recorder();
    report_counts();
    board_exit(0);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    storm(NULL);
#else
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[4096];
    (void)kernel_thread_create(&thread, "storm", storm, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
