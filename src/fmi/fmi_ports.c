/* Opens FMUs as components: what ports take and give, checked before any code of the FMU runs. */
#include "fmi_ports_impl.h"

#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "units.h"

const char *const tn_fmi_freedom_names[TN_FMI_FREEDOMS][3] = {
    { "x", "vx", "fx" }, { "y", "vy", "fy" }, { "z", "vz", "fz" }, { "turn", "rate", "torque" },
};
static const char *const freedom_units[2][3] = { { "m", "m/s", "N" }, { "rad", "rad/s", "N m" } };

size_t tn_fmi_ports_outputs(tn_fmi_choice *out, size_t most, const tn_fmi_port *ports, int count)
{
    size_t used = 0;
    for (int k = 0; k < count * TN_FMI_FREEDOMS; k++) {
        const tn_fmi_freedom *f = &ports[k / TN_FMI_FREEDOMS].freedoms[k % TN_FMI_FREEDOMS];
        const char *const names[] = { f->rate ? f->position : NULL, f->rate };
        for (int i = 0; i < 2; i++) {
            bool there = names[i] == NULL;
            for (size_t j = 0; j < used && !there; j++)
                there = strcmp(out[j].variable, names[i]) == 0;
            if (!there && used < most)
                out[used++] = (tn_fmi_choice){ .variable = names[i], .name = names[i], .span = ports[k / TN_FMI_FREEDOMS].span };
        }
    }
    return used;
}

/* ---- which variables ---- */

typedef struct finder {
    tn_fmi_ports *to;
    const char *who;
    const tn_fmi_port *port;
} finder;

static int refuse(const finder *f, const char *what, const char *name)
{
    char text[TN_FMI_TROUBLE];
    snprintf(text, sizeof text, what, name);
    return tn_fail(f->to->context, TN_ERROR_MODEL, f->port->span, "%s: port '%.60s': %s", f->who, f->port->name, text);
}

/* Units that the FMU tells must be those of the motion. */
static int check_unit(const finder *f, const tn_fmi_signal *signal, const char *unit)
{
    char text[100];
    double factor;
    tn_dim is, wanted;
    if (!signal->unit || tn_unit_parse(signal->unit, strlen(signal->unit), &factor, &is) < 0 ||
        tn_unit_parse(unit, strlen(unit), &factor, &wanted) < 0 || tn_dim_equal(is, wanted))
        return TN_OK;
    snprintf(text, sizeof text, "'%%.80s' is in %.20s, not in %.20s", signal->unit, unit);
    return refuse(f, text, signal->name);
}

static int find(const finder *f, int *out, const tn_fmi_signal *signals, int count, const char *name, const char *unit)
{
    for (*out = 0; *out < count; (*out)++)
        if (strcmp(signals[*out].name, name) == 0)
            return check_unit(f, &signals[*out], unit);
    return refuse(f, "the FMU has no input '%.80s'", name);
}

static int add_freedom(const finder *f, int port, int kind)
{
    const tn_fmi_freedom *from = &f->port->freedoms[kind];
    const tn_fmi_facts *facts = tn_fmi_facts_of(f->to->fmi);
    const char *const *units = freedom_units[kind == TN_FMI_TURN], *const *names = tn_fmi_freedom_names[kind];
    tn_fmi_axis *to = &f->to->axes[f->to->axis_count];
    *to = (tn_fmi_axis){ .port = port, .kind = kind, .position = -1, .state = -1 };
    if (!from->rate && !from->force && !from->position)
        return TN_OK;
    if (!from->rate || !from->force)
        return refuse(f, "'%.10s' is missing", names[from->rate ? 2 : 1]);
    if (f->to->type.dimension == 2 && kind == 2)
        return refuse(f, "'%.10s': ports of a planar model do not move along z", names[1]);
    TN_TRY(find(f, &to->rate, facts->output, facts->outputs, from->rate, units[1]));
    TN_TRY(find(f, &to->force, facts->input, facts->inputs, from->force, units[2]));
    if (from->position)
        TN_TRY(find(f, &to->position, facts->output, facts->outputs, from->position, units[0]));
    else
        to->state = f->to->state_count++;
    for (int k = 0; k < f->to->axis_count; k++)
        if (f->to->axes[k].force == to->force || f->to->axes[k].rate == to->rate)
            return refuse(f, "'%.80s' is there for one direction of one port", f->to->axes[k].force == to->force ? from->force : from->rate);
    f->to->axis_count++;
    return TN_OK;
}

