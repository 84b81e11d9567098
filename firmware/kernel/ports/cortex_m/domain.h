/* ports/cortex_m/domain.h - memory protection: what threads of a domain may touch. */
#ifndef KERNEL_PORT_DOMAIN_H
#define KERNEL_PORT_DOMAIN_H

#include "port.h"

/* Let unprivileged threads execute and read the code, and protect everything else. On each CPU. */
void kernel_domain_protect(void);

/* The rights of the thread that runs next. In PendSV. */
void kernel_domain_enter(const kernel_thread_t *thread);

#endif
