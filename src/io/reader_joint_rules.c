/* Reads the rules of joints: fuse, latch, limits and ratchet. Each rule is read on top of the existing definition, so
 * that a single value of an existing joint can be changed. */
#include "reader.h"
#include <math.h>
#include <string.h>

bool tn_read_is_none(const tn_node *node)
{
    return node->kind == TN_NODE_TEXT && strcmp(node->as.text, "none") == 0;
}

/* ---- attributes of a rule ---- */

static void read_attribute(tn_reader *r, const tn_node *node, const tn_key *key, const tn_attribute *row,
                           const char *unit, void *rule)
{
    switch (row->kind) {
    case TN_ATTRIBUTE_NUMBER:
        if (isnan(row->initial) && tn_read_is_none(node))
            *tn_attribute_place(row, rule) = NAN;
        else
            tn_read_quantity(r, node, key->name, unit, row->sign, tn_attribute_place(row, rule));
        break;
    case TN_ATTRIBUTE_CHOICE:
        tn_attribute_choose(row, rule, tn_read_choice(r, node, key, tn_attribute_choice(row, rule)));
        break;
    case TN_ATTRIBUTE_EXPRESSION: {
        const char *text = tn_read_text(r, node, key->name);
        if (text != NULL)
            *(tn_expression *)((char *)rule + row->offset) =
                (tn_expression){ .text = text, .span = tn_text_span(node) };
        break;
    }
    case TN_ATTRIBUTE_COORDINATE:      /* the caller has found it, for it decides the units of others */
        break;
    }
}

/* Reads the attributes that are given. coordinate: the coordinate that the rule limits, or NULL. */
static void read_attributes(tn_reader *r, const tn_node *const *values, const tn_section *section,
                            const tn_attribute *rows, const tn_coordinate_decl *coordinate, void *rule)
{
    for (size_t k = 0; rows[k].name; k++)
        if (values[k] != NULL)
            read_attribute(r, values[k], &section->keys[k], &rows[k],
                           strcmp(rows[k].unit, "m|rad") == 0 ? coordinate->unit : rows[k].unit, rule);
}

static void read_fuse(tn_reader *r, const tn_node *node, tn_fuse *fuse)
{
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, node, &tn_section_fuse, values, NULL, 0, NULL))
        return;
    if (node->count == 0)
        tn_read_error(r, node->span, "'fuse' needs a force, a torque or both: { force: 5 kN }");
    read_attributes(r, values, &tn_section_fuse, tn_fuse_attributes, NULL, fuse);
}

static void read_latch(tn_reader *r, const tn_node *node, tn_latch *latch)
{
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_latch, values, NULL, 0, NULL))
        return;
    read_attributes(r, values, &tn_section_latch, tn_latch_attributes, NULL, latch);
    if (latch->when.text == NULL && r->errors == before)
        tn_read_error(r, node->span, "'when' is missing: the joint engages where this expression is zero");
}

/* ---- limits ---- */

/* One end of [low, high]; "none": there is no limit. */
static bool read_bound(tn_reader *r, const tn_node *node, const char *label, const char *unit, double none, double *out)
{
    if (tn_read_is_none(node)) {
        *out = none;
        return true;
    }
    return tn_read_quantity(r, node, label, unit, TN_ANY_SIGN, out);
}

static const char *limit_candidate(void *user, size_t index)
{
    const tn_joint_form *form = user;
    size_t count = (size_t)tn_joint_coordinate_count(form);
    return index < count ? form->coordinates[index].name : index == count ? "restitution" : NULL;
}

/* Which coordinate is meant; -1 after an error. */
static int find_coordinate(tn_reader *r, const tn_joint_type *type, const tn_node *node, const char *name)
{
    const tn_joint_form *form = tn_joint_form_of(r->model, type);
    int k = tn_joint_coordinate_find(form, name);
    char hint[160];
    if (k < 0)
        tn_read_error(r, node->span, "a %s joint has no coordinate '%.60s'%s", type->name, name,
                      tn_did_you_mean(hint, sizeof hint, name, limit_candidate, (void *)(uintptr_t)form));
    return k;
}