/* The motion has to follow from states: a force changes its rate, and the rate not at once. */
static int check_dependencies(const finder *f, const tn_fmi_axis *axis)
{
    const tn_fmi_facts *facts = tn_fmi_facts_of(f->to->fmi);
    bool acts = false;
    for (int k = 0; k < facts->states; k++)
        acts |= tn_fmi_depends(f->to->fmi, facts->outputs + k, axis->force);
    return acts ? TN_OK : refuse(f, "no state of the FMU follows '%.80s': what gives force is a device", facts->input[axis->force].name);
}

static int check_fmu(const finder *f)
{
    const tn_fmi_facts *facts = tn_fmi_facts_of(f->to->fmi);
    if (!facts->exchange)
        return refuse(f, "ports need model exchange%s", "");
    if (facts->indicators > 0 || facts->discretes > 0)
        return refuse(f, "the FMU has events, which ports cannot follow: take it as a device, with a spring to '%.60s'", f->port->name);
    if (f->to->axis_count == 0)
        return refuse(f, "no port moves: give the outputs and inputs of one, such as turn, rate, torque%s", "");
    for (int k = 0; k < f->to->axis_count; k++)
        TN_TRY(check_dependencies(f, &f->to->axes[k]));
    return TN_OK;
}

/* ---- life ---- */

static int fill(tn_fmi_ports *to, const char *who, const tn_fmi_port *ports, int count)
{
    to->arena = tn_arena_create(to->context);
    if (!to->arena)
        return TN_ERROR_MEMORY;
    tn_port_decl *declared = tn_arena_alloc(to->arena, (size_t)count, sizeof *declared);
    to->poses = tn_arena_alloc(to->arena, (size_t)count, sizeof *to->poses);
    to->axes = tn_arena_alloc(to->arena, (size_t)count * TN_FMI_FREEDOMS + 1, sizeof *to->axes);
    TN_TRY(tn_arena_status(to->arena));
    to->state_count = tn_fmi_facts_of(to->fmi)->states;
    for (int k = 0; k < count; k++) {
        const finder f = { to, who, &ports[k] };
        declared[k] = (tn_port_decl){ tn_arena_strdup(to->arena, ports[k].name), "moves as the FMU says" };
        to->poses[k] = ports[k].pose;
        for (int kind = 0; kind < TN_FMI_FREEDOMS; kind++)
            TN_TRY(add_freedom(&f, k, kind));
    }
    to->type.ports = declared;
    to->type.port_count = count;
    TN_TRY(tn_arena_status(to->arena));
    return check_fmu(&(finder){ to, who, &ports[0] });
}

int tn_fmi_ports_create(tn_fmi_ports **out, tn_context *context, tn_fmi *fmi, const char *who, int dimension, const tn_fmi_port *ports,
                        int count)
{
    tn_fmi_ports *to = tn_alloc(context, 1, sizeof *to);
    if (!to)
        return TN_ERROR_MEMORY;
    *to = (tn_fmi_ports){ .context = context, .fmi = tn_fmi_retain(fmi), .users = 1 };
    tn_fmi_body_type(&to->type);
    to->type.dimension = dimension;
    int code = fill(to, who, ports, count);
    if (code < 0) {
        tn_fmi_ports_release(to);
        return code;
    }
    *out = to;
    return TN_OK;
}

tn_fmi_ports *tn_fmi_ports_retain(tn_fmi_ports *ports)
{
    atomic_fetch_add(&ports->users, 1);
    return ports;
}

void tn_fmi_ports_release(tn_fmi_ports *ports)
{
    if (!ports || atomic_fetch_sub(&ports->users, 1) > 1)
        return;
    tn_fmi_release(ports->fmi);
    tn_arena_destroy(ports->arena);
    tn_free(ports->context, ports);
}

const tn_component_type *tn_fmi_ports_type(const tn_fmi_ports *ports)
{
    return &ports->type;
}

static bool same_axis(const tn_fmi_axis *a, const tn_fmi_axis *b)
{
    return a->port == b->port && a->kind == b->kind && a->position == b->position && a->rate == b->rate && a->force == b->force;
}

bool tn_fmi_ports_same(const tn_fmi_ports *a, const tn_fmi_ports *b)
{
    if (!a || !b || a == b)
        return a == b;
    bool same = tn_fmi_same(a->fmi, b->fmi) && a->axis_count == b->axis_count && a->type.port_count == b->type.port_count &&
                a->type.dimension == b->type.dimension;
    for (int k = 0; same && k < a->type.port_count; k++)
        same = strcmp(a->type.ports[k].name, b->type.ports[k].name) == 0 && memcmp(&a->poses[k], &b->poses[k], sizeof *a->poses) == 0;
    for (int k = 0; same && k < a->axis_count; k++)
        same = same_axis(&a->axes[k], &b->axes[k]);
    return same;
}
