/*
 * Promela model of one ring: ring.c, ring_read.c, ring_finalize.c, the emit path of record.c,
 * finalize.c, and the parts of drain.c, poll.c, start.c and settings.c that access a ring. Inlines,
 * variables and states have the names of the C code (tests/firmware/core/test_ring_model.py checks
 * this). The model refers to a buffer by its index and to a record by its slot in `header`; NONE is
 * NULL.
 *
 * CPU 0 owns the ring. A thread and an interrupt on CPU 0 emit. Two other threads sometimes run
 * there: the drain, and a control thread that stops, flushes and starts the stream. These two may
 * migrate between CPU 0 and another CPU whenever interrupts are not masked. The emitting thread may
 * leave CPU 0 between two steps of an event, which is then recorded in another ring. `masked` is
 * the interrupt mask of CPU 0. While it is not set, all processes interleave at every step; this
 * includes every order in which an interrupt can preempt a thread. Each step of tt_ring_advance(),
 * flush_step() and finish_step() is a separate masked section.
 *
 * Checked over all interleavings:
 *   - no torn record: each record that the drain reads was committed whole, in its order;
 *   - no duplicate: every ordinal has one fate (delivered, dropped, overwritten);
 *   - no loss without receipt: at the end every ordinal has a fate, and the counters and the
 *     receipts, computed as in protocol/SPEC.md, agree with it; records are counted by class before
 *     they are overwritten;
 *   - the counters that another CPU reads (`snapshot`) equal those of the ring when it is at rest;
 *   - nothing is offered between the last receipt of a start and the next start;
 *   - OVERWRITE drops nothing, with up to three buffers;
 *   - the cursor never passes the end of its buffer, and moves only while the buffer is FILLING;
 *   - no record is added to a trace after it was finished;
 *   - interrupts are unmasked at the end.
 *
 * Set on spin's command line: BUFFERS, RECORDS, EMITS, INTERRUPTS, STARTS, FLUSHES, FINISHES,
 * PROBES, POLICY, and NEXT_POLICY, which the control thread sets between two starts when the ring
 * is at rest. Each of these removes one precaution; the test proves that the model then fails:
 * SEARCH_ONCE, SWAP_STATE_ONLY, NOT_DECIDING, CPU_BEFORE_MASKING, NOT_SETTLED, NOT_STRAIGHTENED,
 * POLICY_ANY_TIME, STARTS_READ_LATE, COUNTED_BEFORE_RUNNING, LOSE_UNCOUNTED, CLAIM_UNSEEN,
 * CLAIM_SENDING, CLOSED_EMPTY, FLUSH_UNSETTLED, LOOK_TWICE, MISSED_UNSETTLED, CANCEL_UNPUBLISHED,
 * ENDS_WITH_ROOM, ASKED_ONLY, LOOK_ONCE. With PROBES, OVERWRITE fails too.
 *
 * Not modelled: several streams, and records that need room in several rings; packing; readers on
 * the target; shedding; the high-water mark; TIME records; a full `pending_drops`; 64-bit counters
 * and the version of a snapshot; settle steps of more than one record.
 */
#ifndef BUFFERS
#define BUFFERS 2
#endif
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef EMITS
#define EMITS 4 /* events of the thread */
#endif
#ifndef INTERRUPTS
#define INTERRUPTS 1 /* events of the interrupt */
#endif
#ifndef STARTS
#define STARTS 1 /* how often the control thread stops the stream; it starts it in between */
#endif
#ifndef FLUSHES
#define FLUSHES 0 /* calls of tt_flush_all() by the control thread before it stops the stream */
#endif
#ifndef FINISHES
#define FINISHES 0 /* calls of tt_finalize() by the thread */
#endif
#ifndef PROBES
#define PROBES 0 /* how often a debug probe replaces the drain */
#endif
#define SETTLE_RECORDS 1
#define TOTAL          (EMITS + INTERRUPTS + FINISHES)
#define NONE           255

#define DROP          0
#define OVERWRITE     1
#define UNTIL_FULL    2
#define FINALIZE      3
#define FINALIZE_FREE 4
#ifndef POLICY
#define POLICY DROP
#endif
#ifndef NEXT_POLICY
#define NEXT_POLICY POLICY
#endif

#define FREE    0
#define FILLING 1
#define FULL    2
#define SENDING 3

