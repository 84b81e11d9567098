/* boards/native/options.h - the command line of the program. */
#ifndef NATIVE_OPTIONS_H
#define NATIVE_OPTIONS_H

#include <stdbool.h>

typedef struct native_options {
    bool real_time;
    const char *trace; /* where the trace goes, NULL for nowhere */
} native_options_t;

/*
 * Read the command line, `words` of main() with NULL at the end; numbers are kept for
 * board_option(). Ends the program when something is wrong.
 */
native_options_t native_options_parse(char **words);

#endif
