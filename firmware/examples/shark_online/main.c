/*
 * shark_online - a task saves the events every 500 ms, and runs for at most 25 ms each time.
 *
 * common/trc_load.h describes the load and the options size and files. Options period_us and
 * slice_us set the period and the time limit of the task.
 */
#include <stddef.h>

#include "board.h"
#include "trc.h"
#include "trc_load.h"

void application_main(void)
{
    TRC_CIRCULAR_PARMS circular;
    trc_load_begin("shark_online");
    (void)trc_register_circular_queue();
    trc_circular_default_parms(circular);
    trc_circular_def_size(circular, trc_load_size());
    trc_circular_def_onlinetask(circular);
    trc_circular_def_period(circular, (long)board_option("period_us", TRC_DEFAULT_PERIOD_US));
    trc_circular_def_slice(circular, (long)board_option("slice_us", TRC_DEFAULT_SLICE_US));
    int queue = trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
    trc_load_run(trc_load_trace_into(queue), NULL);
}
