/* Devices of a model and the nodes where they meet. A device and a node are entities of TN_KIND_FORCE. */
#ifndef TENON_DEVICES_H
#define TENON_DEVICES_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A port of a device. */
typedef struct tn_device_port_info {
    const char *name;
    const char *domain;        /* "electrical", ...; "rotary" or "translational": a coordinate of the mechanism */
    const char *text;          /* as the model has it: name of a node, "ground", or a coordinate; NULL: the port is open */
    tn_id node;                /* kind TN_KIND_NONE: ground, open, or a coordinate */
} tn_device_port_info;
/* How many ports a device has; 0 also when the entity is no device. */
TN_API size_t tn_model_device_port_count(const tn_model *model, tn_id device);
TN_API tn_device_port_info tn_model_device_port(const tn_model *model, tn_id device, size_t index);
/* "electrical", "machines", ...: the family of a device type, as lists of types have it; NULL: the entity is no device. */
TN_API const char *tn_model_device_family(const tn_model *model, tn_id device);
/* The domain of a node, and its across variable with unit, "voltage" and "V"; false: the entity is no node. */
TN_API bool tn_model_node(const char **domain, const char **across, const char **unit, const tn_model *model, tn_id node);

#ifdef __cplusplus
}
#endif
#endif
