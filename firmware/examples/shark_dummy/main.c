/*
 * shark_dummy - a queue that stores nothing: user events go there and cost nothing; kernel events
 * go to a fixed queue. common/trc_load.h describes the load and the options size and files.
 */
#include <stddef.h>

#include "board.h"
#include "trc.h"
#include "trc_load.h"

void application_main(void)
{
    TRC_FIXED_PARMS fixed;
    trc_load_begin("shark_dummy");
    (void)trc_register_dummy_queue();
    (void)trc_register_fixed_queue();
    trc_fixed_default_parms(fixed);
    trc_fixed_def_size(fixed, trc_load_size());
    int dummy = trc_create_queue(TRC_DUMMY_QUEUE, NULL);
    int rest = trc_create_queue(TRC_FIXED_QUEUE, &fixed);
    int result = trc_load_trace_into(rest);
    result |= trc_assign_class_to_queue(TRC_CLASS_USER, dummy);
    trc_load_run(result, NULL);
}
