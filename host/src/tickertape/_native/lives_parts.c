/*
 * Segments and ends of instances. The references are `Instances` in answers/instances.py and `Life`
 * in answers/life.py.
 */
#include "lives_parts.h"

#include <stdlib.h>
#include <string.h>

tt_life_t *tt_life_find(const tt_lived_t *lived, uint32_t number)
{
    tt_life_t *life = lived->open;
    while (life != NULL && life->known.number != number) {
        life = life->next;
    }
    return life;
}

/* Begins ------------------------------------------------------------------------------------- */

/* Return the earliest possible activation of an instance without a recorded one; TT_NO_TICKS if
 * unlimited. */
static int64_t earliest_of(const tt_lived_t *lived)
{
    int64_t earliest = lived->last_end;
    bool is_first = true;
    const tt_life_t *lists[] = {lived->lost, lived->open};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const tt_life_t *one = lists[i]; one != NULL; one = one->next) {
            if (one->known.earliest == TT_NO_TICKS) {
                return TT_NO_TICKS;
            }
            if (is_first || one->known.earliest < earliest) {
                earliest = one->known.earliest;
            }
            is_first = false;
        }
    }
    return earliest;
}

/* Return the smaller of `unseen` and a limit by the lost instances: the time since the first loss,
 * and the running and unseen times of all of them. */
static int64_t unseen_of_lost(const tt_lives_t *lives, const tt_lived_t *lived, int64_t unseen)
{
    int64_t ran = tt_difference(lives->time, lived->lost->known.end);
    for (const tt_life_t *one = lived->lost; one != NULL; one = one->next) {
        ran = tt_sum(ran, one->known.running);
        ran = tt_sum(ran, one->unseen == TT_NO_TICKS ? 0 : one->unseen);
    }
    return ran < unseen ? ran : unseen;
}

/* Set activations to unknown if activations may be missing before them: those of open instances
 * with higher numbers than `life`, or that of `life` if an earlier one is unknown. */
static void begin_after_unseen(const tt_lives_t *lives, tt_lived_t *lived, tt_life_t *life)
{
    int64_t earliest = life->known.earliest;
    int64_t unseen = life->unseen;
    for (tt_life_t *other = lived->open; other != NULL; other = other->next) {
        if (other->known.number > life->known.number) {
            other->known.activation = TT_NO_TICKS;
            other->known.earliest = earliest;
            other->unseen = unseen;
        } else if (life->known.activation != TT_NO_TICKS &&
                   other->known.activation == TT_NO_TICKS) {
            int64_t begin = other->known.earliest;
            life->known.activation = TT_NO_TICKS;
            life->known.earliest = begin;
            life->unseen = begin == TT_NO_TICKS ? TT_NO_TICKS : tt_difference(lives->time, begin);
            return;
        }
    }
}

static tt_life_t *new_life(tt_lives_t *lives)
{
    tt_life_t *life = lives->unused;
    if (life == NULL) {
        life = calloc(1, sizeof *life);
        if (life == NULL) {
            lives->status = TT_LIVES_NO_MEMORY;
        }
        return life;
    }
    lives->unused = life->next;
    tt_items_t blockings = life->blockings;
    blockings.count = 0;
    memset(life, 0, sizeof *life);
    life->blockings = blockings;
    return life;
}

tt_life_t *tt_life_begin(tt_lives_t *lives, const tt_transition_t *row, bool is_task)
{
    tt_lived_t *lived = &lives->lived[row->entity];
    bool is_activated = row->action == TT_ACTION_ACTIVATE;
    int64_t time = lives->time;
    int64_t earliest = is_activated ? time : earliest_of(lived);
    int64_t unseen = earliest == TT_NO_TICKS ? TT_NO_TICKS : tt_difference(time, earliest);
    if (unseen != 0 && unseen != TT_NO_TICKS && lived->lost != NULL &&
        lived->lost->known.earliest == earliest) {
        unseen = unseen_of_lost(lives, lived, unseen);
    }
    tt_life_t *life = new_life(lives);
    if (life == NULL) {
        return NULL;
    }
    life->known = (tt_instance_t){.activation = is_activated ? time : TT_NO_TICKS,
                                  .found = time,
                                  .start = TT_NO_TICKS,
                                  .ready_since = TT_NO_TICKS,
                                  .earliest = earliest,
                                  .entity = row->entity,
                                  .number = row->instance};
    life->unseen = unseen;
    life->since = life->wait_since = time;
    life->row = lives->row;
    life->object = TT_NO_ENTITY;
    life->event = TT_NOT_KNOWN;
    life->cpu = -1;
    life->doing = TT_DOING_READY;
    life->is_task = is_task;
    bool by_creation =
        row->source != TT_NO_ENTITY && lives->job->kind[row->source] == TT_KIND_CREATION;
    life->is_job = !is_task || (is_activated && !by_creation);
    life->is_pending = is_activated && is_task && (lived->open != NULL || lived->lost != NULL);
    if (is_task) {
        begin_after_unseen(lives, lived, life);
    }
    tt_life_t **place = &lived->open;
    while (*place != NULL) {
        place = &(*place)->next;
    }
    *place = life;
    return life;
}

