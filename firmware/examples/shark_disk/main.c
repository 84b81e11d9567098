/*
 * shark_disk - traces a device: the position of the head of a disk. Three readers request
 * cylinders; a thread simulates the disk and serves the nearest request first. It logs TRC_SEEK
 * when the head begins to move and TRC_CYLINDER when it has arrived, both with the old and the new
 * cylinder; a move takes one tick per 40 cylinders or part of that. These events go to a separate
 * fixed queue, all others to a circular one.
 *
 * common/trc_load.h describes the load and the options size and files.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "disk.h"
#include "kernel.h"
#include "trc.h"
#include "trc_load.h"

#define READERS          3u
#define CYLINDERS        400u
#define CYLINDERS_A_TICK 40u
#define TRANSFER_US      100u
#define DISK_PRIORITY    25u
#define READER_PRIORITY  12u
#define NOTHING          UINT32_MAX

static _Atomic uint32_t wanted[READERS]; /* cylinder, or NOTHING */
static kernel_sem_t requests = KERNEL_SEM_INIT(0, READERS);
static kernel_sem_t served[READERS];
static kernel_thread_t disk_thread;
static _Alignas(8) uint8_t disk_stack[BOARD_STACK_BYTES];
static kernel_thread_t reader_threads[READERS];
static _Alignas(8) uint8_t reader_stacks[READERS][BOARD_STACK_BYTES];

static uint32_t distance(uint32_t from, uint32_t to)
{
    return from < to ? to - from : from - to;
}

/* Return the reader whose request is nearest to the head; at least one request exists. */
static uint32_t nearest(uint32_t head)
{
    uint32_t found = 0;
    uint32_t least = NOTHING;
    for (uint32_t i = 0; i < READERS; i++) {
        uint32_t cylinder = atomic_load(&wanted[i]);
        if (cylinder != NOTHING && distance(head, cylinder) < least) {
            found = i;
            least = distance(head, cylinder);
        }
    }
    return found;
}

static void run_disk(void *argument)
{
    (void)argument;
    uint32_t head = 0;
    for (;;) {
        (void)kernel_sem_wait(&requests, KERNEL_FOREVER);
        uint32_t reader = nearest(head);
        uint32_t to = atomic_exchange(&wanted[reader], NOTHING);
        trc_allevents_t info = {.seek = {.from = (uint16_t)head, .to = (uint16_t)to}};
        (void)trc_logevent(TRC_SEEK, &info);
        (void)kernel_sleep((distance(head, to) + CYLINDERS_A_TICK - 1u) / CYLINDERS_A_TICK);
        (void)trc_logevent(TRC_CYLINDER, &info);
        head = to;
        kernel_work_us(TRANSFER_US);
        (void)kernel_sem_post(&served[reader]);
    }
}

static void read_blocks(void *argument)
{
    uint32_t reader = (uint32_t)(uintptr_t)argument;
    uint32_t random = reader + 1u;
    for (;;) {
        (void)kernel_sleep(3u + 2u * reader);
        random = random * 1664525u + 1013904223u;
        atomic_store(&wanted[reader], (random >> 16) % CYLINDERS);
        (void)kernel_sem_post(&requests);
        (void)kernel_sem_wait(&served[reader], KERNEL_FOREVER);
    }
}

static void create_disk(void)
{
    static const char *const names[READERS] = {"reader0", "reader1", "reader2"};
    (void)kernel_thread_create(&disk_thread, "disk", run_disk, NULL, DISK_PRIORITY, disk_stack,
                               sizeof disk_stack);
    for (uint32_t i = 0; i < READERS; i++) {
        served[i] = (kernel_sem_t)KERNEL_SEM_INIT(0, 1);
        atomic_store(&wanted[i], NOTHING);
        (void)kernel_thread_create(&reader_threads[i], names[i], read_blocks, (void *)(uintptr_t)i,
                                   READER_PRIORITY, reader_stacks[i], sizeof reader_stacks[i]);
    }
}

void application_main(void)
{
    TRC_FIXED_PARMS fixed;
    TRC_CIRCULAR_PARMS circular;
    trc_load_begin("shark_disk");
    (void)trc_register_fixed_queue();
    (void)trc_register_circular_queue();
    trc_fixed_default_parms(fixed);
    trc_fixed_def_size(fixed, trc_load_size());
    trc_circular_default_parms(circular);
    trc_circular_def_size(circular, trc_load_size());
    int rest = trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
    int disk = trc_create_queue(TRC_FIXED_QUEUE, &fixed);
    int result = trc_load_trace_into(rest);
    result |= trc_assign_class_to_queue(TRC_CLASS_DISK, disk);
    result |= trc_trace_class(TRC_CLASS_DISK);
    create_disk();
    trc_load_run(result, NULL);
}
