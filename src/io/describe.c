/* Descriptions of types and their parameters, from their descriptors. */
#include "diag.h"
#include "keys.h"
#include "tenon/sys/device.h"
#include "mem.h"
#include "tenon/sys/force.h"
#include "tenon/sys/saddle.h"
#include "tenon/sys/stepper.h"
#include <math.h>
#include <string.h>

/* One item of any family, in a common form. */
typedef struct item {
    const char *family;        /* "joint", ... NULL: no such item */
    const char *name, *doc;
    const tn_joint_type *joint;
    const tn_force_type *force;
    const tn_parameter_decl *declared;
    size_t declared_max;
    const tn_section *section; /* shapes */
} item;

static item shape_item(size_t index)
{
    const tn_key *key = &tn_section_shape.keys[index];
    if (index > SHAPE_MESH)
        return (item){ 0 };
    return (item){ .family = "shape", .name = key->name, .doc = key->doc, .section = key->section };
}

static item joint_item(size_t index)
{
    const tn_joint_type *t = tn_joint_types[index];
    if (t == NULL)
        return (item){ 0 };
    return (item){ .family = "joint", .name = t->name, .doc = t->doc, .joint = t, .declared = t->parameters,
                   .declared_max = TN_JOINT_PARAMETERS };
}

static item force_item(size_t index)
{
    const tn_force_type *t = tn_force_types[index];
    if (t == NULL)
        return (item){ 0 };
    return (item){ .family = "force", .name = t->name, .doc = t->doc, .force = t, .declared = t->parameters,
                   .declared_max = TN_FORCE_PARAMETERS };
}

static item device_item(size_t index)
{
    for (size_t f = 0; tn_device_families[f] != NULL; f++)
        for (size_t i = 0; tn_device_families[f][i] != NULL; i++)
            if (index-- == 0) {
                const tn_force_type *t = tn_device_families[f][i];
                return (item){ .family = "device", .name = t->name, .doc = t->doc, .force = t, .declared = t->parameters,
                               .declared_max = TN_FORCE_PARAMETERS };
            }
    return (item){ 0 };
}

static item solver_item(size_t index)
{
    const tn_solver_type *t = tn_solver_types[index];
    if (t == NULL)
        return (item){ 0 };
    return (item){ .family = "solver", .name = t->name, .doc = t->doc, .declared = t->parameters,
                   .declared_max = TN_SOLVER_PARAMETERS };
}

static item scheme_item(size_t index)
{
    const tn_scheme_type *t = tn_scheme_types[index];
    if (t == NULL)
        return (item){ 0 };
    return (item){ .family = "scheme", .name = t->name, .doc = t->doc, .declared = t->parameters,
                   .declared_max = TN_METHOD_PARAMETERS };
}

static item integrator_item(size_t index)
{
    const tn_integrator_type *t = tn_integrator_types[index];
    if (t == NULL)
        return (item){ 0 };
    return (item){ .family = "integrator", .name = t->name, .doc = t->doc, .declared = t->parameters,
                   .declared_max = TN_METHOD_PARAMETERS };
}

/* The index-th of all items. */
static item item_at(size_t index)
{
    static item (*const families[])(size_t) = { joint_item, force_item, device_item, shape_item, solver_item, scheme_item,
                                                integrator_item };
    for (size_t f = 0; f < TN_LENGTH(families); f++) {
        size_t i = 0;
        for (; families[f](i).family != NULL; i++)
            if (i == index)
                return families[f](i);
        index -= i;
    }
    return (item){ 0 };
}

static const char *candidate(void *user, size_t index)
{
    (void)user;
    return item_at(index).name;
}

/* Names in a list that ends in NULL. */
static void add_texts(tn_text *out, const char *title, const char *const *texts, size_t max)
{
    for (size_t i = 0; i < max && texts[i] != NULL; i++)
        tn_text_add(out, "    %-12s %s\n", i == 0 ? title : "", texts[i]);
}

