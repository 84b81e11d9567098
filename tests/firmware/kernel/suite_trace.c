/*
 * The trace of short scenarios, one word per event. A word is the event, then its thread by the
 * letter of the scenario (I: idle, -: another), its object, or its number:
 *
 *     >80     kernel call 80 begins                <80=0   ... ends with result 0
 *     den0A   mutex 0 is denied, A owns it         got0A   A owns mutex 0
 *     rel0A   A released it                        ref0A   a try failed, A owns it
 *     inhA9   A inherits priority 9                resA2   A restores priority 2
 *     priA9   A gets priority 9 otherwise          A>B     context switch
 *     st13A   state 13 of A (2 is ready)           +A -A   created, destroyed
 *     sig0=n  semaphore 0 signalled, has n         tak0=n  taken, n left
 *     blk0A   A waits for it                       cwt0=1  wait for condition 0 with mutex 1
 *     csi0A   ... is signalled, wakes A            cbc0=n  ... wakes n
 *     set0=n  flags are set (clr: cleared, fwt: waited for)
 *     snd0 rcv0  message 0 is sent, received       rpl errA  A gets a reply, an error
 *     psn0 prc0  a pulse is sent, received         tim0=n  timer 0 expires for the nth time
 *     tmo0A   A's time limit for 0 passed          del0A   A's wait ended: 0 was deleted
 *     act, com, mis with thread and instance
 */
#include <stddef.h>

#include "check.h"
#include "fake_recorder.h"
#include "journal.h"
#include "scenario.h"
#include "tickertape/events.h"

