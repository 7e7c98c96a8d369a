/* Forces between shapes that give way. With the depth of overlap delta > 0 of a touch, the unit normal n from body 1 to body
 * 2, and the slip u of body 2 against body 1 at the touch:
 *     elastic      e = stiffness delta (delta / scale)^(exponent - 1)     or, with a modulus E* and the radius R,
 *                  e = 4/3 E* sqrt(R delta) delta,  1/R = 1/R1 + 1/R2     Hertz
 *     normal       F = max(0, e (1 + damping delta'))                     Hunt and Crossley
 *     friction     -friction F u / sqrt(|u|^2 + creep_speed^2)
 *     potential    e delta / (exponent + 1)
 *     loss         (F - e) delta' + friction F |u|^2 / sqrt(|u|^2 + creep_speed^2)
 * Forces act on both bodies at the same point, so that momentum is kept exactly. */
#include "compliance.h"

#include <math.h>
#include <string.h>
#include "elementary.h"
#include "vec.h"

typedef struct compliance {
    tn_contact_field field;            /* first: the system sees this part */
    tn_context *context;
    tn_touches *touches;
    tn_pose *poses;                    /* by slot of the model */
    int *pair_of;                      /* square over bodies and ground, which comes last: number of the pair, -1: none */
    int *block_of;                     /* by pair: its first entry among the derivatives */
    tn_touch *kept;                    /* touches of the searched piece of a step; owned */
    size_t kept_count, kept_capacity;
} compliance;

/* Motion of a body as touches see it; ground is at rest. */
typedef struct touching_body {
    tn_pose pose;                      /* of the body's frame in the world */
    double centre[3], v[3], w[3];      /* centre of mass and its velocity; angular velocity, world */
    int width;                         /* number of velocities */
    bool planar;
} touching_body;

/* ---- one touch ---- */

static touching_body motion_of(const tn_eval *e, const tn_system *s, const tn_pose *poses, uint32_t slot)
{
    touching_body out = { .pose = poses[slot] };
    int body = s->body_of[slot];
    if (body < 0)
        return out;
    const tn_sys_body *b = &s->bodies[body];
    memcpy(out.centre, e->q + b->q, (size_t)s->dimension * sizeof(double));
    memcpy(out.v, e->v + b->v, (size_t)s->dimension * sizeof(double));
    tn_copy3(out.w, e->w[body]);
    out.width = tn_field_width(s, body);
    out.planar = b->motion == TN_MOTION_PLANAR;
    return out;
}

static void velocity_at(const touching_body *body, const double point[3], double out[3])
{
    double arm[3], turn[3];
    tn_sub3(arm, point, body->centre);
    tn_cross3(turn, body->w, arm);
    tn_add3(out, body->v, turn);
}

/* Velocity of the belt of body 1 against body 2's belt, in the world. */
static void belt_of(const tn_model *model, const tn_touch *touch, const tn_contact_def *law, const touching_body *one,
                    const touching_body *two, double out[3])
{
    uint32_t first = model->contacts[touch->contact].bodies[0];
    const touching_body *owner = first == touch->key.body1 ? one : first == touch->key.body2 ? two : NULL;
    double R[3][3];
    tn_zero3(out);
    if (!owner || tn_norm3(law->surface_velocity) == 0)
        return;
    tn_quat_matrix(R, owner->pose.q);
    tn_mul33(out, (const double (*)[3])R, law->surface_velocity);
    for (int k = 0; k < 3; k++)
        out[k] *= owner == one ? 1 : -1;
}

/* Radius for Hertz's law: that of two balls, of one ball on a shape without a rounding, or of a ball in a hollow, whose radius
 * is negative. */
static double hertz_radius(const tn_touch *touch)
{
    double two = touch->radius2, one = touch->radius - two;
    return one != 0 && two != 0 ? one * two / (one + two) : fmax(one, two);
}

static double elastic_force(const tn_contact_def *law, const tn_touch *touch, double depth)
{
    return law->modulus > 0 ? 4.0 / 3 * law->modulus * sqrt(hertz_radius(touch) * depth) * depth
                            : law->stiffness * depth * tn_pow(depth / law->scale, law->exponent - 1);
}

static const tn_contact_def *law_of(const tn_model *model, const tn_touch *touch)
{
    const tn_touch_key *key = &touch->key;
    return tn_contact_law(&model->contacts[touch->contact].law, model->bodies[key->body1].shapes[key->shape1].material,
                          model->bodies[key->body2].shapes[key->shape2].material);
}

