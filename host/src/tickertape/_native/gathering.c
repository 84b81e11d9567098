/*
 * Compute the figures of one boot from its instances, their waits and its transitions. The
 * references are `Gathering` in answers/gathering.py and `Uses` in answers/locks.py.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "model_tables.h"
#include "samples.h"

#define FIRST_ROOM 64u
#define NO_PLACE   0u /* free place of the hash table; others hold the index of a wait plus one */

typedef struct tt_samples {
    tt_sample_t figures[TT_FIGURES];
} tt_samples_t;

struct tt_gathering {
    tt_samples_t **samples; /* by entity; NULL without samples */
    uint64_t entity_room;
    tt_waited_t *waits;
    uint64_t wait_count;
    uint64_t wait_room;
    uint64_t *places; /* hash table of waits, at least twice as large as their number */
    uint64_t place_room;
};

tt_gathering_t *tt_gathering_new(void)
{
    return calloc(1, sizeof(tt_gathering_t));
}

void tt_gathering_free(tt_gathering_t *gathering)
{
    if (gathering == NULL) {
        return;
    }
    for (uint64_t i = 0; i < gathering->entity_room; i++) {
        for (size_t figure = 0; gathering->samples[i] != NULL && figure < TT_FIGURES; figure++) {
            tt_sample_clear(&gathering->samples[i]->figures[figure]);
        }
        free(gathering->samples[i]);
    }
    free((void *)gathering->samples);
    free(gathering->waits);
    free(gathering->places);
    free(gathering);
}

static bool have_entities(tt_gathering_t *gathering, uint64_t count)
{
    if (count <= gathering->entity_room) {
        return true;
    }
    uint64_t room = 2u * count;
    tt_samples_t **more =
        room > SIZE_MAX / sizeof *more
            ? NULL
            : (tt_samples_t **)realloc((void *)gathering->samples, (size_t)room * sizeof *more);
    if (more == NULL) {
        return false;
    }
    for (uint64_t i = gathering->entity_room; i < room; i++) {
        more[i] = NULL;
    }
    gathering->samples = more;
    gathering->entity_room = room;
    return true;
}

static bool is_entity(const tt_gathering_job_t *job, int32_t entity)
{
    return entity >= 0 && (uint64_t)entity < job->entity_count;
}

static bool add(tt_gathering_t *gathering, int32_t entity, size_t figure, int64_t value,
                int64_t instance)
{
    tt_samples_t *samples = gathering->samples[entity];
    if (samples == NULL) {
        samples = calloc(1, sizeof *samples);
        gathering->samples[entity] = samples;
    }
    return samples != NULL && tt_sample_add(&samples->figures[figure], value, instance);
}

static int64_t difference(int64_t end, int64_t begin)
{
    return (int64_t)((uint64_t)end - (uint64_t)begin);
}

