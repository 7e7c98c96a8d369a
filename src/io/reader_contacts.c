/* Reads the section contacts: bodies that may touch each other. */
#include "reader.h"
#include <string.h>

/* Tells whether the body is ground without the shapes that its file gives: no contact can be checked with it. */
static bool lacks_shapes(const tn_reader *r, tn_id body)
{
    while (r->outer != NULL)
        r = r->outer;
    return body.index == 0 && r->ground_wrong;
}

static bool read_body(tn_reader *r, const tn_node *node, const char *label, tn_id *out)
{
    tn_attachment at;
    if (!tn_read_attachment(r, node, label, &at))
        return false;
    if (at.is_frame)
        tn_read_error(r, node->span, "'%.60s' is a place on a body: the whole body touches", node->as.text);
    *out = at.body;
    bool lacks = !at.is_frame && lacks_shapes(r, at.body);
    if (lacks)
        tn_read_mistaken(r, r->name);
    return !at.is_frame && !lacks;
}

/* In the reader's arena; NULL: not given, or wrong and reported. */
static const tn_id *read_bodies(tn_reader *r, const tn_node *list, const char *label, size_t *count)
{
    const tn_node *const *items = tn_read_list(r, &list, label, count);
    tn_id *bodies = items != NULL ? tn_arena_alloc(r->arena, *count, sizeof *bodies) : NULL;
    bool good = true;
    if (items != NULL && bodies == NULL)
        r->stop = TN_ERROR_MEMORY;
    for (size_t i = 0; bodies != NULL && i < *count && r->stop == TN_OK; i++)
        good = read_body(r, items[i], label, &bodies[i]) && good;
    return good && r->stop == TN_OK ? bodies : NULL;
}

/* Reads [[speed, restitution], ...]. */
static void read_restitutions(tn_reader *r, const tn_node *node, tn_contact_def *def)
{
    const char *label = tn_section_contact.keys[CONTACT_RESTITUTION_AT].name;
    size_t count = 0;
    const tn_node *const *items = node != NULL ? tn_read_list(r, &node, label, &count) : NULL;
    if (items == NULL)
        return;
    if (count > TN_RESTITUTION_POINTS)
        tn_read_error(r, node->span, "'%s' has %zu points, more than %d", label, count, TN_RESTITUTION_POINTS);
    for (size_t k = 0; k < count && count <= TN_RESTITUTION_POINTS; k++) {
        size_t two = 0;
        const tn_node *const *pair = tn_read_list(r, &items[k], label, &two);
        if (pair == NULL || two != 2)
            tn_read_error(r, items[k]->span, "'%s' takes pairs, [speed, restitution]", label);
        else if (tn_read_quantity(r, pair[0], label, "m/s", TN_NOT_NEGATIVE, &def->restitution_speeds[k]))
            tn_read_quantity(r, pair[1], label, "", TN_NOT_NEGATIVE, &def->restitutions[k]);
        def->restitution_count = k + 1;
    }
}

/* Reads the keys that two sections share; first: index of their first attribute, the keys before it are grain,
 * surface_velocity and restitution_at, as given by their indices. */
static void read_law(tn_reader *r, const tn_node *const *values, const tn_key *keys, size_t first, size_t grain,
                     tn_contact_def *def)
{
    for (size_t k = 0; tn_contact_attributes[k].name; k++)
        tn_read_number(r, values[first + k], &keys[first + k], tn_attribute_place(&tn_contact_attributes[k], def));
    tn_read_vector(r, values[grain], &keys[grain], def->grain);
    tn_read_vector(r, values[grain + 1], &keys[grain + 1], def->surface_velocity);
    read_restitutions(r, values[grain + 2], def);
}

/* A row with stiffness or modulus does not take over from its contact what belongs to rigid shapes. */
static void forget_rigid(tn_contact_def *law)
{
    law->restitution = law->tangential_restitution = law->static_friction = law->stribeck_speed = law->viscous_friction = 0;
    law->friction_across = law->rolling_resistance = law->drilling_radius = law->adhesion = 0;
    law->restitution_count = 0;
}

static bool gives(const tn_node *const *values, const char *attribute)
{
    return values[MATERIAL_ATTRIBUTES + (tn_attribute_find(tn_contact_attributes, attribute) - tn_contact_attributes)] != NULL;
}

static void read_material(tn_reader *r, const tn_node *node, const tn_contact_def *contact, tn_material_law *out)
{
    const tn_node *values[TN_MAX_KEYS];
    *out = (tn_material_law){ .law = *contact };       /* what is not given is that of the contact */
    out->law.materials = NULL;
    out->law.material_count = 0;
    if (!tn_read_keys(r, node, &tn_section_material, values, NULL, 0, NULL))
        return;
    size_t count = 0;
    const tn_node *between = values[MATERIAL_BETWEEN];
    const tn_node *const *names = between != NULL ? tn_read_list(r, &between, "between", &count) : NULL;
    if (names == NULL || count != 2)
        tn_read_error(r, node->span, "'between' of a material law needs two materials");
    for (size_t k = 0; k < 2 && names != NULL && count == 2; k++) {
        const char *name = tn_read_text(r, names[k], "between");
        if (name != NULL && strlen(name) >= TN_MATERIAL_SIZE)
            tn_read_error(r, names[k]->span, "the name of a material has %d letters at most", TN_MATERIAL_SIZE - 1);
        snprintf(out->materials[k], TN_MATERIAL_SIZE, "%s", name != NULL ? name : "");
    }
    if (gives(values, "stiffness") || gives(values, "modulus"))
        forget_rigid(&out->law);
    read_law(r, values, tn_section_material.keys, MATERIAL_ATTRIBUTES, MATERIAL_GRAIN, &out->law);
}

static void read_materials(tn_reader *r, const tn_node *node, tn_contact_def *def)
{
    size_t count = 0;
    const tn_node *const *items = node != NULL ? tn_read_list(r, &node, "materials", &count) : NULL;
    tn_material_law *laws = items != NULL ? tn_arena_alloc(r->arena, count, sizeof *laws) : NULL;
    if (items != NULL && laws == NULL)
        r->stop = TN_ERROR_MEMORY;
    for (size_t k = 0; laws != NULL && k < count; k++)
        read_material(r, items[k], def, &laws[k]);
    def->materials = laws;
    def->material_count = laws != NULL ? count : 0;
}

void tn_read_contact(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_key *keys = tn_section_contact.keys;
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_contact, values, NULL, 0, NULL))
        return;
    const tn_node *between = values[CONTACT_BETWEEN], *among = values[CONTACT_AMONG];
    if ((between == NULL) == (among == NULL)) {
        tn_read_error(r, node->span, "give either 'between' (two bodies) or 'among' (any number)");
        return;
    }
    tn_contact_def def = tn_contact_default();
    def.bodies = read_bodies(r, between != NULL ? between : among, between != NULL ? "between" : "among",
                             &def.body_count);
    if (between != NULL && def.bodies != NULL && def.body_count != 2)
        tn_read_error(r, between->span, "'between' needs two bodies, not %zu; 'among' takes any number",
                      def.body_count);
    read_law(r, values, keys, CONTACT_ATTRIBUTES, CONTACT_GRAIN, &def);
    read_materials(r, values[CONTACT_MATERIALS], &def);
    bool enabled = tn_read_switch(r, values[CONTACT_ENABLED], &keys[CONTACT_ENABLED], true);
    if (def.bodies != NULL && r->errors == before)
        tn_read_put_contact(r, name, &def, enabled);
    if (r->errors > before)
        tn_read_stand_in_contact(r, name, &def);
}
