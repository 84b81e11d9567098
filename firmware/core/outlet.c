#include "outlet.h"

#include <stddef.h>

#include "target.h"

/* Least room to continue an open frame, in bytes: less is not worth a step. */
#define PART_BYTES 128u
_Static_assert(TT_LINK_LEAST_BYTES >= TT_COBS_BLOCK_BYTES + PART_BYTES, "an empty link goes on");

static struct {
    const tt_link_t *link;
    uint32_t frame_sequence;
    uint32_t sent_bytes; /* bytes of ended frames */
    uint32_t room;       /* last room that the link has reported while no frame was open */
    uint32_t most_room;  /* largest room reported */
    bool open;           /* a frame was begun and not ended */
    bool cut;            /* the link has a part of a frame that tt_init() has discarded */
    tt_frame_t frame;
} outlet;

void tt_outlet_reset(const tt_link_t *link)
{
    outlet.cut = outlet.cut || (outlet.open && outlet.frame.sent_bytes != 0u);
    outlet.open = false;
    outlet.link = link;
    outlet.frame_sequence = 0;
    outlet.most_room = 0;
}

const tt_link_t *tt_outlet_link(void)
{
    return outlet.link;
}

/* Return the room of the link, and keep the largest value. */
static uint32_t room_bytes(void)
{
    uint32_t room = outlet.link->room_bytes(outlet.link->context);
    outlet.most_room = room > outlet.most_room ? room : outlet.most_room;
    return room;
}

bool tt_outlet_has_room(uint32_t body_bytes)
{
    if (outlet.link == NULL || outlet.open) {
        return false;
    }
    outlet.room = room_bytes();
    return outlet.room >= tt_frame_worst_bytes(body_bytes) + (outlet.cut ? 1u : 0u);
}

bool tt_outlet_is_idle(void)
{
    return outlet.link != NULL && room_bytes() >= outlet.most_room / 8u * 7u;
}

bool tt_outlet_may_go_on(void)
{
    uint32_t kept = outlet.link->acquire != NULL ? tt_frame_kept_bytes(&outlet.frame) : 0u;
    uint32_t room = room_bytes();
    tt_frame_has_room(&outlet.frame, room);
    return room >= kept + PART_BYTES;
}

/* Send a delimiter after the first part of a cut frame, so that the host does not lose the next
 * frame with it. */
static void end_cut_frame(void)
{
    static const uint8_t delimiter[1];
    const tt_link_t *link = outlet.link;
    uint8_t *bytes;
    if (link->acquire == NULL) {
        link->put(link->context, delimiter, 1);
    } else if (link->acquire(link->context, 0, &bytes) != 0u) {
        *bytes = 0;
        link->commit(link->context, 1);
    }
    outlet.cut = false;
    outlet.room--;
}

void tt_outlet_begin(tt_frame_type_t type, uint32_t stream, uint32_t cpu)
{
    const tt_wire_frame_header_t header = {
        .type = (uint8_t)type,
        .stream = (uint8_t)stream,
        .cpu = (uint8_t)cpu,
        .boot_tag = (uint8_t)tt_target()->boot_id,
        .sequence = outlet.frame_sequence++,
    };
    if (outlet.cut && !tt_outlet_is_plain()) {
        end_cut_frame();
    }
    outlet.open = true;
    tt_frame_begin(&outlet.frame, outlet.link, &header);
    tt_frame_has_room(&outlet.frame, outlet.room);
}

uint32_t tt_outlet_add(const void *bytes, uint32_t count)
{
    return tt_frame_add(&outlet.frame, bytes, count);
}

bool tt_outlet_end(void)
{
    if (!tt_frame_end(&outlet.frame)) {
        return false;
    }
    outlet.open = false;
    outlet.sent_bytes += outlet.frame.sent_bytes;
    return true;
}

uint32_t tt_outlet_sent_bytes(void)
{
    return outlet.sent_bytes + (outlet.open ? outlet.frame.sent_bytes : 0u);
}
