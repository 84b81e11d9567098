/*
 * CONFIG_TICKERTAPE_SYSCALLS: the include path finds this header before Zephyr's own. `id` is the
 * number of the system call in Zephyr's list. Results have various types and are not recorded.
 */
#ifndef TICKERTAPE_TRACING_SYSCALL_H
#define TICKERTAPE_TRACING_SYSCALL_H

#include "tickertape_zephyr.h"

#define sys_port_trace_syscall_enter(id, name, ...) tt_zephyr_syscall_enter(id)
#define sys_port_trace_syscall_exit(id, name, ...)  tt_zephyr_syscall_exit()

#endif
