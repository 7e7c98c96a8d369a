/* Adding bodies and frames to a model: default definition, checks, mass properties. */
#include "check.h"
#include "diag.h"
#include "tables.h"
#include "vec.h"

tn_body_def tn_body_default(void)
{
    return (tn_body_def){
        .kind = TN_BODY_RIGID,
        .mass = NAN,
        .inertia = { NAN, NAN, NAN, 0, 0, 0 },
        .pose = tn_pose_identity(),
    };
}

static bool is_inertia_given(const tn_body_def *def)
{
    const double *i = def->inertia;
    return !isnan(i[0]) || !isnan(i[1]) || !isnan(i[2]) || i[3] != 0 || i[4] != 0 || i[5] != 0;
}

static bool has_slender_rod(const tn_body_def *def)
{
    for (size_t i = 0; i < def->shape_count; i++)
        if (def->shapes[i].kind == TN_SHAPE_ROD && def->shapes[i].size[0] == 0)
            return true;
    return false;
}

/* Principal moments and axes of a tensor; least, middle, most are the moments in ascending order. */
typedef struct principal {
    double moments[3], axes[3][3];
    double least, middle, most;
} principal;

static principal principal_of(const double inertia[6])
{
    principal p;
    tn_principal_axes(p.moments, p.axes, inertia);
    p.least = fmin(p.moments[0], fmin(p.moments[1], p.moments[2]));
    p.most = fmax(p.moments[0], fmax(p.moments[1], p.moments[2]));
    p.middle = p.moments[0] + p.moments[1] + p.moments[2] - p.least - p.most;
    return p;
}

static const double TRIANGLE_TOLERANCE = 1e-9;      /* relative: numbers from a table are rounded */
static const double ZERO_TOLERANCE = 1e-14;         /* relative: round-off of a rotated tensor */

static void check_spatial_inertia(tn_check *check, const tn_body_def *def, const double inertia[6])
{
    principal p = principal_of(inertia);
    bool is_zero = fabs(p.least) <= ZERO_TOLERANCE * p.most;
    if (is_zero && has_slender_rod(def))
        tn_complain(check, "the moment of inertia about the rod's own axis is zero: a slender rod (radius 0) needs a "
                    "radius in space (dimension: 3)");
    else if (is_zero || p.least <= 0)
        tn_complain(check, "principal moment of inertia %g kg m^2 must be positive", is_zero ? 0.0 : p.least);
    else if (p.least + p.middle < p.most * (1 - TRIANGLE_TOLERANCE))
        tn_complain(check, "no body has the principal moments of inertia %g, %g, %g kg m^2: the largest must not "
                    "exceed the sum of the others (inertia_check: warn takes them as they are)", p.least, p.middle,
                    p.most);
}

/* With inertia_check: warn. Published tables contain impossible tensors and links without mass: such values are
 * accepted as far as the equations of motion can be solved, and a warning says which value is assumed. */
static const double LEAST_MOMENT = 1e-6;            /* over the largest: replaces smaller or negative moments */
static const double WORST_MOMENT = -0.01;           /* over the largest: a more negative moment is an error */
static const double MASS_OF_NOTHING = 1e-6;         /* kg of a link without mass */
static const double INERTIA_OF_NOTHING = 1e-8;      /* kg m^2: that mass at 0.1 m */

static void raise_moments(principal p, double inertia[6])
{
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int m = 0; m < 3; m++) {
        double raise = fmax(0, LEAST_MOMENT * p.most - p.moments[m]);
        for (int k = 0; raise > 0 && k < 6; k++)
            inertia[k] += raise * p.axes[row[k]][m] * p.axes[column[k]][m];
    }
}

