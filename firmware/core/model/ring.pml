/*
 * Promela model of core/ring.c and the emit path of core/record.c: one CPU that writes (a thread
 * and an interrupt that may preempt it wherever interrupts are not masked) and a drain that runs
 * on another CPU, interleaved at every step. At any moment the drain's CPU stops the stream; with
 * policy UNTIL_FULL the writer does so itself.
 *
 * Checked over all interleavings (tests/firmware/core/test_ring_model.py):
 *   - no torn record: whatever the drain reads was committed whole;
 *   - no duplicate: no ordinal is delivered twice;
 *   - no loss without receipt: at the end every ordinal was delivered, dropped or overwritten,
 *     exactly once, and the receipts computed as in protocol/SPEC.md give these numbers;
 *   - nothing is offered after the receipt that says so.
 *
 * BUFFERS, RECORDS, EMITS and POLICY are set on spin's command line. SEARCH_ONCE, SWAP_STATE_ONLY
 * and NOT_DECIDING take one precaution away each; the check proves that the model then fails.
 */
#ifndef BUFFERS
#define BUFFERS 2
#endif
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef EMITS
#define EMITS 4 /* by the thread; the interrupt emits twice more */
#endif
#define TOTAL (EMITS + 2)
#define NONE 255

#define DROP 0
#define OVERWRITE 1
#define UNTIL_FULL 2
#ifndef POLICY
#define POLICY DROP
#endif

#define FREE 0
#define FILLING 1
#define FULL 2
#define SENDING 3

/* A record is two halves, so that a torn one would show. Each holds the record's ordinal. */
typedef buffer_t {
    byte state;    /* state and sequence are one word in C: they change together */
    byte sequence;
    byte first_ordinal;
    byte dropped;
    byte count;
    byte half0[RECORDS];
    byte half1[RECORDS];
};

buffer_t buffers[BUFFERS];
byte filling = BUFFERS - 1;
byte cursor = NONE;      /* index into the buffer being filled; NONE = NULL */
byte next_sequence;
byte next_ordinal;       /* after the last closed buffer and drops */
byte dropped, overwritten, sent;
bool opened;             /* cursor != NULL */
bool running = true;
bool deciding;           /* about to open a buffer or to drop */
bool wants_flush;        /* the drain asks the writer's CPU to close its buffer */
bool final;              /* the last receipt went out: */
byte final_ordinal, final_dropped;

bool masked, in_interrupt, thread_done, interrupt_done;

byte fate_delivered[TOTAL];
byte fate_dropped[TOTAL];
byte fate_overwritten[TOTAL];

/* The thread makes no step while the interrupt runs, and the other way round while masked. */
#define THREAD (!in_interrupt)

/* close_buffer() */
inline close_buffer() {
    buffers[filling].count = cursor;
    next_ordinal = next_ordinal + cursor;
    opened = false;
    cursor = NONE;
    buffers[filling].state = FULL
}

/* claim(): sets `claimed`. Overwritten records meet their fate here. */
inline claim(index) {
    claimed = (buffers[index].state == FREE);
    if
    :: !claimed && POLICY == OVERWRITE ->
        atomic { /* compare-and-swap; nobody else writes a new sequence */
            claimed = (buffers[index].state == FULL);
            if
            :: claimed -> buffers[index].state = FREE
            :: else -> skip
            fi
        };
        if
        :: claimed ->
            overwritten = overwritten + buffers[index].count;
            i = 0;
            do
            :: i < buffers[index].count ->
                fate_overwritten[buffers[index].first_ordinal + i]++;
                i++
            :: else -> break
            od
        :: else -> skip
        fi
    :: else -> skip
    fi
}

/* make_room() without an open buffer */
inline open_or_drop() {
    target = (filling + 1) % BUFFERS;
    claim(target);
    if
    :: !claimed && POLICY == OVERWRITE -> target = (target + 1) % BUFFERS; claim(target)
    :: else -> skip
    fi;
    if
    :: claimed ->
        buffers[target].first_ordinal = next_ordinal;
        buffers[target].dropped = dropped;
        atomic {
            buffers[target].sequence = next_sequence;
            buffers[target].state = FILLING
        };
        next_sequence++;
        filling = target;
        cursor = 0;
        opened = true
    :: else ->
        fate_dropped[next_ordinal]++;
        next_ordinal++;
        dropped++;
        if
        :: POLICY == UNTIL_FULL -> running = false
        :: else -> skip
        fi
    fi
}

/* tt_ring_advance() followed by store(); interrupts are masked. */
inline record_slow() {
    if
    :: opened && cursor == RECORDS -> close_buffer()
    :: else -> skip
    fi;
    if
    :: opened -> claimed = true
    :: else ->
#ifndef NOT_DECIDING
        deciding = true;
#endif
        claimed = false;
        if
        :: running -> open_or_drop()
        :: else -> skip /* not offered */
        fi;
        deciding = false
    fi;
    if
    :: claimed -> store()
    :: else -> skip
    fi
}

