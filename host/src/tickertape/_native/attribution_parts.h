/* State of the attribution of ticks. */
#ifndef TICKERTAPE_NATIVE_ATTRIBUTION_PARTS_H
#define TICKERTAPE_NATIVE_ATTRIBUTION_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interface.h"
#include "items.h"
#include "scene.h"

#define TT_PATH_DEEPEST 32u /* processes in a chain of waits that is described */
#define TT_PATH_CPUS    64u
#define TT_PATH_STEPS   (TT_PATH_DEEPEST + 4u + TT_PATH_CPUS)
#define TT_PATH_RESTS   (2u * TT_PATH_DEEPEST + 4u + 2u * TT_PATH_CPUS)

typedef struct tt_window {
    int32_t entity;
    int64_t instance;
    int64_t begin;
    int64_t end;
    tt_items_t segments; /* tt_stretch_t */
    uint64_t first;      /* index of the oldest segment that is kept */
    tt_items_t totals;   /* int64_t by path */
} tt_window_t;

/* The path of the current tick. */
typedef struct tt_now {
    uint32_t steps;
    uint32_t rests;
    tt_step_t step[TT_PATH_STEPS];
    int32_t rest[TT_PATH_RESTS];
} tt_now_t;

struct tt_attribution {
    tt_scene_t scene;
    const uint8_t *is_tracer;
    tt_items_t windows; /* tt_window_t */
    tt_items_t steps;   /* tt_step_t */
    tt_items_t rests;   /* int32_t */
    tt_items_t paths;   /* tt_path_t */
    uint64_t *places;   /* hash table of paths: index plus one; 0: free */
    uint64_t place_room;
    uint64_t kept;
    int64_t now;
    int status;
    tt_now_t path;
};

static inline const tt_path_t *tt_path_at(const tt_attribution_t *attribution, uint64_t at)
{
    return &((const tt_path_t *)attribution->paths.items)[at];
}

/* Add a step without names to the current path. */
void tt_path_step(tt_now_t *now, int32_t cause);

/* Set the current path: the reason of the current tick of a window. */
void tt_path_find(tt_attribution_t *attribution, const tt_window_t *window);

/* Return the index of the current path, which becomes known. */
uint64_t tt_path_index(tt_attribution_t *attribution);

#endif
