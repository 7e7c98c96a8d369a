/* What types there are, and what one of them is and takes, from their descriptors. */
#include "diag.h"
#include "keys.h"
#include "mem.h"
#include "tenon/sys/force.h"
#include "tenon/sys/saddle.h"
#include "tenon/sys/stepper.h"
#include <math.h>
#include <string.h>

/* Anything that can be named, seen alike. */
typedef struct item {
    const char *family;        /* "joint", ... NULL: no such item */
    const char *name, *doc;
    const tn_joint_type *joint;
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
    return (item){ .family = "force", .name = t->name, .doc = t->doc, .declared = t->parameters,
                   .declared_max = TN_FORCE_PARAMETERS };
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
    static item (*const families[])(size_t) = { joint_item, force_item, shape_item, solver_item, scheme_item,
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
    if (form->equations[0] == NULL && form->velocity_equations[0] == NULL)
        return;
    tn_text_add(out, "\n  %s\n", title);
    add_texts(out, "equations", form->equations, TN_JOINT_EQUATIONS);
    add_texts(out, "velocity", form->velocity_equations, TN_JOINT_EQUATIONS);
    for (int i = 0; i < TN_MAX_COORDINATES && form->coordinates[i].name != NULL; i++)
        tn_text_add(out, "    %-12s %s [%s] = %s\n", i == 0 ? "coordinates" : "", form->coordinates[i].name,
                    form->coordinates[i].unit, form->coordinates[i].expression);
}

static void add_parameter(tn_text *out, const tn_parameter_decl *p)
{
    tn_text_add(out, "    %-12s %s", p->name, p->doc != NULL ? p->doc : "");
    if (p->unit[0] != '\0')
        tn_text_add(out, " [%s]", p->unit);
    if (!isnan(p->initial))
        tn_text_add(out, ", default %g", p->initial);
    else if (p->as_built == NULL)
        tn_text_add(out, ", must be given");
    else
        tn_text_add(out, ", default: %s", p->as_built);
    tn_text_add(out, "\n");
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
    if (it->declared != NULL && it->declared[0].name != NULL)
        tn_text_add(out, "\n  Parameters:\n");
    for (size_t i = 0; i < it->declared_max && it->declared[i].name != NULL; i++)
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

static void json_form(tn_text *out, const char *name, const tn_joint_form *form)
{
    if (form->equations[0] == NULL && form->velocity_equations[0] == NULL)
        return;
    tn_text_add(out, ", \"%s\": {", name);
    json_texts(out, "equations", form->equations, TN_JOINT_EQUATIONS);
    tn_text_add(out, ", ");
    json_texts(out, "velocity_equations", form->velocity_equations, TN_JOINT_EQUATIONS);
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

static void json_parameter(tn_text *out, const char *name, const char *unit, const char *doc, double initial)
{
    tn_text_add(out, "{");
    json_member(out, "name", name);
    tn_text_add(out, ", ");
    json_member(out, "unit", unit);
    tn_text_add(out, ", ");
    json_member(out, "doc", doc);
    if (!isnan(initial))
        tn_text_add(out, ", \"default\": %.17g", initial);
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
    tn_text_add(out, ", \"parameters\": [");
    for (size_t i = 0; i < it->declared_max && it->declared[i].name != NULL; i++) {
        const tn_parameter_decl *p = &it->declared[i];
        tn_text_add(out, i > 0 ? ", " : "");
        json_parameter(out, p->name, p->unit, p->doc, p->initial);
    }
    for (size_t i = 0; it->section != NULL && it->section->keys[i].name != NULL; i++) {
        const tn_key *key = &it->section->keys[i];
        tn_text_add(out, i > 0 ? ", " : "");
        json_parameter(out, key->name, key->unit, key->doc, NAN);
    }
    tn_text_add(out, "]");
    if (it->joint != NULL) {
        json_form(out, "planar", &it->joint->planar);
        json_form(out, "spatial", &it->joint->spatial);
    }
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
                   "no joint, force, shape, solver, scheme or integrator '%s'%s", name,
                   tn_did_you_mean(hint, sizeof hint, name, candidate, NULL));
}
