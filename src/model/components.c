/* Components in a model: adding them to a model and creating their instances for a session. */
#include "components.h"

#include "check.h"
#include "diag.h"
#include "fmi_ports.h"
#include "libraries.h"
#include "stop_check.h"
#include "tables.h"
#include "vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest deviation of a port's axes from unit vectors; a larger one is an error. */
static const double AXES_ERROR = 1e-6;

/* ---- creating instances ---- */

static void *reallocate(void *user, void *pointer, size_t size)
{
    const tn_instance *instance = user;
    return tn_reallocate(instance->model->context, pointer, size);
}

static const tn_entity *entity_of(const tn_instance *instance)
{
    return &instance->model->subsystems[instance->subsystem].entity;
}

/* Keeps an error until the return code is known: for TN_ERROR_STEP a shorter step may succeed. */
static void report(void *user, tn_severity severity, const char *message)
{
    tn_instance *instance = user;
    if (severity != TN_NOTE && severity != TN_WARNING)
        snprintf(instance->trouble, sizeof instance->trouble, "%s", message);
    else
        tn_report_add(instance->model->context, TN_OK, severity, entity_of(instance)->span, "component '%s': %s",
                      entity_of(instance)->name, message);
}

static int refuse(const tn_instance *instance, const char *why)
{
    return tn_fail(instance->model->context, TN_ERROR_MODEL, entity_of(instance)->span, "component '%s': %s",
                   entity_of(instance)->name, why);
}

static bool has_pose(const tn_port_motion *port)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += port->p[k] + port->v[k] + port->w[k];
        if (!(fabs(tn_norm3(port->axes[k]) - 1) <= AXES_ERROR))
            return false;
    }
    return isfinite(sum);
}

static int check_instance(const tn_instance *instance)
{
    const tn_component *c = &instance->component;
    char text[160];
    if (c->type->state_count(c->self) < 0)
        return refuse(instance, "the number of its states is negative");
    for (int k = 0; k < c->type->port_count; k++) {
        tn_port_motion port;
        c->type->port_motion(c->self, k, &port);
        if (has_pose(&port))
            continue;
        snprintf(text, sizeof text, "port '%.60s' is nowhere: its motion is not finite, or its axes are no unit "
                 "vectors", c->type->ports[k].name);
        return refuse(instance, text);
    }
    return TN_OK;
}

static tn_component_setting setting_of(const tn_model *model, const tn_subsystem *subsystem)
{
    tn_component_setting setting = { .size = sizeof setting };
    double R[3][3];
    tn_quat_matrix(R, subsystem->world.q);
    tn_copy3(setting.p, subsystem->world.p);
    tn_copy3(setting.gravity, model->gravity);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            setting.axes[k][i] = R[i][k];
    return setting;
}

int tn_instance_create(tn_instance *out, const tn_model *model, uint32_t index)
{
    const tn_subsystem *subsystem = &model->subsystems[index];
    *out = (tn_instance){ .component = { subsystem->type, NULL }, .model = model, .subsystem = index,
                          .host = { .size = sizeof out->host, .user = out, .reallocate = reallocate,
                                    .report = report } };
    for (size_t k = 0; k < TN_LENGTH(model->gravity_text); k++)
        if (model->gravity_text[k].text)
            return tn_fail(model->context, TN_ERROR_MODEL, model->gravity_text[k].span, "gravity that changes is not "
                           "known to components, and '%s' is one: give numbers", subsystem->entity.name);
    tn_component_setting setting = setting_of(model, subsystem);
    void **self = &out->component.self;
    int code = subsystem->fmu       ? tn_fmi_ports_make(self, subsystem->fmu, &out->host, &setting)
               : subsystem->library ? tn_library_create(self, subsystem->library, &out->host, &setting, subsystem->parameters)
                                    : subsystem->type->create(self, &out->host, &setting, subsystem->parameters);
    if (code == TN_ERROR_MEMORY)
        return code;
    if (code < 0)
        return refuse(out, out->trouble[0] ? out->trouble : "it cannot be made, and does not say why");
    return check_instance(out);
}

void tn_instance_destroy(tn_instance *instance)
{
    tn_component *c = &instance->component;
    c->type->destroy(c->self);
    c->self = NULL;
}

