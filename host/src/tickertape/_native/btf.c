/* Convert transitions to lines of the Best Trace Format. The reference is
 * formats/btf/transition_lines.py. */
#include "interface.h"

#include <stdlib.h>
#include <string.h>

#include "btf_parts.h"

#define BLOCK_BYTES (256u << 10)
/* Maximum number of lines per transition, and bytes of a line besides its names. */
#define MOST_LINES  8u
#define LINE_BYTES  192u
#define NS_PER_S    UINT64_C(1000000000)

/* Settings of the writer ---------------------------------------------------------------------- */

tt_btf_t *tt_btf_new(uint32_t old)
{
    tt_btf_t *btf = calloc(1, sizeof *btf);
    if (btf != NULL) {
        btf->old = old != 0u;
    }
    return btf;
}

void tt_btf_free(tt_btf_t *btf)
{
    if (btf == NULL) {
        return;
    }
    for (uint64_t i = 0; i < btf->entity_count; i++) {
        free(btf->entities[i].name.text);
    }
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        free(btf->cores[cpu].text);
        free(btf->schedulers[cpu].text);
    }
    free(btf->entities);
    free(btf->out);
    tt_map_clear(&btf->owners);
    free(btf);
}

static bool set_name(tt_btf_t *btf, tt_btf_name_t *name, const char *text, uint32_t bytes)
{
    char *kept = calloc(1, (size_t)bytes + PIECE);
    if (kept == NULL) {
        return false;
    }
    memcpy(kept, text, bytes);
    free(name->text);
    *name = (tt_btf_name_t){.text = kept, .bytes = bytes};
    btf->longest = bytes > btf->longest ? bytes : btf->longest;
    return true;
}

int tt_btf_set_word(tt_btf_t *btf, uint32_t table, uint32_t place, const char *word)
{
    size_t bytes = strlen(word);
    if (table >= TT_BTF_TABLES || place >= PLACES || bytes >= WORD_ROOM) {
        return -1;
    }
    tt_btf_word_t *kept = &btf->words[table][place];
    kept->bytes = (uint8_t)bytes;
    memcpy(kept->text, word, bytes);
    return 0;
}

int tt_btf_set_cpu(tt_btf_t *btf, uint32_t cpu, const char *core, const char *scheduler)
{
    bool is_set = cpu < CPUS && set_name(btf, &btf->cores[cpu], core, (uint32_t)strlen(core)) &&
                  set_name(btf, &btf->schedulers[cpu], scheduler, (uint32_t)strlen(scheduler));
    return is_set ? 0 : -1;
}

int tt_btf_add_entity(tt_btf_t *btf, uint32_t kind, const char *name, uint32_t bytes)
{
    if (btf->entity_count == btf->entity_room) {
        uint64_t room = 2u * btf->entity_room + 32u;
        tt_btf_entity_t *entities = realloc(btf->entities, room * sizeof *entities);
        if (entities == NULL) {
            return -1;
        }
        btf->entities = entities;
        btf->entity_room = room;
    }
    tt_btf_entity_t entity = {.kind = kind};
    if (!set_name(btf, &entity.name, name, bytes)) {
        return -1;
    }
    btf->entities[btf->entity_count++] = entity;
    return 0;
}

void tt_btf_forget(tt_btf_t *btf)
{
    tt_map_clear(&btf->owners);
    for (uint64_t i = 0; i < btf->entity_count; i++) {
        tt_btf_entity_t *entity = &btf->entities[i];
        entity->last_core = 0;
        entity->is_preempted = entity->has_asked = entity->is_used = false;
    }
}

/* Processes and runnables ---------------------------------------------------------------------- */

static void tell_scheduler(tt_btf_t *btf, const char *word, size_t bytes)
{
    if (!btf->old || entity_at(btf, btf->row->entity)->kind != TT_KIND_TASK) {
        return;
    }
    begin_line(btf);
    put_own_name(btf);
    *btf->to++ = ',';
    put_number(btf, btf->row->instance);
    PUT(btf, ",SCHED,");
    put_name(btf, &btf->schedulers[btf->row->cpu % CPUS]);
    PUT(btf, ",-1,");
    put_text(btf, word, bytes);
    end_line(btf);
}

