/* Interface of a log frontend; the same in all versions from 3.3 on. */
#ifndef STUB_LOG_FRONTEND_H
#define STUB_LOG_FRONTEND_H

#include <stdint.h>

struct log_msg_desc {
    uint32_t level : 3;
    uint32_t package_len : 10;
    uint32_t data_len : 12;
};

void log_frontend_init(void);
void log_frontend_msg(const void *source, const struct log_msg_desc desc, uint8_t *package,
                      const void *data);
void log_frontend_panic(void);

#endif