static void accept_spatial_inertia(tn_check *check, double inertia[6])
{
    principal p = principal_of(inertia);
    if (!(p.most > 0) || p.least < WORST_MOMENT * p.most) {
        tn_complain(check, "principal moment of inertia %g kg m^2 must be positive", p.least);
        return;
    }
    if (p.least + p.middle < p.most * (1 - TRIANGLE_TOLERANCE))
        tn_warn(check->context, check->span, "body '%s': no body has the principal moments of inertia %g, %g, %g kg m^2, "
                "the largest exceeds the sum of the others: taken as they are%s", check->name, p.least, p.middle, p.most,
                p.least < LEAST_MOMENT * p.most ? ", but the least" : "");
    if (p.least < LEAST_MOMENT * p.most) {
        raise_moments(p, inertia);
        tn_warn(check->context, check->span, "body '%s': principal moment of inertia %g kg m^2: assumed %g", check->name,
                p.least, LEAST_MOMENT * p.most);
    }
}

/* Assumes a small mass, and at least a small inertia, for a link without mass. */
static void assume_mass(tn_check *check, tn_body *body)
{
    bool planar = check->model->dimension == 2;
    body->mass = MASS_OF_NOTHING;
    for (int k = planar ? 2 : 0; k < 3; k++)
        body->inertia[k] = fmax(body->inertia[k], INERTIA_OF_NOTHING);
    tn_warn(check->context, check->span, "body '%s' has no mass: assumed %g kg, and moments of inertia of at least %g kg m^2",
            check->name, MASS_OF_NOTHING, INERTIA_OF_NOTHING);
}

static void check_inertia(tn_check *check, const tn_body_def *def, double inertia[6])
{
    if (check->model->dimension == 3 && def->inertia_warn)
        accept_spatial_inertia(check, inertia);
    else if (check->model->dimension == 3)
        check_spatial_inertia(check, def, inertia);
    else if (!(inertia[2] > 0))
        tn_complain(check, "moment of inertia %g kg m^2 must be positive", inertia[2]);
}

const char *tn_missing_text(const tn_model *model, const tn_body *body)
{
    if (body->missing == TN_MISSING_MASS)
        return "mass is missing: give mass, or shapes with density";
    return model->dimension == 2 ? "inertia is missing: give inertia, or shapes with density"
                                 : "inertia is missing: give inertia (xx, yy, zz), or shapes with density";
}

static void take_given_inertia(tn_check *check, const tn_body_def *def, tn_body *body)
{
    const double *i = def->inertia;
    bool planar = check->model->dimension == 2;
    if (!is_inertia_given(def)) {
        body->missing = TN_MISSING_INERTIA;
        return;
    }
    if (isnan(i[2]) || (!planar && (isnan(i[0]) || isnan(i[1])))) {
        tn_complain(check, "inertia is incomplete: give %s", planar ? "zz" : "xx, yy and zz");
        return;
    }
    if (!tn_check_finite(check, "inertia", planar ? &i[2] : i, planar ? 1 : 6))
        return;
    memcpy(body->inertia, i, sizeof body->inertia);
    if (def->mass > 0)
        check_inertia(check, def, body->inertia);
}

static void take_given_mass(tn_check *check, const tn_body_def *def, bool shapes_have_mass, tn_body *body)
{
    const bool nothing = def->mass == 0 && def->inertia_warn;
    if (!nothing && (!(def->mass > 0) || !isfinite(def->mass)))
        tn_complain(check, "mass %g kg must be positive", def->mass);
    if (shapes_have_mass)
        tn_complain(check, "mass is given twice: leave out the body's mass, or density and mass of its shapes");
    tn_check_finite(check, "com", def->com, 3);
    body->mass = def->mass;
    tn_copy3(body->com, def->com);
    if (def->kind == TN_BODY_RIGID)
        take_given_inertia(check, def, body);
    if (nothing) {
        body->missing = TN_MISSING_NOTHING;
        assume_mass(check, body);
    }
}

/* Mass properties may be missing when only kinematics is computed. */
static void take_no_mass(tn_check *check, const tn_body_def *def, tn_body *body)
{
    if (is_inertia_given(def))
        tn_complain(check, "inertia is given but mass is not: give mass too");
    tn_check_finite(check, "com", def->com, 3);
    tn_copy3(body->com, def->com);
    body->missing = TN_MISSING_MASS;
}