/* Segments ----------------------------------------------------------------------------------- */

static void line_up(tt_lived_t *lived, tt_life_t *life)
{
    life->previous_waiter = lived->last_waiter;
    life->next_waiter = NULL;
    *(lived->last_waiter == NULL ? &lived->first_waiter : &lived->last_waiter->next_waiter) = life;
    lived->last_waiter = life;
    life->is_waiting = true;
}

static void step_out(tt_lived_t *lived, tt_life_t *life)
{
    tt_life_t *before = life->previous_waiter;
    tt_life_t *after = life->next_waiter;
    *(before == NULL ? &lived->first_waiter : &before->next_waiter) = after;
    *(after == NULL ? &lived->last_waiter : &after->previous_waiter) = before;
    life->is_waiting = false;
}

static void add_blocking(tt_lives_t *lives, tt_life_t *life, int32_t owner, int64_t ticks)
{
    tt_blocking_t *found = life->blockings.items;
    tt_blocking_t *end = found == NULL ? NULL : found + life->blockings.count;
    for (; found != end; found++) {
        if (found->object == life->object && found->event == life->event && found->owner == owner) {
            found->ticks = tt_sum(found->ticks, ticks);
            return;
        }
    }
    found = tt_items_add(&life->blockings, sizeof *found, &lives->status);
    if (found != NULL) {
        *found = (tt_blocking_t){
            .event = life->event, .ticks = ticks, .object = life->object, .owner = owner};
    }
}

static bool is_begun(const tt_life_t *life)
{
    return life->known.activation != TT_NO_TICKS || life->wait_since > life->known.found;
}

static void add_interval(tt_lives_t *lives, const tt_life_t *life, int64_t end, uint8_t following,
                         int32_t owner)
{
    tt_interval_t *one = tt_items_add(&lives->intervals, sizeof *one, &lives->status);
    if (one != NULL) {
        *one = (tt_interval_t){.begin = life->since,
                               .end = end,
                               .since = is_begun(life) ? life->wait_since : TT_NO_TICKS,
                               .event = life->event,
                               .entity = life->known.entity,
                               .number = life->known.number,
                               .object = life->object,
                               .owner = owner,
                               .doing = life->doing,
                               .following = following,
                               .is_job = life->is_job};
    }
}

static void close_ready(tt_lives_t *lives, tt_life_t *life, int64_t end, uint8_t following)
{
    if (following == TT_DOING_COUNT) {
        life->known.ready_since = life->since;
    } else if (!is_begun(life)) {
        life->known.found_ready = tt_difference(end, life->since);
    } else if (following == TT_DOING_RUNNING && !life->is_none) {
        add_interval(lives, life, end, following, TT_NO_ENTITY);
    }
}

static void close_blocked(tt_lives_t *lives, tt_life_t *life, int64_t end, uint8_t following)
{
    int32_t owner = TT_NO_ENTITY;
    if (life->object >= 0 && lives->lived[life->object].has_owner) {
        owner = lives->lived[life->object].owner;
    }
    if (life->is_waiting) {
        step_out(&lives->lived[life->object], life);
    }
    if (end != life->since) {
        add_blocking(lives, life, owner, tt_difference(end, life->since));
    }
    add_interval(lives, life, end, following, owner);
}

/* Close the segment of an instance at `end`; `following` is what it does next. */
static void close_segment(tt_lives_t *lives, tt_life_t *life, int64_t end, uint8_t following)
{
    tt_life_add_part(life, end);
    if (life->doing == TT_DOING_READY) {
        close_ready(lives, life, end, following);
    } else if (life->doing == TT_DOING_BLOCKED) {
        close_blocked(lives, life, end, following);
    } else if (life->doing == TT_DOING_SUSPENDED) {
        add_interval(lives, life, end, following, TT_NO_ENTITY);
    } else if (life->doing == TT_DOING_RUNNING && life->is_on_core) {
        tt_life_core_t *core = &lives->cores[life->cpu];
        life->is_on_core = false;
        core->last = end > core->last ? end : core->last;
    }
    life->since = end;
}