#define tag_of(sequence, state)    ((sequence) * 4 + (state))
#define tt_buffer_state(tag)              ((tag) & 3)
#define opened_before(tag, other)  ((tag) / 4 < (other) / 4)
#define tt_ring_finalizes(ring)    (policy >= FINALIZE)
#define tt_ring_used_buffers(ring) (opened - released)
#define tt_ring_filled(ring)       (cursor - base)
#define tt_ring_offered(ring)      (next_ordinal + tt_ring_filled(ring) + pending_drops)
#define tt_ring_dropped(ring)      (dropped + pending_drops)
#define tt_ring_records(buffer)    ((buffer) * RECORDS)
#define leave_to_probe(index)      lent
#define tt_ring_has_room(ring)     (cursor < limit)
#define tt_ring_has_records(ring)  (cursor != base || lapped)
#define tt_ring_owes_classes(ring) (!lapped && settled_records < settle_records)

#define tt_port_lock               atomic { !masked -> masked = true }
#define tt_port_unlock             masked = false

typedef buffer_t {
    byte tag; /* state and sequence: they change together */
    byte first_ordinal;
    byte dropped;
    byte count;
    byte first_slot;
};

/* The counters that another CPU reads. */
typedef snapshot_t {
    byte offered;
    byte dropped;
    byte overwritten;
};

/* The ring. A record has two halves, each with the record's ordinal, so that the model detects torn
 * records. */
buffer_t buffers[BUFFERS];
byte header[BUFFERS * RECORDS];
byte data[BUFFERS * RECORDS];
byte policy = POLICY;
byte filling = BUFFERS - 1;
byte cursor, limit, base; /* slots */
byte settle_records, settled_records;
byte next_sequence, next_ordinal;
byte dropped, overwritten, pending_drops;
byte opened, released;
bool wants_flush, deciding, lapped, ended;
snapshot_t snapshot;

/* The stream. */
bool running = true;
byte starts = 1;
bool asked, lent;

/* State of the drain. */
byte final_of_start;
byte final_ordinal, final_dropped, final_overwritten;
byte sent, settled_ordinal, settled_dropped; /* of the probe while the buffers are lent */

bool masked;
bool control_done, thread_done, interrupt_done;

#define NO_FATE     0
#define DELIVERED   1
#define DROPPED     2
#define OVERWRITTEN 3
byte fate[TOTAL];

inline meet(ordinal, what) {
    assert(fate[ordinal] == NO_FATE);
    fate[ordinal] = what
}

/* Steps in a masked section that no other CPU sees meanwhile form one d_step. */

/* Count the first records that are not settled by class, so that they may be overwritten. */
inline tt_ring_settle_step() {
    d_step {
        k = settled_records + SETTLE_RECORDS;
        if
        :: k > settle_records -> k = settle_records
        :: else -> skip
        fi;
        if
        :: lapped -> overwritten = overwritten + k - settled_records /* tt_ring_forget() */
        :: else -> skip
        fi;
        do
        :: settled_records < k ->
            meet(header[base + settled_records], OVERWRITTEN);
            settled_records++
        :: else -> break
        od;
        k = 0
    }
}

/* Part of a d_step. */
inline set_limit() {
    limit = base + RECORDS;
#ifndef NOT_SETTLED
    if
    :: settled_records < settle_records && base + settled_records < limit ->
        limit = base + settled_records
    :: else -> skip
    fi
#endif
}

/* Sets `is_filling`. */
inline is_open() {
    d_step {
        is_filling = (tt_buffer_state(buffers[filling].tag) == FILLING);
        assert(cursor >= base && tt_ring_filled(ring) <= (is_filling -> RECORDS : 0))
    }
}

inline cancel_buffer() {
    buffers[filling].tag = FREE;
#ifndef CANCEL_UNPUBLISHED
    snapshot.overwritten = overwritten; /* before the ring can be at rest */
#endif
    opened--;
    d_step {
        cursor = base;
        limit = base;
        filling = (filling + BUFFERS - 1) % BUFFERS
    }
}

inline tt_ring_close() {
    d_step {
        buffers[filling].count = tt_ring_filled(ring);
        next_ordinal = next_ordinal + tt_ring_filled(ring);
        snapshot.offered = next_ordinal;
        if
        :: lapped ->
            buffers[filling].count = tt_ring_filled(ring) + settle_records - settled_records;
            buffers[filling].first_ordinal = next_ordinal - buffers[filling].count;
            buffers[filling].first_slot = settled_records % RECORDS;
            lapped = false;
            snapshot.overwritten = overwritten
        :: else -> skip
        fi;
        ended = false;
        cursor = base;
        limit = base
    };
    buffers[filling].tag = buffers[filling].tag + (FULL - FILLING)
}

