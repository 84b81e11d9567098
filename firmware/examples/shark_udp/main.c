/*
 * shark_udp - a task sends the events while the system runs, at most one packet every 250 ms.
 *
 * common/trc_load.h describes the load and the option size. Options period_us and slice_us set the
 * period and the time limit of the task; packets_port is a port of the host to which the packets of
 * the S.Ha.R.K. tracer are sent in addition to the trace, for `tickertape udpdump`. The trace
 * itself is also sent over UDP (example.mk).
 */
#include <stddef.h>
#include <string.h>

#include "board.h"
#include "trc.h"
#include "trc_load.h"

void application_main(void)
{
    SOFT_TASK_MODEL model;
    TRC_UDP_PARMS udp;
    const UDP_ADDR local = {.s_port = 0};
    UDP_ADDR remote = {.s_port = (uint16_t)board_option("packets_port", 0)};
    memcpy(remote.s_addr.ad, board_host_address, sizeof remote.s_addr.ad);
    trc_load_begin("shark_udp");
    (void)trc_register_udp_queue();
    soft_task_default_model(model);
    soft_task_def_system(model);
    soft_task_def_periodic(model);
    soft_task_def_period(model, (long)board_option("period_us", TRC_UDP_PERIOD_US));
    soft_task_def_wcet(model, (long)board_option("slice_us", TRC_UDP_WCET_US));
    trc_udp_default_parms(udp, local, remote);
    trc_udp_def_size(udp, trc_load_size());
    trc_udp_def_model(udp, &model.t);
    int queue = trc_create_queue(TRC_UDP_QUEUE, &udp);
    trc_load_run(trc_load_trace_into(queue), NULL);
}
