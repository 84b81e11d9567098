/*
 * What the trace tells: the events of short scenarios, one word each. A word is the event, then
 * its thread as the letter of the scenario (I is idle, - another), its object, or its number:
 *
 *     >80     kernel call 80 begins                <80=0   ... ends with result 0
 *     den0A   mutex 0 is denied, A has it          got0A   mutex 0 belongs to A   rel0A  ... not
 * any more inhA9   A inherits priority 9                resA2   A gives it back, has 2 st13A state
 * 13 of A (2 is ready)           A>B     context switch sig0=n  semaphore 0 signalled, has n tak0=n
 * taken, n left          blk0A  A waits for it tmo0A   A's time limit for 0 passed          act,
 * com, mis with thread and instance +A -A   created, destroyed                   ref0A   a try
 * found it taken
 */
#include <stddef.h>

#include "check.h"
#include "fake_recorder.h"
#include "journal.h"
#include "scenario.h"
#include "tickertape/events.h"

/* How the two words of an event are shown. */
typedef enum shown {
    SHOWN_NOTHING,
    SHOWN_THREAD,
    SHOWN_OBJECT,
    SHOWN_NUMBER,
    SHOWN_EQUALS,
} shown_t;

typedef struct word {
    uint32_t event_class;
    uint32_t event;
    const char *text;
    shown_t shown[2];
} word_t;

static const word_t words[] = {
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_DENIED, "den", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_GRANTED, "got", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_TRY_REFUSED, "ref", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_UNLOCK, "rel", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_INHERIT, "inh", {SHOWN_THREAD, SHOWN_NUMBER}},
    {TT_CLASS_SYNC, TT_SYNC_MUTEX_RESTORE, "res", {SHOWN_THREAD, SHOWN_NUMBER}},
    {TT_CLASS_SYNC, TT_SYNC_SEM_WAIT_GRANTED, "tak", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SYNC, TT_SYNC_SEM_WAIT_BLOCKED, "blk", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_SEM_TRY_REFUSED, "ref", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL, "sig", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SYNC, TT_SYNC_WAIT_TIMEOUT, "tmo", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SCHED, TT_SCHED_ACTIVATION, "act", {SHOWN_THREAD, SHOWN_NUMBER}},
    {TT_CLASS_SCHED, TT_SCHED_COMPLETION, "com", {SHOWN_THREAD, SHOWN_NUMBER}},
    {TT_CLASS_SCHED, TT_SCHED_DEADLINE_MISS, "mis", {SHOWN_THREAD, SHOWN_NUMBER}},
    {TT_CLASS_THREAD, TT_THREAD_CREATE, "+", {SHOWN_NOTHING, SHOWN_THREAD}},
    {TT_CLASS_THREAD, TT_THREAD_DESTROY, "-", {SHOWN_NOTHING, SHOWN_THREAD}},
};

static void show(uint32_t value, shown_t how)
{
    switch (how) {
    case SHOWN_THREAD:
        journal_add(scenario_letter(value));
        break;
    case SHOWN_OBJECT:
        journal_add(scenario_object(value));
        break;
    case SHOWN_EQUALS:
        journal_add('=');
        journal_add_number(value);
        break;
    case SHOWN_NUMBER:
        journal_add_number(value);
        break;
    case SHOWN_NOTHING:
    default:
        break;
    }
}

static void tell_call(const fake_event_t *event)
{
    bool ends = event->event >= TT_KERCALL_EXIT_OFFSET;
    journal_begin_word(ends ? '<' : '>');
    journal_add_number(event->event - (ends ? TT_KERCALL_EXIT_OFFSET : 0u));
    if (ends) {
        int32_t result = (int32_t)event->data[0];
        journal_add('=');
        if (result < 0) {
            journal_add('-');
        }
        journal_add_number((uint32_t)(result < 0 ? -result : result));
    }
}

static void tell_word(const fake_event_t *event)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const word_t *word = &words[i];
        if (word->event_class == event->event_class && word->event == event->event) {
            journal_begin_word(word->text[0]);
            for (const char *rest = word->text + 1; *rest != '\0'; rest++) {
                journal_add(*rest);
            }
            show(event->data[0], word->shown[0]);
            show(event->data[1], word->shown[1]);
        }
    }
}

