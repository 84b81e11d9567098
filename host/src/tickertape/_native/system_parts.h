/* What the model remembers, and the pieces that its handlers share. */
#ifndef TICKERTAPE_NATIVE_SYSTEM_PARTS_H
#define TICKERTAPE_NATIVE_SYSTEM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interface.h"
#include "map.h"
#include "model_tables.h"

#define TT_CODES 32768u /* class << 10 | event */
#define TT_CPUS  64u
#define TT_IDLE  0u

/* The classes of tickertape/model/parts.py, item by item. */
typedef struct tt_runnable {
    int32_t entity;
    uint32_t instance;
    uint8_t state;
} tt_runnable_t;

typedef struct tt_lock {
    struct tt_lock *next; /* in order of their first mention */
    int32_t entity;
    uint32_t number;
    int64_t limit;
    int64_t taken;   /* -1 for not known */
    int64_t waiting; /* likewise */
    uint8_t state;
    bool is_mutex;
} tt_lock_t;

typedef struct tt_core tt_core_t;

/* An instance of a stimulus. */
typedef struct tt_stimulus {
    int32_t entity;
    uint32_t number;
} tt_stimulus_t;

#define TT_NO_STIMULUS ((tt_stimulus_t){.entity = TT_NO_ENTITY})

/* Instances that never begin. */
typedef struct tt_skip {
    uint32_t first;
    uint32_t count;
} tt_skip_t;

typedef struct tt_process {
    struct tt_process *next; /* among the threads or interrupts, in order of their first mention */
    struct tt_process *previous;
    uint64_t key; /* thread number; exception number << 8 | CPU */
    tt_core_t *core;
    tt_lock_t *wanted;
    tt_lock_t *relock;
    tt_lock_t *polls;
    tt_skip_t *skipped;
    uint32_t skipped_count;
    uint32_t skipped_room;
    tt_runnable_t *runnables; /* the innermost last */
    uint32_t runnable_count;
    uint32_t runnable_room;
    int64_t event_bits;
    int64_t message;
    int64_t activated; /* TT_NOT_KNOWN when others may be missing since */
    int32_t entity;
    uint32_t instance;
    uint32_t pending;
    int32_t event;
    int32_t channel;
    tt_stimulus_t due_to; /* TT_NO_ENTITY when it is not named */
    uint32_t domain;
    uint8_t state;
    bool is_interrupt;
    bool is_queued;
    bool is_lost;
    bool is_created;
    bool is_periodic;
    bool is_stopped;
    bool is_due;
    bool is_unsure;
    bool is_vague;
    bool is_kept; /* while records are lost: it runs on another CPU */
} tt_process_t;

struct tt_core {
    int32_t entity; /* TT_NO_ENTITY: was not mentioned yet */
    uint32_t depth; /* of the stack; at least 1 once the core was mentioned */
    uint32_t room;
    tt_process_t **stack;  /* NULL for none, `&unknown_process` for unknown */
    tt_process_t *running; /* the last process reported there; may be NULL */
    uint64_t since;        /* when it began to, in ticks */
    bool is_idle;          /* its idle thread was chosen last */
    uint8_t state;         /* as the transitions last reported it */
    /* What the last event was; TT_NO_ENTITY for neither. */
    tt_stimulus_t stimulus; /* one that is named as a cause */
    tt_stimulus_t expired;  /* a timer */
};

typedef struct tt_process_list {
    tt_process_t *first;
    tt_process_t *last;
    uint64_t count;
} tt_process_list_t;

/* What is kept for each entity. */
typedef struct tt_entity {
    uint32_t instances;
    uint32_t living; /* threads that are this task */
    int32_t owner;   /* of an OS event: who waited for it last */
    tt_lock_t *lock;
} tt_entity_t;

typedef void (*tt_handler_t)(tt_system_t *system, uint32_t data0, uint32_t data1);

/* Where each action leads to from each state: state + 1, 0 for nowhere. */
typedef uint8_t tt_state_machine_t[TT_STATE_COUNT][TT_ACTION_COUNT];

struct tt_system {
    tt_system_services_t services;
    tt_state_machine_t machines[TT_MACHINES];
    tt_system_job_t *job;
    uint64_t row; /* of the event that is taken */
    uint64_t ticks;
    uint32_t cpu;
    uint32_t code;
    uint32_t domain; /* of the record */
    int status;      /* TT_SYSTEM_DONE while nothing is wrong */
    bool is_whole;
    uint64_t open_runnables;
    uint64_t stacked;
    tt_entity_t *entities;
    uint64_t entity_room;
    tt_map_t numbers;  /* kind << 32 | number -> entity + 1 */
    tt_map_t tids;     /* -> process */
    tt_map_t created;  /* thread numbers */
    tt_map_t irqs;     /* -> process */
    tt_map_t messages; /* -> channel + 1 */
    tt_process_list_t threads;
    tt_process_list_t interrupts;
    tt_process_list_t gone; /* threads that may still be in a stack */
    tt_lock_t *locks;
    tt_lock_t *last_lock;
    uint64_t lock_count;
    tt_process_t unknown_process;
    tt_core_t cores[TT_CPUS];
    tt_handler_t handlers[TT_CODES];
};

/* A handler and the name of its method in Python. */
typedef struct tt_named_handler {
    const char *name;
    tt_handler_t handler;
} tt_named_handler_t;

extern const tt_named_handler_t tt_process_handlers[];
extern const size_t tt_process_handler_count;
extern const tt_named_handler_t tt_lock_handlers[];
extern const size_t tt_lock_handler_count;
extern const tt_named_handler_t tt_event_handlers[];
extern const size_t tt_event_handler_count;

