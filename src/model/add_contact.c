/* Adding contacts to a model: default definition, checks, insertion. */
#include "attributes.h"
#include "diag.h"
#include "elementary.h"
#include "tables.h"
#include "vec.h"
#include <string.h>

tn_contact_def tn_contact_default(void)
{
    tn_contact_def def = { 0 };
    tn_attributes_default(tn_contact_attributes, &def);
    return def;
}

bool tn_shape_touches(const tn_shape *shape, int dimension)
{
    const double aligned = 1e-9;       /* of the sine of the angle between an axis and z */
    double R[3][3];
    tn_quat_matrix(R, shape->pose.q);
    double across = tn_hypot(R[0][2], R[1][2]), along = fabs(R[2][2]);
    switch (shape->kind) {
    case TN_SHAPE_SPHERE:
    case TN_SHAPE_BOX:
    case TN_SHAPE_HALF_SPACE: return true;
    case TN_SHAPE_CAPSULE:
    case TN_SHAPE_BOWL: return dimension == 3 || along < aligned;
    case TN_SHAPE_TUBE:
    case TN_SHAPE_CYLINDER: return dimension == 3 || across < aligned;
    case TN_SHAPE_CONE:
    case TN_SHAPE_TORUS:
    case TN_SHAPE_ELLIPSOID: return dimension == 3;
    case TN_SHAPE_POLYGON: return true;
    case TN_SHAPE_MESH: return dimension == 3 && shape->touch != TN_TOUCH_NOTHING;
    default: return false;
    }
}

bool tn_body_touches(const tn_body *body, int dimension)
{
    for (size_t i = 0; i < body->shape_count; i++)
        if (tn_shape_touches(&body->shapes[i], dimension))
            return true;
    return false;
}

static void check_touches(tn_check *check, tn_id id)
{
    const tn_model *model = check->model;
    const tn_body *body = &model->bodies[id.index];
    if (tn_body_touches(body, model->dimension))
        return;
    tn_complain(check, "'%s' has no shape that can touch: give it a %s", body->entity.name,
                model->dimension == 2 ? "disc, box, polygon, capsule in the plane, tube, bowl or half_space"
                                      : "sphere, capsule, cylinder, tube, cone, torus, ellipsoid, box, polygon, half_space, "
                                        "hull, bowl, height_field, or a mesh with touch: surface or hull");
}

static void check_bodies(tn_check *check, const tn_contact_def *def)
{
    if (def->body_count < 2)
        tn_complain(check, "it takes two bodies or more to touch each other");
    for (size_t i = 0; i < def->body_count; i++) {
        if (!tn_check_id(check, "a touching body", def->bodies[i], TN_KIND_BODY))
            continue;
        for (size_t j = 0; j < i; j++)
            if (def->bodies[j].kind == TN_KIND_BODY && def->bodies[j].index == def->bodies[i].index)
                tn_complain(check, "'%s' is named twice", tn_model_entity_name(check->model, def->bodies[i]));
        check_touches(check, def->bodies[i]);
    }
}

static void check_restitutions(tn_check *check, const tn_contact_def *def)
{
    if (def->restitution_count > TN_RESTITUTION_POINTS) {
        tn_complain(check, "restitution has %zu points, more than %d", def->restitution_count, TN_RESTITUTION_POINTS);
        return;
    }
    for (size_t k = 0; k < def->restitution_count; k++) {
        double speed = def->restitution_speeds[k], before = k > 0 ? def->restitution_speeds[k - 1] : -1;
        if (!(def->restitutions[k] >= 0 && def->restitutions[k] <= 1))
            tn_complain(check, "restitution %g at %g m/s must be between 0 and 1", def->restitutions[k], speed);
        if (!(speed >= 0 && speed > before && isfinite(speed)))
            tn_complain(check, "speeds of restitution must not be negative and must increase: %g m/s", speed);
    }
}

static void check_grain(tn_check *check, const tn_contact_def *def)
{
    bool grain = tn_norm3(def->grain) > 0;
    if (def->friction_across == 0 && !grain)
        return;
    if (check->model->dimension == 2)
        tn_complain(check, "friction_across and grain need a spatial model: there is one direction of sliding in the plane");
    else if (!(def->friction_across > 0 && def->friction > 0) || !grain)
        tn_complain(check, "friction along grain and friction_across are given together: positive friction, positive "
                    "friction_across, and the direction grain");
}

bool tn_contact_gives_way(const tn_contact_def *law)
{
    return law->stiffness > 0 || law->modulus > 0;
}

