/* boards/native/options.h - the command line of the program. */
#ifndef NATIVE_OPTIONS_H
#define NATIVE_OPTIONS_H

#include <stdbool.h>

typedef struct native_options {
    bool real_time;
    const char *trace; /* link that carries the trace, or NULL */
} native_options_t;

/*
 * Parse the command line. `words` is that of main(), with NULL at the end. Numbers are stored for
 * board_option(). Ends the program on a wrong option, and after --help.
 */
native_options_t native_options_parse(char **words);

#endif