/* A transition. */
typedef struct tt_change {
    uint8_t action;
    uint8_t before;
    uint8_t after;
    int32_t entity;
    uint32_t instance;
    int32_t object;
    int64_t value;
} tt_change_t;

/* Inline, so that no change goes through memory: a processor waits for words that it loads in other
 * pieces than it has just stored. */
static inline void tt_put(tt_system_t *system, const tt_change_t *change, int32_t source,
                          uint32_t source_instance)
{
    tt_system_job_t *job = system->job;
    job->out[job->written++] = (tt_transition_t){.row = (int64_t)system->row,
                                                 .time = system->ticks,
                                                 .value = change->value,
                                                 .entity = change->entity,
                                                 .instance = change->instance,
                                                 .source = source,
                                                 .source_instance = source_instance,
                                                 .object = change->object,
                                                 .cpu = (uint8_t)system->cpu,
                                                 .action = change->action,
                                                 .before = change->before,
                                                 .after = change->after};
}

/* A transition with `cause` as the causing process, NULL for none. */
static inline void tt_add(tt_system_t *system, const tt_change_t *change, const tt_process_t *cause)
{
    tt_put(system, change, cause == NULL ? TT_NO_ENTITY : cause->entity,
           cause == NULL ? 0u : cause->instance);
}

static inline bool tt_is_on_core(const tt_process_t *process)
{
    return process->state == TT_STATE_RUNNING || process->state == TT_STATE_POLLING;
}

/* It lives and has no core. */
static inline bool tt_is_off_core(const tt_process_t *process)
{
    return process->state == TT_STATE_ACTIVE || process->state == TT_STATE_READY ||
           process->state == TT_STATE_WAITING || process->state == TT_STATE_PARKING;
}

/* A new instance begins; a process that runs keeps its own until that ends. */
void tt_activate(tt_system_t *system, tt_process_t *process, tt_stimulus_t stimulus,
                 bool is_pending);

/* An instance later than the one under way never begins; the next one that does begins. */
void tt_skip(tt_system_t *system, tt_process_t *process, uint32_t instance);
void tt_go_on(tt_process_t *process);

/* A process begins to poll, for a spin lock or (NULL) for what it waits for. */
void tt_poll(tt_system_t *system, tt_process_t *process, tt_lock_t *lock);
void tt_end_poll(tt_system_t *system, tt_process_t *process);

/* A process gives up waiting for the lock that it wants. */
void tt_leave_queue(tt_system_t *system, tt_process_t *thread);

/* What the running process does to something without a state. */
void tt_note(tt_system_t *system, uint8_t action, int32_t entity, int32_t object, int64_t value);

/* A process changes its state; the cause is its core. */
void tt_process_does(tt_system_t *system, uint8_t action, tt_process_t *process, uint8_t after,
                     int32_t object, int64_t value);
void tt_runnable_does(tt_system_t *system, uint8_t action, tt_runnable_t *runnable, uint8_t after,
                      const tt_process_t *process);

/* Make room for an entity; false, and a status, without memory or when Python stops (-1). Index
 * 0 is always there. */
bool tt_have_entity(tt_system_t *system, int64_t index);

/* The number of a new instance. */
uint32_t tt_next_instance(tt_system_t *system, int32_t entity);

/* A stimulus happens: this instance of it. */
tt_stimulus_t tt_trigger(tt_system_t *system, int32_t stimulus, const tt_process_t *cause);

/* The index of anything but a task; 0, and a status, when Python stops or memory is missing. */
int32_t tt_other(tt_system_t *system, uint32_t kind, uint32_t number);
tt_core_t *tt_core_here(tt_system_t *system);
tt_process_t *tt_core_top(const tt_core_t *core);

/* Add a transition of a core where it is known, unknown, idle or busy from now on. */
void tt_core_observe(tt_system_t *system, tt_core_t *core);

/* The process on the CPU of the event; NULL for none or unknown. */
tt_process_t *tt_running(tt_system_t *system);

/* A thread, a new one where it was not mentioned; never NULL: with a status it is
 * `unknown_process`. */
tt_process_t *tt_thread(tt_system_t *system, uint32_t tid);
tt_process_t *tt_interrupt(tt_system_t *system, uint32_t irq);

/* A lock, a new one where it was not mentioned; NULL, and a status, when that fails. */
tt_lock_t *tt_lock_of(tt_system_t *system, uint32_t kind, uint32_t address);

/* A thread waits for the mutex of its condition. */
void tt_line_up(tt_system_t *system, tt_process_t *thread, uint32_t state);

void tt_lose_process(tt_system_t *system, tt_process_t *process);

/* Lose the processes in a core's stack from an index on. */
void tt_lose_stack(tt_system_t *system, tt_core_t *core, uint32_t first);
void tt_lose_objects(tt_system_t *system);

/* Forget what the last event of a CPU was. */
void tt_forget_stimuli(tt_core_t *core);
void tt_forget_thread(tt_system_t *system, tt_process_t *thread);
void tt_list_remove(tt_process_list_t *list, tt_process_t *process);
void tt_list_append(tt_process_list_t *list, tt_process_t *process);

/* Whom a core's stack has now on top. */
void tt_stack_push(tt_system_t *system, tt_core_t *core, tt_process_t *process);

/* The process on a core is unknown from now on, and so is whether its idle thread was chosen. */
void tt_core_forget(tt_system_t *system, tt_core_t *core);

#endif