/* Part of a d_step. */
inline tt_ring_settle_pending_drops() {
    next_ordinal = next_ordinal + pending_drops;
    dropped = dropped + pending_drops;
    pending_drops = 0;
    snapshot.offered = next_ordinal;
    snapshot.dropped = dropped
}

inline drop() {
    d_step {
        assert(policy != OVERWRITE || BUFFERS > 3);
        meet(next_ordinal + pending_drops, DROPPED);
        pending_drops++
    }
}

/* Sets `buffer`. */
inline tt_ring_find_free() {
    d_step {
        looks = 1;
        if
#ifdef LOOK_TWICE
        :: policy == OVERWRITE -> looks = 2
#else
        :: policy == OVERWRITE -> looks = 4
#endif
        :: policy == FINALIZE_FREE && tt_ring_used_buffers(ring) != BUFFERS -> looks = BUFFERS
        :: else -> skip
        fi;
        k = filling
    };
    do
    :: looks > 0 ->
        d_step { /* one load of the tag */
            k = (k + 1) % BUFFERS;
            looks--;
            buffer = NONE;
            if
            :: tt_buffer_state(buffers[k].tag) == FREE ||
               (policy == OVERWRITE && tt_buffer_state(buffers[k].tag) == FULL) ->
                buffer = k;
                looks = 0
            :: else -> skip
            fi
        }
    :: else -> break
    od;
    k = 0
}

/* Claims the buffer in `buffer`; sets `buffer` to NONE if it fails. */
inline claim_buffer() {
    tag = buffers[buffer].tag;
    d_step { /* tt_exchange_masked() */
        if
#ifndef CLAIM_UNSEEN
        :: buffers[buffer].tag != tag -> buffer = NONE
#endif
#ifndef CLAIM_SENDING
        :: buffers[buffer].tag == tag && tt_buffer_state(tag) == SENDING -> buffer = NONE
#endif
        :: else -> buffers[buffer].tag = tag_of(next_sequence, FILLING)
        fi
    };
    if
    :: buffer != NONE ->
        d_step {
            settle_records = 0;
            settled_records = 0;
            if
            :: tt_buffer_state(tag) == FREE -> opened++
            :: else ->
                settle_records = buffers[buffer].count;
                overwritten = overwritten + settle_records
            fi;
            next_sequence++;
            filling = buffer;
            base = tt_ring_records(buffer);
            cursor = base;
            limit = base
        }
    :: else -> skip
    fi;
    tag = 0
}

/* Part of a d_step. */
inline open_buffer() {
    buffers[filling].first_ordinal = next_ordinal;
    buffers[filling].dropped = dropped;
    buffers[filling].first_slot = 0;
    snapshot.overwritten = overwritten
}

/* Sets `room`. Called when this CPU saw the stream running. */
inline begin_buffer() {
    tt_ring_find_free();
    if
    :: buffer == NONE ->
        drop();
        if
        :: policy == UNTIL_FULL -> running = false
        :: else -> skip
        fi;
        room = false
    :: else -> claim_buffer(); room = true
    fi;
    buffer = 0
}

/* finalize.c */
inline tt_ring_begin_lap() {
    d_step {
        next_ordinal = next_ordinal + RECORDS;
        snapshot.offered = next_ordinal;
        snapshot.overwritten = overwritten;
        cursor = base;
        limit = base;
        lapped = true;
        settled_records = 0;
        settle_records = RECORDS
    }
}

/* Sets `room`. */
inline tt_ring_advance() {
    is_open();
    if
    :: !is_filling ->
        room = false;
#ifndef NOT_DECIDING
        deciding = true; /* decision_begin() */
#endif
        if
        :: running -> begin_buffer()
        :: else -> skip /* not offered */
        fi;
        deciding = false /* decision_end() */
    :: else ->
        room = true;
        if
        :: !ended && tt_ring_filled(ring) == RECORDS && tt_ring_finalizes(ring) ->
            tt_ring_begin_lap()
        :: ended || (tt_ring_filled(ring) == RECORDS && !tt_ring_finalizes(ring)) ->
            tt_ring_close()
        :: !ended && tt_ring_filled(ring) != RECORDS && tt_ring_filled(ring) == settled_records &&
           settle_records > settled_records ->
            tt_ring_settle_step()
        :: else ->
            d_step {
                if
#ifndef MISSED_UNSETTLED
                :: tt_ring_filled(ring) == 0 && !lapped && pending_drops != 0 -> tt_ring_settle_pending_drops()
                :: tt_ring_filled(ring) == 0 && !lapped && pending_drops == 0 ->
#else
                :: tt_ring_filled(ring) == 0 && !lapped ->
#endif
                    open_buffer();
                    set_limit()
                :: else -> set_limit()
                fi
            }
        fi
    fi;
    is_filling = false
}

