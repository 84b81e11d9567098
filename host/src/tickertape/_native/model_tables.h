/* Generated from protocol/events.yaml and tickertape.model by make gen; do not edit. */
/*
 * Numbers of the model of the kernel: kinds of entities, states, actions, and the events that its
 * handlers distinguish. Sources: model/entities.py, model/transitions.py, answers/instance.py and
 * protocol/events.yaml.
 */
#ifndef TICKERTAPE_NATIVE_MODEL_TABLES_H
#define TICKERTAPE_NATIVE_MODEL_TABLES_H

#define TT_NO_ENTITY (-1)
#define TT_NOT_KNOWN (-1)

enum {
    TT_KIND_CORE = 0,
    TT_KIND_SCHEDULER = 1,
    TT_KIND_TASK = 2,
    TT_KIND_INTERRUPT = 3,
    TT_KIND_RUNNABLE = 4,
    TT_KIND_STIMULUS = 5,
    TT_KIND_SIGNAL = 7,
    TT_KIND_SEMAPHORE = 8,
    TT_KIND_MUTEX = 9,
    TT_KIND_EVENT = 10,
    TT_KIND_CHANNEL = 11,
    TT_KIND_REQUEST = 12,
    TT_KIND_PERIOD = 13,
    TT_KIND_CREATION = 14,
    TT_KIND_SPINLOCK = 15,
    TT_KIND_DOMAIN = 16,
    TT_KIND_COUNT = 17
};

enum {
    TT_STATE_UNKNOWN = 0,
    TT_STATE_TERMINATED = 1,
    TT_STATE_ACTIVE = 2,
    TT_STATE_RUNNING = 3,
    TT_STATE_READY = 4,
    TT_STATE_WAITING = 5,
    TT_STATE_SUSPENDED = 6,
    TT_STATE_FREE = 7,
    TT_STATE_USED = 8,
    TT_STATE_FULL = 9,
    TT_STATE_OVERFULL = 10,
    TT_STATE_COUNT = 11
};

enum {
    TT_ACTION_FOUND = 0,
    TT_ACTION_LOSE = 1,
    TT_ACTION_ACTIVATE = 2,
    TT_ACTION_START = 3,
    TT_ACTION_PREEMPT = 4,
    TT_ACTION_RESUME = 5,
    TT_ACTION_TERMINATE = 6,
    TT_ACTION_WAIT = 7,
    TT_ACTION_RELEASE = 8,
    TT_ACTION_STOP = 9,
    TT_ACTION_CONTINUE = 10,
    TT_ACTION_SUSPEND = 11,
    TT_ACTION_TRIGGER = 12,
    TT_ACTION_SCHEDULE = 13,
    TT_ACTION_SCHEDULE_POINT = 14,
    TT_ACTION_TAKE = 15,
    TT_ACTION_QUEUE = 16,
    TT_ACTION_GIVE = 17,
    TT_ACTION_ASSIGN = 18,
    TT_ACTION_GRANT = 19,
    TT_ACTION_LEAVE = 20,
    TT_ACTION_REFUSE = 21,
    TT_ACTION_WAIT_EVENT = 22,
    TT_ACTION_SET_EVENT = 23,
    TT_ACTION_CLEAR_EVENT = 24,
    TT_ACTION_READ = 25,
    TT_ACTION_WRITE = 26,
    TT_ACTION_SEND = 27,
    TT_ACTION_RECEIVE = 28,
    TT_ACTION_REPLY = 29,
    TT_ACTION_FAIL = 30,
    TT_ACTION_LINE_UP = 31,
    TT_ACTION_OWN = 32,
    TT_ACTION_CALL = 33,
    TT_ACTION_RETURN = 34,
    TT_ACTION_FAULT = 35,
    TT_ACTION_IDLE = 36,
    TT_ACTION_WORK = 37,
    TT_ACTION_COUNT = 38
};

enum {
    TT_DOING_RUNNING = 0,
    TT_DOING_READY = 1,
    TT_DOING_PREEMPTED = 2,
    TT_DOING_INTERRUPTED = 3,
    TT_DOING_BLOCKED = 4,
    TT_DOING_SUSPENDED = 5,
    TT_DOING_UNKNOWN = 6,
    TT_DOING_COUNT = 7
};

enum {
    TT_ENDED_DONE = 0,
    TT_ENDED_OPEN = 1,
    TT_ENDED_LOST = 2,
    TT_ENDED_COUNT = 3
};

/* class << 10 | event */
#define TT_EVENT_THREAD_STOPPED         4099u
#define TT_EVENT_THREAD_NANOSLEEP       4108u
#define TT_EVENT_THREAD_MUTEX           4109u
#define TT_EVENT_SYNC_MUTEX_TRY_REFUSED 8194u
#define TT_EVENT_SCHED_TIMER            9226u
#define TT_EVENT_SCHED_STIMULUS         9231u
#define TT_EVENT_COMM_REPLY             7178u
#define TT_EVENT_DOMAIN_SYSCALL_ENTER   11265u
#define TT_EVENT_DOMAIN_SYSCALL_EXIT    11266u

#endif
