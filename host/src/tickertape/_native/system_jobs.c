/* Instances of threads: lives, and the jobs of periodic threads, as in tickertape/model/jobs.py. */
#include <stdlib.h>
#include <string.h>

#include "system_parts.h"

#define FIRST_ROOM  4u
#define MOST_MISSED (INT64_C(1) << 24)
#define HIGHEST     (INT64_C(1) << 31)

/* Queue -----------------------------------------------------------------------------------------
 */

/* Make room for one more run; false, and a status, without memory. */
static bool have_room(tt_system_t *system, tt_queue_t *queue)
{
    if (queue->end < queue->room) {
        return true;
    }
    uint32_t count = queue->end - queue->head;
    if (count > queue->room / 2u || queue->room == 0u) {
        uint32_t room = queue->room == 0u ? FIRST_ROOM : 2u * queue->room;
        tt_run_t *runs = realloc(queue->runs, room * sizeof *runs);
        if (runs == NULL) {
            system->status = TT_SYSTEM_NO_MEMORY;
            return false;
        }
        queue->runs = runs;
        queue->room = room;
    }
    memmove(queue->runs, queue->runs + queue->head, count * sizeof *queue->runs);
    queue->head = 0;
    queue->end = count;
    return true;
}

void tt_queue_put(tt_system_t *system, tt_queue_t *queue, uint32_t instance, uint32_t number)
{
    if (!tt_queue_is_empty(queue)) {
        tt_run_t *last = &queue->runs[queue->end - 1u];
        uint32_t length = (uint32_t)last->length;
        if (last->length < UINT32_MAX && last->instance + length == instance &&
            last->number + length == number) {
            last->length++;
            return;
        }
    }
    if (have_room(system, queue)) {
        queue->runs[queue->end++] = (tt_run_t){instance, number, 1};
    }
}

void tt_queue_clear(tt_queue_t *queue)
{
    queue->head = queue->end = 0;
}

static bool has_number(const tt_queue_t *queue, int64_t number)
{
    bool found = false;
    for (uint32_t i = queue->head; i < queue->end && !found; i++) {
        found = (uint32_t)number - queue->runs[i].number < queue->runs[i].length;
    }
    return found;
}

/* Remove the first instance of a queue that is not empty; return it with its number. */
static tt_run_t take_first(tt_queue_t *queue)
{
    tt_run_t *run = &queue->runs[queue->head];
    tt_run_t found = *run;
    run->instance++;
    run->number++;
    run->length--;
    if (run->length == 0u) {
        queue->head++;
    }
    return found;
}

/* Begins ----------------------------------------------------------------------------------------
 */

/* Return the number of a new instance. `number`: of its activation, TT_NOT_KNOWN for none; after a
 * gap the instance follows it. `spare`: how many numbers before it are left. */
static uint32_t number_of(tt_system_t *system, tt_process_t *process, int64_t number,
                          uint32_t spare)
{
    if (process->entity < 0) {
        return 0; /* without memory */
    }
    tt_entity_t *entity = &system->entities[process->entity];
    int64_t first = (int64_t)entity->instances + spare;
    if (number != TT_NOT_KNOWN && process->is_behind_gap && process->has_offset) {
        int64_t wanted = process->offset + number;
        if (first <= wanted && wanted < first + MOST_MISSED && wanted < HIGHEST) {
            first = wanted;
        }
    }
    if (number != TT_NOT_KNOWN) {
        process->offset = first - number;
        process->has_offset = true;
        process->is_behind_gap = false;
    }
    entity->instances = (uint32_t)first + 1u;
    return (uint32_t)first;
}