inline store() {
    buffers[filling].half0[cursor] = next_ordinal + cursor;
    buffers[filling].half1[cursor] = next_ordinal + cursor;
    cursor++
}

/* tt_clock_poll() and tt_ring_flush() */
inline poll() {
    wants_flush = false;
    atomic { THREAD -> masked = true };
    if
    :: opened -> close_buffer()
    :: else -> skip
    fi;
    masked = false
}

/* tt_record(): the common case, else unlock and lock again for the slow one. */
proctype thread() {
    byte n, target, i;
    bool claimed;
    do
    :: n < EMITS ->
        atomic { THREAD -> masked = true };
        if
        :: opened && cursor < RECORDS -> store(); masked = false
        :: else ->
            masked = false;
            atomic { THREAD -> masked = true };
            record_slow();
            masked = false
        fi;
        n++
    :: THREAD && wants_flush -> poll()
    :: THREAD && n == EMITS && final -> break
    od;
    thread_done = true
}

proctype interrupt() {
    byte n, target, i;
    bool claimed;
    do
    :: n < 2 ->
        atomic { !masked && !in_interrupt -> in_interrupt = true };
        if
        :: opened && cursor < RECORDS -> store()
        :: else -> record_slow()
        fi;
        in_interrupt = false;
        n++
    :: n == 2 -> break
    od;
    interrupt_done = true
}

/* oldest_full(): sets `chosen` and `tag`, the sequence it had. */
inline oldest_full() {
    chosen = NONE;
    k = 0;
    do
    :: k < BUFFERS ->
        atomic { /* one load of the tag */
            if
            :: buffers[k].state == FULL && (chosen == NONE || buffers[k].sequence < tag) ->
                chosen = k;
                tag = buffers[k].sequence
            :: else -> skip
            fi
        };
        k++
    :: else -> break
    od
}

/* tt_ring_empty(): sets `at_rest`. */
inline look_whether_empty() {
    at_rest = true;
    k = 0;
    do
    :: k < BUFFERS -> at_rest = at_rest && buffers[k].state == FREE; k++
    :: else -> break
    od
}

/* tt_ring_at_rest() and tt_send_status() */
inline try_final() {
    if
    :: running || deciding -> at_rest = false
    :: else ->
        look_whether_empty();
        if
        :: at_rest -> final_ordinal = next_ordinal; final_dropped = dropped; final = true
        :: else -> skip
        fi
    fi
}

/* tt_ring_take(), send, tt_ring_release(), close_waiting() on another CPU. */
proctype drain() {
    byte chosen, tag, tag_before, k, i, ordinal, last_end, last_dropped;
    bool taken, at_rest;
    do
    :: running -> running = false /* tt_stop() */
    :: true ->
        oldest_full();
#ifndef SEARCH_ONCE
        do
        :: chosen != NONE ->
            tag_before = tag;
            oldest_full();
            if
            :: chosen == NONE || tag == tag_before -> break
            :: else -> skip
            fi
        :: else -> break
        od;
#endif
        if
        :: chosen != NONE ->
            atomic { /* compare-and-swap of the tag */
                taken = (buffers[chosen].state == FULL);
#ifndef SWAP_STATE_ONLY
                taken = taken && buffers[chosen].sequence == tag;
#endif
                if
                :: taken -> buffers[chosen].state = SENDING
                :: else -> skip
                fi
            };
            if
            :: taken ->
                i = 0;
                do
                :: i < buffers[chosen].count ->
                    ordinal = buffers[chosen].first_ordinal + i;
                    assert(buffers[chosen].half0[i] == ordinal); /* not torn, not another's */
                    assert(buffers[chosen].half1[i] == ordinal);
                    fate_delivered[ordinal]++;
                    i++
                :: else -> break
                od;
                /* What the host computes between the last receipt and this one. */
                assert(buffers[chosen].first_ordinal >= last_end);
                assert(buffers[chosen].dropped >= last_dropped);
                assert(buffers[chosen].first_ordinal - last_end >=
                       buffers[chosen].dropped - last_dropped);
                last_end = buffers[chosen].first_ordinal + buffers[chosen].count;
                last_dropped = buffers[chosen].dropped;
                sent = sent + buffers[chosen].count;
                buffers[chosen].state = FREE
            :: else -> skip
            fi
        :: chosen == NONE ->
            try_final();
            if
            :: final -> break
            :: !final && !running -> wants_flush = true
            :: else -> skip
            fi
        fi
    od;
    thread_done && interrupt_done;
    i = 0;
    do
    :: i < TOTAL ->
        assert(fate_delivered[i] + fate_dropped[i] + fate_overwritten[i] == (i < next_ordinal));
        i++
    :: else -> break
    od;
    assert(!opened);
    assert(next_ordinal == final_ordinal && dropped == final_dropped);
    assert(next_ordinal == sent + dropped + overwritten)
}

init {
    atomic { run thread(); run interrupt(); run drain() }
}
