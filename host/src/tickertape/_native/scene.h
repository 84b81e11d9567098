/* State of the processes, cores and mutexes of one boot; `Scene` of answers/attribution.py. */
#ifndef TICKERTAPE_NATIVE_SCENE_H
#define TICKERTAPE_NATIVE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "interface.h"
#include "model_tables.h"

#define TT_SCENE_CHAIN    256 /* longest chain of waits that is followed */
#define TT_OWNER_UNKNOWN  (-2)
#define TT_SCENE_NO_STATE UINT8_MAX

/* An entity. Which fields are used depends on its kind. */
typedef struct tt_scene_item {
    int64_t wait;      /* process: number of the THREAD event of its wait, TT_NOT_KNOWN: none */
    uint32_t instance; /* process */
    int32_t core;      /* process: core where it runs or ran last, TT_NO_ENTITY: unknown */
    int32_t wants;     /* process: entity that it waits for, TT_NO_ENTITY: none or unknown */
    int32_t top;       /* core: process that it runs, TT_NO_ENTITY: unknown or none */
    int32_t owner;     /* mutex: owner, TT_NO_ENTITY: free, TT_OWNER_UNKNOWN */
    uint32_t owned;    /* process: number of mutexes that it owns */
    uint8_t state;     /* process or core: TT_STATE_...; core: TT_SCENE_NO_STATE before its first */
    bool was_preempted;
    bool is_left;   /* mutex: its owner has ended */
    bool is_listed; /* core: in `cores`; mutex: in `mutexes` */
} tt_scene_item_t;

typedef struct tt_scene_list {
    int32_t *entities;
    uint64_t count;
    uint64_t room;
} tt_scene_list_t;

typedef struct tt_scene {
    tt_scene_item_t *items; /* by entity */
    const int64_t *kind;    /* by entity; set by the caller for each call */
    uint64_t room;
    tt_scene_list_t cores;
    tt_scene_list_t mutexes;
} tt_scene_t;

void tt_scene_clear(tt_scene_t *scene);

/* Provide items for entities; false without memory. */
bool tt_scene_grow(tt_scene_t *scene, uint64_t entities);

/* Return whether a scene takes a transition of an entity of this kind. */
bool tt_scene_accepts(const tt_scene_t *scene, const tt_transition_t *row);

/* Apply a transition; false without memory. */
bool tt_scene_take(tt_scene_t *scene, const tt_transition_t *row);

/* Return whether an activation begins the next instance of a process in this state. */
static inline bool tt_scene_is_without_instance(uint8_t state)
{
    return state == TT_STATE_UNKNOWN || state == TT_STATE_TERMINATED || state == TT_STATE_CREATED ||
           state == TT_STATE_ENDED;
}

/* Return the process that a core runs; TT_NO_ENTITY when that is unknown, or for no core. */
static inline int32_t tt_scene_running_on(const tt_scene_t *scene, int32_t core)
{
    return core < 0 ? -1 : scene->items[core].top;
}

/* Store a process, the owner of the mutex that it waits for, and so on. The last process waits for
 * no mutex with a known owner; in a cycle it is stored twice. Returns the length of the chain. */
uint32_t tt_scene_chain(const tt_scene_t *scene, int32_t entity, int32_t chain[TT_SCENE_CHAIN]);

/* Return whether a core is idle. */
bool tt_scene_has_idle_core(const tt_scene_t *scene);

#endif
