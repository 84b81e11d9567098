#include "model.h"

#include "fuzz_rules.h"
#include "model_tables.h"
#include "system_parts.h"

#define ENTITIES_MAX 4096u
#define CHUNKS_MAX   3u
#define TASKS_MAX    8u
#define FIRST_ROOM   64u

/* State of the services that answer for Python; they have no context parameter. */
static tt_system_t *asked;
static uint32_t kinds[ENTITIES_MAX];
static uint32_t entities;
static uint32_t questions;

static int64_t add_entity(uint32_t kind)
{
    if (entities == ENTITIES_MAX) {
        return -1;
    }
    kinds[entities] = kind;
    return entities++;
}

static int64_t answer_entity(uint32_t kind, uint32_t number)
{
    (void)number;
    return add_entity(kind);
}

/* Return the task of a thread: at times a free one, else a new one. */
static int64_t answer_task(uint32_t tid)
{
    for (uint32_t i = 0; (tid & 1u) != 0u && i < entities; i++) {
        if (kinds[i] == TT_KIND_TASK && tt_system_is_free(asked, i) != 0) {
            return i;
        }
    }
    return add_entity(TT_KIND_TASK);
}

static int64_t answer_limit(uint32_t address)
{
    return address & 3u;
}

static int64_t answer_forget(uint32_t tid)
{
    (void)tid;
    return 0;
}

static int64_t answer_name(uint64_t row, uint32_t tid)
{
    (void)row;
    questions++;
    return (questions & 1u) != 0u ? TT_NAME_SAID | ((tid & 1u) != 0u ? TT_NAME_FIRST : 0) |
                                        ((questions & 2u) != 0u ? TT_NAME_THE_SAME : 0)
                                  : 0;
}

static int64_t answer_rename(uint32_t number, uint32_t tid)
{
    (void)tid;
    return number < entities ? 0 : -1;
}

static const tt_system_services_t services = {answer_entity, answer_task, answer_limit,
                                              answer_forget, answer_name, answer_rename};

/* Return a model with handlers and state machines, which are the same for every input. */
static const tt_system_t *rules(void)
{
    static tt_system_t *filled;
    if (filled != NULL) {
        return filled;
    }
    filled = tt_system_new(&services);
    for (size_t i = 0; i < sizeof fuzz_handlers / sizeof fuzz_handlers[0]; i++) {
        FUZZ_CHECK(tt_system_handle(filled, fuzz_handlers[i].code, fuzz_handlers[i].name) == 0);
    }
    for (size_t i = 0; i < sizeof fuzz_moves / sizeof fuzz_moves[0]; i++) {
        const uint8_t *move = fuzz_moves[i];
        FUZZ_CHECK(tt_system_allow(filled, move[0], move[1], move[2], move[3]) == 0);
    }
    for (size_t i = 0; i < sizeof fuzz_evidence / sizeof fuzz_evidence[0]; i++) {
        const int32_t *one = fuzz_evidence[i];
        FUZZ_CHECK(tt_system_evidence(filled, (uint32_t)one[0], one[1]) == 0);
    }
    return filled;
}

static tt_system_t *new_system(void)
{
    tt_system_t *system = tt_system_new(&services);
    memcpy(system->handlers, rules()->handlers, sizeof system->handlers);
    memcpy(system->machines, rules()->machines, sizeof system->machines);
    memcpy(system->evidence, rules()->evidence, sizeof system->evidence);
    entities = 0;
    questions = 0;
    asked = system;
    return system;
}

/* Enlarge the memory for transitions, keeping its exact size known to the sanitizer. */
static void grow(fuzz_model_t *model, tt_system_job_t *job)
{
    job->room = 2u * job->room + FIRST_ROOM;
    tt_transition_t *more = fuzz_memory(job->room, sizeof *more);
    if (job->written > 0u) {
        memcpy(more, job->out, job->written * sizeof *more);
    }
    free(model->transitions);
    model->transitions = job->out = more;
}

/* Feed the model; returns false if it stopped because this target has too many entities. */
static bool feed(fuzz_model_t *model, tt_system_t *system, tt_system_job_t *job, uint8_t what)
{
    int status;
    do {
        if (what == 1u) {
            status = tt_system_reset(system, job);
        } else if (what == 2u) {
            status = tt_system_lose(system, job, (uint32_t)job->row, job->row & 1u, job->row);
        } else {
            status = tt_system_feed(system, job);
        }
        if (status == TT_SYSTEM_FULL) {
            grow(model, job);
        }
    } while (status == TT_SYSTEM_FULL);
    FUZZ_CHECK(status == TT_SYSTEM_DONE || status == TT_SYSTEM_STOPPED);
    FUZZ_CHECK(job->written <= job->room);
    return status == TT_SYSTEM_DONE;
}

static bool take_chunk(fuzz_model_t *model, tt_system_t *system, const fuzz_events_t *events,
                       tt_system_job_t *job, fuzz_input_t *input)
{
    const tt_columns_t *columns = &events->columns;
    job->header = columns->header;
    job->time = columns->time;
    job->data0 = columns->data0;
    job->data1 = columns->data1;
    job->count = events->found.rows;
    job->row = 0;
    bool goes_on = true;
    while (goes_on && job->row < job->count) {
        uint64_t stretch = 1u + fuzz_u8(input) % 32u;
        job->end_row = job->row + stretch < job->count ? job->row + stretch : job->count;
        goes_on = feed(model, system, job, 0);
        uint8_t what = fuzz_u8(input);
        if (goes_on && job->row < job->count && what % 8u == 7u) {
            goes_on = feed(model, system, job, 2);
        }
    }
    return goes_on;
}

static void check(const fuzz_model_t *model)
{
    for (uint64_t i = 0; i < model->count; i++) {
        const tt_transition_t *row = &model->transitions[i];
        FUZZ_CHECK(row->entity >= 0 && (uint32_t)row->entity < entities);
        FUZZ_CHECK(row->source >= TT_NO_ENTITY && row->source < (int32_t)entities);
        FUZZ_CHECK(row->action < TT_ACTION_COUNT && row->after < TT_STATE_COUNT);
    }
}

void fuzz_model_run(fuzz_model_t *model, fuzz_input_t *input)
{
    tt_system_t *system = new_system();
    tt_system_job_t job = {.room = 0};
    *model = (fuzz_model_t){.transitions = NULL};
    tt_assembler_t *assembler = tt_assembler_new();
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < CHUNKS_MAX && (i == 0u || fuzz_left(input) > 16u); i++) {
        fuzz_events_t events;
        uint8_t flags = fuzz_u8(input);
        fuzz_events_make(&events, assembler, input, false, (flags & 1u) != 0u);
        tt_system_begin_boot(system, flags >> 1 & 1u);
        job.count = 0;
        goes_on = (flags & 12u) != 12u || feed(model, system, &job, 1);
        goes_on = goes_on && take_chunk(model, system, &events, &job, input);
        fuzz_events_free(&events);
    }
    model->count = job.written;
    model->entity_count = entities;
    check(model);
    tt_assembler_free(assembler);
    tt_system_free(system);
}

uint32_t fuzz_model_kind(uint64_t entity_number)
{
    return kinds[entity_number];
}
