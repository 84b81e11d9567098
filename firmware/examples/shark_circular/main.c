/*
 * shark_circular - keeps the last events of a run: new events overwrite the oldest.
 *
 * common/trc_load.h describes the load and the options size and files.
 */
#include <stddef.h>

#include "board.h"
#include "trc.h"
#include "trc_load.h"

void application_main(void)
{
    TRC_CIRCULAR_PARMS circular;
    trc_load_begin("shark_circular");
    (void)trc_register_circular_queue();
    trc_circular_default_parms(circular);
    trc_circular_def_size(circular, trc_load_size());
    int queue = trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
    trc_load_run(trc_load_trace_into(queue), NULL);
}
