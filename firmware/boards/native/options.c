#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

typedef struct number_option {
    const char *word; /* on the command line */
    const char *name; /* for board_option() */
    const char *help;
    bool given;
    uint32_t value;
} number_option_t;

static number_option_t numbers[] = {
    {.word = "--duration-ms", .name = "duration_ms", .help = "end after so many milliseconds"},
    {.word = "--boot-id", .name = "boot_id", .help = "number of this boot, sent to the host"},
    {.word = "--inheritance", .name = "inheritance", .help = "1 or 0: mutexes with or without it"},
    {.word = "--fault", .name = "fault", .help = "1 or 0: examples with a fault, or without it"},
    {.word = "--medium-ms", .name = "medium_ms", .help = "work of the thread in the middle"},
    {.word = "--seed", .name = "seed", .help = "of random operations"},
    {.word = "--size", .name = "size", .help = "events that a queue keeps"},
    {.word = "--period-us", .name = "period_us", .help = "how often a task serves it"},
    {.word = "--slice-us", .name = "slice_us", .help = "for how long at most"},
    {.word = "--files", .name = "files", .help = "1: write files"},
    {.word = "--sporadic", .name = "sporadic", .help = "1: an interrupt activates a thread"},
    {.word = "--packets-port", .name = "packets_port", .help = "of the host, for packets"},
    {.word = "--operations", .name = "operations", .help = "how many of them"},
    {.word = "--policy", .name = "policy", .help = "storm: 0 overwrite, 1 until full, 2 drop"},
    {.word = "--link-bytes-per-ms",
     .name = "link_bytes_per_ms",
     .help = "storm: speed of the link"},
    {.word = "--closed-ms", .name = "closed_ms", .help = "storm: the link is closed for so long"},
    {.word = "--sensor-us", .name = "sensor_us", .help = "storm: period of interrupts, or 0"},
    {.word = "--burst", .name = "burst", .help = "storm: simple events in a row"},
    {.word = "--cpus", .name = "cpus", .help = "storm: CPUs that record"},
    {.word = "--packing", .name = "packing", .help = "storm: 1 sends packed buffers"},
    {.word = "--cost", .name = "cost", .help = "1: measure what an event costs, record it"},
    {.word = "--detail", .name = "detail", .help = "1: critical sections and handlers as well"},
    {.word = "--brief", .name = "brief", .help = "1: no interrupts, ticks, calls, thread states"},
    {.word = "--times", .name = "times", .help = "linux_and_rt: how often the writer writes"},
    {.word = "--wait-ms", .name = "wait_ms", .help = "linux_and_rt: before the tasks begin"},
    {.word = "--after-ms", .name = "after_ms", .help = "linux_and_rt: after the writer's end"},
    {.word = "--work", .name = "work", .help = "linux_and_rt: percent that its tasks compute"},
    {.word = "--any-free", .name = "any_free", .help = "finalized: 1 as RTLinux's tracer"},
};

#define NUMBER_COUNT (sizeof numbers / sizeof numbers[0])

static _Noreturn void usage(const char *program)
{
    (void)printf("usage: %s [options]\n", program);
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        (void)printf("  %-14s N      %s\n", numbers[i].word, numbers[i].help);
    }
    (void)fputs("  --realtime            follow the wall clock instead of a virtual one\n"
                "  --trace LINK          tcp:HOST:PORT (connects), udp:HOST:PORT,\n"
                "                        file:PATH or pty\n"
                "  --help                this text\n",
                stdout);
    exit(0);
}

static bool parse_number(const char *text, uint32_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > UINT32_MAX) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

/* Store option `word` with its value, the next word or NULL. Return false if it is not an option
 * with a number. Ends the program if the value is wrong. */
static bool take_number(const char *word, const char *value)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        if (strcmp(word, numbers[i].word) == 0) {
            numbers[i].given = value != NULL && parse_number(value, &numbers[i].value);
            if (!numbers[i].given) {
                (void)fprintf(stderr, "%s: a number from 0 to 4294967295 has to follow\n", word);
                exit(BOARD_EXIT_USAGE);
            }
            return true;
        }
    }
    return false;
}

native_options_t native_options_parse(char **words)
{
    native_options_t options = {.real_time = false, .trace = NULL};
    for (char **word = words + 1; *word != NULL; word++) {
        const char *value = word[1];
        if (take_number(*word, value)) {
            word++;
        } else if (strcmp(*word, "--trace") == 0 && value != NULL) {
            options.trace = value;
            word++;
        } else if (strcmp(*word, "--realtime") == 0) {
            options.real_time = true;
        } else if (strcmp(*word, "--help") == 0) {
            usage(words[0]);
        } else {
            (void)fprintf(stderr, "%s: not understood; --help lists the options\n", *word);
            exit(BOARD_EXIT_USAGE);
        }
    }
    return options;
}

uint32_t board_option(const char *name, uint32_t otherwise)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        if (strcmp(name, numbers[i].name) == 0 && numbers[i].given) {
            return numbers[i].value;
        }
    }
    return otherwise;
}