static tn_compliant_load load_of(const tn_model *model, const tn_touch *touch, const touching_body *one,
                                 const touching_body *two)
{
    const tn_contact_def *law = law_of(model, touch);
    const double *n = touch->normal, depth = fmax(-touch->gap, 0);
    tn_compliant_load out = { 0 };
    double belt[3], other[3];
    velocity_at(two, touch->point, out.slip);
    velocity_at(one, touch->point, other);
    tn_sub3(out.slip, out.slip, other);
    double rate = -tn_dot3(out.slip, n);
    belt_of(model, touch, law, one, two, belt);
    tn_sub3(out.slip, out.slip, belt);
    tn_axpy3(out.slip, -tn_dot3(out.slip, n), n);
    double elastic = depth > 0 ? elastic_force(law, touch, depth) : 0, square = tn_dot3(out.slip, out.slip);
    out.normal = fmax(0, elastic * (1 + law->damping * rate));
    double rub = law->friction * out.normal / sqrt(square + law->creep_speed * law->creep_speed);
    for (int k = 0; k < 3; k++)
        out.friction[k] = -rub * out.slip[k];
    out.potential = elastic * depth / ((law->modulus > 0 ? 1.5 : law->exponent) + 1);
    out.loss = (out.normal - elastic) * rate + rub * (square + tn_dot3(out.slip, belt));
    return out;
}

/* Adds force and torque on a body, from a force at a point, over its velocities. */
static void add_to_body(const touching_body *body, const double force[3], const double point[3], double sign, double *f)
{
    double arm[3], torque[3];
    int linear = body->width == 6 || (body->width == 3 && !body->planar) ? 3 : 2;
    tn_sub3(arm, point, body->centre);
    tn_cross3(torque, arm, force);
    for (int k = 0; k < linear && k < body->width; k++)
        f[k] += sign * force[k];
    for (int k = linear; k < body->width; k++)
        f[k] += sign * torque[body->planar ? 2 : k - linear];
}

static void total_force(const tn_touch *touch, const tn_compliant_load *load, double out[3])
{
    tn_copy3(out, load->friction);
    tn_axpy3(out, load->normal, touch->normal);
}

/* ---- all touches ---- */

static int find_touches(const tn_touch **list, size_t *count, compliance *c, const tn_eval *e, const tn_system *s, double margin)
{
    for (int b = 0; b < s->body_count; b++)
        c->poses[s->bodies[b].source] = tn_body_pose(&s->bodies[b], e->q + s->bodies[b].q, s->dimension);
    return tn_touches_find(list, count, c->touches, c->poses, margin);
}

static int add_field(tn_contact_field *field, const tn_eval *e, const tn_system *s, double *f, double *potential, double *loss)
{
    compliance *c = (compliance *)field;
    const tn_touch *list;
    size_t count;
    TN_TRY(find_touches(&list, &count, c, e, s, 0));
    for (size_t k = 0; k < count; k++) {
        const tn_touch_key *key = &list[k].key;
        touching_body one = motion_of(e, s, c->poses, key->body1), two = motion_of(e, s, c->poses, key->body2);
        tn_compliant_load load = load_of(s->model, &list[k], &one, &two);
        double force[3];
        *potential += load.potential;
        *loss += load.loss;
        total_force(&list[k], &load, force);
        if (f && one.width > 0)
            add_to_body(&one, force, list[k].point, -1, f + s->bodies[s->body_of[key->body1]].v);
        if (f && two.width > 0)
            add_to_body(&two, force, list[k].point, 1, f + s->bodies[s->body_of[key->body2]].v);
    }
    return TN_OK;
}

/* ---- derivatives ---- */

/* Moves a body by a step of one of its velocities: its position, or its velocity. */
static void displace(touching_body *body, int velocity, double step, bool speed)
{
    int linear = body->planar ? 2 : 3;
    double turn[3] = { 0 }, q[4], moved[4], arm[3], R[3][3], swept[3];
    if (velocity < linear) {
        *(speed ? &body->v[velocity] : &body->centre[velocity]) += step;
        body->pose.p[velocity] += speed ? 0 : step;
        return;
    }
    turn[body->planar ? 2 : velocity - linear] = step;
    if (speed) {
        tn_add3(body->w, body->w, turn);
        return;
    }
    tn_quat_exp(q, turn);
    tn_quat_matrix(R, q);
    tn_sub3(arm, body->pose.p, body->centre);
    tn_mul33(swept, (const double (*)[3])R, arm);
    tn_add3(body->pose.p, body->centre, swept);
    tn_quat_mul(moved, q, body->pose.q);
    memcpy(body->pose.q, moved, sizeof moved);
}