/* Put `,type,name,instance,` of the entity that changes. */
static void put_target(tt_btf_t *btf)
{
    *btf->to++ = ',';
    put_word(btf, &btf->words[TT_BTF_TYPE][entity_at(btf, btf->row->entity)->kind]);
    *btf->to++ = ',';
    put_own_name(btf);
    *btf->to++ = ',';
    put_number(btf, btf->row->instance);
    *btf->to++ = ',';
}

/* Write a migration if a task continues on another core, or begins on another core than its last
 * instance. */
static void migrate(tt_btf_t *btf, const tt_btf_name_t *core)
{
    tt_btf_entity_t *entity = &btf->entities[btf->row->entity];
    int32_t source = btf->row->source + 2; /* NO_ENTITY becomes 1 */
    if (entity->last_core != 0 && entity->last_core != source && entity->kind == TT_KIND_TASK) {
        begin_line(btf);
        put_name(btf, core);
        PUT(btf, ",0");
        put_target(btf);
        if (btf->row->action == TT_ACTION_START) {
            PUT(btf, "boundedmigration");
        } else if (entity->is_preempted && !entity->has_asked) {
            PUT(btf, "phasemigration");
        } else {
            PUT(btf, "fullmigration");
        }
        end_line(btf);
    }
    entity->last_core = source;
    entity->has_asked = false;
}

/* Return the action with the word of a suspension: a process that suspends itself waits, and a
 * waiting one that is suspended waits on; others stay as they are. */
static uint8_t suspending(const tt_transition_t *row)
{
    if (row->action == TT_ACTION_STOP) {
        return row->before == TT_STATE_RUNNING ? TT_ACTION_WAIT : TT_ACTION_FOUND;
    }
    if (row->action == TT_ACTION_CONTINUE) {
        bool waits = row->value == TT_STATE_RUNNING || row->value == TT_STATE_WAITING;
        return waits ? TT_ACTION_RELEASE : TT_ACTION_FOUND;
    }
    return row->action;
}

static void write_process(tt_btf_t *btf)
{
    uint8_t action = btf->row->action;
    if (action == TT_ACTION_EXCEED) {
        begin_line(btf);
        put_source(btf);
        put_target(btf);
        PUT(btf, "mtalimitexceeded\n");
        return;
    }
    if (action == TT_ACTION_ACTIVATE) {
        begin_line(btf);
        put_source(btf);
        put_target(btf);
        PUT(btf, "activate\n");
        tell_scheduler(btf, "processactivate", LEN("processactivate"));
        return;
    }
    action = suspending(btf->row);
    const tt_btf_word_t *word = &btf->words[TT_BTF_PROCESS][action];
    if (word->bytes == 0u) {
        return; /* FOUND, CREATE, END: the format has no such change */
    }
    const tt_btf_name_t *core = has_source(btf) ? &entity_at(btf, btf->row->source)->name
                                                : &btf->cores[btf->row->cpu % CPUS];
    if (btf->old && (action == TT_ACTION_START || action == TT_ACTION_RESUME ||
                     action == TT_ACTION_POLL_PARKING)) {
        migrate(btf, core);
    }
    begin_line(btf);
    put_name(btf, core);
    PUT(btf, ",0");
    put_target(btf);
    put_word(btf, word);
    end_line(btf);
    if (action == TT_ACTION_PREEMPT || action == TT_ACTION_PARK || action == TT_ACTION_WAIT) {
        btf->entities[btf->row->entity].is_preempted = action != TT_ACTION_WAIT;
    } else if (action == TT_ACTION_TERMINATE) {
        tell_scheduler(btf, "processterminate", LEN("processterminate"));
    } else if (action == TT_ACTION_POLL) {
        tell_scheduler(btf, "processpolling", LEN("processpolling"));
    }
}

static void write_runnable(tt_btf_t *btf)
{
    const tt_btf_word_t *word = &btf->words[TT_BTF_RUNNABLE][btf->row->action];
    if (word->bytes == 0u) {
        return;
    }
    if (!has_source(btf)) {
        begin_unsaid(btf);
        PUT(btf, "its process is unknown\n");
        return;
    }
    begin_line(btf);
    put_source(btf);
    put_target(btf);
    put_word(btf, word);
    end_line(btf);
}

