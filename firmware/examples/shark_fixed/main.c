/*
 * shark_fixed - stores the first events of a run; later ones are dropped and counted.
 * common/trc_load.h describes the load and the options size and files.
 */
#include <stddef.h>

#include "board.h"
#include "trc.h"
#include "trc_load.h"

void application_main(void)
{
    TRC_FIXED_PARMS fixed;
    trc_load_begin("shark_fixed");
    (void)trc_register_fixed_queue();
    trc_fixed_default_parms(fixed);
    trc_fixed_def_size(fixed, trc_load_size());
    int queue = trc_create_queue(TRC_FIXED_QUEUE, &fixed);
    trc_load_run(trc_load_trace_into(queue), NULL);
}