/* The record's ordinal is determined when its slot is reserved. */
inline tt_record_store() {
    d_step {
        assert(cursor < base + RECORDS && !ended);
        slot = cursor;
        header[slot] = next_ordinal + tt_ring_filled(ring);
        cursor++
    };
    data[slot] = header[slot];
    slot = 0
}

/* Record one event. In the common case tt_record() has room immediately; otherwise it unmasks
 * interrupts and calls this. */
inline tt_record_words(may_migrate) {
    do
    ::
        tt_port_lock;
        if
        :: tt_ring_has_room(ring) -> tt_record_store(); tt_port_unlock; break
        :: else -> tt_ring_advance(); tt_port_unlock
        fi;
        if
        :: !room -> break
        :: room -> skip
        :: room && may_migrate -> break /* its record is stored in the ring of another CPU */
        fi
    od;
    room = false
}

/* Sets `more`. */
inline flush_step() {
    more = false;
    is_open();
    if
    :: !is_filling -> skip
#ifndef FLUSH_UNSETTLED
    :: is_filling && tt_ring_owes_classes(ring) -> tt_ring_settle_step(); more = true
#endif
    :: else ->
        if
#ifndef CLOSED_EMPTY
        :: !tt_ring_has_records(ring) -> cancel_buffer()
#endif
        :: else ->
            if
            :: !tt_ring_finalizes(ring) || ended || !running -> tt_ring_close()
            :: else -> skip
            fi
        fi
    fi;
    is_filling = false
}

/* Called by a thread that migrates: each step runs on one CPU and evaluates is_mine() there. */
inline tt_ring_flush() {
    do
    ::
#ifdef CPU_BEFORE_MASKING
        flush_step(); /* masked, but on the CPU to which it migrated */
#else
        tt_port_lock;
        flush_step();
        tt_port_unlock;
#endif
        if
        :: more -> skip
        :: else -> break
        fi
    :: true -> wants_flush = true; break
    od;
    more = false
}

/* Runs on CPU 0 until interrupts are unmasked. */
inline tt_clock_poll() {
    tt_port_lock;
    wants_flush = false;
    tt_port_unlock;
    tt_ring_flush()
}

/* Part of a d_step. */
inline lose() {
    next_ordinal = next_ordinal + tt_ring_filled(ring);
    overwritten = overwritten + tt_ring_filled(ring);
    snapshot.offered = next_ordinal;
    snapshot.overwritten = overwritten;
#ifdef LOSE_UNCOUNTED
    settle_records = 0;
#else
    settle_records = tt_ring_filled(ring);
#endif
    settled_records = 0;
    lapped = false;
    cursor = base;
    limit = base
}

/* Sets `more`, and sets `flushes` if a trace was lost, or was kept and is not closed yet. */
inline finish_step() {
    more = false;
    kept = tt_ring_has_records(ring) && tt_ring_used_buffers(ring) < BUFFERS;
    if
    :: ended -> tt_ring_close(); more = true
    :: !ended && tt_ring_has_records(ring) && settled_records < settle_records &&
       (!kept || !lapped || tt_ring_filled(ring) == settled_records) ->
        tt_ring_settle_step();
        more = true
    :: else ->
        if
        :: kept && !tt_ring_has_room(ring) ->
            tt_ring_advance();
            assert(room); /* nothing is shed */
            more = true
        :: kept && tt_ring_has_room(ring) -> /* keep() */
            tt_ring_find_free();
            assert(buffer != NONE); /* this drain returns one buffer at a time */
            tt_record_store();
#ifndef ENDS_WITH_ROOM
            limit = cursor;
#endif
            ended = true;
            flushes = true
        :: else ->
            d_step {
                if
                :: tt_ring_has_records(ring) -> lose(); flushes = true
                :: else -> flushes = (pending_drops != 0); tt_ring_settle_pending_drops()
                fi
            }
        fi
    fi;
    d_step { buffer = 0; room = false; kept = false }
}

