/*
 * Attribute the ticks of windows of time to the actions of a task or the causes of its waits. The
 * reference is `Attribution` in answers/attribution.py.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "attribution_parts.h"
#include "model_tables.h"

tt_attribution_t *tt_attribution_new(uint64_t segments)
{
    tt_attribution_t *attribution = calloc(1, sizeof *attribution);
    if (attribution != NULL) {
        attribution->kept = segments;
    }
    return attribution;
}

static tt_window_t *window_at(const tt_attribution_t *attribution, uint64_t at)
{
    return &((tt_window_t *)attribution->windows.items)[at];
}

void tt_attribution_free(tt_attribution_t *attribution)
{
    if (attribution == NULL) {
        return;
    }
    for (uint64_t i = 0; i < attribution->windows.count; i++) {
        free(window_at(attribution, i)->segments.items);
        free(window_at(attribution, i)->totals.items);
    }
    tt_scene_clear(&attribution->scene);
    free(attribution->windows.items);
    free(attribution->steps.items);
    free(attribution->rests.items);
    free(attribution->paths.items);
    free(attribution->places);
    free(attribution);
}

int tt_attribution_window(tt_attribution_t *attribution, int32_t entity, int64_t instance,
                          int64_t begin, int64_t end)
{
    tt_window_t *window = tt_items_add(&attribution->windows, sizeof *window, &attribution->status);
    if (window == NULL) {
        return -1;
    }
    window->entity = entity;
    window->instance = instance;
    window->begin = begin;
    window->end = end;
    return 0;
}

/* Windows ------------------------------------------------------------------------------------ */

static void drop_oldest(tt_attribution_t *attribution, tt_window_t *window)
{
    tt_stretch_t *segments = window->segments.items;
    const tt_stretch_t *oldest = &segments[window->first++];
    while (window->totals.count <= oldest->path) {
        if (tt_items_add(&window->totals, sizeof(int64_t), &attribution->status) == NULL) {
            return;
        }
    }
    ((int64_t *)window->totals.items)[oldest->path] += oldest->end - oldest->begin;
    if (window->first > attribution->kept) {
        window->segments.count -= window->first;
        memmove(segments, &segments[window->first], window->segments.count * sizeof *segments);
        window->first = 0;
    }
}

/* Add the next segment; `Window.add`. */
static void add_segment(tt_attribution_t *attribution, tt_window_t *window, tt_stretch_t segment)
{
    if (window->segments.count > window->first) {
        tt_stretch_t *last = &((tt_stretch_t *)window->segments.items)[window->segments.count - 1u];
        if (last->end == segment.begin && last->path == segment.path) {
            last->end = segment.end;
            return;
        }
    }
    tt_stretch_t *kept = tt_items_add(&window->segments, sizeof *kept, &attribution->status);
    if (kept == NULL) {
        return;
    }
    *kept = segment;
    if (window->segments.count - window->first > attribution->kept) {
        drop_oldest(attribution, window);
    }
}

static bool depends_on(const tt_attribution_t *attribution, uint64_t path, int32_t entity)
{
    const tt_path_t *one = tt_path_at(attribution, path);
    const int32_t *rests = attribution->rests.items;
    for (uint32_t i = 0; i < one->rests; i++) {
        if (rests[one->first_rest + i] == entity) {
            return true;
        }
    }
    return false;
}

/* Set segments from `since` on to unknown if they depend on an entity; `Window.lose`. */
static void lose(tt_attribution_t *attribution, tt_window_t *window, int32_t entity, int64_t since)
{
    const tt_stretch_t *segments = window->segments.items;
    uint64_t from = window->segments.count;
    bool depends = false;
    while (from > window->first && segments[from - 1u].end > since) {
        from--;
        if (depends_on(attribution, segments[from].path, entity)) {
            depends = true;
            if (segments[from].begin < since) {
                break;
            }
        }
    }
    if (!depends) {
        return;
    }
    uint64_t count = window->segments.count - from;
    tt_stretch_t *redone = malloc((size_t)count * sizeof *redone);
    if (redone == NULL) {
        attribution->status = TT_LIVES_NO_MEMORY;
        return;
    }
    memcpy(redone, &segments[from], (size_t)count * sizeof *redone);
    window->segments.count = from;
    attribution->path.steps = attribution->path.rests = 0;
    tt_path_step(&attribution->path, TT_CAUSE_UNKNOWN);
    uint64_t unknown = tt_path_index(attribution);
    for (uint64_t i = 0; i < count; i++) {
        tt_stretch_t one = redone[i];
        if (depends_on(attribution, one.path, entity)) {
            if (one.begin < since) {
                tt_stretch_t before = {.begin = one.begin, .end = since, .path = one.path};
                add_segment(attribution, window, before);
                one.begin = since;
            }
            one.path = unknown;
        }
        add_segment(attribution, window, one);
    }
    free(redone);
}