static void take_mass_of_shapes(tn_check *check, const tn_body_def *def, const tn_body *measured, tn_body *body)
{
    if (is_inertia_given(def) && def->kind == TN_BODY_RIGID)
        tn_complain(check, "inertia is given but mass is not: give mass too, or leave inertia to the shapes");
    if (def->com[0] != 0 || def->com[1] != 0 || def->com[2] != 0)
        tn_complain(check, "com is given but mass is not: give mass and inertia too, or leave com to the shapes");
    body->mass = measured->mass;
    tn_copy3(body->com, measured->com);
    memcpy(body->inertia, measured->inertia, sizeof body->inertia);
    if (def->kind == TN_BODY_RIGID)
        check_inertia(check, def, body->inertia);
}

static void take_mass(tn_check *check, const tn_body_def *def, tn_body *body)
{
    tn_body measured = { 0 };
    int code = tn_shapes_mass(check->context, check->span, check->name, def->shapes, def->shape_count, &measured.mass,
                              measured.com, measured.inertia);
    tn_check_note(check, code);
    if (!isnan(def->mass))
        take_given_mass(check, def, measured.mass > 0, body);
    else if (measured.mass > 0)
        take_mass_of_shapes(check, def, &measured, body);
    else if (code == TN_OK)
        take_no_mass(check, def, body);
}

static void check_particle(tn_check *check, const tn_body_def *def, tn_body *body)
{
    const double off_centre = 1e-9;    /* m: round-off of shapes placed around the point */
    if (is_inertia_given(def))
        tn_complain(check, "a particle has no inertia: leave inertia out, or make the body rigid");
    if (tn_norm3(body->com) > off_centre)
        tn_complain(check, "a particle is where its mass is: leave com out and centre its shapes, or make the body "
                    "rigid");
    if (def->angular_velocity[0] != 0 || def->angular_velocity[1] != 0 || def->angular_velocity[2] != 0)
        tn_complain(check, "a particle does not turn: leave angular_velocity out, or make the body rigid");
    tn_zero3(body->com);
    memset(body->inertia, 0, sizeof body->inertia);
}

/* A planar model uses x and y of positions and velocities and z of rotations. */
static void flatten(tn_body *body)
{
    body->com[2] = 0;
    body->velocity[2] = 0;
    body->angular_velocity[0] = body->angular_velocity[1] = 0;
    const double inertia[6] = { 0, 0, body->inertia[2], 0, 0, 0 };
    memcpy(body->inertia, inertia, sizeof inertia);
}

int tn_check_body(tn_body *body, tn_check *check, const tn_body_def *def)
{
    int dimension = check->model->dimension;
    *body = (tn_body){ .kind = def->kind, .pose = def->pose, .placed = def->placed, .place_free = def->placed && def->place_free };
    take_mass(check, def, body);
    if (def->kind == TN_BODY_PARTICLE)
        check_particle(check, def, body);
    else if (def->kind != TN_BODY_RIGID)
        tn_complain(check, "there is no kind %d of body", (int)def->kind);
    tn_check_pose(check, "the body", &body->pose, dimension);
    tn_check_finite(check, "velocity", def->velocity, 3);
    tn_check_finite(check, "angular_velocity", def->angular_velocity, 3);
    tn_copy3(body->velocity, def->velocity);
    tn_copy3(body->angular_velocity, def->angular_velocity);
    if (def->guess)
        body->given = 0;
    else if (def->velocity_given || tn_norm3(def->velocity) > 0)
        body->given |= TN_GIVEN_VELOCITY;
    if ((def->angular_velocity_given || tn_norm3(def->angular_velocity) > 0) && def->kind == TN_BODY_RIGID && !def->guess)
        body->given |= TN_GIVEN_SPIN;
    if (dimension == 2)
        flatten(body);
    tn_check_note(check, tn_looks_check(check->context, check->span, check->name, def->looks, def->look_count));
    TN_TRY(check->code);
    TN_TRY(tn_shapes_copy(&body->shapes, check->context, def->shapes, def->shape_count));
    body->shape_count = def->shape_count;
    int code = tn_shapes_copy(&body->looks, check->context, def->looks, def->look_count);
    if (code < 0)
        tn_body_free_shapes(check->context, body);
    else
        body->look_count = def->look_count;
    return code;
}

