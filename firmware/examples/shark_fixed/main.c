/*
 * shark_fixed - keeps the first events of a run; what comes later is dropped and counted.
 *
 * The load is that of common/trc_load.h. Option size: how many events the queue keeps, 256 by
 * default; option files: 1 to write the queue's file as well.
 */
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"
#include "trc.h"
#include "trc_load.h"

#define DEFAULT_SIZE 256u

void application_main(void)
{
    TRC_PARMS parms;
    TRC_FIXED_PARMS fixed;
    tracer_open("shark_fixed", NULL, 0);
    trc_default_parms(parms);
    if (board_option("files", 0) != 0u) {
        trc_def_path(parms, ".");
    }
    (void)TRC_init_phase1(&parms);
    (void)trc_register_fixed_queue();
    trc_fixed_default_parms(fixed);
    trc_fixed_def_size(fixed, (int)board_option("size", DEFAULT_SIZE));
    int queue = trc_create_queue(TRC_FIXED_QUEUE, &fixed);
    if (queue < 0 || trc_load_trace_into(queue) < 0 || TRC_init_phase2() < 0) {
        board_console_write("the queue cannot be made: choose another size\n");
        board_exit(BOARD_EXIT_USAGE);
    }
    trc_load_create();
    kernel_start();
}