/* Called by a thread that may leave CPU 0 between two steps; it then continues with the ring of the
 * other CPU. */
inline tt_finalize() {
    do
    ::
        tt_port_lock;
        if
        :: tt_ring_finalizes(ring) -> finish_step()
        :: else -> skip
        fi;
        tt_port_unlock;
        if
        :: !more -> break
        :: more -> skip
        :: more -> break
        fi
    od;
    more = false;
    if
    :: flushes -> flushes = false; tt_ring_flush()
    :: else -> skip
    fi
}

proctype thread() {
    byte emits, finishes, k, tag, buffer, looks, slot;
    bool room, is_filling, more, kept, flushes;
    do
    :: emits < EMITS -> tt_record_words(true); emits++
    :: finishes < FINISHES -> tt_finalize(); finishes++
    :: wants_flush -> tt_clock_poll()
    :: emits == EMITS && finishes == FINISHES && control_done && final_of_start == starts -> break
    od;
    thread_done = true
}

proctype interrupt() {
    byte emits, k, tag, buffer, looks, slot;
    bool room, is_filling;
    do
    :: emits < INTERRUPTS -> tt_record_words(false); emits++
    :: else -> break
    od;
    interrupt_done = true
}

/* Sets `at_rest`, in the order of tt_ring_at_rest(). */
inline tt_ring_at_rest() {
    at_rest = false;
    if
    :: running -> skip
    :: else ->
        if
        :: deciding -> skip
        :: else -> at_rest = (tt_ring_used_buffers(ring) == 0)
        fi
    fi
}

/* tt_stop(), tt_flush_all(), tt_set_policy(), tt_start(), by any caller. */
proctype control() {
    byte k, stops, flushes;
    bool more, at_rest, is_filling;
    do
    :: flushes < FLUSHES -> tt_ring_flush(); flushes++
    :: else -> break
    od;
    do
    ::
        running = false; /* tt_set_running() */
        tt_ring_flush();
        stops++;
        if
        :: stops == STARTS -> break
        :: else -> skip
        fi;
#if NEXT_POLICY != POLICY
        do /* tt_set_policy(): the control thread retries until the ring is at rest */
        ::
#ifdef POLICY_ANY_TIME
            at_rest = true;
#else
            tt_ring_at_rest();
#endif
            if
            :: at_rest -> policy = NEXT_POLICY; at_rest = false; break
            :: else -> skip
            fi
        od;
#endif
        /* tt_set_running() */
        atomic { /* After the last receipt of a start nothing was offered. */
            assert(final_of_start != starts ||
                   (final_ordinal == tt_ring_offered(ring) &&
                    final_dropped == tt_ring_dropped(ring) && final_overwritten == overwritten));
#ifdef COUNTED_BEFORE_RUNNING
            starts++
        };
        running = true
#else
            running = true
        };
        starts++
#endif
    od;
    control_done = true
}

/* Sets `found` and `tag`. */
inline oldest_full() {
    d_step { found = NONE; k = 0 };
    do
    :: k < BUFFERS ->
        d_step { /* one load of the tag */
            if
            :: tt_buffer_state(buffers[k].tag) == FULL &&
               (found == NONE || opened_before(buffers[k].tag, tag)) ->
                found = k;
                tag = buffers[k].tag
            :: else -> skip
            fi;
            k++
        }
    :: else -> break
    od
}

/* Sets `taken`; one compare-and-swap. */
inline take_full() {
    d_step {
        taken = (tt_buffer_state(buffers[found].tag) == FULL);
#ifndef SWAP_STATE_ONLY
        taken = taken && buffers[found].tag == tag;
#endif
        if
        :: taken -> buffers[found].tag = buffers[found].tag + (SENDING - FULL)
        :: else -> skip
        fi
    }
}

/* Sets `taken`, and `found` if `taken`. MAX_SEARCHES is not modelled: it only bounds the time. */
inline tt_ring_acquire() {
    taken = false;
    tag_before = FREE;
    do
    ::
        oldest_full();
        if
        :: found == NONE -> break
#ifdef SEARCH_ONCE
        :: found != NONE -> take_full(); break
#else
        :: found != NONE && tag == tag_before -> take_full(); break
        :: found != NONE && tag != tag_before -> tag_before = tag
#endif
        fi
    od;
    tag = 0;
    tag_before = 0
}

/* send_buffer_of() for the buffer in `found` after tt_ring_straighten(), then tt_ring_release(), in
 * one step: while the pieces are sent the records do not change, and no STATUS is sent. The asserts
 * are the computations of the host between the last receipt and this one. */