static int64_t sum(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t most(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* Instances ---------------------------------------------------------------------------------- */

/* Return whether no activation may be missing between two times; `Observed.clear`. */
static bool is_clear(const tt_gathering_job_t *job, int64_t begin, int64_t end)
{
    uint64_t low = 0;
    uint64_t high = job->hole_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2u;
        if (job->hole_begins[middle] < end) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low == 0u || job->hole_ends[low - 1u] <= begin;
}

static bool activate(tt_gathering_t *gathering, const tt_gathering_job_t *job,
                     const tt_instance_t *row)
{
    tt_gathered_t *found = &job->gathered[row->entity];
    bool follows = found->last_number >= 0 && row->number == found->last_number + 1;
    int64_t before = found->last_time;
    int64_t period = difference(row->activation, before);
    found->activations++;
    found->last_number = row->number;
    found->last_time = row->activation;
    if (found->first_time == TT_NO_TICKS) {
        found->first_time = row->activation;
        return true;
    }
    if (row->takes != 0u) {
        return true; /* it is the first one of its count */
    }
    if (!follows || !is_clear(job, before, row->activation)) {
        found->period_hidden = most(found->period_hidden, period);
        return true;
    }
    return add(gathering, row->entity, TT_FIGURE_PERIOD, period, TT_NO_INSTANCE);
}

/* Update the upper limits of unseen instances and unseen waits; `Gathered.limit`. */
static void limit(tt_gathered_t *found, const tt_instance_t *row)
{
    if (found->waited != TT_NO_TICKS) {
        int64_t shown = sum(row->found, row->found_ready);
        found->latency_high = most(found->latency_high, difference(shown, found->waited));
        found->waited = TT_NO_TICKS;
    }
    if (row->ended == TT_ENDED_LOST) {
        found->waited = row->ready_since;
    }
    if (found->doubted != TT_NO_TICKS && row->activation > found->doubted) {
        found->high = most(found->high, difference(row->activation, found->doubted));
        found->doubted = TT_NO_TICKS;
    }
}

/* Count an instance that may have been activated and ended within the observed time. */
static void take_uncertain(const tt_gathering_job_t *job, const tt_instance_t *row)
{
    tt_gathered_t *found = &job->gathered[row->entity];
    bool has_latest = row->latest != TT_NO_TICKS;
    if (row->ended == TT_ENDED_LOST && !has_latest && row->end >= job->end) {
        return; /* it had not ended at the last record */
    }
    if (row->earliest == TT_NO_TICKS && job->unknown_since >= row->found) {
        return; /* it was activated before the first record */
    }
    int64_t earliest = row->earliest == TT_NO_TICKS ? job->begin : row->earliest;
    int64_t latest = has_latest ? row->latest : job->end;
    found->uncertain++;
    if (row->ended == TT_ENDED_DONE) {
        found->ends = 1;
    }
    bool is_first = found->doubted == TT_NO_TICKS;
    found->doubted = is_first ? earliest : least(found->doubted, earliest);
    found->high = most(found->high, difference(latest, earliest));
}

static bool take_instance(tt_gathering_t *gathering, const tt_gathering_job_t *job,
                          const tt_instance_t *row)
{
    tt_gathered_t *found = &job->gathered[row->entity];
    bool is_known = row->activation != TT_NO_TICKS;
    bool is_lost = row->ended == TT_ENDED_LOST;
    bool is_done = row->ended == TT_ENDED_DONE;
    int64_t begin = is_known ? row->activation : row->found;
    bool is_inside = job->first <= begin && begin <= job->last;
    bool done = true;
    if (is_inside && is_known) {
        done = activate(gathering, job, row);
    }
    if (is_inside && is_known && is_done && row->end <= job->last) {
        done = done &&
               add(gathering, row->entity, TT_FIGURE_RESPONSE, row->response_low, row->number) &&
               add(gathering, row->entity, TT_FIGURE_EXECUTION, row->running, row->number);
    }
    if (job->first <= row->found && row->end <= job->last) {
        found->preemptions += row->preemptions;
        found->interruptions += row->interruptions;
    } else if (row->found <= job->last && job->first <= row->end) {
        found->preemptions_partly += row->preemptions;
        found->interruptions_partly += row->interruptions;
    }
    if (is_inside && row->nesting > found->nesting) {
        found->nesting = row->nesting;
    }
    bool is_doubtful = found->waited != TT_NO_TICKS || found->doubted != TT_NO_TICKS;
    if (is_doubtful || is_lost || !is_known) {
        limit(found, row);
        if (is_inside && (is_lost || (is_done && !is_known))) {
            take_uncertain(job, row);
        }
    }
    return done;
}

/* Waits -------------------------------------------------------------------------------------- */

static uint64_t hash_of(const tt_waited_t *one)
{
    uint64_t hash = (uint64_t)(uint32_t)one->entity << 32 | (uint32_t)one->object;
    hash = (hash ^ (uint64_t)one->event) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ (uint32_t)one->owner) * 0x9e3779b97f4a7c15u;
    return hash >> 32;
}

static bool is_same(const tt_waited_t *one, const tt_waited_t *other)
{
    return one->entity == other->entity && one->object == other->object &&
           one->owner == other->owner && one->event == other->event;
}

/* Return the place of a wait in the hash table, or a free place for it. */
static uint64_t *place_of(const tt_gathering_t *gathering, const tt_waited_t *one)
{
    uint64_t at = hash_of(one) & (gathering->place_room - 1u);
    while (gathering->places[at] != NO_PLACE &&
           !is_same(&gathering->waits[gathering->places[at] - 1u], one)) {
        at = (at + 1u) & (gathering->place_room - 1u);
    }
    return &gathering->places[at];
}

static bool have_room(tt_gathering_t *gathering)
{
    if (gathering->wait_count < gathering->wait_room) {
        return true;
    }
    uint64_t room = gathering->wait_room == 0u ? FIRST_ROOM : 2u * gathering->wait_room;
    tt_waited_t *waits = realloc(gathering->waits, (size_t)room * sizeof *waits);
    if (waits == NULL) {
        return false;
    }
    gathering->waits = waits;
    uint64_t *places = calloc(2u * (size_t)room, sizeof *places);
    if (places == NULL) {
        return false;
    }
    free(gathering->places);
    gathering->places = places;
    gathering->place_room = 2u * room;
    gathering->wait_room = room;
    for (uint64_t i = 0; i < gathering->wait_count; i++) {
        *place_of(gathering, &waits[i]) = i + 1u;
    }
    return true;
}

static bool take_blocked(tt_gathering_t *gathering, const tt_gathering_job_t *job,
                         const tt_interval_t *one)
{
    int64_t ticks = difference(least(one->end, job->last), most(one->begin, job->first));
    if (ticks <= 0) {
        return true;
    }
    if (!have_room(gathering)) {
        return false;
    }
    tt_waited_t wait = {.event = one->event,
                        .ticks = ticks,
                        .entity = one->entity,
                        .object = one->object,
                        .owner = one->owner};
    uint64_t *place = place_of(gathering, &wait);
    if (*place == NO_PLACE) {
        gathering->waits[gathering->wait_count] = wait;
        *place = ++gathering->wait_count;
    } else {
        tt_waited_t *known = &gathering->waits[*place - 1u];
        known->ticks = sum(known->ticks, ticks);
    }
    return true;
}

/* Use the times of a task's lives if these are jobs, and forget them. */
static bool settle(const tt_gathering_t *gathering, int32_t entity, bool is_job)
{
    tt_samples_t *samples = gathering->samples[entity];
    if (samples == NULL) {
        return true;
    }
    tt_sample_t *life = &samples->figures[TT_FIGURE_LIFE];
    if (is_job) {
        return tt_sample_merge(&samples->figures[TT_FIGURE_LATENCY], life);
    }
    tt_sample_clear(life);
    return true;
}

static bool take_interval(tt_gathering_t *gathering, const tt_gathering_job_t *job,
                          const tt_interval_t *one)
{
    bool is_inside = job->first <= one->begin && one->begin <= one->end && one->end <= job->last;
    int64_t ticks = difference(one->end, one->begin);
    if (one->doing == TT_DOING_READY) {
        size_t figure = one->is_job != 0u ? TT_FIGURE_LATENCY : TT_FIGURE_LIFE;
        return !is_inside || add(gathering, one->entity, figure, ticks, one->number);
    }
    if (one->doing == TT_DOING_UNKNOWN) {
        return settle(gathering, one->entity, one->is_job != 0u);
    }
    bool is_over = one->following != TT_DOING_BLOCKED && one->following != TT_DOING_COUNT;
    bool done = take_blocked(gathering, job, one);
    if (is_over && is_inside && one->since >= job->first && one->object != TT_NO_ENTITY) {
        ticks = difference(one->end, one->since);
        done = done && add(gathering, one->object, TT_FIGURE_WAIT, ticks, one->number);
    }
    return done;
}

int tt_gathering_tables(tt_gathering_t *gathering, const tt_gathering_job_t *job)
{
    if (!have_entities(gathering, job->entity_count)) {
        return TT_LIVES_NO_MEMORY;
    }
    for (uint64_t i = 0; i < job->instance_count; i++) {
        if (!is_entity(job, job->instances[i].entity)) {
            return TT_LIVES_NO_ENTITY;
        }
        if (!take_instance(gathering, job, &job->instances[i])) {
            return TT_LIVES_NO_MEMORY;
        }
    }
    for (uint64_t i = 0; i < job->interval_count; i++) {
        const tt_interval_t *one = &job->intervals[i];
        if (!is_entity(job, one->entity) ||
            (one->object != TT_NO_ENTITY && !is_entity(job, one->object))) {
            return TT_LIVES_NO_ENTITY;
        }
        if (!take_interval(gathering, job, one)) {
            return TT_LIVES_NO_MEMORY;
        }
    }
    return TT_LIVES_DONE;
}

/* Uses --------------------------------------------------------------------------------------- */

static bool is_object(int64_t kind)
{
    return kind == TT_KIND_SEMAPHORE || kind == TT_KIND_MUTEX || kind == TT_KIND_SPINLOCK ||
           kind == TT_KIND_CHANNEL;
}

/* Update the limit of a hold that was not seen: it lies between two uses of its object. */
static void limit_hold(const tt_gathering_job_t *job, tt_gathered_t *found, int64_t time,
                       bool is_known)
{
    if (time < job->first || time > job->last) {
        return;
    }
    if (found->use_first == TT_NO_TICKS) {
        found->use_first = time;
    } else if (!is_known || !is_clear(job, found->use_last, time)) {
        found->hold_hidden = most(found->hold_hidden, difference(time, found->use_last));
    }
    found->use_last = time;
}

/* Update the owner and the hold time of a mutex or spin lock; `Uses._hold`. */
static bool hold(tt_gathering_t *gathering, const tt_gathering_job_t *job,
                 const tt_transition_t *row)
{
    tt_gathered_t *found = &job->gathered[row->entity];
    int64_t time = (int64_t)row->time;
    int64_t since = found->held_since;
    switch (row->action) {
    case TT_ACTION_TAKE:
    case TT_ACTION_ASSIGN:
    case TT_ACTION_GRANT:
        limit_hold(job, found, time, true);
        found->held_since = time;
        return true;
    case TT_ACTION_LOSE:
        found->held_since = TT_NO_TICKS;
        return true;
    case TT_ACTION_GIVE:
        limit_hold(job, found, time, since != TT_NO_TICKS);
        found->held_since = TT_NO_TICKS;
        if (since == TT_NO_TICKS || since < job->first || time > job->last ||
            !is_clear(job, since, time)) {
            return true;
        }
        return add(gathering, row->entity, TT_FIGURE_HOLD, difference(time, since), TT_NO_INSTANCE);
    default:
        return true;
    }
}

int tt_gathering_uses(tt_gathering_t *gathering, const tt_gathering_job_t *job)
{
    if (!have_entities(gathering, job->entity_count)) {
        return TT_LIVES_NO_MEMORY;
    }
    for (uint64_t i = 0; i < job->count; i++) {
        const tt_transition_t *row = &job->transitions[i];
        if (!is_entity(job, row->entity) || row->action >= TT_ACTION_COUNT) {
            return TT_LIVES_NO_ENTITY;
        }
        int64_t kind = job->kind[row->entity];
        if (!is_object(kind)) {
            continue;
        }
        int64_t time = (int64_t)row->time;
        if (job->first <= time && time <= job->last) {
            job->actions[(uint64_t)row->entity * TT_ACTION_COUNT + row->action]++;
        }
        bool is_owned = kind == TT_KIND_MUTEX || kind == TT_KIND_SPINLOCK;
        if (is_owned && !hold(gathering, job, row)) {
            return TT_LIVES_NO_MEMORY;
        }
    }
    return TT_LIVES_DONE;
}

/* Results ------------------------------------------------------------------------------------ */

const tt_sample_t *tt_gathering_sample(const tt_gathering_t *gathering, uint64_t entity,
                                       uint32_t figure)
{
    if (entity >= gathering->entity_room || gathering->samples[entity] == NULL ||
        figure >= TT_FIGURES) {
        return NULL;
    }
    const tt_sample_t *found = &gathering->samples[entity]->figures[figure];
    return found->count == 0u ? NULL : found;
}

uint64_t tt_gathering_waits(const tt_gathering_t *gathering, const tt_waited_t **waits)
{
    *waits = gathering->waits;
    return gathering->wait_count;
}
