/*
 * Saves images of the recorder's memory between random instructions, and the records that the
 * recorder sends afterwards.
 *
 *     stop_driver SEED POLICY STOPS FOLDER
 *
 * The processor's trap flag stops the program after each instruction. At some stops it forks: the
 * child saves FOLDER/N.image, finishes the current call, lets the drain send all records of the
 * rings and saves FOLDER/N.link:
 *
 *     image   head (image_head_t), records offered to each ring, a byte for each record (1: its
 *             call has returned), the program's data
 *     link    all bytes of the link from the start
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define TRAP_FLAG    0x100
#define MOST_RECORDS 100000u
#define MOST_BYTES   (8u << 20)
#define RINGS        (TT_CONFIG_STREAMS * TT_CONFIG_CPUS)

typedef struct image_head {
    uint64_t pc;
    uint64_t address; /* address of the following data */
    uint64_t data_bytes;
    uint64_t link_bytes; /* bytes sent before the stop */
    uint64_t records;    /* number of begun records */
} image_head_t;

/* Truth about the run. Not in the program's data, because those are the image. */
typedef struct truth {
    uint64_t offered[RINGS];
    uint64_t link_bytes;
    uint64_t records;
    uint8_t returned[MOST_RECORDS];
    uint8_t link[MOST_BYTES];
} truth_t;

extern char __data_start[];
extern char _end[];

uint32_t port_cpu;
static truth_t *truth;
static const char *folder;
static uint32_t state;
static uint32_t now;
static uint32_t depth;
static volatile bool ending;
static bool nested;
static volatile uint64_t steps_left;
static uint32_t stops_left;
static uint32_t stops;

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void expect(bool is_true, const char *what)
{
    if (!is_true) {
        (void)!write(2, what, strlen(what));
        _exit(1);
    }
}

static void save(const char *kind, const void *const parts[], const size_t bytes[], int count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%u.%s", folder, stops, kind);
    FILE *file = fopen(path, "wb");
    expect(file != NULL, "the file cannot be created");
    for (int i = 0; i < count; i++) {
        expect(fwrite(parts[i], 1, bytes[i], file) == bytes[i], "the file cannot be written");
    }
    expect(fclose(file) == 0, "the file cannot be closed");
}

static void save_image(uint64_t pc)
{
    const size_t data_bytes = (size_t)(_end - __data_start);
    const image_head_t head = {pc, (uint64_t)(uintptr_t)__data_start, data_bytes, truth->link_bytes,
                               truth->records};
    const void *const parts[] = {&head, truth->offered, truth->returned, __data_start};
    const size_t bytes[] = {sizeof head, sizeof truth->offered, truth->records, data_bytes};
    save("image", parts, bytes, 4);
}

/* At a chosen stop, fork; the program continues in the child without further stops. */
static void stop(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)signal;
    (void)info;
    if (--steps_left != 0u) {
        return;
    }
    stops++;
    pid_t child = fork();
    if (child == 0) {
        save_image((uint64_t)at->uc_mcontext.gregs[REG_RIP]);
        ending = true;
        at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    int status = 1;
    expect(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child failed");
    if (--stops_left == 0u) {
        _exit(0);
    }
    steps_left = 1u + (chance(4) == 0u ? chance(12) : chance(1500));
}

static void record(void)
{
    uint32_t index = (uint32_t)truth->records;
    if (ending || index == MOST_RECORDS) {
        return;
    }
    truth->records = index + 1u;
    uint32_t cpu = port_cpu;
    tt_emit_user_user(1u + chance(3), index, index * 2654435761u);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        truth->offered[stream * TT_CONFIG_CPUS + cpu]++;
    }
    truth->returned[index] = 1;
}

tt_port_key_t tt_port_lock(void)
{
    return depth++;
}

/* Unmask; at times another CPU or an interrupt records then. */
void tt_port_unlock(tt_port_key_t key)
{
    depth = key;
    if (key == 0u && truth != NULL && !nested && !ending && chance(6) == 0u) {
        uint32_t cpu = port_cpu;
        nested = true;
        port_cpu = chance(TT_CONFIG_CPUS);
        record();
        port_cpu = cpu;
        nested = false;
    }
}

uint32_t tt_port_ticks(void)
{
    return now += 7u;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return ending || chance(8) != 0u ? TT_LINK_LEAST_BYTES : 0u;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    expect(truth->link_bytes + count <= MOST_BYTES, "the link is full");
    memcpy(truth->link + truth->link_bytes, bytes, count);
    truth->link_bytes += count;
}

static void step(void)
{
    port_cpu = chance(TT_CONFIG_CPUS);
    uint32_t stream = chance(TT_CONFIG_STREAMS);
    switch (chance(24)) {
    case 0:
        (void)tt_flush(stream);
        break;
    case 1:
        (void)tt_set_shedding(stream, chance(2) << TT_CLASS_USER, 1u + chance(2));
        break;
#if TT_CONFIG_FINALIZE
    case 2:
        (void)tt_finalize(stream);
        break;
#endif
    case 3:
    case 4:
        port_cpu = 0;
        for (uint32_t i = chance(6); i > 0u; i--) {
            (void)tt_drain_step();
        }
        break;
    default:
        record();
    }
}

static void set_trap_flag(void)
{
    __asm volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static void end(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        (void)tt_stop(stream);
        for (port_cpu = 0; port_cpu < TT_CONFIG_CPUS; port_cpu++) {
            (void)tt_flush(stream);
        }
    }
    port_cpu = 0;
    while (tt_drain_step()) {
    }
    expect(tt_drain_done(), "the drain is not done");
    const void *const parts[] = {truth->link};
    const size_t bytes[] = {truth->link_bytes};
    save("link", parts, bytes, 1);
}

int main(int argc, char **argv)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {.name = "stopped", .tick_hz = 1000000u, .boot_id = 0x5100u};
    struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO};
    expect(argc == 5, "usage: stop_driver SEED POLICY STOPS FOLDER");
    state = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t policy = (uint32_t)strtoul(argv[2], NULL, 10);
    stops_left = (uint32_t)strtoul(argv[3], NULL, 10);
    folder = argv[4];
    truth_t *place =
        mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(place != MAP_FAILED, "no memory");
    expect(tt_init(&target, &link) == TT_OK, "tt_init");
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        expect(tt_set_policy(stream, policy) == TT_OK, "tt_set_policy");
        expect(tt_select_class(stream, TT_CLASS_USER, true) == TT_OK, "tt_select_class");
        expect(tt_start_without_state(stream) == TT_OK, "tt_start");
    }
    truth = place;
    expect(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction");
    steps_left = 1u + chance(20000);
    set_trap_flag();
    while (!ending) {
        step();
    }
    end();
    return 0;
}
