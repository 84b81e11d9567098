/* Lines of the Best Trace Format for shared objects: signals, events, semaphores. */
#include "btf_parts.h"

/* Events and signals --------------------------------------------------------------------------- */

void tt_btf_write_signal(tt_btf_t *btf)
{
    uint64_t value = (uint64_t)btf->row->value;
    if (!has_source(btf)) {
        begin_unsaid(btf);
        PUT(btf, "value ");
        put_number(btf, value);
        PUT(btf, ", its cause is unknown\n");
        return;
    }
    begin_line(btf);
    put_source(btf);
    PUT(btf, ",SIG,");
    put_own_name(btf);
    if (btf->row->action == TT_ACTION_READ) {
        PUT(btf, ",0,read,");
    } else {
        PUT(btf, ",0,write,");
    }
    put_number(btf, value);
    end_line(btf);
}

static uint64_t owner_key(int32_t event, int32_t task)
{
    return (uint64_t)(uint32_t)event << 32 | (uint32_t)task;
}

static void begin_event(tt_btf_t *btf)
{
    begin_line(btf);
    put_source(btf);
    PUT(btf, ",EVENT,");
    put_own_name(btf);
}

bool tt_btf_write_event(tt_btf_t *btf)
{
    const tt_transition_t *row = btf->row;
    uint64_t owner = owner_key(row->entity, row->source);
    if (!has_source(btf)) {
        begin_unsaid(btf);
        PUT(btf, "its cause is unknown\n");
    } else if (btf->old && entity_at(btf, row->source)->kind == TT_KIND_STIMULUS) {
        begin_unsaid(btf);
        PUT(btf, "by ");
        put_source(btf);
        PUT(btf, ", and 2.1 allows processes only\n");
    } else if (row->action == TT_ACTION_WAIT_EVENT) {
        begin_event(btf);
        PUT(btf, ",0,wait_event\n");
        return tt_map_set(&btf->owners, owner, 1);
    } else if (row->action == TT_ACTION_SET_EVENT && row->object == TT_NO_ENTITY) {
        begin_unsaid(btf);
        PUT(btf, "no process has waited for it, so it has no owner yet\n");
    } else if (row->action == TT_ACTION_SET_EVENT) {
        begin_event(btf);
        PUT(btf, ",0,set_event,");
        put_name(btf, &entity_at(btf, row->object)->name);
        end_line(btf);
        return tt_map_set(&btf->owners, owner_key(row->entity, row->object), 1);
    } else if (tt_map_get(&btf->owners, owner) != 0u) {
        begin_event(btf);
        PUT(btf, ",0,clear_event\n");
    } else {
        begin_unsaid(btf);
        PUT(btf, "by ");
        put_source(btf);
        PUT(btf, ", which is not known to own it\n");
    }
    return true;
}

/* Semaphores ----------------------------------------------------------------------------------- */

static bool is_counted(const tt_btf_t *btf)
{
    return entity_at(btf, btf->row->entity)->kind != TT_KIND_SPINLOCK;
}

/* Put `,value` if the value is known, and the end of the line. `more` is added to the value. */
static void end_with_note(tt_btf_t *btf, int64_t value, int more)
{
    if (value != TT_NOT_KNOWN && is_counted(btf)) {
        value += more;
        *btf->to++ = ',';
        if (value < 0) {
            *btf->to++ = '-';
            value = -value;
        }
        put_number(btf, (uint64_t)value);
    }
    end_line(btf);
}

static void begin_lock_line(tt_btf_t *btf, bool by_itself)
{
    begin_line(btf);
    if (by_itself) {
        put_own_name(btf);
        PUT(btf, ",0");
    } else {
        put_source(btf);
    }
    PUT(btf, ",SEM,");
    put_own_name(btf);
    PUT(btf, ",0,");
}

static void put_lock_line(tt_btf_t *btf, const char *word, size_t bytes, int more)
{
    begin_lock_line(btf, false);
    put_text(btf, word, bytes);
    end_with_note(btf, btf->row->value, more);
}

#define LOCK_LINE(btf, word, more) put_lock_line(btf, word, LEN(word), more)

static void put_state_line(tt_btf_t *btf, int64_t value)
{
    const tt_btf_word_t *word = &btf->words[TT_BTF_LOCK][btf->row->before << 8 | btf->row->after];
    if (word->bytes != 0u) {
        begin_lock_line(btf, true);
        put_word(btf, word);
        end_with_note(btf, value, 0);
    }
}

static void write_found_lock(tt_btf_t *btf)
{
    const tt_transition_t *row = btf->row;
    if (row->after == TT_STATE_FREE && row->before == TT_STATE_UNKNOWN) {
        begin_lock_line(btf, true);
        if (btf->old && !entity_at(btf, row->entity)->is_used) {
            PUT(btf, "ready");
        } else {
            PUT(btf, "free");
        }
        end_with_note(btf, 0, 0);
    } else if (row->before != TT_STATE_UNKNOWN) {
        put_state_line(btf, TT_NOT_KNOWN);
    }
}

/* Lines of a request for a semaphore, or of its release. */
static void put_request(tt_btf_t *btf)
{
    uint8_t action = btf->row->action;
    bool counted = is_counted(btf);
    if (action == TT_ACTION_TAKE || action == TT_ACTION_QUEUE) {
        LOCK_LINE(btf, "requestsemaphore", -1);
        if (counted) {
            LOCK_LINE(btf, "increment", 0);
            begin_lock_line(btf, btf->old);
            PUT(btf, "queued");
            end_with_note(btf, btf->row->value, 0);
        }
    } else if (action == TT_ACTION_GIVE) {
        LOCK_LINE(btf, "released", 1);
        if (counted) {
            LOCK_LINE(btf, "decrement", 0);
        }
    }
}

void tt_btf_write_lock(tt_btf_t *btf)
{
    uint8_t action = btf->row->action;
    if (action == TT_ACTION_FOUND) {
        write_found_lock(btf);
        return;
    }
    btf->entities[btf->row->entity].is_used = true;
    if (!has_source(btf) && action != TT_ACTION_LEAVE) {
        begin_unsaid(btf);
        PUT(btf, "its cause is unknown\n");
        put_state_line(btf, btf->row->value);
    } else if (action == TT_ACTION_ASSIGN) {
        LOCK_LINE(btf, "assigned", 0);
    } else if (action == TT_ACTION_REFUSE) {
        LOCK_LINE(btf, "requestsemaphore", 0);
    } else {
        put_request(btf);
        put_state_line(btf, btf->row->value);
        if (action == TT_ACTION_TAKE || action == TT_ACTION_GRANT) {
            LOCK_LINE(btf, "assigned", 0);
        } else if (is_counted(btf) && (action == TT_ACTION_QUEUE || action == TT_ACTION_LINE_UP)) {
            LOCK_LINE(btf, "waiting", 0);
        }
    }
}
