#ifndef STUB_DEVICE_H
#define STUB_DEVICE_H
#include <stdbool.h>
#include <zephyr/devicetree.h>
struct device {
    int unused;
};
extern const struct device stub_device;
#define DEVICE_DT_GET(node) (&stub_device)
bool device_is_ready(const struct device *device);
#endif
