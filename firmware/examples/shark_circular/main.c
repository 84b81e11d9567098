/*
 * shark_circular - keeps the last events of a run: the oldest give way to the newest.
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
    TRC_CIRCULAR_PARMS circular;
    tracer_open("shark_circular", NULL, 0);
    trc_default_parms(parms);
    if (board_option("files", 0) != 0u) {
        trc_def_path(parms, ".");
    }
    (void)TRC_init_phase1(&parms);
    (void)trc_register_circular_queue();
    trc_circular_default_parms(circular);
    trc_circular_def_size(circular, (int)board_option("size", DEFAULT_SIZE));
    int queue = trc_create_queue(TRC_CIRCULAR_QUEUE, &circular);
    if (queue < 0 || trc_load_trace_into(queue) < 0 || TRC_init_phase2() < 0) {
        board_console_write("the queue cannot be made: choose another size\n");
        board_exit(BOARD_EXIT_USAGE);
    }
    trc_load_create();
    kernel_start();
}