/* ---- in the model ---- */

void tn_subsystem_drop_component(tn_subsystem *subsystem)
{
    tn_library_release(subsystem->library);
    tn_fmi_ports_release(subsystem->fmu);
    subsystem->type = NULL;
    subsystem->library = NULL;
    subsystem->fmu = NULL;
    subsystem->parameters = NULL;
}

const tn_subsystem *tn_body_component(const tn_model *model, uint32_t body)
{
    tn_id owner = body == 0 || model->subsystem_count == 0
                      ? (tn_id){ 0 } : tn_subsystem_around(model, model->bodies[body].entity.name);
    const tn_subsystem *subsystem = owner.kind == TN_KIND_SUBSYSTEM ? &model->subsystems[owner.index] : NULL;
    return subsystem && subsystem->type ? subsystem : NULL;
}

bool tn_port_is_frame(const tn_model *model, uint32_t body)
{
    const tn_subsystem *component = tn_body_component(model, body);
    if (!component || !component->type->port_is_frame)
        return false;
    for (size_t k = 0; k < component->port_count; k++)
        if (component->ports[k].target.index == body)
            return component->type->port_is_frame[k];
    return false;
}

bool tn_component_active(const tn_model *model, uint32_t index)
{
    const tn_subsystem *subsystem = &model->subsystems[index];
    return subsystem->entity.alive && subsystem->type && !subsystem->entity.disabled &&
           tn_path_active(model, subsystem->entity.name);
}

int tn_refuse_components(const tn_model *model, const char *what, const char *instead)
{
    for (uint32_t k = 0; k < model->subsystem_count; k++)
        if (tn_component_active(model, k))
            return tn_fail(model->context, TN_ERROR_ARGUMENT, model->subsystems[k].entity.span,
                           "%s: not with the component '%s', of which no more is known than how its ports answer to "
                           "forces; %s", what, model->subsystems[k].entity.name, instead);
    return TN_OK;
}

int tn_refuse_port(const tn_model *model, tn_id id, const char *what)
{
    const tn_id owner = id.kind == TN_KIND_JOINT && model->subsystem_count > 0
                            ? tn_subsystem_around(model, model->joints[id.index].entity.name) : (tn_id){ 0 };
    if (owner.kind == TN_KIND_SUBSYSTEM && model->subsystems[owner.index].type)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' has the limits of a joint inside the component "
                       "'%s' and cannot be %s by itself", model->joints[id.index].entity.name,
                       model->subsystems[owner.index].entity.name, what);
    const tn_subsystem *component = id.kind == TN_KIND_BODY ? tn_body_component(model, id.index) : NULL;
    for (size_t k = 0; component && k < component->port_count; k++)
        if (component->ports[k].target.index == id.index)
            return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' is a port of the component '%s' and "
                           "cannot be %s by itself", model->bodies[id.index].entity.name, component->entity.name, what);
    return TN_OK;
}

