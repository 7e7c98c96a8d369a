/* Reads the section bodies: mass properties, start and frames. Also reads poses for all entities. */
#include "elementary.h"
#include "reader.h"
#include "vec.h"

static void axis_angle(tn_reader *r, const tn_node *const *values, double q[4])
{
    double axis[3], angle, phi[3];
    const tn_key *keys = tn_section_rotation.keys;
    bool good = tn_read_axis(r, values[ROTATION_AXIS], &keys[ROTATION_AXIS], axis);
    if (!tn_read_number(r, values[ROTATION_ANGLE], &keys[ROTATION_ANGLE], &angle) || !good)
        return;
    for (int k = 0; k < 3; k++)
        phi[k] = angle * axis[k];
    tn_quat_exp(q, phi);
}

static void quaternion(tn_reader *r, const tn_node *node, double q[4])
{
    double given[4];
    if (tn_read_numbers(r, node, &tn_section_rotation.keys[ROTATION_QUATERNION], 4, 4, given) == 0)
        return;
    double largest = 0;
    for (int k = 0; k < 4; k++)
        largest = fmax(largest, fabs(given[k]));
    if (largest == 0) {
        tn_read_error(r, node->span, "'quaternion' must not be zero");
        return;
    }
    bool unit = tn_quat_is_unit(given);                /* stays as it is, to the bit */
    for (int k = 0; k < 4; k++)
        q[k] = unit ? given[k] : given[k] / largest;
    if (!unit)
        tn_quat_normalize(q);
}

static void euler(tn_reader *r, const tn_node *node, double q[4])
{
    double angles[3];
    if (tn_read_numbers(r, node, &tn_section_rotation.keys[ROTATION_EULER], 3, 3, angles) == 0)
        return;
    double result[4] = { 1, 0, 0, 0 }, turn[4], product[4];
    for (int k = 0; k < 3; k++) {
        double phi[3] = { 0 };
        phi[k] = angles[k];
        tn_quat_exp(turn, phi);
        tn_quat_mul(product, result, turn);
        memcpy(result, product, sizeof result);
    }
    memcpy(q, result, sizeof result);
}

static void rotation(tn_reader *r, const tn_node *node, double q[4])
{
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, node, &tn_section_rotation, values, NULL, 0, NULL))
        return;
    bool turn = values[ROTATION_AXIS] != NULL && values[ROTATION_ANGLE] != NULL;
    bool half = !turn && (values[ROTATION_AXIS] != NULL || values[ROTATION_ANGLE] != NULL);
    if (half || turn + (values[ROTATION_QUATERNION] != NULL) + (values[ROTATION_EULER] != NULL) != 1)
        tn_read_error(r, node->span, "'rotation' needs either axis and angle, or quaternion, or euler");
    else if (turn)
        axis_angle(r, values, q);
    else if (values[ROTATION_QUATERNION] != NULL)
        quaternion(r, values[ROTATION_QUATERNION], q);
    else
        euler(r, values[ROTATION_EULER], q);
}

static bool is_quaternion(const tn_node *node)
{
    return node->kind == TN_NODE_MAP && node->count == 1 && strcmp(node->as.items[0]->as.text, "quaternion") == 0;
}

bool tn_read_pose(tn_reader *r, const tn_node *const nodes[3], const tn_key *keys, tn_pose *pose)
{
    bool planar = r->model->dimension == 2;
    double angle;
    tn_read_vector(r, nodes[0], &keys[0], pose->p);
    if (nodes[1] != NULL && !planar)
        tn_read_error(r, nodes[1]->span, "'angle' is for planar models; write rotation: { axis: z, angle: ... }");
    else if (tn_read_number(r, nodes[1], &keys[1], &angle))
        memcpy(pose->q, tn_pose_planar(0, 0, angle).q, sizeof pose->q);
    if (nodes[2] != NULL && planar && !is_quaternion(nodes[2]))
        tn_read_error(r, nodes[2]->span, "'rotation' is for spatial models; write angle: ...");
    else if (nodes[2] != NULL)
        rotation(r, nodes[2], pose->q);
    if (planar && nodes[2] != NULL && (pose->q[1] != 0 || pose->q[2] != 0))
        tn_read_error(r, nodes[2]->span, "'rotation' turns out of the plane of a planar model");
    return nodes[0] != NULL || nodes[1] != NULL || nodes[2] != NULL;
}

