/* State of the model, and functions that its handlers share. */
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

/* The following structs correspond to the classes of tickertape/model/parts.py. */
typedef struct tt_runnable {
    int32_t entity;
    uint32_t instance;
    uint8_t state;
} tt_runnable_t;

typedef struct tt_lock {
    struct tt_lock *next; /* next lock in order of the first mention */
    int32_t entity;
    uint32_t number;
    int64_t limit;
    int64_t taken;   /* -1: unknown */
    int64_t waiting; /* -1: unknown */
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

/* Consecutive instances with consecutive numbers of activations. */
typedef struct tt_run {
    uint32_t instance;
    uint32_t number;
    uint64_t length;
} tt_run_t;

/* Activated instances that wait for the current one, in order: `runs` from `head` to `end`. */
typedef struct tt_queue {
    tt_run_t *runs;
    uint32_t head;
    uint32_t end;
    uint32_t room;
} tt_queue_t;

typedef struct tt_process {
    struct tt_process *next; /* next thread or interrupt in order of the first mention */
    struct tt_process *previous;
    uint64_t key; /* thread number; exception number << 8 | CPU */
    tt_core_t *core;
    tt_lock_t *wanted;
    tt_lock_t *relock;
    tt_lock_t *polls;
    tt_queue_t queue;
    tt_runnable_t *runnables; /* the innermost last */
    uint32_t runnable_count;
    uint32_t runnable_room;
    int64_t event_bits;
    int64_t message;
    int64_t job;       /* TT_NOT_KNOWN if unknown or none */
    int64_t activated; /* TT_NOT_KNOWN if later activations may be missing */
    int64_t completed; /* likewise */
    int64_t offset;    /* instance minus number of the last activation, if `has_offset` */
    int32_t entity;
    uint32_t instance;
    int32_t event;
    int32_t channel;
    uint32_t due; /* if `is_due`: an instance that may wait for another one */
    uint32_t due_number;
    uint32_t spare; /* if `has_spare` */
    uint32_t domain;
    uint8_t state;
    uint8_t suspended_in; /* state in which it was suspended */
    bool is_interrupt;
    bool is_queued;
    bool is_lost;
    bool is_created;
    bool is_periodic;
    bool is_stopped;
    bool is_due;
    bool has_spare;
    bool has_offset;
    bool is_behind_gap;
    bool is_life;
    bool is_unsure;
    bool is_vague;
    bool is_kept; /* used in lose(): it runs on another CPU, so it stays known */
} tt_process_t;

struct tt_core {
    int32_t entity; /* TT_NO_ENTITY: not mentioned yet */
    uint32_t depth; /* items in `stack`; at least 1 after the first mention */
    uint32_t room;
    tt_process_t **stack;  /* items: NULL: no process; `&unknown_process`: unknown */
    tt_process_t *running; /* the process that last began to run here; may be NULL */
    uint64_t since;        /* time when it began to run, in ticks */
    uint64_t quiet;        /* time when `left` became ready, or an interrupt ended after that */
    uint32_t left;         /* thread that the core has, and that waits or ended an instance since
                              the last context switch; TT_IDLE for none */
    bool is_idle;          /* the last context switch chose the idle thread */
    uint8_t state;         /* state that the transitions last reported */
    /* Stimuli of the last event; TT_NO_ENTITY: it has none. */
    tt_stimulus_t stimulus; /* named as the cause of the next event */
    tt_stimulus_t expired;  /* timer that expired */
};

typedef struct tt_process_list {
    tt_process_t *first;
    tt_process_t *last;
    uint64_t count;
} tt_process_list_t;

/* State of each entity. */
typedef struct tt_entity {
    uint32_t instances;
    uint32_t living; /* number of existing threads that are this task */
    int32_t owner;   /* OS event: the task that waited last for it */
    tt_lock_t *lock;
} tt_entity_t;

typedef void (*tt_handler_t)(tt_system_t *system, uint32_t data0, uint32_t data1);

/* State after, plus 1, by state before and action; 0: not possible. */
typedef uint8_t tt_state_machine_t[TT_STATE_COUNT][TT_ACTION_COUNT];

struct tt_system {
    tt_system_services_t services;
    tt_state_machine_t machines[TT_MACHINES];
    tt_system_job_t *job;
    uint64_t row; /* row of the current event */
    uint64_t ticks;
    uint32_t cpu;
    uint32_t code;
    uint32_t domain; /* domain of the record */
    int status;      /* TT_SYSTEM_DONE if there was no error */
    bool is_whole;
    uint64_t open_runnables;
    uint64_t stacked;
    tt_entity_t *entities;
    uint64_t entity_room;
    tt_map_t numbers;  /* kind << 32 | number -> entity + 1 */
    tt_map_t tids;     /* -> process */
    tt_map_t created;  /* thread numbers */
    tt_map_t ended;    /* thread numbers */
    tt_map_t irqs;     /* -> process */
    tt_map_t messages; /* -> channel + 1 */
    tt_process_list_t threads;
    tt_process_list_t interrupts;
    tt_process_list_t gone; /* forgotten threads that may still be in a stack */
    tt_lock_t *locks;
    tt_lock_t *last_lock;
    uint64_t lock_count;
    tt_process_t unknown_process;
    tt_core_t cores[TT_CPUS];
    tt_handler_t handlers[TT_CODES];
    uint8_t evidence[TT_CODES]; /* TT_EVIDENCE_... */
};

/* A handler and the name of the corresponding method in Python. */
typedef struct tt_named_handler {
    const char *name;
    tt_handler_t handler;
} tt_named_handler_t;

extern const tt_named_handler_t tt_process_handlers[];
extern const size_t tt_process_handler_count;
extern const tt_named_handler_t tt_job_handlers[];
extern const size_t tt_job_handler_count;
extern const tt_named_handler_t tt_lock_handlers[];
extern const size_t tt_lock_handler_count;
extern const tt_named_handler_t tt_event_handlers[];
extern const size_t tt_event_handler_count;
extern const tt_named_handler_t tt_life_handlers[];
extern const size_t tt_life_handler_count;

/* A transition without row, time, CPU and source. */
typedef struct tt_change {
    uint8_t action;
    uint8_t before;
    uint8_t after;
    int32_t entity;
    uint32_t instance;
    int32_t object;
    int64_t value;
} tt_change_t;

/* Add a transition. Inline, so that `change` stays in registers: a processor stalls when it loads
 * bytes in other sizes than it has just stored. */
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

/* Add a transition caused by process `cause`; NULL: no known process. */
static inline void tt_add(tt_system_t *system, const tt_change_t *change, const tt_process_t *cause)
{
    tt_put(system, change, cause == NULL ? TT_NO_ENTITY : cause->entity,
           cause == NULL ? 0u : cause->instance);
}

static inline bool tt_is_on_core(const tt_process_t *process)
{
    return process->state == TT_STATE_RUNNING || process->state == TT_STATE_POLLING;
}

/* Return whether a process has an instance and no core. */
static inline bool tt_is_off_core(const tt_process_t *process)
{
    return process->state == TT_STATE_ACTIVE || process->state == TT_STATE_READY ||
           process->state == TT_STATE_WAITING || process->state == TT_STATE_SUSPENDED ||
           process->state == TT_STATE_PARKING;
}

/* Return whether an activation begins the next instance of a process in this state. */
static inline bool tt_is_without_instance(uint8_t state)
{
    return state == TT_STATE_UNKNOWN || state == TT_STATE_TERMINATED || state == TT_STATE_CREATED ||
           state == TT_STATE_ENDED;
}

/* Add ACTIVATE for a new instance without a number of activation. It is the current one if no other
 * is under way. */
void tt_activate(tt_system_t *system, tt_process_t *process, tt_stimulus_t stimulus);

/* tt_queue_put(): add an instance and the number of its activation. tt_queue_clear(): remove all.
 * tt_queue_is_empty(): return whether it has none. */
void tt_queue_put(tt_system_t *system, tt_queue_t *queue, uint32_t instance, uint32_t number);
void tt_queue_clear(tt_queue_t *queue);

static inline bool tt_queue_is_empty(const tt_queue_t *queue)
{
    return queue->head == queue->end;
}

/* Begin the instance that was activated while the thread slept, as its READY shows; false if there
 * is no such instance. */
bool tt_begin_due(tt_process_t *thread);

/* Begin an instance that is not a job: its thread was woken and is not periodic. */
void tt_begin_without_job(tt_system_t *system, tt_process_t *thread);

/* Note that the jobs of a thread that ends will not be completed. */
void tt_cancel(tt_system_t *system, tt_process_t *thread);

/* Set the core of a process; lose the process if it was running on another core. */
void tt_place(tt_system_t *system, tt_process_t *process, tt_core_t *core);

/* tt_poll(): note that a process begins to poll for a spin lock or, if `lock` is NULL, for the
 * object that it waits for. tt_end_poll(): note that it stops polling. */
void tt_poll(tt_system_t *system, tt_process_t *process, tt_lock_t *lock);
void tt_end_poll(tt_system_t *system, tt_process_t *process);

/* Remove a process from the waiters of the lock that it wants, and add LEAVE. */
void tt_leave_queue(tt_system_t *system, tt_process_t *thread);

/* Add a transition of an entity without states, caused by the running process. */
void tt_note(tt_system_t *system, uint8_t action, int32_t entity, int32_t object, int64_t value);

/* Change the state of a process or runnable. The source is the core of the process, or the process
 * of the runnable. */
void tt_process_does(tt_system_t *system, uint8_t action, tt_process_t *process, uint8_t after,
                     int32_t object, int64_t value);
void tt_runnable_does(tt_system_t *system, uint8_t action, tt_runnable_t *runnable, uint8_t after,
                      const tt_process_t *process);

/* Make room for an entity; false, and a status, without memory or if `index` is -1 (a failed
 * callback). Index 0 always exists. */
bool tt_have_entity(tt_system_t *system, int64_t index);

/* Return the number of a new instance. */
uint32_t tt_next_instance(tt_system_t *system, int32_t entity);

/* Add TRIGGER for a new instance of a stimulus; return the instance. */
tt_stimulus_t tt_trigger(tt_system_t *system, int32_t stimulus, const tt_process_t *cause);

/* Return the index of an entity that is not a task; 0, and a status, on failure. */
int32_t tt_other(tt_system_t *system, uint32_t kind, uint32_t number);
tt_core_t *tt_core_here(tt_system_t *system);
tt_process_t *tt_core_top(const tt_core_t *core);

/* Add a transition of a core if its state has changed. */
void tt_core_observe(tt_system_t *system, tt_core_t *core);

/* Return the process that runs on the CPU of the event; NULL if none or unknown. */
tt_process_t *tt_running(tt_system_t *system);

/* Return a thread or interrupt; create it at the first mention. On failure set a status and return
 * `unknown_process`, never NULL. */
tt_process_t *tt_thread(tt_system_t *system, uint32_t tid);
tt_process_t *tt_interrupt(tt_system_t *system, uint32_t irq);

/* Return a lock; create it at the first mention. NULL, and a status, on failure. */
tt_lock_t *tt_lock_of(tt_system_t *system, uint32_t kind, uint32_t address);

/* Queue a thread for the mutex of its condition if it now waits for a mutex. */
void tt_line_up(tt_system_t *system, tt_process_t *thread, uint32_t state);

/* Set the state of a process to unknown, because records are missing. */
void tt_lose_process(tt_system_t *system, tt_process_t *process);

/* Lose the processes in a core's stack from index `first` on. */
void tt_lose_stack(tt_system_t *system, tt_core_t *core, uint32_t first);

/* Set the states of all locks to unknown; forget waiters of events, and messages. */
void tt_lose_objects(tt_system_t *system);

/* Forget the stimulus of the last event of a CPU. */
void tt_forget_stimuli(tt_core_t *core);

/* Start or resume a process on a free core, with its runnables. */
void tt_run(tt_system_t *system, tt_process_t *process, tt_core_t *core);

/* Take the core from a process that runs or polls. */
void tt_preempt(tt_system_t *system, tt_process_t *process);

/* End the current instance of a process: tt_end() on its core, tt_abort() without a core, because
 * another process ended it; its runnables are then lost. */
void tt_end(tt_system_t *system, tt_process_t *process);
void tt_abort(tt_system_t *system, tt_process_t *process);
void tt_stop_runnables(tt_system_t *system, tt_process_t *process, uint8_t action, uint8_t after);

/* Lives of threads; the same as model/threads.py -------------------------------------------------
 */

/* Add a transition of the life of a thread, which belongs to no instance. */
void tt_live(tt_system_t *system, uint8_t action, tt_process_t *thread, uint8_t after);

/* Forget the name of the thread that had a number before, if it has ended. */
void tt_begin_life(tt_system_t *system, uint32_t tid);

/* Return a thread that does something: if the number's thread has ended, another one. */
tt_process_t *tt_living(tt_system_t *system, uint32_t tid);

/* Begin the instance of a thread that was created and now starts. */
void tt_start_life(tt_system_t *system, tt_process_t *thread);

/* End the suspension of a thread. */
void tt_continue(tt_system_t *system, tt_process_t *thread);

/* Take the core from a thread, by a context switch. */
void tt_switch_out(tt_system_t *system, tt_process_t *thread);

/* Note that the kernel has a core, and the thread that it served last. */
void tt_leave_core(tt_core_t *core, uint32_t tid);

/* Threads that run without a switch; the same as model/running_evidence.py -----------------------
 */

/* Which word of an event has the number of the thread that runs. */
#define TT_EVIDENCE_NONE  0u /* it does not show who runs */
#define TT_EVIDENCE_WORD0 1u
#define TT_EVIDENCE_WORD1 2u
#define TT_EVIDENCE_ANY   3u /* none: only the running thread causes it */

void tt_note_quiet(tt_system_t *system, const tt_process_t *thread);
void tt_note_interrupt_end(const tt_system_t *system, tt_core_t *core);

/* Let the thread that the core has run on, if an event shows that it runs. */
void tt_prove(tt_system_t *system, uint32_t data0, uint32_t data1);
void tt_list_remove(tt_process_list_t *list, tt_process_t *process);
void tt_list_append(tt_process_list_t *list, tt_process_t *process);

/* Push a process on a core's stack. */
void tt_stack_push(tt_system_t *system, tt_core_t *core, tt_process_t *process);

/* Set the processes on a core to unknown, and `is_idle` to false. */
void tt_core_forget(tt_system_t *system, tt_core_t *core);

#endif
