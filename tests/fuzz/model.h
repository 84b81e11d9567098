/*
 * model.h - records made from an input as transitions of the kernel model: what the targets of the
 * model, of system traces and of timelines begin with. Handlers and state machines are Python's
 * (fuzz_rules.h, which tools/fuzz/compiled.py writes).
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "events.h"
#include "interface.h"

typedef struct fuzz_model {
    tt_transition_t *transitions;
    uint64_t count;
    uint64_t entity_count;
} fuzz_model_t;

/* Feed the events of the rest of the input to a new model, with losses and resets in between. Every
 * transition names entities that exist. The caller frees the transitions. */
void fuzz_model_run(fuzz_model_t *model, fuzz_input_t *input);

/* Kind of an entity. */
uint32_t fuzz_model_kind(uint64_t entity);

#endif
