#include "sample_queue.h"

#include <stdatomic.h>
#include <stddef.h>

#include "board.h"
#include "trc.h"

static struct {
    trc_event_t events[SAMPLE_QUEUE_EVENTS];
    sample_queue_args_t args;
    atomic_uint offered;
    atomic_uint kept;
} sample;

/* Return the memory for an event that is kept, NULL for others. Short, as post() is, because both
 * run with interrupts masked. */
static trc_event_t *get(void *data)
{
    (void)data;
    unsigned int number = atomic_fetch_add(&sample.offered, 1u);
    unsigned int kept = atomic_load(&sample.kept);
    bool take = number % sample.args.every == 0u && kept < SAMPLE_QUEUE_EVENTS;
    return take ? &sample.events[kept] : NULL;
}

static int post(void *data)
{
    (void)data;
    (void)atomic_fetch_add(&sample.kept, 1u);
    return 0;
}

static int create(trc_queue_t *queue, void *args)
{
    if (args == NULL || ((const sample_queue_args_t *)args)->every == 0u) {
        return -1;
    }
    sample.args = *(const sample_queue_args_t *)args;
    queue->get = get;
    queue->post = post;
    queue->data = &sample;
    return 0;
}

/* Write the stored events into the file. Called when the tracer ends: no event is logged any
 * more. */
static int terminate(void *data)
{
    (void)data;
    void *file = sample.args.filename == NULL ? NULL : board_file_open(sample.args.filename);
    if (file != NULL) {
        board_file_write(file, sample.events,
                         (uint32_t)(atomic_load(&sample.kept) * sizeof sample.events[0]));
        board_file_close(file);
    }
    return 0;
}

int sample_queue_register(void)
{
    return trc_register_queuetype(TRC_SAMPLE_QUEUE, create, NULL, terminate);
}

sample_queue_counts_t sample_queue_counts(void)
{
    return (sample_queue_counts_t){atomic_load(&sample.offered), atomic_load(&sample.kept)};
}