static void add_form(tn_text *out, const char *title, const tn_joint_form *form)
{
    if (form->equations[0] == NULL && form->velocity_equations[0] == NULL && form->coordinates[0].name == NULL)
        return;
    tn_text_add(out, "\n  %s\n", title);
    add_texts(out, "equations", form->equations, TN_JOINT_EQUATIONS);
    add_texts(out, "velocity", form->velocity_equations, TN_JOINT_EQUATIONS);
    add_texts(out, "separation", &form->separation, 1);
    for (int i = 0; i < TN_MAX_COORDINATES && form->coordinates[i].name != NULL; i++)
        tn_text_add(out, "    %-12s %s [%s] = %s\n", i == 0 ? "coordinates" : "", form->coordinates[i].name,
                    form->coordinates[i].unit, form->coordinates[i].expression);
}

/* " [N/m or N m/rad]" for "N/m|N m/rad". */
static void add_unit(tn_text *out, const char *unit)
{
    const char *bar = strchr(unit, '|');
    if (strcmp(unit, "*") == 0)
        tn_text_add(out, " [any unit]");
    else if (bar != NULL)
        tn_text_add(out, " [%.*s or %s]", (int)(bar - unit), unit, bar + 1);
    else if (unit[0] != '\0')
        tn_text_add(out, " [%s]", unit);
}

/* One expression, or two for a length and an angle; and the end of the line. */
static void add_cases(tn_text *out, const char *text)
{
    const char *bar = strchr(text, '|');
    if (bar != NULL)
        tn_text_add(out, "%.*s along a length, %s along an angle\n", (int)(bar - text), text, bar + 1);
    else
        tn_text_add(out, "%s\n", text);
}

static void add_titled(tn_text *out, const char *title, const char *text)
{
    if (text == NULL)
        return;
    tn_text_add(out, "    %-12s ", title);
    add_cases(out, text);
}

/* Ports, equations, flows and stores of a device. */
static void add_device(tn_text *out, const tn_device *d)
{
    const struct { const char *title, *text; } single[] = {
        { "period", d->period }, { "stored", d->stored }, { "loss", d->loss }, { "supplied", d->supplied },
    };
    for (int i = 0; i < TN_DEVICE_PORTS && d->ports[i].name != NULL; i++)
        tn_text_add(out, "    %-12s %s: %s%s%s%s\n", i == 0 ? "ports" : "", d->ports[i].name, d->ports[i].domain,
                    d->ports[i].doc[0] ? ", " : "", d->ports[i].doc, d->ports[i].optional ? "; may be left open" : "");
    for (int i = 0; i < TN_DEVICE_UNKNOWNS && d->unknowns[i].name != NULL; i++)
        tn_text_add(out, "    %-12s %s: %s = 0\n", i == 0 ? "unknowns" : "", d->unknowns[i].name, d->equations[i]);
    for (int i = 0; i < TN_DEVICE_FLOWS && d->flows[i].port != NULL; i++)
        tn_text_add(out, "    %-12s %s.%s = %s\n", i == 0 ? "flows" : "", d->flows[i].port, d->flows[i].name,
                    d->flows[i].expression);
    for (int i = 0; i < TN_DEVICE_STORES && d->stores[i].port != NULL; i++)
        tn_text_add(out, "    %-12s %s.%s = %s\n", i == 0 ? "stores" : "", d->stores[i].port, d->stores[i].name,
                    d->stores[i].expression);
    for (int i = 0; i < TN_DEVICE_MEMORIES && d->memories[i].name != NULL; i++)
        tn_text_add(out, "    %-12s %s, at the start %s, next %s\n", i == 0 ? "memories" : "", d->memories[i].name,
                    d->memories[i].start, d->memories[i].next != NULL ? d->memories[i].next : "as it is");
    for (int i = 0; i < TN_DEVICE_SWITCHES && d->switches[i].when != NULL; i++)
        tn_text_add(out, "    %-12s %s to %s when %s > 0\n", i == 0 ? "switches" : "", d->switches[i].from,
                    d->switches[i].to, d->switches[i].when);
    for (size_t i = 0; i < TN_LENGTH(single); i++)
        add_titled(out, single[i].title, single[i].text);
}