void tt_life_does(tt_lives_t *lives, tt_life_t *life, uint8_t doing, bool resumes)
{
    if (life->doing == TT_DOING_PREEMPTED && !(resumes && life->row == lives->row)) {
        life->known.preemptions++;
    }
    close_segment(lives, life, lives->time, doing);
    if (life->doing != TT_DOING_BLOCKED || doing != TT_DOING_BLOCKED) {
        life->wait_since = lives->time;
    }
    life->doing = doing;
    life->since = lives->time;
    life->row = lives->row;
    life->object = TT_NO_ENTITY;
    life->event = TT_NOT_KNOWN;
}

void tt_life_waits(tt_lives_t *lives, tt_life_t *life, int32_t object, int64_t event)
{
    if (life->doing != TT_DOING_BLOCKED) {
        return;
    }
    life->object = object;
    life->event = event;
    if (object != TT_NO_ENTITY) {
        line_up(&lives->lived[object], life);
    }
}

/* Note that an interrupt runs on a core. It covers the task that the same event preempted. */
static void cover(tt_lives_t *lives, tt_life_t *life, tt_life_core_t *core)
{
    tt_interrupt_key_t *found = core->interrupts.items;
    uint64_t i = 0;
    while (i < core->interrupts.count &&
           (found[i].entity != life->known.entity || found[i].number != life->known.number)) {
        i++;
    }
    if (i == core->interrupts.count) {
        found = tt_items_add(&core->interrupts, sizeof *found, &lives->status);
        if (found == NULL) {
            return;
        }
        *found = (tt_interrupt_key_t){life->known.entity, life->known.number};
    }
    if (core->interrupts.count > life->known.nesting) {
        life->known.nesting = (uint32_t)core->interrupts.count;
    }
    tt_life_t *below = core->preempted;
    if (below != NULL && core->preempted_row == lives->row && below->doing == TT_DOING_PREEMPTED) {
        tt_life_t **place = tt_items_add(&core->covered, sizeof *place, &lives->status);
        if (place != NULL) {
            *place = below;
            below->doing = TT_DOING_INTERRUPTED;
            below->known.interruptions++;
            below->is_covered = true;
        }
    }
    core->preempted = NULL;
}

void tt_life_runs(tt_lives_t *lives, tt_life_t *life, uint8_t action)
{
    if (life->cpu < 0) {
        return;
    }
    tt_life_core_t *core = tt_life_core(lives, life->cpu);
    if (life->known.start == TT_NO_TICKS && (action == TT_ACTION_START || life->is_taken)) {
        life->known.start = lives->time;
        life->is_taken = false;
        tt_life_resolve(lives, &lives->lived[life->known.entity], lives->time);
    }
    life->is_on_core = true;
    core->last = lives->time > core->last ? lives->time : core->last;
    if (!life->is_task) {
        cover(lives, life, core);
    }
}

/* Ends --------------------------------------------------------------------------------------- */

/* Compute figures and bounds of an instance that has ended by `latest`. */
static void conclude(tt_life_t *life, int64_t latest)
{
    tt_instance_t *known = &life->known;
    bool has_begin = known->activation != TT_NO_TICKS;
    known->latest = latest;
    known->cpu = life->cpu;
    known->response_low = tt_difference(known->end, has_begin ? known->activation : known->found);
    known->response_high = known->execution_high = TT_NO_TICKS;
    known->execution_low = known->running;
    if (latest != TT_NO_TICKS && known->earliest != TT_NO_TICKS) {
        known->response_high = tt_difference(latest, known->earliest);
    }
    if (latest != TT_NO_TICKS && life->unseen != TT_NO_TICKS) {
        int64_t later = tt_difference(latest, known->end);
        int64_t ran = tt_sum(tt_sum(known->running, life->unseen), later);
        bool is_most = known->response_high == TT_NO_TICKS || ran < known->response_high;
        known->execution_high = is_most ? ran : known->response_high;
    }
    if (known->ready_since == TT_NO_TICKS) {
        known->ready_since = known->end;
    }
}

