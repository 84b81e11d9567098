/*
 * Shell commands: tape start|stop|status|filter|stack. All but `stack` call the same functions as
 * the host's commands.
 */
#include <stdlib.h>
#include <string.h>
#include <zephyr/shell/shell.h>

#include "threads.h"
#include "tickertape/events.h"
#include "tickertape/tickertape.h"
#include "tickertape_status.h"

#define STREAM 0u

typedef struct class_name {
    const char *text;
    uint32_t number;
} class_name_t;

static const class_name_t classes[] = {
    {"KERCALL", TT_CLASS_KERCALL}, {"INT", TT_CLASS_INT},       {"THREAD", TT_CLASS_THREAD},
    {"SYSTEM", TT_CLASS_SYSTEM},   {"USER", TT_CLASS_USER},     {"COMM", TT_CLASS_COMM},
    {"SYNC", TT_CLASS_SYNC},       {"SCHED", TT_CLASS_SCHED},   {"IRQSTATE", TT_CLASS_IRQSTATE},
    {"DOMAIN", TT_CLASS_DOMAIN},   {"SIGNAL", TT_CLASS_SIGNAL}, {"RUNNABLE", TT_CLASS_RUNNABLE},
    {"TRACER", TT_CLASS_TRACER},
};

static int print_result(const struct shell *shell, int result)
{
    if (result != TT_OK) {
        shell_error(shell, "not possible now (%d)", result);
        return -EINVAL;
    }
    return 0;
}

static int start(const struct shell *shell, size_t count, char **words)
{
    ARG_UNUSED(count);
    ARG_UNUSED(words);
    return print_result(shell, tt_start(STREAM));
}

static int stop(const struct shell *shell, size_t count, char **words)
{
    ARG_UNUSED(count);
    ARG_UNUSED(words);
    return print_result(shell, tt_stop(STREAM));
}

static int status(const struct shell *shell, size_t count, char **words)
{
    ARG_UNUSED(count);
    ARG_UNUSED(words);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
            tt_ring_status_t now;
            (void)tt_ring_status(stream, cpu, &now);
            shell_print(shell,
                        "stream %u cpu %u: %s, %llu offered, %llu sent, %llu dropped, "
                        "%llu overwritten, at most %u buffers in use",
                        stream, cpu, now.running ? "records" : "stands", now.offered, now.sent,
                        now.dropped, now.overwritten, now.high_water_buffers);
        }
    }
    if (tt_zephyr_threads_left_out() != 0u) {
        shell_warn(shell, "%u threads had no place: raise CONFIG_TICKERTAPE_THREADS",
                   tt_zephyr_threads_left_out());
    }
    return 0;
}

/* `tape filter all|none`, or CLASS on|off. */
static int filter(const struct shell *shell, size_t count, char **words)
{
    if (count == 2u) {
        bool all = strcmp(words[1], "all") == 0;
        if (all || strcmp(words[1], "none") == 0) {
            return print_result(shell, tt_select_all(STREAM, all));
        }
    }
    for (size_t i = 0; count == 3u && i < ARRAY_SIZE(classes); i++) {
        bool take = strcmp(words[2], "on") == 0;
        if (strcmp(words[1], classes[i].text) == 0 && (take || strcmp(words[2], "off") == 0)) {
            return print_result(shell, tt_select_class(STREAM, classes[i].number, take));
        }
    }
    shell_error(shell, "write: tape filter all|none, or tape filter CLASS on|off, as in SCHED on");
    return -EINVAL;
}

static int stack(const struct shell *shell, size_t count, char **words)
{
    ARG_UNUSED(count);
    ARG_UNUSED(words);
    int found = tt_zephyr_stacks();
    if (found < 0) {
        shell_error(shell, "build with CONFIG_INIT_STACKS=y and CONFIG_THREAD_STACK_INFO=y");
        return found;
    }
    shell_print(shell, "%d threads recorded what they left of their stacks", found);
    return 0;
}

SHELL_STATIC_SUBCMD_SET_CREATE(commands, SHELL_CMD(start, NULL, "record from now on", start),
                               SHELL_CMD(stop, NULL, "record no more; what waits is sent", stop),
                               SHELL_CMD(status, NULL, "counters of every ring", status),
                               SHELL_CMD_ARG(filter, NULL, "all|none, or CLASS on|off", filter, 2,
                                             1),
                               SHELL_CMD(stack, NULL, "record what threads left of their stacks",
                                         stack),
                               SHELL_SUBCMD_SET_END);
SHELL_CMD_REGISTER(tape, &commands, "kernel event tracer", NULL);
