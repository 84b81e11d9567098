/* Handlers for OS events, signals, messages, runnables, and for threads that
 * yield; the same as those of tickertape/model/objects.py, processes.py and
 * follower.py. */
#include <stdlib.h>

#include "system_parts.h"

/* OS events -------------------------------------------------------------------------------------
 */

/* Add a transition of an entity without states. The cause is the stimulus that the previous event
 * named, else the running process. */
static void note_cause(tt_system_t *system, uint8_t action, int32_t entity, int32_t object,
                       int64_t value)
{
    tt_stimulus_t stimulus = system->cores[system->cpu].stimulus;
    if (stimulus.entity == TT_NO_ENTITY) {
        tt_note(system, action, entity, object, value);
        return;
    }
    tt_change_t change = {.action = action, .entity = entity, .object = object, .value = value};
    tt_put(system, &change, stimulus.entity, stimulus.number);
}

static tt_process_t *wait_event(tt_system_t *system, int32_t entity, int64_t bits)
{
    tt_process_t *thread = tt_running(system);
    tt_note(system, TT_ACTION_WAIT_EVENT, entity, TT_NO_ENTITY, bits);
    if (thread != NULL) {
        thread->event = entity;
        thread->event_bits = bits;
        system->entities[entity].owner = thread->entity;
    }
    return thread;
}

/* Add SET_EVENT for each process that waits for one of `bits`, or only for `woken`. If there is
 * none, add it for the last waiter. */
static void set_event(tt_system_t *system, int32_t entity, int64_t bits, const tt_process_t *woken,
                      int64_t value)
{
    bool is_for_one = woken != NULL;
    uint64_t set = 0;
    for (const tt_process_t *thread = system->threads.first; thread != NULL;
         thread = thread->next) {
        if (thread->event == entity && (bits == TT_NOT_KNOWN || (thread->event_bits & bits) != 0) &&
            (!is_for_one || thread == woken)) {
            note_cause(system, TT_ACTION_SET_EVENT, entity, thread->entity, value);
            set++;
        }
    }
    if (set == 0u) {
        note_cause(system, TT_ACTION_SET_EVENT, entity, system->entities[entity].owner, value);
    }
}

static void on_flags_wait(tt_system_t *system, uint32_t address, uint32_t bits)
{
    (void)wait_event(system, tt_other(system, TT_KIND_EVENT, address), bits);
}

static void on_flags_call(tt_system_t *system, uint32_t address, uint32_t bits)
{
    (void)bits;
    const tt_process_t *thread = tt_running(system);
    if (thread != NULL) {
        int32_t entity = tt_other(system, TT_KIND_EVENT, address);
        system->entities[entity].owner = thread->entity;
    }
}

static void on_flags_set(tt_system_t *system, uint32_t address, uint32_t bits)
{
    set_event(system, tt_other(system, TT_KIND_EVENT, address), bits, NULL, bits);
}

static void on_flags_clear(tt_system_t *system, uint32_t address, uint32_t bits)
{
    int32_t entity = tt_other(system, TT_KIND_EVENT, address);
    tt_note(system, TT_ACTION_CLEAR_EVENT, entity, TT_NO_ENTITY, bits);
}

static void on_cond_wait(tt_system_t *system, uint32_t address, uint32_t mutex)
{
    int32_t entity = tt_other(system, TT_KIND_EVENT, address);
    tt_process_t *thread = wait_event(system, entity, TT_NOT_KNOWN);
    if (thread != NULL) {
        thread->relock = tt_lock_of(system, TT_KIND_MUTEX, mutex);
    }
}

static void on_cond_signal(tt_system_t *system, uint32_t address, uint32_t tid)
{
    int32_t entity = tt_other(system, TT_KIND_EVENT, address);
    const tt_process_t *woken = (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, tid);
    set_event(system, entity, TT_NOT_KNOWN, woken == NULL ? &system->unknown_process : woken,
              TT_NOT_KNOWN);
}

static void on_cond_broadcast(tt_system_t *system, uint32_t address, uint32_t count)
{
    (void)count;
    set_event(system, tt_other(system, TT_KIND_EVENT, address), TT_NOT_KNOWN, NULL, TT_NOT_KNOWN);
}

/* Signals, stimuli, messages --------------------------------------------------------------------
 */

