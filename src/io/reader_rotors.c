/* Reads bodies with one coordinate: rotors, which turn, and sliders, which move along a line. Such a body is held to ground by a joint
 * of its own, NAME-axis, whose coordinate it lends its name: NAME.angle, NAME.position. It has no place in the machine, so gravity does
 * not act along it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "elementary.h"
#include "keys.h"
#include "reader.h"
#include "vec.h"

static const double QUARTER_TURN = 1.57079632679489661923;     /* rad */

static void refuse_other_keys(tn_reader *r, const tn_node *const *values, bool slides)
{
    const tn_key *keys = tn_section_body.keys;
    for (int k = 0; k < TN_MAX_KEYS && keys[k].name != NULL; k++)
        if (values[k] != NULL && k != BODY_TYPE && k != BODY_ENABLED && k != (slides ? BODY_MASS : BODY_INERTIA))
            tn_read_error(r, values[k]->span, "a %s has 'type' and '%s', no '%s'", slides ? "slider" : "rotor",
                          slides ? "mass" : "inertia", keys[k].name);
}

/* A line across gravity: the x axis of the plane, or the z axis in space, is turned into it. */
static tn_pose pose_of_line(const tn_model *m)
{
    tn_pose pose = tn_pose_identity();
    const double *g = m->gravity, length = tn_norm3(g);
    double line[3] = { 1, 0, 0 };
    if (length > 0 && m->dimension == 2) {
        const double half = 0.5 * (tn_atan2(g[1], g[0]) + QUARTER_TURN);
        pose.q[0] = tn_cos(half);
        pose.q[3] = tn_sin(half);
    }
    if (m->dimension == 2)
        return pose;
    int least = 0;
    for (int k = 1; k < 3; k++)
        least = fabs(g[k]) < fabs(g[least]) ? k : least;
    for (int k = 0; k < 3 && length > 0; k++)
        line[k] = (k == least) - g[least] * g[k] / (length * length);
    const double size = tn_norm3(line), c = 1 + line[2] / size;    /* half way from z to the line */
    const double q[4] = { c, -line[1] / size, line[0] / size, 0 }, norm = sqrt(c * c + q[1] * q[1] + q[2] * q[2]);
    if (norm > 0)
        for (int k = 0; k < 4; k++)
            pose.q[k] = q[k] / norm;
    return pose;
}

static void add_axis(tn_reader *r, const tn_node *name, tn_id body, bool slides)
{
    char path[TN_PATH_SIZE];
    tn_model *m = r->model;
    tn_joint_def def = tn_joint_default(slides ? m->dimension == 2 ? "translational" : "prismatic" : "revolute");
    const tn_pose world = slides ? pose_of_line(m) : tn_pose_identity();
    tn_id id;
    m->bodies[body.index].given |= TN_GIVEN_AXIS;
    if (snprintf(path, sizeof path, "%s-axis", m->bodies[body.index].entity.name) >= (int)sizeof path) {
        tn_read_error(r, name->span, "the name is too long");
        return;
    }
    if (tn_model_find(m, path).kind == TN_KIND_JOINT)
        return;
    def.body1 = tn_model_ground(m);
    def.body2 = body;
    if (tn_read_ok(r, tn_joint_as_built(&def, m, &world)))
        tn_read_ok(r, tn_model_add_joint_at(&id, m, path, &def, name->span));
}

void tn_read_rotor(tn_reader *r, const tn_node *name, const tn_node *const *values, bool slides)
{
    const tn_key *keys = tn_section_body.keys;
    const int key = slides ? BODY_MASS : BODY_INERTIA;
    const size_t before = r->errors;
    double size = NAN;
    tn_body_def def = tn_body_default();
    tn_id id;
    refuse_other_keys(r, values, slides);
    if (values[key] == NULL)
        tn_read_error(r, name->span, "a %s needs '%s'", slides ? "slider" : "rotor", keys[key].name);
    else
        tn_read_quantity(r, values[key], keys[key].name, keys[key].unit, TN_POSITIVE, &size);
    def.mass = size;                                   /* numbers of the same size keep the equations well scaled */
    for (int k = 0; k < 3; k++)
        def.inertia[k] = size;
    for (int k = 3; k < 6; k++)
        def.inertia[k] = 0;
    def.placed = true;
    const bool enabled = tn_read_switch(r, values[BODY_ENABLED], &keys[BODY_ENABLED], true);
    if (r->errors == before && tn_read_put_body(r, name, &def, enabled, &id))
        add_axis(r, name, id, slides);
}
