#include "packets.h"

int tt_packets_fill(tt_packet_job_t *job)
{
    tt_packet_head_t head = {0};
    uint8_t *at = job->out;
    for (uint64_t i = 0; i < job->count; i++) {
        if (job->phase[i] >= TT_PHASES) {
            return -1;
        }
        if (i == 0u || job->time_ns[i] != job->time_ns[i - 1u]) {
            tt_packet_begin(&head, job->time_ns[i]);
        }
        at = tt_packet_put(at, &head, job->phase[i], job->track[i], job->word[i], job->flow[i]);
    }
    job->written = (uint64_t)(at - job->out);
    return 0;
}
