/* Lives and jobs of tasks: `Instances._mark` in answers/instances.py. */
#include "lives_parts.h"

void tt_life_add_part(tt_life_t *life, int64_t end)
{
    int64_t *parts[TT_DOING_COUNT] = {
        [TT_DOING_RUNNING] = &life->known.running,
        [TT_DOING_READY] = &life->known.ready,
        [TT_DOING_PREEMPTED] = &life->known.preempted,
        [TT_DOING_INTERRUPTED] = &life->known.interrupted,
        [TT_DOING_SUSPENDED] = &life->known.suspended,
    };
    if (parts[life->doing] != NULL) {
        *parts[life->doing] = tt_sum(*parts[life->doing], tt_difference(end, life->since));
    }
}

void tt_life_settle(tt_lives_t *lives, const tt_life_t *life, int64_t time, bool is_job)
{
    tt_interval_t *one = tt_items_add(&lives->intervals, sizeof *one, &lives->status);
    if (one != NULL) {
        *one = (tt_interval_t){.begin = time,
                               .end = time,
                               .since = TT_NO_TICKS,
                               .event = TT_NOT_KNOWN,
                               .entity = life->known.entity,
                               .number = life->known.number,
                               .object = TT_NO_ENTITY,
                               .owner = TT_NO_ENTITY,
                               .doing = TT_DOING_UNKNOWN,
                               .following = TT_DOING_UNKNOWN,
                               .is_job = is_job};
    }
}

/* Let the instance be a job from now on; what it did before is another job or none. */
static void begin_job(tt_lives_t *lives, tt_life_t *life)
{
    int64_t time = lives->time;
    if (life->doing == TT_DOING_BLOCKED) {
        int32_t object = life->object;
        int64_t event = life->event;
        int64_t since = life->wait_since;
        tt_life_does(lives, life, TT_DOING_BLOCKED, false);
        tt_life_waits(lives, life, object, event);
        life->wait_since = since;
    } else {
        tt_life_add_part(life, time);
    }
    if (life->is_job) {
        tt_life_t former = *life;
        former.known.end = time;
        former.known.ended = TT_ENDED_UNDONE;
        tt_life_report(lives, &former, time);
    } else {
        tt_life_settle(lives, life, time, false);
    }
    bool runs = life->doing == TT_DOING_RUNNING;
    life->known = (tt_instance_t){.activation = time,
                                  .found = time,
                                  .start = runs ? time : TT_NO_TICKS,
                                  .ready_since = TT_NO_TICKS,
                                  .earliest = time,
                                  .entity = life->known.entity,
                                  .number = life->known.number,
                                  .takes = 1};
    life->blockings.count = 0;
    life->unseen = 0;
    life->since = time;
    life->is_job = true;
    life->is_none = false;
    life->is_taken = !runs;
    if (life->doing == TT_DOING_PREEMPTED) {
        life->doing = TT_DOING_READY;
    }
}

void tt_life_mark(tt_lives_t *lives, uint8_t action, tt_life_t *life)
{
    if (action == TT_ACTION_NO_JOB) {
        life->is_none = true;
        return;
    }
    tt_life_t *other = lives->lived[life->known.entity].open;
    while (other != NULL && lives->status == TT_LIVES_DONE) {
        tt_life_t *next = other->next;
        if (other->known.number > life->known.number) {
            tt_life_leave(lives, other, lives->time, TT_ENDED_UNDONE);
        }
        other = next;
    }
    if (action == TT_ACTION_CANCEL) {
        life->is_cut = true;
    } else {
        begin_job(lives, life);
    }
}