bool tn_body_weighed(const tn_body *body)
{
    for (size_t k = 0; k < body->shape_count; k++)
        if (!isnan(body->shapes[k].density) || !isnan(body->shapes[k].mass))
            return true;
    return false;
}

int tn_body_with_mass(tn_body *out, const tn_model *model, tn_id id, const tn_body_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "body", tn_model_entity_name(model, id), TN_OK };
    tn_body_def known = *def;
    *out = model->bodies[id.index];
    known.kind = out->kind;
    out->missing = TN_MISSING_NOTHING;
    if (tn_body_weighed(out))
        tn_complain(&check, "its mass is that of its shapes: replace the body to change them");
    else if (isnan(def->mass))
        take_no_mass(&check, &known, out);
    else
        take_given_mass(&check, &known, false, out);
    if (out->kind == TN_BODY_PARTICLE)
        check_particle(&check, &known, out);
    if (model->dimension == 2)
        flatten(out);
    return check.code;
}

int tn_model_set_mass(tn_model *model, tn_id id, const tn_body_def *def, tn_span span)
{
    tn_body body;
    TN_TRY(tn_body_with_mass(&body, model, id, def, span));
    model->bodies[id.index] = body;
    return TN_OK;
}

int tn_model_add_body_at(tn_id *out, tn_model *model, const char *name, const tn_body_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "body", name, TN_OK };
    tn_body body;
    tn_id id;
    tn_check_name(&check);
    TN_TRY(tn_check_body(&body, &check, def));
    int code = tn_table_add(&id, model, TN_KIND_BODY, NULL, name, span);
    if (code < 0) {
        tn_body_free_shapes(model->context, &body);
        return code;
    }
    body.entity = model->bodies[id.index].entity;
    model->bodies[id.index] = body;
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_body(tn_id *out, tn_model *model, const char *name, const tn_body_def *def)
{
    return tn_model_add_body_at(out, model, name, def, TN_NOWHERE);
}

/* "crank.position.x" is a channel of crank, so no frame may be called position. */
static bool is_channel_of_body(const char *name)
{
    static const char *const channels[] = { "position", "velocity", "acceleration", "orientation", "angle",
                                            "angular_velocity", "angular_acceleration" };
    for (size_t i = 0; i < TN_LENGTH(channels); i++)
        if (strcmp(name, channels[i]) == 0)
            return true;
    return false;
}

void tn_check_frame_name(tn_check *check, tn_id body)
{
    const char *body_name = tn_model_entity_name(check->model, body);
    char path[2 * TN_PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", body_name, check->name);
    if (tn_model_find(check->model, path).kind != TN_KIND_NONE)
        tn_complain(check, "body '%s' has a frame of this name already", body_name);
    if (strchr(check->name, '.') && body.index != 0)
        tn_complain(check, "'.' is reserved for paths such as body.frame: use '_' or '-' in names");
    if (is_channel_of_body(check->name))
        tn_complain(check, "the name means a quantity of body '%s': choose another", body_name);
}

int tn_model_add_frame_at(tn_id *out, tn_model *model, tn_id body, const char *name, const tn_pose *pose, tn_span span)
{
    tn_check check = { model, model->context, span, "frame", name, TN_OK };
    tn_pose checked = *pose;
    tn_id id;
    tn_check_pose(&check, "the frame", &checked, model->dimension);
    bool attached = tn_check_id(&check, "the body of the frame", body, TN_KIND_BODY);
    if (tn_check_spelling(&check) && attached)
        tn_check_frame_name(&check, body);
    TN_TRY(check.code);
    TN_TRY(tn_table_add(&id, model, TN_KIND_FRAME, tn_model_entity_name(model, body), name, span));
    model->frames[id.index].body = body.index;
    model->frames[id.index].pose = checked;
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_frame(tn_id *out, tn_model *model, tn_id body, const char *name, const tn_pose *pose)
{
    return tn_model_add_frame_at(out, model, body, name, pose, TN_NOWHERE);
}
