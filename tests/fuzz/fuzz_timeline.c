/*
 * Transitions to slices on tracks (_native/timeline.c), as columns and as packets; the input
 * defines records. Both have the same events, and a track only ends slices that it began.
 */
#include "interface.h"
#include "model.h"
#include "model_tables.h"
#include "packets.h"

#define STATES      TT_STATE_COUNT
#define FIRST_TRACK 100
#define PACKET_ROOM (8u * TT_TIMELINE_SLOTS * TT_PACKET_MOST_BYTES)

typedef struct tables {
    int64_t *kind, *name, *message, *open, *core, *since;
    uint8_t *entities, *cores;
    int64_t *load_cpu, *load_ns, *load_step;
    int64_t state_words[STATES];
} tables_t;

static int64_t *column(uint64_t count, int64_t value)
{
    int64_t *items = fuzz_memory(count, sizeof *items);
    for (uint64_t i = 0; i < count; i++) {
        items[i] = value;
    }
    return items;
}

static void make_tables(tables_t *tables, const fuzz_model_t *model)
{
    uint64_t known = model->entity_count;
    *tables = (tables_t){.kind = column(known, 0),
                         .name = column(known, 1),
                         .message = column(3u * known, 300),
                         .open = column(known, 0),
                         .core = column(known, -1),
                         .since = column(known, 0),
                         .entities = calloc(known + 1u, 1),
                         .cores = calloc(TT_TIMELINE_CPUS, 1),
                         .load_cpu = column(TT_TIMELINE_STEPS * model->count, 0),
                         .load_ns = column(TT_TIMELINE_STEPS * model->count, 0),
                         .load_step = column(TT_TIMELINE_STEPS * model->count, 0)};
    for (uint64_t i = 0; i < known; i++) {
        tables->kind[i] = fuzz_model_kind(i);
        tables->name[i] = (int64_t)(1u + i * 50u);
    }
    for (int64_t i = 0; i < (int64_t)STATES; i++) {
        tables->state_words[i] = i;
    }
}

static void free_tables(tables_t *tables)
{
    int64_t *columns[] = {tables->kind,     tables->name,    tables->message,
                          tables->open,     tables->core,    tables->since,
                          tables->load_cpu, tables->load_ns, tables->load_step};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        free(columns[i]);
    }
    free(tables->entities);
    free(tables->cores);
}

static tt_timeline_job_t job_of(const fuzz_model_t *model, const tables_t *tables, uint64_t hz)
{
    return (tt_timeline_job_t){.transitions = model->transitions,
                               .count = model->count,
                               .tick_hz = hz,
                               .entity_count = model->entity_count,
                               .kind = tables->kind,
                               .name = tables->name,
                               .message = tables->message,
                               .state_words = tables->state_words,
                               .open = tables->open,
                               .core = tables->core,
                               .since = tables->since,
                               .entity_tracks = FIRST_TRACK,
                               .core_tracks = FIRST_TRACK + 1,
                               .entities = tables->entities,
                               .cores = tables->cores,
                               .load_cpu = tables->load_cpu,
                               .load_ns = tables->load_ns,
                               .load_step = tables->load_step};
}

/* Return the number of begins and moments, or -1 if a time was too late. */
static int64_t as_columns(const fuzz_model_t *model, uint64_t hz)
{
    tables_t tables;
    make_tables(&tables, model);
    tt_timeline_t *timeline = tt_timeline_new();
    tt_timeline_job_t job = job_of(model, &tables, hz);
    uint64_t slots = TT_TIMELINE_SLOTS * model->count;
    job.time_ns = fuzz_memory(slots, sizeof(int64_t));
    job.phase = fuzz_memory(slots, 1);
    job.track = fuzz_memory(slots, sizeof(int64_t));
    job.word = fuzz_memory(slots, sizeof(int64_t));
    job.flow = fuzz_memory(slots, sizeof(int64_t));
    tt_timeline_begin(timeline);
    int status = tt_timeline_slices(timeline, &job);
    FUZZ_CHECK(status == TT_TIMELINE_DONE || status == TT_TIMELINE_TOO_LATE);
    FUZZ_CHECK(job.written <= slots && job.load_count <= TT_TIMELINE_STEPS * model->count);
    int64_t open = 0;
    for (uint64_t i = 0; i < job.written; i++) {
        open += job.phase[i] == TT_PHASE_BEGIN ? 1 : job.phase[i] == TT_PHASE_END ? -1 : 0;
        FUZZ_CHECK(open >= 0 && job.time_ns[i] >= 0);
    }
    free(job.time_ns);
    free(job.phase);
    free(job.track);
    free(job.word);
    free(job.flow);
    tt_timeline_free(timeline);
    free_tables(&tables);
    return status == TT_TIMELINE_DONE ? (int64_t)job.slices : -1;
}

static int64_t as_packets(const fuzz_model_t *model, uint64_t hz)
{
    tables_t tables;
    make_tables(&tables, model);
    tt_timeline_t *timeline = tt_timeline_new();
    tt_timeline_job_t job = job_of(model, &tables, hz);
    int status = TT_TIMELINE_DONE;
    while (status == TT_TIMELINE_DONE && job.row < job.count) {
        uint8_t *packets = fuzz_memory(PACKET_ROOM, 1);
        job.packets_end = packets;
        job.packets_limit = packets + PACKET_ROOM;
        status = tt_timeline_slices(timeline, &job);
        FUZZ_CHECK(job.packets_end <= job.packets_limit);
        free(packets);
    }
    FUZZ_CHECK(status == TT_TIMELINE_DONE || status == TT_TIMELINE_TOO_LATE);
    tt_timeline_free(timeline);
    free_tables(&tables);
    return status == TT_TIMELINE_DONE ? (int64_t)job.slices : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t rates[] = {1, 1000000u, 25000000u, UINT32_MAX};
    fuzz_input_t input = fuzz_begin(data, size);
    uint64_t hz = rates[fuzz_u8(&input) & 3u];
    fuzz_model_t model;
    fuzz_model_run(&model, &input);
    int64_t slices = as_columns(&model, hz);
    FUZZ_CHECK(model.count == 0u || as_packets(&model, hz) == slices);
    free(model.transitions);
    return 0;
}
