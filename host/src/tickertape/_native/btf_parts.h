/* State of the writer of the Best Trace Format, and the pieces of its lines. */
#ifndef TICKERTAPE_NATIVE_BTF_PARTS_H
#define TICKERTAPE_NATIVE_BTF_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "interface.h"
#include "map.h"
#include "model_tables.h"
#include "text_parts.h"

#define PIECE        16u /* bytes copied at once of a name or word */
#define WORD_ROOM    32u
#define PLACES       4096u
#define CPUS         64u
#define LEN(literal) (sizeof(literal) - 1u)

typedef struct tt_btf_name {
    char *text; /* has room for at least PIECE bytes */
    uint32_t bytes;
} tt_btf_name_t;

typedef struct tt_btf_word {
    uint8_t bytes;
    char text[WORD_ROOM];
} tt_btf_word_t;

typedef struct tt_btf_entity {
    tt_btf_name_t name;
    uint32_t kind;
    int32_t last_core; /* entity of the core plus two; 0: none */
    bool is_preempted; /* it lost its core by preemption */
    bool has_asked;    /* it asked the scheduler to choose */
    bool is_used;      /* semaphore: it had requests or releases */
} tt_btf_entity_t;

struct tt_btf {
    bool old;
    tt_btf_entity_t *entities;
    uint64_t entity_count;
    uint64_t entity_room;
    uint64_t longest; /* length of the longest name */
    tt_btf_name_t cores[CPUS];
    tt_btf_name_t schedulers[CPUS];
    tt_btf_word_t words[TT_BTF_TABLES][PLACES];
    tt_map_t owners; /* event << 32 | task */
    char *out;
    uint64_t room;
    char *to; /* where the next byte goes */
    uint64_t ticks;
    uint64_t ticks_ns; /* `ticks` in ns */
    char time[24];     /* time of the line as text */
    uint32_t time_bytes;
    uint64_t time_of; /* value of `time` */
    tt_btf_job_t *job;
    const tt_transition_t *row;
};

/* Pieces of lines ------------------------------------------------------------------------------ */

static inline void put_name(tt_btf_t *btf, const tt_btf_name_t *name)
{
    btf->to = put_short(btf->to, name->text, name->bytes, PIECE);
}

static inline void put_number(tt_btf_t *btf, uint64_t number)
{
    if (number < 10u) {
        *btf->to++ = (char)('0' + number);
    } else {
        btf->to = put_decimal(btf->to, number);
    }
}

static inline void put_word(tt_btf_t *btf, const tt_btf_word_t *word)
{
    btf->to = put_short(btf->to, word->text, word->bytes, PIECE);
}

static inline void put_text(tt_btf_t *btf, const char *text, size_t bytes)
{
    btf->to = put_bytes(btf->to, text, bytes);
}

#define PUT(btf, literal) put_text(btf, literal, LEN(literal))

static inline const tt_btf_entity_t *entity_at(const tt_btf_t *btf, int32_t index)
{
    return &btf->entities[index];
}

/* Begin the line of an event with its time. */
static inline void begin_line(tt_btf_t *btf)
{
    if (btf->time_bytes == 0u || btf->time_of != btf->job->time_ns) {
        btf->time_of = btf->job->time_ns;
        char *end = put_decimal(btf->time, btf->time_of);
        *end++ = ',';
        btf->time_bytes = (uint32_t)(end - btf->time);
    }
    btf->to = put_short(btf->to, btf->time, btf->time_bytes, PIECE);
    btf->job->count++;
}

static inline void end_line(tt_btf_t *btf)
{
    *btf->to++ = '\n';
}

static inline bool has_source(const tt_btf_t *btf)
{
    return btf->row->source != TT_NO_ENTITY;
}

/* Put the source and its instance. */
static inline void put_source(tt_btf_t *btf)
{
    put_name(btf, &entity_at(btf, btf->row->source)->name);
    *btf->to++ = ',';
    put_number(btf, btf->row->source_instance);
}

/* Put the name of the entity that changes. */
static inline void put_own_name(tt_btf_t *btf)
{
    put_name(btf, &entity_at(btf, btf->row->entity)->name);
}

/* Begin a comment for a change that the format cannot express; the caller adds the reason and ends
 * the line. */
static inline void begin_unsaid(tt_btf_t *btf)
{
    btf->job->without_source++;
    PUT(btf, "# ");
    put_number(btf, btf->job->time_ns);
    *btf->to++ = ' ';
    put_own_name(btf);
    *btf->to++ = ' ';
    put_word(btf, &btf->words[TT_BTF_ACTION][btf->row->action]);
    PUT(btf, ": ");
}

/* Write the lines of an OS event, a lock or a signal. False without memory. */
bool tt_btf_write_event(tt_btf_t *btf);
void tt_btf_write_lock(tt_btf_t *btf);
void tt_btf_write_signal(tt_btf_t *btf);

#endif
