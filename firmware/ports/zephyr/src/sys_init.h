/* sys_init.h - SYS_INIT() for a function without parameters, which runs last in its level. */
#ifndef TICKERTAPE_ZEPHYR_SYS_INIT_H
#define TICKERTAPE_ZEPHYR_SYS_INIT_H

#include <zephyr/device.h>
#include <zephyr/init.h>

#ifdef TT_ZEPHYR_INIT_TAKES_DEVICE
#define TT_ZEPHYR_SYS_INIT(function, level)                                                        \
    static int function##_without_device(const struct device *unused)                              \
    {                                                                                              \
        (void)unused;                                                                              \
        return function();                                                                         \
    }                                                                                              \
    SYS_INIT(function##_without_device, level, 99)
#else
#define TT_ZEPHYR_SYS_INIT(function, level) SYS_INIT(function, level, 99)
#endif

#endif