void tn_read_to_world(const tn_reader *r, tn_pose *pose)
{
    if (r->pose != NULL)
        *pose = tn_pose_compose(r->pose, pose);
}

void tn_read_from_world(const tn_reader *r, tn_pose *pose)
{
    if (r->pose != NULL)
        *pose = tn_pose_relative(r->pose, pose);
}

void tn_read_turn(const tn_reader *r, double v[3])
{
    double turned[3];
    if (r->pose == NULL)
        return;
    tn_quat_rotate(turned, r->pose->q, v);
    tn_copy3(v, turned);
}

void tn_read_inertia(tn_reader *r, const tn_node *node, double inertia[6])
{
    const tn_key *key = &tn_section_body.keys[BODY_INERTIA];
    if (node == NULL)
        return;
    if (r->model->dimension == 2) {
        tn_read_number(r, node, key, &inertia[2]);
        return;
    }
    double values[6] = { 0 };
    size_t count = tn_read_numbers(r, node, key, 3, 6, values);
    if (count == 3 || count == 6)
        memcpy(inertia, values, sizeof values);
    else if (count != 0)
        tn_read_error(r, node->span, "'inertia' needs 3 or 6 numbers, not %zu", count);
}

bool tn_read_frame_pose(tn_reader *r, const tn_node *node, tn_pose *pose)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_key *keys = tn_section_frame.keys;
    size_t before = r->errors;
    double axis[3];
    *pose = tn_pose_identity();
    if (!tn_read_keys(r, node, &tn_section_frame, values, NULL, 0, NULL))
        return false;
    tn_read_pose(r, &values[FRAME_AT], &keys[FRAME_AT], pose);
    bool turned = values[FRAME_ANGLE] != NULL || values[FRAME_ROTATION] != NULL;
    if (turned && values[FRAME_AXIS] != NULL)
        tn_read_error(r, values[FRAME_AXIS]->span, "give either 'axis' or '%s'",
                      values[FRAME_ANGLE] != NULL ? "angle" : "rotation");
    else if (tn_read_axis(r, values[FRAME_AXIS], &keys[FRAME_AXIS], axis))
        *pose = r->model->dimension == 3 ? tn_pose_z(pose->p, axis)
                                         : tn_pose_planar(pose->p[0], pose->p[1], tn_atan2(axis[1], axis[0]));
    return r->errors == before;
}

/* body is NULL when the body is wrong: its frames are only checked. */
static void read_frames(tn_reader *r, const tn_node *node, const tn_id *body)
{
    if (!tn_read_is_map(r, node, "frames"))
        return;
    for (unsigned i = 0; i < node->count && r->stop == TN_OK; i++) {
        const tn_node *name = node->as.items[2 * i];
        tn_pose pose;
        tn_id id;
        if ((!tn_read_frame_pose(r, node->as.items[2 * i + 1], &pose) && !r->for_check) || body == NULL)
            continue;
        const char *text = body->index == 0 ? tn_read_path(r, name->as.text) : name->as.text;
        if (body->index == 0)
            tn_read_to_world(r, &pose);
        if (text != NULL)
            tn_read_ok(r, tn_model_add_frame_at(&id, r->model, *body, text, &pose, name->span));
    }
}

/* Ground always exists; a file can add frames and shapes to it. The look of a subsystem's ground is that of the file alone: it changes no
 * motion, and in a model it is left out. */