static void advance(tt_attribution_t *attribution, int64_t time)
{
    for (uint64_t i = 0; i < attribution->windows.count; i++) {
        tt_window_t *window = window_at(attribution, i);
        int64_t begin = attribution->now > window->begin ? attribution->now : window->begin;
        int64_t end = time < window->end ? time : window->end;
        if (begin < end && (uint64_t)window->entity < attribution->scene.room) {
            tt_path_find(attribution, window);
            tt_stretch_t segment = {.begin = begin, .end = end, .path = tt_path_index(attribution)};
            add_segment(attribution, window, segment);
        }
    }
    attribution->now = time > attribution->now ? time : attribution->now;
}

static void take(tt_attribution_t *attribution, const tt_transition_t *row)
{
    int64_t time = (int64_t)row->time;
    if (time > attribution->now) {
        advance(attribution, time);
    } else if (time < attribution->now && row->after == TT_STATE_UNKNOWN) {
        for (uint64_t i = 0; i < attribution->windows.count; i++) {
            lose(attribution, window_at(attribution, i), row->entity, time);
        }
    }
    if (!tt_scene_take(&attribution->scene, row)) {
        attribution->status = TT_LIVES_NO_MEMORY;
    }
}

static void begin_call(tt_attribution_t *attribution, const tt_attribution_job_t *job)
{
    attribution->status = TT_LIVES_DONE;
    attribution->scene.kind = job->kind;
    attribution->is_tracer = job->is_tracer;
    if (!tt_scene_grow(&attribution->scene, job->entity_count)) {
        attribution->status = TT_LIVES_NO_MEMORY;
    }
    for (uint64_t i = 0; i < attribution->windows.count; i++) {
        int32_t entity = window_at(attribution, i)->entity;
        if (entity < 0) {
            attribution->status = TT_LIVES_NO_ENTITY;
        }
    }
}

int tt_attribution_feed(tt_attribution_t *attribution, tt_attribution_job_t *job)
{
    begin_call(attribution, job);
    int64_t count = (int64_t)job->entity_count;
    for (uint64_t i = 0; attribution->status == TT_LIVES_DONE && i < job->count; i++) {
        const tt_transition_t *row = &job->transitions[i];
        if (row->entity < 0 || row->entity >= count || row->source < -1 || row->source >= count ||
            row->object < -1 || row->object >= count) {
            attribution->status = TT_LIVES_NO_ENTITY;
        } else if (tt_scene_accepts(&attribution->scene, row)) {
            take(attribution, row);
        }
    }
    return attribution->status;
}

int tt_attribution_finish(tt_attribution_t *attribution, tt_attribution_job_t *job)
{
    begin_call(attribution, job);
    if (attribution->status == TT_LIVES_DONE) {
        advance(attribution, job->end);
    }
    job->steps = attribution->steps.items;
    job->step_count = attribution->steps.count;
    job->paths = attribution->paths.items;
    job->path_count = attribution->paths.count;
    return attribution->status;
}

uint64_t tt_attribution_segments(const tt_attribution_t *attribution, uint64_t window,
                                 const tt_stretch_t **segments)
{
    const tt_window_t *one = window_at(attribution, window);
    const tt_stretch_t *all = one->segments.items;
    *segments = all == NULL ? NULL : &all[one->first];
    return one->segments.count - one->first;
}

uint64_t tt_attribution_totals(const tt_attribution_t *attribution, uint64_t window,
                               const int64_t **totals)
{
    *totals = window_at(attribution, window)->totals.items;
    return window_at(attribution, window)->totals.count;
}
