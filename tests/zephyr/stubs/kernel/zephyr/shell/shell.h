#ifndef STUB_SHELL_H
#define STUB_SHELL_H
#include <errno.h>
#include <stddef.h>
#include <zephyr/kernel.h>
struct shell {
    int unused;
};
typedef int (*shell_handler_t)(const struct shell *shell, size_t count, char **words);
struct shell_command {
    const char *name;
    shell_handler_t handler;
};
void shell_print(const struct shell *shell, const char *format, ...);
void shell_warn(const struct shell *shell, const char *format, ...);
void shell_error(const struct shell *shell, const char *format, ...);
#define SHELL_CMD(name, sub, help, handler)                          {#name, handler}
#define SHELL_CMD_ARG(name, sub, help, handler, mandatory, optional) {#name, handler}
#define SHELL_SUBCMD_SET_END                                         {0, 0}
#define SHELL_STATIC_SUBCMD_SET_CREATE(name, ...)                                                  \
    static const struct shell_command name[] = {__VA_ARGS__}
#define SHELL_CMD_REGISTER(name, sub, help, handler)                                               \
    const struct shell_command *const shell_##name = *(sub)
#endif
