/* The table of all device types, by family, made from list.h. */
#include "tenon/sys/device.h"

#define TN_DEVICES(name) extern const tn_force_type *const tn_devices_##name[];
#include "list.h"
#undef TN_DEVICES

#define TN_DEVICES(name) tn_devices_##name,
const tn_device_family tn_device_families[] = {
#include "list.h"
    NULL
};
