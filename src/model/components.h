/* Components in a model: subsystems whose inside is unknown. Their ports are bodies without mass, which the component
 * moves. */
#ifndef TN_MODEL_COMPONENTS_H
#define TN_MODEL_COMPONENTS_H

#include "entities.h"
#include "tenon/library.h"

/* An instance of a component of the model. It must not move in memory: the component keeps a pointer to the host. */
typedef struct tn_instance {
    tn_component component;
    tn_component_host host;
    const tn_model *model;
    uint32_t subsystem;
    char trouble[160];                 /* the last error that the component reported; "": none */
} tn_instance;

/* Creates an instance at its start, at its place in the world and with the model's gravity. TN_ERROR_MODEL with a
 * diagnostic at the line of the component when creation fails or returns invalid numbers. */
int tn_instance_create(tn_instance *out, const tn_model *model, uint32_t subsystem);
void tn_instance_destroy(tn_instance *instance);

/* Like tn_model_add_component, with the library of the type (takes a reference; NULL: none) and the position of the
 * definition. */
int tn_model_add_component_at(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                              tn_library *library, const tn_subsystem_def *def, const tn_setting *parameters,
                              size_t parameter_count, tn_span span);
/* Turns an existing, empty subsystem into this component. */
int tn_model_fill_component(tn_model *model, tn_id subsystem, const tn_component_type *type, tn_library *library,
                            const tn_setting *parameters, size_t parameter_count);
/* The same with an FMU; takes a reference. */
int tn_model_fill_fmu(tn_model *model, tn_id subsystem, tn_fmi_ports *fmu);
/* Removes the type and releases the library or FMU. */
void tn_subsystem_drop_component(tn_subsystem *subsystem);

/* The component is alive, and neither the component nor an enclosing subsystem is disabled. */
bool tn_component_active(const tn_model *model, uint32_t subsystem);
/* The component that has this body as a port; NULL: the body is not a port. */
const tn_subsystem *tn_body_component(const tn_model *model, uint32_t body);
/* Whether the body is a port that joints use as a frame. */
bool tn_port_is_frame(const tn_model *model, uint32_t body);
/* TN_ERROR_ARGUMENT with a diagnostic when the model has an active component, for functions that need its inside; the
 * message names an alternative. */
int tn_refuse_components(const tn_model *model, const char *what, const char *instead);
/* TN_ERROR_ARGUMENT with a diagnostic when the body is a port, or the joint has limits of a component; what names the impossible operation ("removed"). */
int tn_refuse_port(const tn_model *model, tn_id id, const char *what);

#endif