static void add_force(tn_text *out, const tn_force_type *t)
{
    static const char *const places[] = {
        [TN_PLACE_FRAMES] = "on a frame, or between two", [TN_PLACE_JOINT] = "along a coordinate of a joint",
        [TN_PLACE_NONE] = "on nothing",
    };
    if (t->device != NULL) {
        tn_text_add(out, "\n  Meets:\n");
        add_device(out, t->device);
    } else {
        tn_text_add(out, "\n  Acts %s:\n", places[t->place]);
    }
    for (int i = 0; i < TN_FORCE_EFFORTS && t->effort[i] != NULL; i++) {
        add_titled(out, "effort", t->effort[i]);
        add_titled(out, "  along", t->place == TN_PLACE_JOINT ? "q" : t->along[i]);
    }
    add_titled(out, "force", t->force);
    add_titled(out, "torque", t->torque);
    add_titled(out, "potential", t->potential);
    add_titled(out, "loss", t->loss);
    for (int i = 0; i < TN_FORCE_STATES && t->states[i].name != NULL; i++) {
        tn_text_add(out, "    %-12s %s", i == 0 ? "states" : "", t->states[i].name);
        add_unit(out, t->states[i].unit != NULL ? t->states[i].unit : "");
        tn_text_add(out, ", at the start %s\n", t->states[i].start);
        add_titled(out, "  rate", t->states[i].rate);
    }
    for (int i = 0; i < TN_FORCE_CHANNELS && t->channels[i].name != NULL; i++) {
        tn_text_add(out, "    %-12s %s", i == 0 ? "channels" : "", t->channels[i].name);
        add_unit(out, t->channels[i].unit != NULL ? t->channels[i].unit : "*");
        tn_text_add(out, " = ");
        add_cases(out, t->channels[i].expression);
    }
}

static void add_parameter(tn_text *out, const tn_parameter_decl *p)
{
    tn_text_add(out, "    %-18s %s", p->name, p->doc != NULL ? p->doc : "");
    add_unit(out, p->unit);
    if (isinf(p->initial))
        tn_text_add(out, ", default: none");
    else if (!isnan(p->initial))
        tn_text_add(out, ", default %g", p->initial);
    else if (p->as_built == NULL)
        tn_text_add(out, ", must be given");
    else
        tn_text_add(out, ", default: %s", p->as_built);
    tn_text_add(out, "\n");
}

/* All entries of a matrix in one line, by the name of the first: how many they are. */
static size_t add_matrix(tn_text *out, const char *first)
{
    int n = (int)strcspn(first, ".");
    tn_text_add(out, "    %-18.*s 6 x 6, or its diagonal; in the plane 3 x 3; an entry is %.*s.12; default 0\n", n,
                first, n, first);
    return 36;
}

static void explain(tn_text *out, const item *it)
{
    tn_text_add(out, "%s (%s)\n  %s\n", it->name, it->family, it->doc);
    if (it->joint != NULL) {
        add_form(out, "In the plane:", &it->joint->planar);
        add_form(out, "In space:", &it->joint->spatial);
        if (it->joint->axis2 != NULL)
            tn_text_add(out, "\n  axis2: %s\n", it->joint->axis2);
    }
    if (it->force != NULL)
        add_force(out, it->force);
    if (it->declared != NULL && it->declared[0].name != NULL)
        tn_text_add(out, "\n  Parameters:\n");
    for (size_t i = 0; i < it->declared_max && it->declared[i].name != NULL; i++)
        if (strstr(it->declared[i].name, ".11") != NULL)
            i += add_matrix(out, it->declared[i].name) - 1;
        else
            add_parameter(out, &it->declared[i]);
    for (const tn_key *key = it->section != NULL ? it->section->keys : NULL; key != NULL && key->name != NULL; key++) {
        tn_text_add(out, "    %-12s %s", key->name, key->doc);
        tn_text_add(out, key->unit != NULL && key->unit[0] != '\0' ? " [%s]\n" : "\n", key->unit);
    }
}

static void json_member(tn_text *out, const char *name, const char *value)
{
    tn_text_add_json(out, name);
    tn_text_add(out, ": ");
    tn_text_add_json(out, value != NULL ? value : "");
}

static void json_texts(tn_text *out, const char *name, const char *const *texts, size_t max)
{
    tn_text_add(out, "\"%s\": [", name);
    for (size_t i = 0; i < max && texts[i] != NULL; i++) {
        tn_text_add(out, i > 0 ? ", " : "");
        tn_text_add_json(out, texts[i]);
    }
    tn_text_add(out, "]");
}

