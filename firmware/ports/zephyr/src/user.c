/* System call by which threads in user mode record. */
#include "tickertape_user.h"

#include "threads.h"
#include "tickertape/add.h"
#include "tickertape/events.h"

void z_impl_tape_user_event(uint32_t event, uint32_t data)
{
    tt_add_domain_event(tt_zephyr_pid(tt_zephyr_running()), TT_CLASS_USER, event & 0x3ffu, data,
                        0u);
}

#ifdef CONFIG_USERSPACE

static inline void z_vrfy_tape_user_event(uint32_t event, uint32_t data)
{
    z_impl_tape_user_event(event, data);
}

/* NOLINTBEGIN(bugprone-suspicious-include): as Zephyr documents it */
#if __has_include(<zephyr/syscalls/tape_user_event_mrsh.c>)
#include <zephyr/syscalls/tape_user_event_mrsh.c>
#else
#include <syscalls/tape_user_event_mrsh.c>
#endif
/* NOLINTEND(bugprone-suspicious-include) */

#endif
