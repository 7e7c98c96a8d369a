/* Checks whether a subsystem can become a component. */
#include "devices.h"
#include "diag.h"
#include "system.h"
#include "wrapper.h"

#include <string.h>

static int refuse(const tn_model *m, tn_span span, const char *kind, const char *name)
{
    const char *prefix = "component.";
    if (name && strncmp(name, prefix, strlen(prefix)) == 0)
        name += strlen(prefix);
    return tn_fail(m->context, TN_ERROR_MODEL, span, "%s%s%s%s: a component cannot have it", kind, name ? " '" : "",
                   name ? name : "", name ? "'" : "");
}

static int check_triggers(const tn_model *m)
{
    int code = TN_OK;
    for (size_t k = 0; k < m->trigger_count; k++) {
        const tn_entity *joint = &m->joints[m->triggers[k].joint].entity;
        code = refuse(m, joint->span, "fuse or latch of joint", joint->name);
    }
    return code;
}

static int check_sections(const tn_model *m)
{
    int code = check_triggers(m);
    for (size_t k = 0; k < m->contact_count; k++)
        if (m->contacts[k].entity.alive)
            code = refuse(m, m->contacts[k].entity.span, "contact", m->contacts[k].entity.name);
    for (size_t k = 0; k < m->event_count; k++)
        if (!m->events[k].is_fuse && !m->events[k].is_latch)
            code = refuse(m, m->events[k].span, "event", m->events[k].name);
    for (size_t k = 0; k < m->subsystem_count; k++)
        if (m->subsystems[k].entity.alive && m->subsystems[k].type)
            code = refuse(m, m->subsystems[k].entity.span, "library as subsystem", m->subsystems[k].entity.name);
    return code;
}

/* Samples and modes are instants of the run around the component, which it does not know. */
static int check_devices(const tn_model *m)
{
    int code = TN_OK;
    for (size_t k = 0; k < m->force_count; k++) {
        const tn_force *force = &m->forces[k];
        const tn_device *device = force->entity.alive ? force->type->device : NULL;
        if (device && (device->period || device->modes[0]))
            code = refuse(m, force->entity.span, "samples or modes of device", force->entity.name);
    }
    return code;
}

static int check_teeth(const tn_model *m)
{
    tn_system *system = NULL;
    TN_TRY(tn_system_create(&system, m));
    int code = TN_OK;
    for (int i = 0; i < system->constraint_count; i++)
        if (system->constraints[i].separation >= 0)
            code = refuse(m, tn_constraint_span(system, i), "the pressure angle of joint", tn_constraint_name(system, i));
    tn_system_destroy(system);
    return code;
}

int tn_wrapped_check(const tn_model *m, const char *path)
{
    const tn_span file = { path, 0, 0 };
    TN_TRY(check_sections(m));
    if (tn_wrapped(m)->port_count == 0)
        return tn_fail(m->context, TN_ERROR_MODEL, file, "the subsystem has no ports: nothing could be connected; "
                       "write 'ports: { name: body }'");
    TN_TRY(check_devices(m));
    return check_teeth(m);
}