const tn_contact_def *tn_contact_law(const tn_contact_def *def, const char *one, const char *two)
{
    for (size_t k = 0; k < def->material_count; k++) {
        const tn_material_law *pair = &def->materials[k];
        if ((strcmp(pair->materials[0], one) == 0 && strcmp(pair->materials[1], two) == 0) ||
            (strcmp(pair->materials[0], two) == 0 && strcmp(pair->materials[1], one) == 0))
            return &pair->law;
    }
    return def;
}

/* A law for shapes that give way has stiffness, damping, friction and a belt, and nothing that belongs to rigid shapes. */
static void check_compliance(tn_check *check, const tn_contact_def *def)
{
    const struct { const char *name; double value; } rigid[] = {
        { "restitution", def->restitution }, { "restitution_at", (double)def->restitution_count },
        { "tangential_restitution", def->tangential_restitution }, { "static_friction", def->static_friction },
        { "viscous_friction", def->viscous_friction }, { "friction_across", def->friction_across },
        { "rolling_resistance", def->rolling_resistance }, { "drilling_radius", def->drilling_radius },
        { "adhesion", def->adhesion },
    };
    const char *way = def->modulus > 0 ? "modulus" : "stiffness";
    if (def->stiffness > 0 && def->modulus > 0)
        tn_complain(check, "give either stiffness or modulus");
    if (def->stiffness > 0 && def->exponent < 1)
        tn_complain(check, "exponent %g must be at least 1", def->exponent);
    if (tn_contact_gives_way(def) && !(def->scale > 0 && def->creep_speed > 0))
        tn_complain(check, "scale and creep_speed must be positive with %s", way);
    for (size_t k = 0; k < sizeof rigid / sizeof rigid[0] && tn_contact_gives_way(def); k++)
        if (rigid[k].value > 0)
            tn_complain(check, "%s is for rigid shapes and does not go with %s%s", rigid[k].name, way,
                        k < 2 ? ": give damping" : "");
    if (def->damping > 0 && !tn_contact_gives_way(def))
        tn_complain(check, "damping needs stiffness or modulus: rigid shapes have restitution");
}

static void check_law(tn_check *check, const tn_contact_def *def)
{
    check_compliance(check, def);
    for (int k = 0; k < 3; k++)
        if (!isfinite(def->surface_velocity[k]) || !isfinite(def->grain[k]))
            tn_complain(check, "surface_velocity and grain must be finite");
    if (def->static_friction > 0 && def->static_friction < def->friction)
        tn_complain(check, "static_friction %g is below friction %g, that of sliding", def->static_friction, def->friction);
    if (def->friction == 0 && def->static_friction == 0 && (def->viscous_friction > 0 || tn_norm3(def->surface_velocity) > 0))
        tn_complain(check, "%s needs friction", def->viscous_friction > 0 ? "viscous_friction" : "surface_velocity");
    if (def->stribeck_speed > 0 && def->static_friction == 0)
        tn_complain(check, "stribeck_speed needs static_friction");
    if (def->drilling_radius > 0 && (check->model->dimension == 2 || def->friction == 0))
        tn_complain(check, "drilling_radius needs friction, and a spatial model");
    check_restitutions(check, def);
    check_grain(check, def);
}

static bool is_ball(const tn_shape *shape, int dimension)
{
    return shape->kind == TN_SHAPE_SPHERE || (dimension == 2 && shape->kind == TN_SHAPE_CYLINDER);
}

/* Tells whether two bodies have shapes that would touch by a modulus, with no ball among them. */
static bool lack_ball(const tn_contact_def *def, const tn_body *a, const tn_body *b, int dimension)
{
    for (size_t k = 0; k < a->shape_count; k++)
        for (size_t l = 0; l < b->shape_count; l++) {
            const tn_shape *one = &a->shapes[k], *two = &b->shapes[l];
            bool planes = one->kind == TN_SHAPE_HALF_SPACE && two->kind == TN_SHAPE_HALF_SPACE;
            if (!planes && !is_ball(one, dimension) && !is_ball(two, dimension) && tn_shape_touches(one, dimension) &&
                tn_shape_touches(two, dimension) && tn_contact_law(def, one->material, two->material)->modulus > 0)
                return true;
        }
    return false;
}

/* With a modulus one of any two shapes that meet is a ball: others have no radius for Hertz's law. */
static void check_balls(tn_check *check, const tn_contact *contact, const tn_contact_def *law)
{
    const tn_body *bodies = check->model->bodies;
    for (size_t i = 0; i < contact->body_count; i++)
        for (size_t j = 0; j < i; j++) {
            const tn_body *a = &bodies[contact->bodies[j]], *b = &bodies[contact->bodies[i]];
            if (lack_ball(law, a, b, check->model->dimension))
                tn_complain(check, "modulus is for balls on any shape: '%s' and '%s' have shapes that need stiffness",
                            a->entity.name, b->entity.name);
        }
}