/* The definition's limit of a coordinate; adds an unbounded one if there is none. */
static tn_limit *limit_of(tn_joint_draft *draft, const char *coordinate)
{
    tn_limit *limits = draft->limits;
    size_t k = 0;
    while (k < draft->def.limit_count && strcmp(limits[k].coordinate, coordinate) != 0)
        k++;
    if (k == draft->def.limit_count && k < TN_MAX_COORDINATES)
        limits[draft->def.limit_count++] = (tn_limit){ coordinate, -INFINITY, INFINITY, k > 0 ? limits[0].restitution : 0 };
    return k < TN_MAX_COORDINATES ? &limits[k] : NULL;
}

static void read_limit(tn_reader *r, const tn_joint_type *type, const tn_node *name, const tn_node *ends,
                       tn_joint_draft *draft)
{
    const tn_joint_form *form = tn_joint_form_of(r->model, type);
    int k = find_coordinate(r, type, name, name->as.text);
    tn_limit *limit = k >= 0 ? limit_of(draft, form->coordinates[k].name) : NULL;
    if (limit == NULL)
        return;
    if (ends->kind != TN_NODE_LIST || ends->count != 2)
        tn_read_error(r, ends->span,
                      "the limits of '%s' must be a list of two, [low, high]; 'none' where there is none",
                      name->as.text);
    else if (read_bound(r, ends->as.items[0], name->as.text, form->coordinates[k].unit, -INFINITY, &limit->low))
        read_bound(r, ends->as.items[1], name->as.text, form->coordinates[k].unit, INFINITY, &limit->high);
}

void tn_read_limit_end(tn_reader *r, const tn_joint_type *type, const tn_node *name, const char *coordinate, bool low,
                       const tn_node *value, tn_joint_draft *draft)
{
    const tn_joint_form *form = tn_joint_form_of(r->model, type);
    int k = find_coordinate(r, type, name, coordinate);
    tn_limit *limit = k >= 0 ? limit_of(draft, form->coordinates[k].name) : NULL;
    if (limit != NULL)
        read_bound(r, value, coordinate, form->coordinates[k].unit, low ? -INFINITY : INFINITY,
                   low ? &limit->low : &limit->high);
}

/* Coordinates with their ends, and what all of them have. */
static void read_limits(tn_reader *r, const tn_joint_type *type, const tn_node *map, tn_joint_draft *draft)
{
    double restitution = draft->def.limit_count > 0 ? draft->limits[0].restitution : 0;
    if (!tn_read_is_map(r, map, "limits"))
        return;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *name = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        if (strcmp(name->as.text, "restitution") == 0)
            tn_read_quantity(r, value, "restitution", "", TN_NOT_NEGATIVE, &restitution);
        else
            read_limit(r, type, name, value, draft);
    }
    for (size_t k = 0; k < draft->def.limit_count; k++)
        draft->limits[k].restitution = restitution;
}

/* ---- ratchet ---- */

static void read_ratchet(tn_reader *r, const tn_joint_type *type, const tn_node *node, tn_ratchet *ratchet)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_joint_form *form = tn_joint_form_of(r->model, type);
    if (!tn_read_keys(r, node, &tn_section_ratchet, values, NULL, 0, NULL))
        return;
    const tn_node *named = values[0];      /* the first row: it decides the unit of the pitch */
    const char *coordinate = tn_read_text(r, named, tn_ratchet_attributes[0].name);
    int k = coordinate != NULL ? find_coordinate(r, type, named, coordinate)
                               : tn_joint_coordinate_find(form, ratchet->coordinate);
    if (k < 0 && coordinate == NULL)
        tn_read_error(r, node->span, "a %s joint has no coordinates: it takes no ratchet", type->name);
    if (k < 0)
        return;
    ratchet->coordinate = form->coordinates[k].name;
    ratchet->way = ratchet->way != 0 ? ratchet->way : 1;
    read_attributes(r, values, &tn_section_ratchet, tn_ratchet_attributes, &form->coordinates[k], ratchet);
}

/* ---- all of them ---- */

void tn_read_joint_rule(tn_reader *r, const tn_joint_type *type, int rule, const tn_node *node, tn_joint_draft *draft)
{
    switch (rule) {
    case JOINT_FUSE: read_fuse(r, node, &draft->def.fuse); break;
    case JOINT_LATCH: read_latch(r, node, &draft->def.latch); break;
    case JOINT_LIMITS: read_limits(r, type, node, draft); break;
    default: read_ratchet(r, type, node, &draft->def.ratchet); break;
    }
}