static void json_form(tn_text *out, const char *name, const tn_joint_form *form, tn_joint_axis axis)
{
    if (form->equations[0] == NULL && form->velocity_equations[0] == NULL && form->coordinates[0].name == NULL)
        return;
    tn_text_add(out, ", \"%s\": {\"axis\": %s, ", name, axis != TN_AXIS_NONE ? "true" : "false");
    json_texts(out, "equations", form->equations, TN_JOINT_EQUATIONS);
    tn_text_add(out, ", ");
    json_texts(out, "velocity_equations", form->velocity_equations, TN_JOINT_EQUATIONS);
    if (form->separation != NULL) {
        tn_text_add(out, ", ");
        json_member(out, "separation", form->separation);
    }
    tn_text_add(out, ", \"coordinates\": [");
    for (int i = 0; i < TN_MAX_COORDINATES && form->coordinates[i].name != NULL; i++) {
        tn_text_add(out, i > 0 ? ", {" : "{");
        json_member(out, "name", form->coordinates[i].name);
        tn_text_add(out, ", ");
        json_member(out, "unit", form->coordinates[i].unit);
        tn_text_add(out, ", ");
        json_member(out, "expression", form->coordinates[i].expression);
        tn_text_add(out, "}");
    }
    tn_text_add(out, "]}");
}

static void json_device(tn_text *out, const tn_device *d)
{
    tn_text_add(out, ", ");
    json_member(out, "of", d->family);
    tn_text_add(out, ", \"ports\": [");
    for (int i = 0; i < TN_DEVICE_PORTS && d->ports[i].name != NULL; i++) {
        tn_text_add(out, i > 0 ? ", {" : "{");
        json_member(out, "name", d->ports[i].name);
        tn_text_add(out, ", ");
        json_member(out, "domain", d->ports[i].domain);
        tn_text_add(out, ", \"optional\": %s}", d->ports[i].optional ? "true" : "false");
    }
    tn_text_add(out, "], ");
    json_texts(out, "equations", d->equations, TN_DEVICE_UNKNOWNS);
}

static void json_force(tn_text *out, const tn_force_type *t)
{
    static const char *const places[] = { [TN_PLACE_FRAMES] = "frames", [TN_PLACE_JOINT] = "joint",
                                          [TN_PLACE_NONE] = "none" };
    const struct { const char *name, *text; } single[] = {
        { "place", places[t->place] }, { "force", t->force }, { "torque", t->torque }, { "potential", t->potential },
        { "loss", t->loss },
    };
    if (t->device != NULL)
        json_device(out, t->device);
    for (size_t i = 0; i < TN_LENGTH(single); i++) {
        if (single[i].text == NULL)
            continue;
        tn_text_add(out, ", ");
        json_member(out, single[i].name, single[i].text);
    }
    tn_text_add(out, ", ");
    json_texts(out, "along", t->along, TN_FORCE_EFFORTS);
    tn_text_add(out, ", ");
    json_texts(out, "effort", t->effort, TN_FORCE_EFFORTS);
    tn_text_add(out, ", \"states\": [");
    for (int i = 0; i < TN_FORCE_STATES && t->states[i].name != NULL; i++) {
        const tn_state_decl *state = &t->states[i];
        const struct { const char *name, *text; } members[] = {
            { "name", state->name }, { "unit", state->unit }, { "start", state->start }, { "rate", state->rate },
        };
        for (size_t k = 0; k < TN_LENGTH(members); k++) {
            tn_text_add(out, k > 0 ? ", " : i > 0 ? ", {" : "{");
            json_member(out, members[k].name, members[k].text);
        }
        tn_text_add(out, "}");
    }
    tn_text_add(out, "], \"channels\": [");
    for (int i = 0; i < TN_FORCE_CHANNELS && t->channels[i].name != NULL; i++) {
        tn_text_add(out, i > 0 ? ", {" : "{");
        json_member(out, "name", t->channels[i].name);
        tn_text_add(out, ", ");
        json_member(out, "unit", t->channels[i].unit);
        tn_text_add(out, ", ");
        json_member(out, "expression", t->channels[i].expression);
        tn_text_add(out, "}");
    }
    tn_text_add(out, "]");
}

