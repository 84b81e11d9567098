#ifndef STUB_TIMEOUT_Q_H
#define STUB_TIMEOUT_Q_H
#include <zephyr/kernel.h>
void z_add_timeout(struct _timeout *timeout, _timeout_func_t function, k_timeout_t wait);
#endif
