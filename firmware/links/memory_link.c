#include "memory_link.h"

#if TT_CONFIG_MEMORY_LINK

#include <stdatomic.h>

/* Atomic accesses, because the host writes some words at any time. */
static uint32_t load(const uint32_t *word)
{
    return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_acquire);
}

static void store(uint32_t *word, uint32_t value)
{
    _Atomic uint32_t *shared = (_Atomic uint32_t *)word;
    atomic_store_explicit(shared, value, memory_order_release);
}

static uint32_t room_bytes(void *context)
{
    tt_wire_memory_link_t *head = ((memory_link_t *)context)->head;
    uint32_t read = load(&head->up_read) & ~3u;
    if (head->up_written - read > head->up_bytes) {
        /* A host that missed a reset has stored its old counter: the bytes written since are lost,
         * and the receipts count their records. */
        store(&head->up_written, read);
    }
    return head->up_bytes - (head->up_written - read);
}

static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    const memory_link_t *self = context;
    const tt_wire_memory_link_t *head = self->head;
    uint32_t index = (head->up_written + ahead) & (head->up_bytes - 1u);
    *bytes = self->up + index;
    return head->up_bytes - index; /* the caller uses no more than the room */
}

static void commit(void *context, uint32_t count)
{
    tt_wire_memory_link_t *head = ((memory_link_t *)context)->head;
    store(&head->up_written, head->up_written + count);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    const memory_link_t *self = context;
    tt_wire_memory_link_t *head = self->head;
    uint32_t waiting = load(&head->down_written) - head->down_read;
    if (waiting > head->down_bytes) { /* a counter from before a reset */
        store(&head->down_read, head->down_read + waiting);
        return 0;
    }
    count = count < waiting ? count : waiting;
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = self->down[(head->down_read + i) & (head->down_bytes - 1u)];
    }
    store(&head->down_read, head->down_read + count);
    return count;
}

const tt_link_t *memory_link_open(memory_link_t *self, tt_wire_memory_link_t *head, uint8_t *up,
                                  uint32_t up_bytes, uint8_t *down, uint32_t down_bytes)
{
    *self = (memory_link_t){
        .link = {.context = self,
                 .room_bytes = room_bytes,
                 .get = get,
                 .acquire = acquire,
                 .commit = commit,
                 .plain = true},
        .head = head,
    };
    self->up = up;
    self->down = down;
    const uintptr_t place = (uintptr_t)head;
    *head = (tt_wire_memory_link_t){
        .up_offset = (uint32_t)((uintptr_t)up - place),
        .up_bytes = up_bytes,
        .down_offset = (uint32_t)((uintptr_t)down - place),
        .down_bytes = down_bytes,
    };
    store(&head->inverse, ~TT_LIMIT_MEMORY_MARK);
    /* The mark is stored last: a host that finds it finds a complete head. */
    store(&head->mark, TT_LIMIT_MEMORY_MARK);
    return &self->link;
}

bool memory_link_sent(const memory_link_t *self)
{
    return load(&self->head->up_read) == self->head->up_written;
}

#endif
