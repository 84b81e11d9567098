/*
 * model.h - makes transitions of the kernel model from an input, for the targets of the model, of
 * system traces and of timelines. Handlers and state machines are those of Python (fuzz_rules.h,
 * which tools/fuzz/compiled.py writes).
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

/* Feed the rest of the input as events to a new model, with losses and resets in between; check
 * that every transition refers to existing entities. The caller frees the transitions. */
void fuzz_model_run(fuzz_model_t *model, fuzz_input_t *input);

/* Return the kind of an entity. */
uint32_t fuzz_model_kind(uint64_t entity);

#endif
