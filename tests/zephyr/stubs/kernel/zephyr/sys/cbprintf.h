/* Header of a package, as cbprintf.h of Zephyr 3.3 and newer defines it. */
#ifndef STUB_CBPRINTF_H
#define STUB_CBPRINTF_H

#include <stdint.h>

struct cbprintf_package_desc {
    uint8_t len; /* in words */
    uint8_t str_cnt;
    uint8_t ro_str_cnt;
    uint8_t rw_str_cnt;
};

union cbprintf_package_hdr {
    struct cbprintf_package_desc desc;
    void *raw;
};

#endif
