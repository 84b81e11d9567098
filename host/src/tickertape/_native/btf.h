/*
 * Transitions as lines of the Best Trace Format: what tickertape/formats/btf/transition_lines.py
 * writes, byte for byte. Names and the tables of words are told by Python.
 */
#ifndef TICKERTAPE_NATIVE_BTF_H
#define TICKERTAPE_NATIVE_BTF_H

#include <stdint.h>

#include "system.h"

typedef struct tt_btf tt_btf_t;

/* Tables of words. */
enum {
    TT_BTF_PROCESS,  /* by action: what a process does */
    TT_BTF_RUNNABLE, /* by action: what a runnable does */
    TT_BTF_LOCK,     /* by state before << 8 | state after: how a semaphore says it */
    TT_BTF_ACTION,   /* by action: what it is called in a comment */
    TT_BTF_TYPE,     /* by kind: the type of an entity */
    TT_BTF_TABLES
};

/* One call. */
typedef struct tt_btf_job {
    const tt_transition_t *transitions;
    uint64_t at;  /* in: the first one; out: the first one that is not written */
    uint64_t end; /* behind the last one */
    uint64_t tick_hz;
    uint64_t offset_ns;      /* is added to all times */
    uint64_t time_ns;        /* in and out: time of the last line */
    uint64_t count;          /* in and out: lines that are events */
    uint64_t without_source; /* in and out: transitions that became comments */
    const char *text;        /* out: good until the next call */
    uint64_t bytes;          /* out */
} tt_btf_job_t;

/* A new writer, which the caller frees; NULL without memory. `old`: a version up to 2.1.5. */
tt_btf_t *tt_btf_new(uint32_t old);
void tt_btf_free(tt_btf_t *btf);

/* Tell a word, at most 31 bytes; 0, or -1 when there is no such place. */
int tt_btf_set_word(tt_btf_t *btf, uint32_t table, uint32_t place, const char *word);

/* Tell what a CPU's core and scheduler are called; 0, or -1 without memory. */
int tt_btf_set_cpu(tt_btf_t *btf, uint32_t cpu, const char *core, const char *scheduler);

/* Tell of the next entity; 0, or -1 without memory. */
int tt_btf_add_entity(tt_btf_t *btf, uint32_t kind, const char *name, uint32_t bytes);

/* Records are missing, or the target was reset: nobody is known to own an event, or to have been on
 * a core. */
void tt_btf_forget(tt_btf_t *btf);

/* Write lines until they fill a block; 0, or -1 without memory or when an entity is not known. */
int tt_btf_write(tt_btf_t *btf, tt_btf_job_t *job);

#endif
