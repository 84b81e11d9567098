/*
 * Compute the instances of tasks and interrupts from the transitions of one boot. The reference is
 * `Instances` in answers/instances.py.
 */
#include <stdlib.h>
#include <string.h>

#include "lives_parts.h"
#include "marks.h"

tt_lives_t *tt_lives_new(void)
{
    return calloc(1, sizeof(tt_lives_t));
}

static void free_lives(tt_life_t *life)
{
    while (life != NULL) {
        tt_life_t *next = life->next;
        free(life->blockings.items);
        free(life);
        life = next;
    }
}

void tt_lives_free(tt_lives_t *lives)
{
    if (lives == NULL) {
        return;
    }
    for (uint64_t i = 0; i < lives->lived_room; i++) {
        free_lives(lives->lived[i].open);
        free_lives(lives->lived[i].lost);
    }
    free_lives(lives->unused);
    for (size_t i = 0; i < TT_LIVES_CPUS; i++) {
        free(lives->cores[i].interrupts.items);
        free(lives->cores[i].covered.items);
    }
    free(lives->instances.items);
    free(lives->blockings.items);
    free(lives->intervals.items);
    free(lives->lived);
    free(lives);
}

static void begin_call(tt_lives_t *lives, const tt_lives_job_t *job)
{
    lives->job = job;
    lives->status = TT_LIVES_DONE;
    if (job->keeps == 0u) {
        lives->instances.count = lives->blockings.count = lives->intervals.count = 0;
    }
    if (job->entity_count > lives->lived_room) {
        uint64_t room = 2u * job->entity_count;
        tt_lived_t *more = room > SIZE_MAX / sizeof *more
                               ? NULL
                               : realloc(lives->lived, (size_t)room * sizeof *more);
        if (more == NULL) {
            lives->status = TT_LIVES_NO_MEMORY;
            return;
        }
        for (uint64_t i = lives->lived_room; i < room; i++) {
            more[i] = (tt_lived_t){.last_end = TT_NO_TICKS};
        }
        lives->lived = more;
        lives->lived_room = room;
    }
}

static int end_call(const tt_lives_t *lives, tt_lives_job_t *job)
{
    job->instances = lives->instances.items;
    job->blockings = lives->blockings.items;
    job->intervals = lives->intervals.items;
    job->instance_count = lives->instances.count;
    job->blocking_count = lives->blockings.count;
    job->interval_count = lives->intervals.count;
    return lives->status;
}

tt_life_core_t *tt_life_core(tt_lives_t *lives, int32_t cpu)
{
    tt_life_core_t *core = &lives->cores[cpu];
    if (!core->is_known) {
        core->is_known = true;
        core->last = lives->time;
        if ((uint32_t)cpu >= lives->core_count) {
            lives->core_count = (uint32_t)cpu + 1u;
        }
    }
    return core;
}

/* Lose all open instances of a task, or one instance of an interrupt. */
static void lose(tt_lives_t *lives, const tt_transition_t *row, bool is_task)
{
    tt_life_t *life = lives->lived[row->entity].open;
    while (life != NULL && lives->status == TT_LIVES_DONE) {
        tt_life_t *next = life->next;
        if (is_task || life->known.number == row->instance) {
            /* The time of the loss may be before its activation. */
            int64_t end = lives->time > life->since ? lives->time : life->since;
            tt_life_leave(lives, life, end, TT_ENDED_LOST);
        }
        life = next;
    }
}

/* Note that an instance of a task continues: earlier instances have ended without a record. */
static void come_to(tt_lives_t *lives, tt_life_t *life)
{
    tt_life_t *other = lives->lived[life->known.entity].open;
    while (other != NULL && lives->status == TT_LIVES_DONE) {
        tt_life_t *next = other->next;
        if (other->known.number < life->known.number) {
            tt_life_leave(lives, other, other->since, TT_ENDED_LOST);
        }
        other = next;
    }
    life->is_pending = false;
}

static uint8_t doing_of(const tt_transition_t *row)
{
    if (row->action == TT_ACTION_PREEMPT) {
        return TT_DOING_PREEMPTED;
    }
    switch (row->after) {
    case TT_STATE_RUNNING:
        return TT_DOING_RUNNING;
    case TT_STATE_WAITING:
        return TT_DOING_BLOCKED;
    case TT_STATE_SUSPENDED:
        return TT_DOING_SUSPENDED;
    case TT_STATE_UNKNOWN:
        return TT_DOING_UNKNOWN;
    default:
        return TT_DOING_READY;
    }
}