inline send_buffer_of() {
    d_step {
        k = 0;
        do
        :: k < buffers[found].count ->
#ifdef NOT_STRAIGHTENED
            ordinal = tt_ring_records(found) + k;
#else
            ordinal = tt_ring_records(found) + (buffers[found].first_slot + k) % RECORDS;
#endif
            assert(header[ordinal] == buffers[found].first_ordinal + k);
            assert(data[ordinal] == header[ordinal]);
            meet(header[ordinal], DELIVERED);
            k++
        :: else -> break
        od;
        assert(buffers[found].first_ordinal >= settled_ordinal);
        assert(buffers[found].dropped >= settled_dropped);
        assert(buffers[found].first_ordinal - settled_ordinal >=
               buffers[found].dropped - settled_dropped);
        settled_ordinal = buffers[found].first_ordinal + buffers[found].count;
        settled_dropped = buffers[found].dropped;
        sent = sent + buffers[found].count;
        k = 0;
        ordinal = 0
    };
    buffers[found].tag = FREE;
    released++
}

inline send_final_status() {
#ifndef STARTS_READ_LATE
    start = starts;
#endif
    if
    :: final_of_start != starts -> tt_ring_at_rest()
    :: else -> at_rest = false
    fi;
    if
    :: at_rest ->
#ifdef STARTS_READ_LATE
        start = starts;
#endif
        d_step { /* tt_ring_account() on another CPU */
            final_ordinal = snapshot.offered + pending_drops;
            final_dropped = snapshot.dropped + pending_drops;
            final_overwritten = snapshot.overwritten
        };
        final_of_start = start
    :: else -> skip
    fi;
    d_step { at_rest = false; start = 0 }
}

inline lend() {
    lent = asked
}

/* tt_drain_step() without a command. */
proctype drain() {
    byte found, tag, tag_before, k, ordinal, start;
    bool taken, at_rest, more, is_filling;
    do
    :: control_done && !running && final_of_start == starts &&
       tt_ring_used_buffers(ring) == 0 ->
        break
    :: else ->
        lend();
        if
        :: !leave_to_probe(index) -> tt_ring_acquire()
        :: else -> skip
        fi;
        if
        :: taken -> send_buffer_of()
        :: else ->
            if /* close_waiting(), leave_to_probe() */
            :: !running && tt_ring_used_buffers(ring) != 0 -> tt_ring_flush()
            :: else -> skip
            fi;
            send_final_status()
        fi;
        d_step { found = 0; taken = false }
    od;
    thread_done && interrupt_done;
    atomic {
        k = 0;
        do
        :: k < TOTAL -> assert((fate[k] != NO_FATE) == (k < tt_ring_offered(ring))); k++
        :: else -> break
        od;
        assert(cursor == base && !masked);
        assert(final_ordinal == tt_ring_offered(ring) &&
               final_dropped == tt_ring_dropped(ring) && final_overwritten == overwritten);
        assert(tt_ring_offered(ring) == sent + tt_ring_dropped(ring) + overwritten)
    }
}

#if PROBES
/* The probe, controlled by the host: it replaces the drain PROBES times, and returns the buffers to
 * the drain at any time between two buffers. It accesses words of the ring while all processes run.
 * Without a compare-and-swap it leaves the tag FULL until it has read the buffer. */
proctype probe() {
    byte found, tag, tag_before, k, ordinal, probes;
    do
    :: probes < PROBES ->
        asked = true;
#ifndef ASKED_ONLY
end_asked: /* the drain may have ended */
        lent;
#endif
        do
        ::
            oldest_full();
            if
#ifdef LOOK_ONCE
            :: found != NONE -> send_buffer_of()
#endif
            :: found != NONE && tag == tag_before -> send_buffer_of(); tag_before = FREE
            :: found != NONE && tag != tag_before -> tag_before = tag
            :: found == NONE && tt_ring_used_buffers(ring) != 0 -> wants_flush = true
            :: found == NONE && tt_ring_used_buffers(ring) == 0 && control_done && !running -> break
            :: true -> break
            fi
        od;
        asked = false;
        d_step { found = 0; tag = 0; tag_before = FREE };
end_returned:
        !lent;
        probes++
    :: else -> break
    od
}
#endif

init {
    atomic {
#if PROBES
        run probe();
#endif
        run thread(); run interrupt(); run control(); run drain()
    }
}