static void write_stimulus(tt_btf_t *btf)
{
    begin_line(btf);
    if (has_source(btf)) {
        put_source(btf);
    } else if (btf->old) {
        PUT(btf, "SIM,-1");
    } else {
        put_own_name(btf);
        *btf->to++ = ',';
        put_number(btf, btf->row->instance);
    }
    put_target(btf);
    PUT(btf, "trigger\n");
}

static void put_scheduler(tt_btf_t *btf)
{
    put_own_name(btf);
    if (btf->old) {
        PUT(btf, ",-1");
    } else {
        PUT(btf, ",0");
    }
}

static void write_scheduler(tt_btf_t *btf)
{
    begin_line(btf);
    bool is_schedule = btf->row->action == TT_ACTION_SCHEDULE;
    if (!is_schedule && has_source(btf)) {
        btf->entities[btf->row->source].has_asked = true;
    }
    if (is_schedule) {
        put_scheduler(btf);
    } else {
        put_source(btf);
    }
    PUT(btf, ",SCHED,");
    put_scheduler(btf);
    if (is_schedule) {
        PUT(btf, ",schedule\n");
    } else {
        PUT(btf, ",schedulepoint\n");
    }
}

/* Transitions ---------------------------------------------------------------------------------- */

/* Write the lines of one transition; false without memory. */
static bool write_row(tt_btf_t *btf)
{
    switch (entity_at(btf, btf->row->entity)->kind) {
    case TT_KIND_TASK:
    case TT_KIND_INTERRUPT:
        write_process(btf);
        return true;
    case TT_KIND_RUNNABLE:
        write_runnable(btf);
        return true;
    case TT_KIND_STIMULUS:
    case TT_KIND_REQUEST:
    case TT_KIND_PERIOD:
    case TT_KIND_CREATION:
        write_stimulus(btf);
        return true;
    case TT_KIND_MUTEX:
    case TT_KIND_SEMAPHORE:
    case TT_KIND_SPINLOCK:
        tt_btf_write_lock(btf);
        return true;
    case TT_KIND_SCHEDULER:
        write_scheduler(btf);
        return true;
    case TT_KIND_SIGNAL:
        tt_btf_write_signal(btf);
        return true;
    case TT_KIND_EVENT:
        return tt_btf_write_event(btf);
    default:
        return true; /* the format has no such entity */
    }
}

static void stand_at(tt_btf_t *btf, const tt_transition_t *row)
{
    tt_btf_job_t *job = btf->job;
    btf->row = row;
    if (row->action == TT_ACTION_LOSE) {
        return;
    }
    if (row->time != btf->ticks) {
        btf->ticks = row->time;
        uint64_t hz = job->tick_hz;
        btf->ticks_ns = row->time / hz * NS_PER_S + row->time % hz * NS_PER_S / hz;
    }
    uint64_t now = btf->ticks_ns + job->offset_ns;
    job->time_ns = now > job->time_ns ? now : job->time_ns;
}

static bool is_known(const tt_btf_t *btf, int32_t entity)
{
    return entity == TT_NO_ENTITY || (entity >= 0 && (uint64_t)entity < btf->entity_count);
}

int tt_btf_write(tt_btf_t *btf, tt_btf_job_t *job)
{
    uint64_t most = MOST_LINES * (LINE_BYTES + 3u * btf->longest);
    if (btf->room < BLOCK_BYTES + most) {
        char *out = realloc(btf->out, BLOCK_BYTES + most);
        if (out == NULL) {
            return -1;
        }
        btf->out = out;
        btf->room = BLOCK_BYTES + most;
    }
    btf->job = job;
    btf->to = btf->out;
    btf->ticks = 0; /* the clock may have changed */
    btf->ticks_ns = 0;
    for (; job->at < job->end && btf->to - btf->out < (ptrdiff_t)BLOCK_BYTES; job->at++) {
        const tt_transition_t *row = &job->transitions[job->at];
        if (row->entity < 0 || !is_known(btf, row->entity) || !is_known(btf, row->source) ||
            !is_known(btf, row->object)) {
            return -1;
        }
        stand_at(btf, row);
        if (row->action != TT_ACTION_LOSE && !write_row(btf)) {
            return -1;
        }
    }
    job->text = btf->out;
    job->bytes = (uint64_t)(btf->to - btf->out);
    return 0;
}