/* Forces on both bodies of a touch, which moves with them. */
static void forces_of(const tn_system *s, const tn_touch *touch, const touching_body *one, const touching_body *two, double f[12])
{
    tn_touch moved = *touch;
    double force[3];
    tn_touch_move(&moved, s->dimension, &one->pose, &two->pose);
    tn_compliant_load load = load_of(s->model, &moved, one, two);
    total_force(&moved, &load, force);
    memset(f, 0, 12 * sizeof *f);
    add_to_body(one, force, moved.point, -1, f);
    add_to_body(two, force, moved.point, 1, f + one->width);
}

/* Derivatives by one velocity of a pair, by central differences of fourth order. The step is a hundredth of the depth, beyond
 * which the force is no power series, and of the creep speed. */
static void differentiate_column(const tn_system *s, const tn_touch *touch, const touching_body bodies[2], int column, bool speed,
                                 double step, double out[12])
{
    static const double at[] = { -2, -1, 1, 2 }, weight[] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 };
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k < 4; k++) {
        touching_body moved[2] = { bodies[0], bodies[1] };
        double f[12];
        bool second = column >= bodies[0].width;
        displace(&moved[second], second ? column - bodies[0].width : column, at[k] * step, speed);
        forces_of(s, touch, &moved[0], &moved[1], f);
        for (int i = 0; i < 12; i++)
            out[i] += weight[k] * f[i] / step;
    }
}

/* Adds the derivatives of a touch to the block of its pair, whose first body may be the second of the touch. */
static void differentiate_touch(const compliance *c, const tn_eval *e, const tn_system *s, const tn_touch *touch, double *position,
                                double *velocity)
{
    const double part = 0.01, least = 1e-10, most = 1e-5;      /* of the depth; m: round-off; m: geometry */
    int n = s->body_count + 1, one = s->body_of[touch->key.body1], two = s->body_of[touch->key.body2];
    int pair = c->pair_of[(one < 0 ? n - 1 : one) * n + (two < 0 ? n - 1 : two)];
    touching_body bodies[2] = { motion_of(e, s, c->poses, touch->key.body1), motion_of(e, s, c->poses, touch->key.body2) };
    int first = bodies[0].width, width = first + bodies[1].width;
    int shift = c->field.pairs[pair][0] == one ? 0 : bodies[1].width;      /* of the rows of body 1 in the block */
    double step = fmin(fmax(part * -touch->gap, least), most), speed = part * law_of(s->model, touch)->creep_speed;
    for (int j = 0; j < width; j++) {
        double by_position[12], by_velocity[12];
        int column = shift == 0 ? j : j < first ? j + shift : j - first;
        differentiate_column(s, touch, bodies, j, false, step, by_position);
        differentiate_column(s, touch, bodies, j, true, speed, by_velocity);
        for (int i = 0; i < width; i++) {
            int row = shift == 0 ? i : i < first ? i + shift : i - first;
            position[c->block_of[pair] + row * width + column] += by_position[i];
            velocity[c->block_of[pair] + row * width + column] += by_velocity[i];
        }
    }
}

static int differentiate_field(tn_contact_field *field, const tn_eval *e, const tn_system *s, double *position, double *velocity)
{
    compliance *c = (compliance *)field;
    const tn_touch *list;
    size_t count;
    TN_TRY(find_touches(&list, &count, c, e, s, 0));
    for (size_t k = 0; k < count; k++)
        differentiate_touch(c, e, s, &list[k], position, velocity);
    return TN_OK;
}

/* ---- making the field ---- */

static bool contact_may_give_way(const tn_contact *contact)
{
    bool gives = tn_contact_gives_way(&contact->law);
    for (size_t k = 0; k < contact->law.material_count; k++)
        gives = gives || tn_contact_gives_way(&contact->law.materials[k].law);
    return gives;
}