/* Presentation of a word of an event. */
typedef enum shown {
    SHOWN_NOTHING,
    SHOWN_THREAD,
    SHOWN_OBJECT,
    SHOWN_NUMBER,
    SHOWN_EQUALS,
    SHOWN_MESSAGE,
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
    {TT_CLASS_SYNC, TT_SYNC_WAIT_DELETED, "del", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_COND_WAIT, "cwt", {SHOWN_OBJECT, SHOWN_OBJECT}},
    {TT_CLASS_SYNC, TT_SYNC_COND_SIGNAL, "csi", {SHOWN_OBJECT, SHOWN_THREAD}},
    {TT_CLASS_SYNC, TT_SYNC_COND_BROADCAST, "cbc", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SYNC, TT_SYNC_FLAGS_SET, "set", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SYNC, TT_SYNC_FLAGS_CLEAR, "clr", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SYNC, TT_SYNC_FLAGS_WAIT, "fwt", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_COMM, TT_COMM_SMSG, "snd", {SHOWN_MESSAGE, SHOWN_NOTHING}},
    {TT_CLASS_COMM, TT_COMM_RMSG, "rcv", {SHOWN_MESSAGE, SHOWN_NOTHING}},
    {TT_CLASS_COMM, TT_COMM_REPLY, "rpl", {SHOWN_THREAD, SHOWN_NOTHING}},
    {TT_CLASS_COMM, TT_COMM_ERROR, "err", {SHOWN_THREAD, SHOWN_NOTHING}},
    {TT_CLASS_COMM, TT_COMM_SPULSE, "psn", {SHOWN_OBJECT, SHOWN_NOTHING}},
    {TT_CLASS_COMM, TT_COMM_RPULSE, "prc", {SHOWN_OBJECT, SHOWN_NOTHING}},
    {TT_CLASS_SCHED, TT_SCHED_TIMER, "tim", {SHOWN_OBJECT, SHOWN_EQUALS}},
    {TT_CLASS_SCHED, TT_SCHED_PRIORITY, "pri", {SHOWN_THREAD, SHOWN_NUMBER}},
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
    case SHOWN_MESSAGE:
        journal_add(scenario_message(value));
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
    const char *trace; /* expected, from the first switch to a thread of the scenario */
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
        "->A >111 actA1 <111=0 actA2 misA1 >103 comA1 <103=0 >103 comA2 st12A A>I "
        "actA3 st2A I>A <103=0 >47 st0A A>- -A",
    },
    {
        {"yielding", {{'A', 5, {YIELD, YIELD}}, {'B', 5, {SLEEP(0)}}}, NULL},
        "->A >90 A>B >102 <102=0 >47 st0B B>A -B <90=0 >90 <90=0 >47 st0A A>- -A",
    },
    {
        {"a condition",
         {{'H', 9, {LOCK(0), COND_WAIT(1, 0), UNLOCK(0)}},
          {'L', 2, {LOCK(0), BROADCAST(1), UNLOCK(0), SIGNAL(1)}}},
         NULL},
        "->H >80 got0H <80=0 >82 cwt10 rel0H st14H H>L >80 got0L <80=0 >83 cbc1=1 st13H "
        "inhL9 <83=0 >81 rel0L resL2 got0H st2H L>H <82=0 >81 rel0H <81=0 >47 st0H H>- -H "
        "->L <81=0 >83 csi1I <83=0 >47 st0L L>- -L",
    },
    {
        {"a condition in vain",
         {{'A', 9, {LOCK(0), COND_WAIT_IN(1, 0, 1)}}, {'B', 2, {SLEEP(2), DELETE(COND, 1)}}},
         NULL},
        "->A >80 got0A <80=0 >82 cwt10 rel0A st14A A>B >102 st12B B>I tmo1A got0A st2A I>A "
        "<82=-3 >47 rel0A st0A A>- -A ->I st2B I>B <102=0 >79 <79=0 >47 st0B B>- -B",
    },
    {
        {"event flags",
         {{'H', 9, {FLAGS(0, 3, KERNEL_FLAGS_ALL | KERNEL_FLAGS_CLEAR)}},
          {'L', 2, {SET(0, 1), SET(0, 6), CLEAR(0, 4)}}},
         NULL},
        "->H >106 fwt0=3 st11H H>L >104 set0=1 <104=0 >104 set0=6 clr0=3 st2H L>H <106=3 "
        ">47 st0H H>- -H ->L <104=0 >105 clr0=4 <105=0 >47 st0L L>- -L",
    },
    {
        {"a message to a receiver that waits",
         {{'S', 9, {RECEIVE(0), REPLY(0, 5, 1)}}, {'C', 5, {SEND(0, 5)}}},
         NULL},
        "->S >14 st5S S>C >11 snd0 st2S st6C C>S rcv0 <14=0 >15 rplC st2C <15=0 >47 st0S "
        "S>- -S ->C <11=1 >47 st0C C>- -C",
    },
    {
        {"a message to a receiver that comes later, and an error",
         {{'S', 2, {RECEIVE(0), REPLY(0, 0, -1)}}, {'C', 5, {SEND(0, 5)}}},
         NULL},
        "->C >11 snd0 st4C C>S >14 st6C priS5 rcv0 <14=0 >15 errC priS2 st2C S>C <11=-1 >47 "
        "st0C C>S -C <15=0 >47 st0S S>- -S",
    },
    {
        {"pulses",
         {{'S', 5, {RECEIVE(1), RECEIVE(1)}}, {'P', 9, {PULSE(1, 3), SLEEP(1), PULSE(1, 4)}}},
         NULL},
        "->P >20 psn1 <20=0 >102 st12P P>S >14 prc1 <14=0 >14 st5S S>I st2P I>P <102=0 >20 "
        "psn1 st2S <20=0 >47 st0P P>S -P prc1 <14=0 >47 st0S S>- -S",
    },
    {
        {"a timer", {{'A', 5, {TIMER(2, 1, 1), WAIT(2), WAIT(2), DELETE(TIMER_OF, 2)}}}, NULL},
        "->A >70 <70=0 >72 <72=0 >85 blk2A st17A A>I tim2=1 sig2=0 st2A I>A tak2=0 <85=0 "
        ">85 blk2A st17A A>I tim2=2 sig2=0 st2A I>A tak2=0 <85=0 >71 <71=0 >47 st0A A>- -A",
    },
    {
        {"suspended and resumed",
         {{'A', 4, {SAY('1')}}, {'B', 5, {SUSPEND(0), RAISE(0, 6), RESUME(0), RAISE(1, 3)}}},
         NULL},
        "->B >107 st3A <107=0 >89 priA6 <89=0 >108 st2A B>A >47 st0A A>- -A ->B <108=0 >89 "
        "priB3 <89=0 >47 st0B B>- -B",
    },
    {
        {"stopped after a wait",
         {{'A', 9, {WAIT(0)}}, {'B', 5, {SUSPEND(0), DELETE(SEM, 0), RESUME(0)}}},
         NULL},
        "->A >85 blk0A st17A A>B >107 <107=0 >79 del0A st3A <79=0 >108 st2A B>A <85=-8 >47 "
        "st0A A>- -A ->B <108=0 >47 st0B B>- -B",
    },
    {
        {"ended while it waits for a mutex",
         {{'L', 2, {LOCK(0), WORK(3), UNLOCK(0)}},
          {'H', 9, {SLEEP(1), LOCK(0)}},
          {'C', 10, {SLEEP(2), END(1)}}},
         NULL},
        "->C >102 st12C C>H >102 st12H H>L >80 got0L <80=0 st2H L>H <102=0 >80 den0L inhL9 "
        "st13H H>L st2C L>C <102=0 >47 resL2 st0H -H <47=0 >47 st0C C>L -C >81 rel0L <81=0 >47 "
        "st0L L>- -L",
    },
    {
        {"ended while it is ready and has a mutex",
         {{'L', 2, {LOCK(0), WORK(3)}}, {'H', 9, {SLEEP(1), END(0)}}},
         NULL},
        "->H >102 st12H H>L >80 got0L <80=0 st2H L>H <102=0 >47 rel0L st0L -L H>- ->H <47=0 >47 "
        "st0H H>- -H",
    },
};

/* Return the index of the first switch to a thread of the scenario; earlier events are ignored. */
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

/* Write the events to the journal, without those of the tester, which runs when a thread ends. */
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