static void tell(const fake_event_t *event)
{
    if (event->event_class == TT_CLASS_KERCALL) {
        tell_call(event);
    } else if (event->event_class == TT_CLASS_THREAD && event->event <= TT_THREAD_NET_REPLY) {
        journal_begin_word('s');
        journal_add('t');
        journal_add_number(event->event);
        journal_add(scenario_letter(event->data[1]));
    } else if (event->event_class == TT_CLASS_SCHED && event->event == TT_SCHED_CONTEXT_SWITCH) {
        journal_begin_word(scenario_letter(event->data[0]));
        journal_add('>');
        journal_add(scenario_letter(event->data[1]));
    } else {
        tell_word(event);
    }
}

typedef struct timeline {
    scenario_t scenario;
    const char *trace; /* expected; it begins with the first switch to a thread of the scenario */
} timeline_t;

static const timeline_t timelines[] = {
    {
        {"a contended mutex",
         {{'L', 2, {LOCK(0), WORK(3), UNLOCK(0)}}, {'H', 9, {SLEEP(1), LOCK(0), UNLOCK(0)}}},
         NULL},
        "->H >102 st12H H>L >80 got0L <80=0 "
        "st2H L>H <102=0 >80 den0L inhL9 st13H H>L "
        ">81 rel0L resL2 got0H st2H L>H <80=0 >81 rel0H <81=0 >47 st0H H>L -H "
        "<81=0 >47 st0L L>- -L",
    },
    {
        {"a time limit for a mutex",
         {{'L', 2, {LOCK(0), WORK(3)}}, {'H', 9, {SLEEP(1), LOCK_IN(0, 1), TRYLOCK(0)}}},
         NULL},
        "->H >102 st12H H>L >80 got0L <80=0 "
        "st2H L>H <102=0 >80 den0L inhL9 st13H H>L "
        "tmo0H resL2 st2H L>H <80=-3 >109 ref0L <109=-4 >47 st0H H>L -H "
        ">47 rel0L st0L L>- -L",
    },
    {
        {"a semaphore",
         {{'L', 2, {POST(0), POST(0), WAIT(0)}}, {'H', 9, {WAIT(0), TRYWAIT(0)}}},
         NULL},
        "->H >85 blk0H st17H H>L >84 sig0=0 st2H L>H tak0=0 <85=0 >110 ref0H <110=-4 "
        ">47 st0H H>L -H <84=0 >84 sig0=1 <84=0 >85 tak0=0 <85=0 >47 st0L L>- -L",
    },
    {
        {"periods and a missed deadline", {{'A', 5, {PERIOD(2), WORK(3), NEXT, NEXT}}}, NULL},
        "->A >72 actA1 <72=0 actA2 misA1 >103 comA1 <103=0 >103 comA2 st12A A>I "
        "actA3 st2A I>A <103=0 >47 st0A A>- -A",
    },
    {
        {"yielding", {{'A', 5, {YIELD, YIELD}}, {'B', 5, {SLEEP(0)}}}, NULL},
        "->A >90 A>B >102 <102=0 >47 st0B B>A -B <90=0 >90 <90=0 >47 st0A A>- -A",
    },
};

/* The first switch to a thread of the scenario; what is before it belongs to the tester. */
static uint32_t find_begin(void)
{
    for (uint32_t i = 0; i < fake_recorder_count(); i++) {
        const fake_event_t *event = fake_recorder_event(i);
        if (event->event_class == TT_CLASS_SCHED && event->event == TT_SCHED_CONTEXT_SWITCH &&
            scenario_letter(event->data[0]) == '-' && scenario_letter(event->data[1]) != 'I') {
            return i;
        }
    }
    return fake_recorder_count();
}

/* The tester wakes when a thread that it joins has ended; what it does then is left out. */
static void tell_timeline(void)
{
    bool tester = true;
    journal_clear();
    for (uint32_t i = find_begin(); i < fake_recorder_count(); i++) {
        const fake_event_t *event = fake_recorder_event(i);
        bool is_switch =
            event->event_class == TT_CLASS_SCHED && event->event == TT_SCHED_CONTEXT_SWITCH;
        bool of_thread = event->event_class == TT_CLASS_THREAD;
        if (is_switch || !tester || (of_thread && event->event == TT_THREAD_DESTROY)) {
            bool of_tester = of_thread && scenario_letter(event->data[1]) == '-';
            if (!of_tester) {
                tell(event);
            }
        }
        if (is_switch) {
            tester = scenario_letter(event->data[1]) == '-';
        }
    }
}

void suite_trace(void)
{
    for (size_t i = 0; i < sizeof timelines / sizeof timelines[0]; i++) {
        check_begin(timelines[i].scenario.name);
        fake_recorder_clear();
        scenario_run(&timelines[i].scenario);
        tell_timeline();
        check_text("trace", journal_text(), timelines[i].trace);
    }
}