static void read_ground(tn_reader *r, const tn_node *const *values)
{
    tn_id ground = tn_model_ground(r->model);
    for (int k = 0; tn_section_body.keys[k].name != NULL; k++)
        if (k != BODY_FRAMES && k != BODY_SHAPES && k != BODY_LOOK && values[k] != NULL)
            tn_read_error(r, values[k]->span, "ground has frames, shapes and looks only, no '%s'",
                          tn_section_body.keys[k].name);
    size_t before = r->errors;
    tn_body_def def = tn_body_default();
    if (r->prefix != NULL && values[BODY_SHAPES] != NULL)
        tn_read_error(r, values[BODY_SHAPES]->span, "ground belongs to the whole model: in a subsystem it has frames, its shapes "
                                                    "stand in the model's own file");
    tn_read_shapes(r, values[BODY_SHAPES], &def);
    tn_read_looks(r, values[BODY_LOOK], &def);
    if (def.shape_count > 0 && r->errors == before)
        tn_read_ok(r, tn_model_set_ground_shapes_at(r->model, def.shapes, def.shape_count, values[BODY_SHAPES]->span));
    if (def.look_count > 0 && r->prefix == NULL && r->errors == before)
        tn_read_ok(r, tn_model_set_ground_looks_at(r->model, def.looks, def.look_count, values[BODY_LOOK]->span));
    r->ground_wrong = r->ground_wrong || (values[BODY_SHAPES] != NULL && r->errors > before);
    read_frames(r, values[BODY_FRAMES], &ground);
}

void tn_read_body(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_key *keys = tn_section_body.keys;
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_body, values, NULL, 0, NULL))
        return;
    if (strcmp(name->as.text, "ground") == 0) {
        read_ground(r, values);
        return;
    }
    const int kind = tn_read_choice(r, values[BODY_TYPE], &keys[BODY_TYPE], 0);
    if (kind >= 2) {
        tn_read_rotor(r, name, values, kind == 3);
        return;
    }
    tn_body_def def = tn_body_default();
    def.kind = tn_read_choice(r, values[BODY_TYPE], &keys[BODY_TYPE], 0) == 1 ? TN_BODY_PARTICLE : TN_BODY_RIGID;
    def.inertia_warn = tn_read_choice(r, values[BODY_INERTIA_CHECK], &keys[BODY_INERTIA_CHECK], r->inertia_warn) == 1;
    tn_read_quantity(r, values[BODY_MASS], keys[BODY_MASS].name, keys[BODY_MASS].unit,
                     def.inertia_warn ? TN_NOT_NEGATIVE : keys[BODY_MASS].sign, &def.mass);
    tn_read_vector(r, values[BODY_COM], &keys[BODY_COM], def.com);
    tn_read_inertia(r, values[BODY_INERTIA], def.inertia);
    tn_read_shapes(r, values[BODY_SHAPES], &def);
    tn_read_looks(r, values[BODY_LOOK], &def);
    def.placed = tn_read_pose(r, &values[BODY_POSITION], &keys[BODY_POSITION], &def.pose);
    def.place_free = values[BODY_POSITION] == NULL;
    def.velocity_given = tn_read_vector(r, values[BODY_VELOCITY], &keys[BODY_VELOCITY], def.velocity);
    def.angular_velocity_given = tn_read_spin(r, values[BODY_ANGULAR_VELOCITY], &keys[BODY_ANGULAR_VELOCITY],
                                              def.angular_velocity);
    def.guess = tn_read_switch(r, values[BODY_GUESS], &keys[BODY_GUESS], false);
    if (def.kind == TN_BODY_PARTICLE)
        tn_read_no_turn(r, values[BODY_ANGLE], values[BODY_ROTATION], values[BODY_ANGULAR_VELOCITY]);
    tn_read_to_world(r, &def.pose);
    tn_read_turn(r, def.velocity);
    tn_read_turn(r, def.angular_velocity);
    bool enabled = tn_read_switch(r, values[BODY_ENABLED], &keys[BODY_ENABLED], true);
    tn_id id;
    bool added = (r->errors == before && tn_read_put_body(r, name, &def, enabled, &id)) ||
                 tn_read_stand_in_body(r, name, &def, values[BODY_SHAPES] != NULL, &id);
    read_frames(r, values[BODY_FRAMES], added ? &id : NULL);
}