void tt_life_report(tt_lives_t *lives, tt_life_t *life, int64_t latest)
{
    tt_instance_t *known = &life->known;
    conclude(life, latest);
    if (life->is_none) {
        return;
    }
    known->first_blocking = lives->blockings.count;
    known->blockings = (uint32_t)life->blockings.count;
    const tt_blocking_t *blockings = life->blockings.items;
    for (uint64_t i = 0; i < life->blockings.count; i++) {
        tt_blocking_t *place = tt_items_add(&lives->blockings, sizeof *place, &lives->status);
        if (place != NULL) {
            *place = blockings[i];
        }
    }
    tt_instance_t *out = tt_items_add(&lives->instances, sizeof *out, &lives->status);
    if (out != NULL) {
        *out = *known;
    }
}

void tt_life_show(tt_lives_t *lives, const tt_life_t *life, int64_t end)
{
    tt_life_t shown = *life;
    tt_life_add_part(&shown, end);
    shown.known.end = end;
    shown.known.ended = TT_ENDED_OPEN;
    tt_life_report(lives, &shown, TT_NO_TICKS);
}

static void emit(tt_lives_t *lives, tt_life_t *life, int64_t latest)
{
    tt_life_report(lives, life, latest);
    life->next = lives->unused;
    lives->unused = life;
}

/* Remove an interrupt from its CPU. After the last one, the tasks that it covered are PREEMPTED. */
static void uncover(tt_lives_t *lives, const tt_life_t *interrupt, int64_t end)
{
    tt_life_core_t *core = tt_life_core(lives, interrupt->cpu);
    tt_interrupt_key_t *found = core->interrupts.items;
    for (uint64_t i = 0; i < core->interrupts.count; i++) {
        if (found[i].entity == interrupt->known.entity &&
            found[i].number == interrupt->known.number) {
            found[i] = found[--core->interrupts.count];
            break;
        }
    }
    if (core->interrupts.count != 0u) {
        return;
    }
    tt_life_t **covered = core->covered.items;
    for (uint64_t i = 0; i < core->covered.count; i++) {
        if (covered[i]->doing == TT_DOING_INTERRUPTED) {
            close_segment(lives, covered[i], end, TT_DOING_PREEMPTED);
            covered[i]->doing = TT_DOING_PREEMPTED;
            covered[i]->row = lives->row;
        }
    }
    core->covered.count = 0;
}

/* Remove the references of CPUs to an instance that has ended. */
static void forget(tt_lives_t *lives, const tt_life_t *life)
{
    for (uint32_t cpu = 0; cpu < lives->core_count; cpu++) {
        tt_life_core_t *core = &lives->cores[cpu];
        if (core->preempted == life) {
            core->preempted = NULL;
        }
        tt_life_t **covered = core->covered.items;
        uint64_t kept = 0;
        for (uint64_t i = 0; life->is_covered && i < core->covered.count; i++) {
            if (covered[i] != life) {
                covered[kept++] = covered[i];
            }
        }
        core->covered.count = life->is_covered ? kept : core->covered.count;
    }
}

void tt_life_leave(tt_lives_t *lives, tt_life_t *life, int64_t end, uint32_t ended)
{
    tt_lived_t *lived = &lives->lived[life->known.entity];
    if (life->doing == TT_DOING_PREEMPTED && end > life->since) {
        life->known.preemptions++;
    }
    close_segment(lives, life, end, TT_DOING_COUNT);
    tt_life_t **place = &lived->open;
    while (*place != life) {
        place = &(*place)->next;
    }
    *place = life->next;
    life->next = NULL;
    forget(lives, life);
    if (!life->is_task && life->cpu >= 0) {
        uncover(lives, life, end);
    }
    life->known.end = end;
    life->known.ended = ended;
    if (ended == TT_ENDED_LOST && life->is_task) {
        place = &lived->lost;
        while (*place != NULL) {
            place = &(*place)->next;
        }
        *place = life;
        return;
    }
    bool is_known = ended == TT_ENDED_DONE || ended == TT_ENDED_UNDONE;
    if (is_known) {
        tt_life_resolve(lives, lived, end);
        lived->last_end = end;
    }
    if (ended == TT_ENDED_DONE && !life->is_job && !life->is_none) {
        tt_life_settle(lives, life, end, true);
    }
    emit(lives, life, is_known ? end : TT_NO_TICKS);
}

void tt_life_resolve(tt_lives_t *lives, tt_lived_t *lived, int64_t latest)
{
    tt_life_t *life = lived->lost;
    lived->lost = NULL;
    while (life != NULL) {
        tt_life_t *next = life->next;
        emit(lives, life, latest);
        life = next;
    }
}