static void on_read(tt_system_t *system, uint32_t address, uint32_t value)
{
    int32_t entity = tt_other(system, TT_KIND_SIGNAL, address);
    tt_note(system, TT_ACTION_READ, entity, TT_NO_ENTITY, value);
}

static void on_write(tt_system_t *system, uint32_t address, uint32_t value)
{
    int32_t entity = tt_other(system, TT_KIND_SIGNAL, address);
    note_cause(system, TT_ACTION_WRITE, entity, TT_NO_ENTITY, value);
}

static void on_timer(tt_system_t *system, uint32_t address, uint32_t count)
{
    (void)count;
    tt_core_t *core = &system->cores[system->cpu];
    core->expired = tt_trigger(system, tt_other(system, TT_KIND_STIMULUS, address), NULL);
    core->stimulus = TT_NO_STIMULUS;
}

static void on_stimulus(tt_system_t *system, uint32_t address, uint32_t value)
{
    (void)value;
    tt_core_t *core = &system->cores[system->cpu];
    int32_t stimulus = tt_other(system, TT_KIND_STIMULUS, address);
    tt_stimulus_t expired = core->expired;
    core->stimulus = expired.entity == stimulus ? expired /* time is its cause */
                                                : tt_trigger(system, stimulus, tt_running(system));
    core->expired = TT_NO_STIMULUS;
}

static void on_message_call(tt_system_t *system, uint32_t channel, uint32_t bytes)
{
    (void)bytes;
    tt_process_t *thread = tt_running(system);
    if (thread != NULL) {
        thread->channel = tt_other(system, TT_KIND_CHANNEL, channel);
    }
}

/* Return a channel; for an unknown one the channel with number 0. */
static int32_t channel_or_any(tt_system_t *system, int32_t channel)
{
    return channel == TT_NO_ENTITY ? tt_other(system, TT_KIND_CHANNEL, 0) : channel;
}

/* Remove a message and return its channel; TT_NO_ENTITY if its number is unknown. */
static int32_t pop_message(const tt_system_t *system, int64_t message)
{
    return message < 0 ? TT_NO_ENTITY
                       : (int32_t)tt_map_pop(&system->messages, (uint64_t)message) - 1;
}

static void on_message(tt_system_t *system, uint32_t number, uint32_t pid)
{
    (void)pid;
    tt_process_t *sender = tt_running(system);
    int32_t channel = TT_NO_ENTITY;
    if (sender != NULL) {
        channel = sender->channel;
        (void)pop_message(system, sender->message);
        sender->message = number;
    }
    channel = channel_or_any(system, channel);
    if (!tt_map_set(&system->messages, number, (uint64_t)channel + 1u)) {
        system->status = TT_SYSTEM_NO_MEMORY;
    }
    tt_note(system, TT_ACTION_SEND, channel, TT_NO_ENTITY, number);
}

static void on_received(tt_system_t *system, uint32_t number, uint32_t pid)
{
    (void)pid;
    int32_t channel = (int32_t)tt_map_get(&system->messages, number) - 1;
    channel = channel_or_any(system, channel);
    tt_note(system, TT_ACTION_RECEIVE, channel, TT_NO_ENTITY, number);
}

static void on_reply(tt_system_t *system, uint32_t tid, uint32_t pid)
{
    (void)pid;
    tt_process_t *client = tt_thread(system, tid);
    int32_t channel = channel_or_any(system, pop_message(system, client->message));
    bool is_reply = system->code == TT_EVENT_COMM_REPLY;
    tt_note(system, is_reply ? TT_ACTION_REPLY : TT_ACTION_FAIL, channel, client->entity,
            client->message);
    client->message = TT_NOT_KNOWN;
}

static void on_pulse_sent(tt_system_t *system, uint32_t channel, uint32_t pid)
{
    (void)pid;
    int32_t entity = tt_other(system, TT_KIND_CHANNEL, channel);
    tt_note(system, TT_ACTION_SEND, entity, TT_NO_ENTITY, TT_NOT_KNOWN);
}

static void on_pulse_received(tt_system_t *system, uint32_t channel, uint32_t pid)
{
    (void)pid;
    int32_t entity = tt_other(system, TT_KIND_CHANNEL, channel);
    tt_note(system, TT_ACTION_RECEIVE, entity, TT_NO_ENTITY, TT_NOT_KNOWN);
}

/* Domains ----------------------------------------------------------------------------------------
 */