static void take_process(tt_lives_t *lives, const tt_transition_t *row, bool is_task)
{
    const tt_lives_job_t *job = lives->job;
    if (row->action == TT_ACTION_CREATE || row->action == TT_ACTION_END) {
        return; /* of no instance */
    }
    if (row->action == TT_ACTION_LOSE) {
        lose(lives, row, is_task);
        return;
    }
    tt_life_t *life = tt_life_find(&lives->lived[row->entity], row->instance);
    if (life == NULL) {
        life = tt_life_begin(lives, row, is_task);
    }
    if (life == NULL || row->action == TT_ACTION_ACTIVATE) {
        return;
    }
    if (tt_is_mark(row->action)) {
        tt_life_mark(lives, row->action, life);
        return;
    }
    if (is_task) {
        come_to(lives, life);
    }
    if (row->after == TT_STATE_TERMINATED) {
        tt_life_leave(lives, life, lives->time, life->is_cut ? TT_ENDED_UNDONE : TT_ENDED_DONE);
        return;
    }
    bool has_core = row->source != TT_NO_ENTITY && job->kind[row->source] == TT_KIND_CORE;
    uint8_t doing = doing_of(row);
    tt_life_does(lives, life, doing, row->action == TT_ACTION_RESUME);
    if (has_core) {
        life->cpu = (int32_t)job->number[row->source];
    }
    if (doing == TT_DOING_RUNNING) {
        tt_life_runs(lives, life, row->action);
    } else if (doing == TT_DOING_SUSPENDED) {
        life->event = TT_EVENT_THREAD_STOPPED & 0x3ffu;
    } else if (row->action == TT_ACTION_PREEMPT && has_core) {
        tt_life_core_t *core = tt_life_core(lives, life->cpu);
        core->preempted = life;
        core->preempted_row = lives->row;
    }
    if (row->action == TT_ACTION_WAIT || row->action == TT_ACTION_FOUND) {
        tt_life_waits(lives, life, row->object, row->value);
    }
}

/* Update the owner of a mutex or spin lock; if it changes, split the waits for the lock. */
static void take_lock(tt_lives_t *lives, const tt_transition_t *row)
{
    tt_lived_t *lock = &lives->lived[row->entity];
    bool has_owner = false;
    switch (row->action) {
    case TT_ACTION_TAKE:
    case TT_ACTION_ASSIGN:
    case TT_ACTION_GRANT:
        has_owner = true;
        break;
    case TT_ACTION_GIVE:
    case TT_ACTION_LOSE:
        break;
    default:
        return;
    }
    bool is_same = !has_owner ? !lock->has_owner
                              : lock->has_owner && lock->owner == row->source &&
                                    lock->owner_number == row->source_instance;
    if (is_same) {
        return;
    }
    uint64_t waiters = 0;
    for (const tt_life_t *one = lock->first_waiter; one != NULL; one = one->next_waiter) {
        waiters++;
    }
    for (; waiters != 0u && lives->status == TT_LIVES_DONE; waiters--) {
        tt_life_t *life = lock->first_waiter;
        int32_t object = life->object;
        int64_t event = life->event;
        tt_life_does(lives, life, TT_DOING_BLOCKED, false);
        tt_life_waits(lives, life, object, event);
    }
    lock->has_owner = has_owner;
    lock->owner = row->source;
    lock->owner_number = row->source_instance;
}

static void take_core(tt_lives_t *lives, const tt_transition_t *row)
{
    int64_t cpu = lives->job->number[row->entity];
    if (!lives->cores[cpu].is_known && row->after == TT_STATE_UNKNOWN) {
        return; /* a CPU of the previous boot */
    }
    tt_life_core_t *core = tt_life_core(lives, (int32_t)cpu);
    core->last = lives->time > core->last ? lives->time : core->last;
}

static bool is_entity(const tt_lives_job_t *job, int32_t entity)
{
    return entity >= 0 && (uint64_t)entity < job->entity_count &&
           (job->kind[entity] != TT_KIND_CORE ||
            (job->number[entity] >= 0 && job->number[entity] < (int64_t)TT_LIVES_CPUS));
}

static bool is_known(const tt_lives_job_t *job, const tt_transition_t *row)
{
    return is_entity(job, row->entity) &&
           (row->source == TT_NO_ENTITY || is_entity(job, row->source)) &&
           (row->object == TT_NO_ENTITY || is_entity(job, row->object)) &&
           row->after < TT_STATE_COUNT && row->action < TT_ACTION_COUNT;
}

