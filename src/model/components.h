/* Components in a model: subsystems whose inside is unknown. Their ports are the bodies that they have: without mass,
 * and moved by the component. */
#ifndef TN_MODEL_COMPONENTS_H
#define TN_MODEL_COMPONENTS_H

#include "entities.h"
#include "tenon/library.h"

/* A component of the model, made. It stays where it was made: the component keeps the host. */
typedef struct tn_instance {
    tn_component component;
    tn_component_host host;
    const tn_model *model;
    uint32_t subsystem;
    char trouble[160];                 /* the error it reported last; "": none */
} tn_instance;

/* At its start, in its place in the world and in the model's gravity. TN_ERROR_MODEL with a diagnostic at the line of
 * the component when it refuses, or has numbers that make no sense. */
int tn_instance_create(tn_instance *out, const tn_model *model, uint32_t subsystem);
void tn_instance_destroy(tn_instance *instance);

/* As tn_model_add_component, with the library that the type is in (taken hold of; NULL: none) and the place of the
 * definition. */
int tn_model_add_component_at(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                              tn_library *library, const tn_subsystem_def *def, const tn_setting *parameters,
                              size_t parameter_count, tn_span span);
/* Makes a subsystem that is there, and has nothing in it, this component. */
int tn_model_fill_component(tn_model *model, tn_id subsystem, const tn_component_type *type, tn_library *library,
                            const tn_setting *parameters, size_t parameter_count);
/* Forgets the type and lets go of the library. */
void tn_subsystem_drop_component(tn_subsystem *subsystem);

/* Living, and neither it nor what it is in is disabled. */
bool tn_component_active(const tn_model *model, uint32_t subsystem);
/* The component whose port the body is; NULL: it is none. */
const tn_subsystem *tn_body_component(const tn_model *model, uint32_t body);
/* The body is a port that joints take as a frame. */
bool tn_port_is_frame(const tn_model *model, uint32_t body);
/* TN_ERROR_ARGUMENT with a diagnostic when a component takes part in the model, for what needs to look inside; with what
 * to do instead. */
int tn_refuse_components(const tn_model *model, const char *what, const char *instead);
/* TN_ERROR_ARGUMENT with a diagnostic when the body is a port, which cannot be what the words say ("removed"). */
int tn_refuse_port(const tn_model *model, tn_id id, const char *what);

#endif
