/* Devices and nodes in a model. Both are forces (entities of TN_KIND_FORCE): a device has a type with ports, a node a type
 * that belongs to a domain. A node that no file declares is implied: it exists while a device names it. */
#ifndef TN_MODEL_DEVICES_H
#define TN_MODEL_DEVICES_H

#include "entities.h"
#include "tenon/sys/device.h"

/* Built-in, or the model's own as seen from an entity (NULL: the model); NULL when unknown. */
const tn_force_type *tn_model_device_type(const tn_model *model, const char *entity, const char *name);
const char *tn_model_device_type_candidate(void *user, size_t index);
const tn_domain *tn_domain_find(const char *name);
/* Index of a port by name, or -1. */
int tn_device_port_find(const tn_force_type *type, const char *name);
int tn_device_port_count(const tn_force_type *type);
/* A port that is a coordinate of the mechanism; its place among the mechanical ports, or -1. */
bool tn_port_mechanical(const tn_device_port *port);
int tn_port_effort(const tn_force_type *type, int port);
bool tn_force_is_device(const tn_force *force);
/* What expressions may read of a force by name, for hints: k below TN_FORCE_NAMES; NULL where there is none. */
enum { TN_FORCE_NAMES = TN_FORCE_STATES + TN_FORCE_CHANNELS + TN_DEVICE_UNKNOWNS + TN_DEVICE_MEMORIES + TN_DOMAIN_ACROSS };
const char *tn_force_name_at(const tn_force *force, size_t k);
/* "; its ports are p, n" for messages, or "; it has no ports"; mechanical: of those only. */
const char *tn_device_port_names(char *buffer, size_t size, const tn_force_type *type, bool mechanical);
/* The domain of a node; NULL: the force is no node. */
const tn_domain *tn_force_domain(const tn_force *force);
/* "device", "node", "state", "medium" or "force": for messages. */
const char *tn_force_word(const tn_force *force);
/* "device 'x': type 'lag'", "node 'P': its balance": where its equations are, for messages. */
const char *tn_force_equations(char *buffer, size_t size, const tn_force *force);
/* The section of a model file that has it. */
const char *tn_force_section(const tn_force *force);
/* Slot of the node at a port; -1: ground, or the port is open or mechanical. */
int tn_device_node(const tn_model *model, const tn_force *device, int port);
/* Whether the parameter that gives a start is given. */
bool tn_device_gives_start(const tn_force *device, const char *parameter);
bool tn_port_open(const tn_force *device, int port);
/* The medium that a device in this place has: slot of the nearest one around it, or -1. */
int tn_model_medium(const tn_model *model, const char *entity, const tn_force_type *type);
/* Adds the nodes that a device names and the model does not have. */
int tn_model_add_nodes(tn_model *model, uint32_t device);
/* Returns the first device at a node; NULL: none. */
const tn_force *tn_model_device_at(const tn_model *model, size_t node);
/* Connects a port of a device with another node, or, where it is mechanical, with another coordinate; NULL leaves it open. */
int tn_device_connect(tn_model *model, tn_id device, const char *port, const tn_expression *to, tn_span span);
/* Removes nodes that no device names. */
void tn_model_prune_nodes(tn_model *model);

/* The model's own types. */
int tn_model_add_device_type_at(tn_model *model, const tn_force_type *type, tn_span span);
/* A type whose equations are in an FMU, which the model keeps. It replaces one of the same name. */
int tn_model_add_fmu(tn_model *model, const tn_force_type *type);
/* A deep copy; NULL when out of memory. */
const tn_force_type *tn_device_type_copy(tn_arena *arena, const tn_force_type *type);
bool tn_device_type_same(const tn_force_type *a, const tn_force_type *b);

#endif