static void json_parameter(tn_text *out, const char *name, const char *unit, const char *doc, double initial,
                           const char *as_built)
{
    tn_text_add(out, "{");
    json_member(out, "name", name);
    tn_text_add(out, ", ");
    json_member(out, "unit", unit);
    tn_text_add(out, ", ");
    json_member(out, "doc", doc);
    if (isinf(initial))
        tn_text_add(out, ", \"default_expression\": \"none\"");
    else if (!isnan(initial))
        tn_text_add(out, ", \"default\": %.17g", initial);
    if (as_built != NULL) {
        tn_text_add(out, ", ");
        json_member(out, "default_expression", as_built);
    }
    tn_text_add(out, "}");
}

static void json_item(tn_text *out, const item *it)
{
    tn_text_add(out, "{");
    json_member(out, "family", it->family);
    tn_text_add(out, ", ");
    json_member(out, "name", it->name);
    tn_text_add(out, ", ");
    json_member(out, "doc", it->doc);
    if ((it->joint != NULL && it->joint->internal) || (it->force != NULL && it->force->internal))
        tn_text_add(out, ", \"internal\": true");
    tn_text_add(out, ", \"parameters\": [");
    for (size_t i = 0; i < it->declared_max && it->declared[i].name != NULL; i++) {
        const tn_parameter_decl *p = &it->declared[i];
        tn_text_add(out, i > 0 ? ", " : "");
        json_parameter(out, p->name, p->unit, p->doc, p->initial, p->as_built);
    }
    for (size_t i = 0; it->section != NULL && it->section->keys[i].name != NULL; i++) {
        const tn_key *key = &it->section->keys[i];
        tn_text_add(out, i > 0 ? ", " : "");
        json_parameter(out, key->name, key->unit, key->doc, NAN, NULL);
    }
    tn_text_add(out, "]");
    if (it->joint != NULL) {
        tn_text_add(out, ", ");
        json_member(out, "glyph", it->joint->glyph);
        if (it->joint->axis2 != NULL) {
            tn_text_add(out, ", ");
            json_member(out, "axis2", it->joint->axis2);
        }
        json_form(out, "planar", &it->joint->planar, it->joint->planar_axis);
        json_form(out, "spatial", &it->joint->spatial, it->joint->spatial_axis);
    }
    if (it->force != NULL)
        json_force(out, it->force);
    tn_text_add(out, "}");
}

static void list_all(tn_text *out, bool json)
{
    const char *family = "";
    item it = item_at(0);
    tn_text_add(out, json ? "[\n" : "");
    for (size_t i = 0; (it = item_at(i)).family != NULL; i++) {
        if (json) {
            tn_text_add(out, i > 0 ? ",\n" : "");
            json_item(out, &it);
            continue;
        }
        if (strcmp(family, it.family) != 0)
            tn_text_add(out, "%s%ss\n", i > 0 ? "\n" : "", it.family);
        family = it.family;
        tn_text_add(out, "  %-24s %s\n", it.name, it.doc);
    }
    tn_text_add(out, json ? "\n]\n" : "");
}

/* A name may stand in several families: "rod" is a joint and a shape. All are explained. */
static size_t explain_all(tn_text *out, const char *name, bool json)
{
    size_t found = 0;
    item it;
    tn_text_add(out, json ? "[" : "");
    for (size_t i = 0; (it = item_at(i)).family != NULL; i++) {
        if (strcmp(it.name, name) != 0)
            continue;
        tn_text_add(out, found++ == 0 ? "" : json ? ",\n" : "\n");
        if (json)
            json_item(out, &it);
        else
            explain(out, &it);
    }
    tn_text_add(out, json ? "]\n" : "");
    return found;
}

int tn_describe_text(char **out, tn_context *context, const char *name, bool json)
{
    tn_text text;
    char hint[160];
    *out = NULL;
    tn_text_begin(&text, context);
    size_t found = 1;
    if (name == NULL)
        list_all(&text, json);
    else
        found = explain_all(&text, name, json);
    TN_TRY(tn_text_take(&text, out));
    if (found > 0)
        return TN_OK;
    tn_free(context, *out);
    *out = NULL;
    return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                   "no joint, force, device, shape, solver, scheme or integrator '%s'%s", name,
                   tn_did_you_mean(hint, sizeof hint, name, candidate, NULL));
}
