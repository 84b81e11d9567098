/* tracer.h for a build without the recorder (TT=0): nothing to start or send. */
#include "board.h"
#include "tracer.h"

void tracer_start(const char *application, const tt_name_t *names, size_t name_count)
{
    (void)application;
    (void)names;
    (void)name_count;
}

void tracer_open(const char *application, const tt_name_t *names, size_t name_count)
{
    tracer_start(application, names, name_count);
}

void tracer_finish(void)
{
    board_exit(0);
}