/* Numbers the pairs of bodies that share a compliant contact. */
static void number_pairs(compliance *c, const tn_system *s)
{
    const tn_model *model = s->model;
    int n = s->body_count + 1, entries = 0;
    for (int k = 0; k < n * n; k++)
        c->pair_of[k] = -1;
    for (uint32_t k = 0; k < model->contact_count; k++) {
        const tn_contact *contact = &model->contacts[k];
        if (!tn_contact_active(model, k) || !contact_may_give_way(contact))
            continue;
        for (size_t i = 0; i < contact->body_count; i++)
            for (size_t j = 0; j < i; j++) {
                int one = s->body_of[contact->bodies[j]], two = s->body_of[contact->bodies[i]];
                int *place = &c->pair_of[(one < 0 ? n - 1 : one) * n + (two < 0 ? n - 1 : two)];
                if (*place >= 0 || one == two)
                    continue;
                *place = c->pair_of[(two < 0 ? n - 1 : two) * n + (one < 0 ? n - 1 : one)] = c->field.pair_count;
                c->field.pairs[c->field.pair_count][0] = one;
                c->field.pairs[c->field.pair_count][1] = two;
                c->block_of[c->field.pair_count++] = entries;
                int width = tn_field_width(s, one) + tn_field_width(s, two);
                entries += width * width;
            }
    }
}

static void destroy_field(tn_contact_field *field)
{
    compliance *c = (compliance *)field;
    if (c->touches)
        tn_touches_destroy(c->touches);
    tn_free(c->context, c->kept);
    tn_free(c->context, c->poses);
    tn_free(c->context, c->pair_of);
    tn_free(c->context, c->block_of);
    tn_free(c->context, c->field.pairs);
    tn_free(c->context, c);
}

static int build_field(compliance *c, const tn_system *s)
{
    const tn_model *model = s->model;
    size_t n = (size_t)s->body_count + 1;
    TN_TRY(tn_touches_create_compliant(&c->touches, model));
    c->poses = tn_alloc(c->context, model->body_count, sizeof *c->poses);
    c->pair_of = tn_alloc(c->context, n * n, sizeof *c->pair_of);
    c->block_of = tn_alloc(c->context, n * n, sizeof *c->block_of);
    c->field.pairs = tn_alloc(c->context, n * n, sizeof *c->field.pairs);
    if (!c->poses || !c->pair_of || !c->block_of || !c->field.pairs)
        return TN_ERROR_MEMORY;
    for (uint32_t b = 0; b < model->body_count; b++)
        c->poses[b] = model->bodies[b].pose;
    c->poses[0] = tn_pose_identity();
    number_pairs(c, s);
    return TN_OK;
}

int tn_compliance_attach(tn_system *s)
{
    bool any = false;
    if (s->field)
        s->field->destroy(s->field);
    s->field = NULL;
    for (uint32_t k = 0; k < s->model->contact_count; k++)
        any = any || (tn_contact_active(s->model, k) && contact_may_give_way(&s->model->contacts[k]));
    if (!any)
        return TN_OK;
    compliance *c = tn_alloc(s->context, 1, sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    *c = (compliance){ .field = { destroy_field, add_field, NULL, 0, differentiate_field }, .context = s->context };
    int code = build_field(c, s);
    if (code < 0)
        destroy_field(&c->field);
    else
        s->field = &c->field;
    return code;
}

/* ---- the touches of a session ---- */

int tn_compliance_touches(const tn_touch **list, size_t *count, tn_session *s, double margin)
{
    *list = NULL;
    *count = 0;
    return s->system->field ? find_touches(list, count, (compliance *)s->system->field, s->stepper->eval, s->system, margin) : TN_OK;
}

static bool is_kept(const compliance *c, const tn_touch *touch)
{
    for (size_t k = 0; k < c->kept_count; k++)
        if (tn_touch_key_equal(&c->kept[k].key, &touch->key))
            return true;
    return false;
}

int tn_compliance_keep(tn_session *s, const tn_touch *list, size_t count, bool add)
{
    compliance *c = (compliance *)s->system->field;
    if (!add)
        c->kept_count = 0;
    TN_TRY(tn_grow(c->context, &c->kept, &c->kept_capacity, c->kept_count + count, sizeof *c->kept));
    for (size_t k = 0; k < count; k++)
        if (!add || !is_kept(c, &list[k]))
            c->kept[c->kept_count++] = list[k];
    return TN_OK;
}

void tn_compliance_kept(const tn_session *s, const tn_touch **list, size_t *count)
{
    const compliance *c = (const compliance *)s->system->field;
    *list = c->kept;
    *count = c->kept_count;
}

double tn_compliance_length(const tn_session *s)
{
    return tn_touches_slimmest(((const compliance *)s->system->field)->touches);
}

tn_compliant_load tn_compliance_load(const tn_session *s, const tn_touch *touch)
{
    const compliance *c = (const compliance *)s->system->field;
    touching_body one = motion_of(s->stepper->eval, s->system, c->poses, touch->key.body1);
    touching_body two = motion_of(s->stepper->eval, s->system, c->poses, touch->key.body2);
    return load_of(s->model, touch, &one, &two);
}