/* A body that moves as the port does, with its centre of mass at the centre. */
static tn_body_def body_of(const tn_port_motion *port, const double center[3])
{
    tn_body_def def = tn_body_default();
    double R[3][3], arm[3], turn[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            R[i][k] = port->axes[k][i];
    tn_mul33(arm, (const double (*)[3])R, center);
    tn_cross3(turn, port->w, arm);
    tn_sub3(def.pose.p, port->p, arm);
    tn_quat_from_matrix(def.pose.q, (const double (*)[3])R);
    def.placed = true;
    tn_copy3(def.com, center);
    tn_sub3(def.velocity, port->v, turn);
    tn_copy3(def.angular_velocity, port->w);
    return def;
}

/* A body of the replaced subsystem becomes the port. */
static int put_body(tn_id *out, tn_model *model, const char *path, const tn_body_def *def, tn_span span)
{
    *out = tn_model_find(model, path);
    return out->kind == TN_KIND_BODY ? tn_model_replace_body_at(model, *out, def, span)
                                     : tn_model_add_body_at(out, model, path, def, span);
}

/* Makes the body of a port, and its name outside. */
static int add_port(tn_model *model, tn_id id, const char *name, const tn_body_def *def)
{
    const tn_entity entity = model->subsystems[id.index].entity;
    char path[TN_PATH_SIZE];
    tn_id body;
    if (!tn_path_in(path, entity.name, strlen(entity.name), name))
        return tn_fail(model->context, TN_ERROR_MODEL, entity.span, "component '%s': the path of port '%.80s' is too "
                       "long", entity.name, name);
    TN_TRY(put_body(&body, model, path, def, entity.span));
    model->bodies[body.index].missing = TN_MISSING_NOTHING;
    return tn_model_add_port_at(model, id, name, body, entity.span);
}

/* ---- limits inside ---- */

static tn_joint_type stop_type(const tn_component_stop *stop, const char *path, int dimension)
{
    tn_joint_type type = { .name = path, .doc = "Coordinates of a joint inside a component, for its limits.",
                           .planar_axis = TN_AXIS_X, .spatial_axis = TN_AXIS_Z };
    tn_joint_form *form = dimension == 2 ? &type.planar : &type.spatial;
    for (int k = 0; k < stop->coordinate_count && k < TN_STOP_COORDINATES; k++)
        form->coordinates[k] = (tn_coordinate_decl){ stop->coordinates[k].name, stop->coordinates[k].unit,
                                                     stop->coordinates[k].expression };
    for (int k = 0; k < stop->parameter_count && k < TN_JOINT_PARAMETERS; k++)
        type.parameters[k] = (tn_parameter_decl){ stop->parameters[k].name, "", "", stop->parameters[k].value, NULL };
    return type;
}

static tn_id port_body(const tn_model *model, const tn_subsystem *subsystem, int port)
{
    return port >= 0 && port < (int)subsystem->port_count ? subsystem->ports[port].target : tn_model_ground(model);
}

static void draft_stop(tn_joint_draft *draft, const tn_component_stop *stop, const tn_model *model,
                       const tn_subsystem *subsystem, const char *type)
{
    tn_joint_draft_begin(draft, type);
    draft->def.body1 = port_body(model, subsystem, stop->port1);
    draft->def.body2 = port_body(model, subsystem, stop->port2);
    draft->def.frame1 = stop->frame1;
    draft->def.frame2 = stop->frame2;
    for (int k = 0; k < stop->coordinate_count && k < TN_STOP_COORDINATES; k++) {
        const tn_stop_coordinate *c = &stop->coordinates[k];
        if (c->limited)
            draft->limits[draft->def.limit_count++] = (tn_limit){ c->name, c->low, c->high, c->restitution };
    }
    if (stop->way != 0 && stop->ratchet >= 0 && stop->ratchet < stop->coordinate_count)
        draft->def.ratchet = (tn_ratchet){ stop->coordinates[stop->ratchet].name, stop->way, stop->pitch, stop->rebound };
}

/* Adds a joint without equations, which has the limits of a joint inside. */
static int add_stop(tn_model *model, tn_id id, const tn_component_stop *stop, int number)
{
    const tn_subsystem *subsystem = &model->subsystems[id.index];
    const tn_entity entity = subsystem->entity;
    char name[24], path[TN_PATH_SIZE];
    snprintf(name, sizeof name, "limit%d", number);
    if (!tn_path_in(path, entity.name, strlen(entity.name), name))
        return tn_fail(model->context, TN_ERROR_MODEL, entity.span, "component '%s': its path is too long", entity.name);
    const tn_joint_type type = stop_type(stop, path, model->dimension);
    if (!tn_model_joint_type(model, path))
        TN_TRY(tn_model_add_joint_type_at(model, &type, entity.span));
    tn_joint_draft draft;
    draft_stop(&draft, stop, model, subsystem, path);
    return tn_model_add_joint_at(NULL, model, path, &draft.def, entity.span);
}

static int add_stops(tn_model *model, tn_id id, const tn_component *c)
{
    const tn_entity *entity = &model->subsystems[id.index].entity;
    const int count = tn_stop_count(c);
    for (int k = 0; k < count; k++) {
        tn_component_stop stop;
        c->type->stop(c->self, k, &stop);
        const char *trouble = tn_stop_trouble(&stop, c->type->port_count);
        if (trouble)
            return tn_fail(model->context, TN_ERROR_MODEL, entity->span, "component '%s': %s", entity->name, trouble);
        TN_TRY(add_stop(model, id, &stop, k + 1));
    }
    return TN_OK;
}

static int add_ports(tn_model *model, tn_id id)
{
    tn_instance instance;
    int code = tn_instance_create(&instance, model, id.index);
    const tn_component *c = &instance.component;
    for (int k = 0; k < c->type->port_count && code == TN_OK; k++) {
        tn_port_motion motion;
        double center[3] = { 0 };
        c->type->port_motion(c->self, k, &motion);
        if (c->type->port_center)
            c->type->port_center(c->self, k, center);
        const tn_body_def def = body_of(&motion, center);
        code = add_port(model, id, c->type->ports[k].name, &def);
    }
    if (code == TN_OK)
        code = add_stops(model, id, c);
    tn_instance_destroy(&instance);
    return code;
}

static void check_type(tn_check *check, const tn_component_type *type)
{
    if (type->version != TN_COMPONENT_VERSION)
        tn_complain(check, "it was made for version %u of the component interface, not %d", type->version,
                    TN_COMPONENT_VERSION);
    else if (!type->create)
        tn_complain(check, "'%s' is of a type that the model cannot make: it has no function create", type->name);
    else if (type->dimension != check->model->dimension)
        tn_complain(check, "'%s' is for models of dimension %d, not %d", type->name, type->dimension,
                    check->model->dimension);
    else if (type->port_count < 1)
        tn_complain(check, "'%s' has no port: nothing could be attached to it", type->name);
    else if (type->parameter_count > TN_MAX_SETTINGS)
        tn_complain(check, "'%s' has more than %d parameters", type->name, TN_MAX_SETTINGS);
}

/* Runs the library's trial with the parameter values of this model, before a component is created here. */
static int try_values(const tn_model *model, const tn_subsystem *subsystem)
{
    const tn_component_setting setting = setting_of(model, subsystem);
    char who[TN_PATH_SIZE + 16];
    snprintf(who, sizeof who, "subsystem '%s'", subsystem->entity.name);
    int code = tn_library_try(subsystem->library, &setting, subsystem->parameters, who, subsystem->entity.span);
    return code == TN_ERROR_ARGUMENT ? TN_ERROR_MODEL : code;
}

int tn_model_fill_component(tn_model *model, tn_id id, const tn_component_type *type, tn_library *library,
                            const tn_setting *parameters, size_t parameter_count)
{
    tn_subsystem *subsystem = &model->subsystems[id.index];
    tn_check check = { model, model->context, subsystem->entity.span, "component", subsystem->entity.name, TN_OK };
    check_type(&check, type);
    TN_TRY(check.code);
    double *values = tn_arena_alloc(model->arena, (size_t)type->parameter_count, sizeof(double));
    if (!values)
        return TN_ERROR_MEMORY;
    tn_check_settings(&check, type->name, type->parameters, (size_t)type->parameter_count, parameters, parameter_count,
                      values, NULL, 0, NULL);
    TN_TRY(check.code);
    subsystem->type = type;
    subsystem->library = library ? tn_library_hold(library) : NULL;
    subsystem->parameters = values;
    subsystem->closed = true;
    if (library && parameter_count > 0)
        TN_TRY(try_values(model, subsystem));
    return add_ports(model, id);
}

int tn_model_fill_fmu(tn_model *model, tn_id id, tn_fmi_ports *fmu)
{
    model->subsystems[id.index].fmu = tn_fmi_ports_retain(fmu);
    return tn_model_fill_component(model, id, tn_fmi_ports_type(fmu), NULL, NULL, 0);
}

int tn_model_add_component_at(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                              tn_library *library, const tn_subsystem_def *def, const tn_setting *parameters,
                              size_t parameter_count, tn_span span)
{
    tn_id id;
    TN_TRY(tn_model_add_subsystem_at(&id, model, path, def, span));
    int code = tn_model_fill_component(model, id, type, library, parameters, parameter_count);
    if (code < 0)
        tn_model_remove(model, id);
    else if (out)
        *out = id;
    return code;
}

int tn_model_add_component(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                           const tn_subsystem_def *def, const tn_setting *parameters, size_t parameter_count)
{
    return tn_model_add_component_at(out, model, path, type, NULL, def, parameters, parameter_count, TN_NOWHERE);
}