static void on_domain(tt_system_t *system, uint32_t value, uint32_t ip)
{
    (void)ip;
    int32_t domain = tt_other(system, TT_KIND_DOMAIN, system->domain);
    uint8_t action = TT_ACTION_FAULT;
    if (system->code == TT_EVENT_DOMAIN_SYSCALL_ENTER) {
        action = TT_ACTION_CALL;
    } else if (system->code == TT_EVENT_DOMAIN_SYSCALL_EXIT) {
        action = TT_ACTION_RETURN;
    }
    tt_note(system, action, domain, TT_NO_ENTITY, value);
}

/* Runnables -------------------------------------------------------------------------------------
 */

static void on_begin(tt_system_t *system, uint32_t address, uint32_t word)
{
    (void)word;
    tt_process_t *process = tt_running(system);
    tt_runnable_t runnable = {.entity = tt_other(system, TT_KIND_RUNNABLE, address),
                              .state = TT_STATE_TERMINATED};
    runnable.instance = tt_next_instance(system, runnable.entity);
    /* A runnable of an unknown process is not followed further. */
    uint8_t after = process == NULL ? TT_STATE_UNKNOWN : TT_STATE_RUNNING;
    tt_runnable_does(system, TT_ACTION_START, &runnable, after, process);
    if (process == NULL) {
        return;
    }
    if (process->runnable_count == process->runnable_room) {
        uint32_t room = 2u * process->runnable_room + 4u;
        tt_runnable_t *grown = realloc(process->runnables, room * sizeof *grown);
        if (grown == NULL) {
            system->status = TT_SYSTEM_NO_MEMORY;
            return;
        }
        process->runnables = grown;
        process->runnable_room = room;
    }
    process->runnables[process->runnable_count++] = runnable;
    system->open_runnables++;
}

static void on_end(tt_system_t *system, uint32_t address, uint32_t word)
{
    (void)word;
    tt_process_t *process = tt_running(system);
    int32_t entity = tt_other(system, TT_KIND_RUNNABLE, address);
    uint32_t count = process == NULL ? 0u : process->runnable_count;
    while (count > 0u && process->runnables[count - 1u].entity != entity) {
        count--;
    }
    if (count == 0u) {
        /* Its begin event is missing, and perhaps those of the runnables around it. */
        tt_runnable_t runnable = {.entity = entity, .state = TT_STATE_UNKNOWN};
        runnable.instance = tt_next_instance(system, entity);
        tt_runnable_does(system, TT_ACTION_TERMINATE, &runnable, TT_STATE_TERMINATED, process);
        return;
    }
    while (process->runnable_count >= count) {
        tt_runnable_t *runnable = &process->runnables[--process->runnable_count];
        system->open_runnables--;
        tt_runnable_does(system, TT_ACTION_TERMINATE, runnable, TT_STATE_TERMINATED, process);
    }
}

static void on_yield(tt_system_t *system, uint32_t arg0, uint32_t arg1)
{
    (void)arg0;
    (void)arg1;
    if (tt_running(system) != NULL) {
        int32_t scheduler = tt_other(system, TT_KIND_SCHEDULER, system->cpu);
        tt_note(system, TT_ACTION_SCHEDULE_POINT, scheduler, TT_NO_ENTITY, TT_NOT_KNOWN);
    }
}

const tt_named_handler_t tt_event_handlers[] = {
    {"_on_begin", on_begin},
    {"_on_domain", on_domain},
    {"_on_end", on_end},
    {"_on_cond_broadcast", on_cond_broadcast},
    {"_on_cond_signal", on_cond_signal},
    {"_on_cond_wait", on_cond_wait},
    {"_on_flags_call", on_flags_call},
    {"_on_flags_clear", on_flags_clear},
    {"_on_flags_set", on_flags_set},
    {"_on_flags_wait", on_flags_wait},
    {"_on_message", on_message},
    {"_on_message_call", on_message_call},
    {"_on_pulse_received", on_pulse_received},
    {"_on_pulse_sent", on_pulse_sent},
    {"_on_read", on_read},
    {"_on_received", on_received},
    {"_on_reply", on_reply},
    {"_on_stimulus", on_stimulus},
    {"_on_timer", on_timer},
    {"_on_write", on_write},
    {"_on_yield", on_yield},
};
const size_t tt_event_handler_count = sizeof tt_event_handlers / sizeof tt_event_handlers[0];
