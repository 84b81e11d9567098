#include "outlet.h"

#include <stddef.h>

#include "target.h"

static struct {
    const tt_link_t *link;
    uint32_t frame_sequence;
    uint32_t sent_bytes;
} outlet;

void tt_outlet_reset(const tt_link_t *link)
{
    outlet.link = link;
    outlet.frame_sequence = 0;
}

const tt_link_t *tt_outlet_link(void)
{
    return outlet.link;
}

bool tt_outlet_has_room(uint32_t body_bytes)
{
    return outlet.link != NULL &&
           outlet.link->room_bytes(outlet.link->context) >= tt_frame_worst_bytes(body_bytes);
}

void tt_outlet_begin(tt_frame_t *frame, tt_frame_type_t type, uint32_t stream, uint32_t cpu)
{
    const tt_wire_frame_header_t header = {
        .type = (uint8_t)type,
        .stream = (uint8_t)stream,
        .cpu = (uint8_t)cpu,
        .boot_tag = (uint8_t)tt_target()->boot_id,
        .sequence = outlet.frame_sequence++,
    };
    tt_frame_begin(frame, outlet.link, &header);
}

void tt_outlet_end(tt_frame_t *frame)
{
    tt_frame_end(frame);
    outlet.sent_bytes += frame->sent_bytes;
}

uint32_t tt_outlet_sent_bytes(void)
{
    return outlet.sent_bytes;
}
