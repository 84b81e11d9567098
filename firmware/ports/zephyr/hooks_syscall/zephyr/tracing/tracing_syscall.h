/*
 * CONFIG_TICKERTAPE_SYSCALLS: found before Zephyr's own header. `id` is the number of Zephyr's
 * list; results have various types and are not recorded.
 */
#ifndef TICKERTAPE_TRACING_SYSCALL_H
#define TICKERTAPE_TRACING_SYSCALL_H

#include "tickertape_zephyr.h"

#define sys_port_trace_syscall_enter(id, name, ...) tt_zephyr_syscall_enter(id)
#define sys_port_trace_syscall_exit(id, name, ...)  tt_zephyr_syscall_exit()

#endif
