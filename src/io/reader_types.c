/* Reads the section joint_types: joints given by their equations, which are compiled later with the model. */
#include "reader.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* The unit of a parameter from the name of its dimension, or a unit as it is; NULL when it is neither. */
static const char *unit_of(const char *text)
{
    static const char *const names[][2] = {
        { "length", "m" }, { "angle", "rad" }, { "number", "" }, { "mass", "kg" },
        { "time", "s" },   { "force", "N" },   { "torque", "N m" }, { "velocity", "m/s" }, { "rate", "rad/s" },
    };
    double factor;
    tn_dim dim;
    for (size_t i = 0; i < TN_LENGTH(names); i++)
        if (strcmp(text, names[i][0]) == 0)
            return names[i][1];
    return tn_unit_parse(text, strlen(text), &factor, &dim) == 0 && factor == 1 ? text : NULL;
}

static void read_declarations(tn_reader *r, const tn_node *map, tn_joint_type *type)
{
    if (!tn_read_is_map(r, map, "parameters"))
        return;
    if (map->count > TN_JOINT_PARAMETERS - 1) {
        tn_read_error(r, map->span, "at most %d parameters", TN_JOINT_PARAMETERS - 1);
        return;
    }
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *name = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const char *text = tn_read_text(r, value, name->as.text), *unit = text != NULL ? unit_of(text) : NULL;
        if (text != NULL && unit == NULL)
            tn_read_error(r, value->span, "'%.60s' must be length, angle, number, mass, time, force or an SI unit",
                          name->as.text);
        type->parameters[i] = (tn_parameter_decl){ .name = name->as.text, .unit = unit, .doc = "", .initial = NAN };
    }
}

static void read_equations(tn_reader *r, const tn_node *node, const char *label,
                           const char *equations[TN_JOINT_EQUATIONS])
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &node, label, &count);
    if (count > TN_JOINT_EQUATIONS - 1) {
        tn_read_error(r, node->span, "at most %d %s", TN_JOINT_EQUATIONS - 1, label);
        return;
    }
    for (size_t i = 0; i < count; i++)
        equations[i] = tn_read_text(r, items[i], label);
}

static void read_coordinates(tn_reader *r, const tn_node *map, tn_joint_form *form)
{
    if (!tn_read_is_map(r, map, "coordinates"))
        return;
    if (map->count > TN_MAX_COORDINATES) {
        tn_read_error(r, map->span, "at most %d coordinates", TN_MAX_COORDINATES);
        return;
    }
    for (unsigned i = 0; i < map->count; i++) {
        const char *name = map->as.items[2 * i]->as.text;
        const char *text = tn_read_text(r, map->as.items[2 * i + 1], name);
        form->coordinates[i] = (tn_coordinate_decl){ name, strncmp(name, "angle", 5) == 0 ? "rad" : "m", text };
    }
}

/* How many joints the type couples; 0: it connects two frames. */
static int read_coupled_count(tn_reader *r, const tn_node *node)
{
    double count = 0;
    if (node != NULL && tn_read_quantity(r, node, "joints", "", TN_POSITIVE, &count) &&
        (count != floor(count) || count > TN_MAX_COUPLED)) {
        tn_read_error(r, node->span, "'joints' is the number of joints that the type couples, from 1 to %d", TN_MAX_COUPLED);
        return 0;
    }
    return (int)count;
}

void tn_read_own_type(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_own_type, values, NULL, 0, NULL))
        return;
    tn_joint_type type = { .name = r->name, .doc = "", .planar_axis = TN_AXIS_X, .spatial_axis = TN_AXIS_Z };
    tn_joint_form *form = r->model->dimension == 2 ? &type.planar : &type.spatial;
    const char *doc = tn_read_text(r, values[OWN_DOC], "doc");
    if (doc != NULL)
        type.doc = doc;
    type.joints = read_coupled_count(r, values[OWN_JOINTS]);
    read_declarations(r, values[OWN_PARAMETERS], &type);
    read_equations(r, values[OWN_EQUATIONS], "equations", form->equations);
    read_equations(r, values[OWN_VELOCITY_EQUATIONS], "velocity_equations", form->velocity_equations);
    read_coordinates(r, values[OWN_COORDINATES], form);
    if (type.joints > 0 && values[OWN_COORDINATES] != NULL)
        tn_read_error(r, values[OWN_COORDINATES]->span, "a type that couples joints has no coordinates of its own");
    if (form->equations[0] == NULL && form->velocity_equations[0] == NULL && !form->coordinates[0].name && r->errors == before)
        tn_read_error(r, name->span, "needs 'equations', 'velocity_equations' or 'coordinates'");
    if (r->errors == before)
        tn_read_ok(r, tn_model_add_joint_type_at(r->model, &type, name->span));
}