static void say_activated(tt_system_t *system, const tt_process_t *process, uint32_t instance,
                          tt_stimulus_t stimulus)
{
    tt_change_t change = {.action = TT_ACTION_ACTIVATE,
                          .before = TT_STATE_TERMINATED,
                          .after = TT_STATE_ACTIVE,
                          .entity = process->entity,
                          .instance = instance,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_put(system, &change, stimulus.entity, stimulus.number);
}

/* Make an activated instance the current one. */
static void take_up(tt_process_t *process, uint32_t instance, int64_t number)
{
    process->instance = instance;
    process->state = TT_STATE_ACTIVE;
    process->job = number;
    process->is_life = number == TT_NOT_KNOWN;
    tt_queue_clear(&process->queue);
    process->is_due = process->has_spare = false;
    process->is_lost = process->is_unsure = false;
}

/* Add ACTIVATE for a new instance; it is pending while another instance has not ended. */
static void activate(tt_system_t *system, tt_process_t *process, tt_stimulus_t stimulus,
                     int64_t number)
{
    uint32_t instance = number_of(system, process, number, 0);
    if (tt_is_without_instance(process->state)) {
        take_up(process, instance, number);
    } else {
        tt_queue_put(system, &process->queue, instance, (uint32_t)number);
    }
    say_activated(system, process, instance, stimulus);
}

void tt_activate(tt_system_t *system, tt_process_t *process, tt_stimulus_t stimulus)
{
    activate(system, process, stimulus, TT_NOT_KNOWN);
}

/* Add an action of the current instance that changes no state. */
static void mark(tt_system_t *system, uint8_t action, const tt_process_t *process, uint8_t state)
{
    tt_change_t change = {.action = action,
                          .before = state,
                          .after = state,
                          .entity = process->entity,
                          .instance = process->instance,
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_add(system, &change, NULL);
}

/* Return the process that activates a periodic thread; NULL for time and for interrupts. */
static const tt_process_t *cause_of_activation(tt_system_t *system)
{
    const tt_process_t *cause = tt_running(system);
    return cause != NULL && cause->is_interrupt ? NULL : cause;
}

/* Trigger the PERIOD stimulus of a thread; `cause`: the process that activates it, NULL for time.
 */
static tt_stimulus_t period(tt_system_t *system, const tt_process_t *thread,
                            const tt_process_t *cause)
{
    int32_t stimulus = tt_other(system, TT_KIND_PERIOD, (uint32_t)thread->entity);
    return tt_trigger(system, stimulus, cause);
}

/* Return the stimulus of an activation; trigger PERIOD if no event names one. */
static tt_stimulus_t activating(tt_system_t *system, const tt_process_t *thread)
{
    tt_stimulus_t stimulus = system->cores[system->cpu].stimulus;
    if (stimulus.entity == TT_NO_ENTITY) {
        stimulus = period(system, thread, cause_of_activation(system));
    }
    return stimulus;
}

/* Let the current instance be a job from here on; forget activations of another count. */
static void begin_job(tt_system_t *system, tt_process_t *thread, uint32_t number)
{
    thread->job = number;
    thread->is_life = false;
    thread->offset = (int64_t)thread->instance - (int64_t)number;
    thread->has_offset = true;
    thread->is_behind_gap = false;
    tt_queue_clear(&thread->queue);
    thread->is_due = thread->is_queued = false;
    mark(system, TT_ACTION_BEGIN_JOB, thread, thread->state);
}

/* Add an activation; the next event of the thread decides whether it waits for another one. */
static void expect(tt_system_t *system, tt_process_t *thread, uint32_t number)
{
    if (thread->is_due) {
        tt_queue_put(system, &thread->queue, thread->due, thread->due_number);
    }
    bool needs_spare =
        tt_is_without_instance(thread->state) && (thread->is_behind_gap || !thread->has_offset);
    uint32_t instance = number_of(system, thread, number, needs_spare ? 1u : 0u);
    thread->has_spare = needs_spare;
    thread->spare = instance - 1u;
    thread->is_due = true;
    thread->due = instance;
    thread->due_number = number;
    say_activated(system, thread, instance, activating(system, thread));
}

static void on_activation(tt_system_t *system, uint32_t tid, uint32_t number)
{
    tt_process_t *thread = tt_living(system, tid);
    thread->is_created = false;
    thread->is_periodic = true;
    int64_t before = number - 1u;
    bool is_first = number == 1u && thread->activated != before;
    bool has_ended = thread->completed == before || is_first;
    thread->activated = number;
    if (tt_is_without_instance(thread->state)) {
        bool is_known = thread->state != TT_STATE_UNKNOWN || !thread->is_vague;
        if (has_ended || (is_known && !thread->is_unsure)) {
            activate(system, thread, activating(system, thread), number);
        } else {
            expect(system, thread, number);
        }
    } else if (thread->is_life || is_first || (has_ended && thread->job == TT_NOT_KNOWN)) {
        begin_job(system, thread, number);
    } else if (thread->job == TT_NOT_KNOWN && !tt_is_on_core(thread) &&
               tt_queue_is_empty(&thread->queue)) {
        expect(system, thread, number);
    } else {
        activate(system, thread, activating(system, thread), number);
    }
}

bool tt_begin_due(tt_process_t *thread)
{
    if (!thread->is_due) {
        return false;
    }
    take_up(thread, thread->due, thread->due_number);
    return true;
}

void tt_begin_without_job(tt_system_t *system, tt_process_t *thread)
{
    tt_activate(system, thread, period(system, thread, tt_running(system)));
    mark(system, TT_ACTION_NO_JOB, thread, TT_STATE_ACTIVE);
}

static void on_refusal(tt_system_t *system, uint32_t tid, uint32_t number)
{
    (void)number;
    tt_process_t *thread = tt_thread(system, tid);
    tt_stimulus_t stimulus = activating(system, thread);
    tt_change_t change = {.action = TT_ACTION_EXCEED,
                          .before = TT_STATE_TERMINATED,
                          .after = TT_STATE_TERMINATED,
                          .entity = thread->entity,
                          .instance = tt_next_instance(system, thread->entity),
                          .object = TT_NO_ENTITY,
                          .value = TT_NOT_KNOWN};
    tt_put(system, &change, stimulus.entity, stimulus.number);
}

/* Note that a thread was activated before its previous instance ended. */
static void on_late(tt_system_t *system, uint32_t tid, uint32_t number)
{
    (void)number;
    tt_process_t *thread = (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, tid);
    if (thread == NULL || !thread->is_due) {
        return;
    }
    tt_queue_put(system, &thread->queue, thread->due, thread->due_number);
    thread->is_due = false;
    if (!tt_is_without_instance(thread->state)) {
        return;
    }
    thread->state = TT_STATE_UNKNOWN;
    thread->is_unsure = false;
    if (thread->has_spare) {
        thread->is_lost = thread->has_spare = false;
        thread->instance = thread->spare;
    }
}

/* Ends ------------------------------------------------------------------------------------------
 */

void tt_cancel(tt_system_t *system, tt_process_t *thread)
{
    if (!tt_is_without_instance(thread->state) && thread->is_periodic && !thread->is_life) {
        mark(system, TT_ACTION_CANCEL, thread, thread->state);
    }
}

/* Lose the instances that were activated and have not begun. */
static void forget_queue(tt_system_t *system, tt_process_t *thread)
{
    if (thread->is_due) {
        tt_queue_put(system, &thread->queue, thread->due, thread->due_number);
    }
    if (!tt_queue_is_empty(&thread->queue)) {
        tt_change_t change = {.action = TT_ACTION_LOSE,
                              .before = TT_STATE_ACTIVE,
                              .after = TT_STATE_UNKNOWN,
                              .entity = thread->entity,
                              .instance = thread->queue.runs[thread->queue.head].instance,
                              .object = TT_NO_ENTITY,
                              .value = TT_NOT_KNOWN};
        tt_add(system, &change, NULL);
    }
    tt_queue_clear(&thread->queue);
    thread->is_due = thread->has_spare = false;
}

/* Begin the next instance of a thread after the completion with a number. */
static void go_on(tt_system_t *system, tt_process_t *thread, tt_core_t *core, uint32_t number)
{
    tt_queue_t *queue = &thread->queue;
    while (has_number(queue, number)) {
        (void)take_first(queue); /* the instance that has ended was this one */
    }
    bool is_known = thread->job == (int64_t)number; /* else jobs before the queue may be missing */
    if (!tt_queue_is_empty(queue) && !is_known && queue->runs[queue->head].number != number + 1u) {
        forget_queue(system, thread);
    }
    if (tt_queue_is_empty(queue)) {
        /* An activation without a record may be pending. */
        thread->is_unsure = thread->activated != number;
        return;
    }
    tt_run_t next = take_first(queue);
    thread->instance = next.instance;
    thread->job = next.number;
    thread->state = TT_STATE_ACTIVE;
    thread->is_life = false;
    if (thread->is_queued) {
        thread->is_queued = !tt_queue_is_empty(queue);
        core->stack[core->depth - 1u] = NULL;
    } else {
        tt_run(system, thread, core);
    }
}

static void on_completion(tt_system_t *system, uint32_t tid, uint32_t number)
{
    tt_process_t *thread = tt_thread(system, tid);
    tt_core_t *core = tt_core_here(system);
    thread->is_periodic = true;
    tt_place(system, thread, core);
    bool is_off = tt_is_off_core(thread);
    if (is_off || (thread->job != TT_NOT_KNOWN && thread->job != (int64_t)number)) {
        /* Events are missing without a gap. */
        uint32_t instance = thread->instance;
        int64_t activated = thread->activated;
        tt_lose_process(system, thread);
        thread->is_lost = false;
        thread->instance = instance;
        thread->core = core;
        thread->activated = activated;
    }
    thread->completed = number;
    tt_process_t *top = tt_core_top(core);
    bool is_elsewhere = top != &system->unknown_process && top != thread;
    if (is_off || (thread->state == TT_STATE_UNKNOWN && is_elsewhere)) {
        return;
    }
    if (thread->state == TT_STATE_TERMINATED) {
        forget_queue(system, thread);
    }
    tt_end(system, thread);
    if (top == &system->unknown_process) {
        top = core->stack[core->depth - 1u] = thread;
    }
    if (top == thread) {
        go_on(system, thread, core, number);
    }
}

const tt_named_handler_t tt_job_handlers[] = {
    {"_on_activation", on_activation},
    {"_on_completion", on_completion},
    {"_on_late", on_late},
    {"_on_refusal", on_refusal},
};
const size_t tt_job_handler_count = sizeof tt_job_handlers / sizeof tt_job_handlers[0];