/* Update the time of the last record of each CPU. */
static void look_at(tt_lives_t *lives, const tt_lives_job_t *job)
{
    for (int32_t cpu = 0; cpu < (int32_t)TT_LIVES_CPUS; cpu++) {
        if (job->last[cpu] != TT_NO_TICKS) {
            bool is_new = !lives->cores[cpu].is_known;
            tt_life_core_t *core = tt_life_core(lives, cpu);
            core->last = is_new ? 0 : core->last;
            core->last = job->last[cpu] > core->last ? job->last[cpu] : core->last;
        }
    }
}

int tt_lives_feed(tt_lives_t *lives, tt_lives_job_t *job)
{
    begin_call(lives, job);
    look_at(lives, job);
    for (uint64_t i = 0; i < job->count && lives->status == TT_LIVES_DONE; i++) {
        const tt_transition_t *row = &job->transitions[i];
        if (!is_known(job, row)) {
            lives->status = TT_LIVES_NO_ENTITY;
            break;
        }
        lives->row = job->base + (uint64_t)row->row;
        lives->time = (int64_t)row->time;
        switch (job->kind[row->entity]) {
        case TT_KIND_TASK:
            take_process(lives, row, true);
            break;
        case TT_KIND_INTERRUPT:
            take_process(lives, row, false);
            break;
        case TT_KIND_CORE:
            take_core(lives, row);
            break;
        case TT_KIND_MUTEX:
        case TT_KIND_SPINLOCK:
            take_lock(lives, row);
            break;
        default:
            break;
        }
    }
    return end_call(lives, job);
}

static void resolve_all(tt_lives_t *lives)
{
    for (uint64_t i = 0; i < lives->job->entity_count; i++) {
        tt_life_resolve(lives, &lives->lived[i], TT_NO_TICKS);
    }
}

/* Return whether an instance has begun; if not, the pending instances may be lost. */
static bool has_begun(const tt_lived_t *lived)
{
    bool is_followed = false;
    for (const tt_life_t *life = lived->open; life != NULL; life = life->next) {
        is_followed = is_followed || !life->is_pending;
    }
    return is_followed;
}

/* Return the end of an open instance: the last record of its CPU if it runs, else the last record
 * of all. */
static int64_t end_of(const tt_lives_t *lives, const tt_life_t *life, int64_t last)
{
    bool runs = life->doing == TT_DOING_RUNNING && life->cpu >= 0;
    return runs ? lives->cores[life->cpu].last : last;
}

static int64_t last_record(const tt_lives_t *lives)
{
    int64_t last = 0;
    for (uint32_t cpu = 0; cpu < lives->core_count; cpu++) {
        const tt_life_core_t *core = &lives->cores[cpu];
        last = core->is_known && core->last > last ? core->last : last;
    }
    return last;
}

/* End the open instances of an entity; an instance whose predecessor was lost may be lost too. */
static void end_open(tt_lives_t *lives, const tt_lived_t *lived, int64_t last)
{
    bool is_followed = has_begun(lived);
    while (lived->open != NULL && lives->status == TT_LIVES_DONE) {
        tt_life_t *life = lived->open;
        if (life->is_pending && !is_followed) {
            tt_life_leave(lives, life, life->since, TT_ENDED_LOST);
        } else {
            tt_life_leave(lives, life, end_of(lives, life, last), TT_ENDED_OPEN);
        }
    }
}

int tt_lives_open(tt_lives_t *lives, tt_lives_job_t *job)
{
    begin_call(lives, job);
    int64_t last = last_record(lives);
    for (uint64_t i = 0; i < job->entity_count && lives->status == TT_LIVES_DONE; i++) {
        bool is_followed = has_begun(&lives->lived[i]);
        for (const tt_life_t *life = lives->lived[i].open; life != NULL; life = life->next) {
            if ((is_followed || !life->is_pending) && !life->is_none) {
                tt_life_show(lives, life, end_of(lives, life, last));
            }
        }
    }
    return end_call(lives, job);
}

int tt_lives_finish(tt_lives_t *lives, tt_lives_job_t *job)
{
    begin_call(lives, job);
    int64_t last = last_record(lives);
    if (lives->status == TT_LIVES_DONE) {
        resolve_all(lives);
        for (uint64_t i = 0; i < job->entity_count; i++) {
            end_open(lives, &lives->lived[i], last);
        }
        resolve_all(lives);
    }
    return end_call(lives, job);
}