int tn_check_contact_law(const tn_model *model, uint32_t contact, const tn_contact_def *law, tn_span span)
{
    tn_check check = { model, model->context, span, "contact", model->contacts[contact].entity.name, TN_OK };
    check_law(&check, law);
    if (check.code == TN_OK)
        check_balls(&check, &model->contacts[contact], law);
    return check.code;
}

int tn_own_materials(tn_arena *arena, tn_contact_def *def)
{
    if (def->material_count == 0)
        return TN_OK;
    tn_material_law *copy = tn_arena_alloc(arena, def->material_count, sizeof *copy);
    if (!copy)
        return TN_ERROR_MEMORY;
    memcpy(copy, def->materials, def->material_count * sizeof *copy);
    def->materials = copy;
    return TN_OK;
}

static bool has_material(const tn_model *model, const tn_contact_def *def, const char *name)
{
    for (size_t i = 0; i < def->body_count; i++) {
        const tn_body *body = &model->bodies[def->bodies[i].index];
        for (size_t k = 0; k < body->shape_count; k++)
            if (strcmp(body->shapes[k].material, name) == 0)
                return true;
    }
    return false;
}

static void check_materials(tn_check *check, const tn_contact_def *def)
{
    for (size_t k = 0; k < def->material_count; k++) {
        const tn_material_law *pair = &def->materials[k];
        for (int side = 0; side < 2; side++)
            if (!has_material(check->model, def, pair->materials[side]))
                tn_complain(check, "materials: no shape of its bodies has the material '%s'", pair->materials[side]);
        for (size_t j = 0; j < k; j++) {
            const tn_material_law *other = &def->materials[j];
            bool straight = strcmp(pair->materials[0], other->materials[0]) == 0;
            if (strcmp(pair->materials[0], other->materials[straight ? 0 : 1]) == 0 &&
                strcmp(pair->materials[1], other->materials[straight ? 1 : 0]) == 0)
                tn_complain(check, "materials: '%s' and '%s' have two laws", pair->materials[0], pair->materials[1]);
        }
        tn_attributes_check(check, "materials: ", tn_contact_attributes, &pair->law);
        check_law(check, &pair->law);
    }
}

int tn_check_contact(tn_contact *contact, tn_check *check, const tn_contact_def *def)
{
    *contact = (tn_contact){ .law = *def };
    contact->law.bodies = NULL;
    contact->law.body_count = 0;
    check_bodies(check, def);
    tn_attributes_check(check, "", tn_contact_attributes, def);
    check_law(check, def);
    if (check->code == TN_OK)
        check_materials(check, def);
    TN_TRY(check->code);
    TN_TRY(tn_own_materials(check->model->arena, &contact->law));
    contact->bodies = tn_arena_alloc(check->model->arena, def->body_count, sizeof *contact->bodies);
    if (!contact->bodies)
        return TN_ERROR_MEMORY;
    contact->body_count = def->body_count;
    for (size_t i = 0; i < def->body_count; i++)
        contact->bodies[i] = def->bodies[i].index;
    check_balls(check, contact, def);
    return check->code;
}

int tn_model_add_contact_at(tn_id *out, tn_model *model, const char *name, const tn_contact_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "contact", name, TN_OK };
    tn_contact contact;
    tn_id id;
    tn_check_name(&check);
    TN_TRY(tn_check_contact(&contact, &check, def));
    TN_TRY(tn_table_add(&id, model, TN_KIND_CONTACT, NULL, name, span));
    contact.entity = model->contacts[id.index].entity;
    model->contacts[id.index] = contact;
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_contact(tn_id *out, tn_model *model, const char *name, const tn_contact_def *def)
{
    return tn_model_add_contact_at(out, model, name, def, TN_NOWHERE);
}

static const tn_contact *find_add_contact(const tn_model *model, tn_id id)
{
    return id.kind == TN_KIND_CONTACT && tn_model_entity(model, id) ? &model->contacts[id.index] : NULL;
}

static int gone(const tn_model *model)
{
    return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "there is no such contact, or it is gone");
}

int tn_model_contact_bodies(tn_id *bodies, size_t capacity, const tn_model *model, tn_id contact)
{
    const tn_contact *c = find_add_contact(model, contact);
    if (!c)
        return gone(model);
    for (size_t i = 0; i < c->body_count && i < capacity; i++)
        bodies[i] = tn_table_id(model, TN_KIND_BODY, c->bodies[i]);
    return (int)c->body_count;
}

int tn_model_contact_values(double *restitution, double *friction, const tn_model *model, tn_id contact)
{
    const tn_contact *c = find_add_contact(model, contact);
    if (!c)
        return gone(model);
    *restitution = c->law.restitution;
    *friction = c->law.friction;
    return TN_OK;
}
