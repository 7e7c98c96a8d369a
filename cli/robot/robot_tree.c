/* The tree of a model's bodies from ground outwards. Of the joints in a loop one that is a point or a hinge is cut, if there is
 * one: other formats can close those again. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "output.h"
#include "robot.h"

/* ---- poses ---- */

static void multiply(double out[4], const double a[4], const double b[4])
{
    const double q[4] = { a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0] };
    memcpy(out, q, sizeof q);
}

void tn_robot_matrix(double R[3][3], const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(R, m, sizeof m);
}

void tn_robot_turn(double out[3], const double q[4], const double v[3])
{
    double R[3][3], u[3];
    tn_robot_matrix(R, q);
    for (int i = 0; i < 3; i++)
        u[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
    memcpy(out, u, sizeof u);
}

tn_pose tn_robot_compose(const tn_pose *a, const tn_pose *b)
{
    tn_pose c;
    tn_robot_turn(c.p, a->q, b->p);
    for (int k = 0; k < 3; k++)
        c.p[k] += a->p[k];
    multiply(c.q, a->q, b->q);
    return c;
}

tn_pose tn_robot_relative(const tn_pose *a, const tn_pose *b)
{
    const double back[4] = { a->q[0], -a->q[1], -a->q[2], -a->q[3] };
    const double d[3] = { b->p[0] - a->p[0], b->p[1] - a->p[1], b->p[2] - a->p[2] };
    tn_pose c;
    tn_robot_turn(c.p, back, d);
    multiply(c.q, back, b->q);
    return c;
}

void tn_robot_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

void tn_robot_note(robot *r, const char *format, ...)
{
    char buffer[600];
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    if (r->note_count == r->note_capacity) {
        size_t more = r->note_capacity ? 2 * r->note_capacity : 16;
        char **notes = tn_allocate(more, sizeof(char *));
        if (r->note_count > 0)
            memcpy(notes, r->notes, r->note_count * sizeof(char *));
        free(r->notes);
        r->notes = notes;
        r->note_capacity = more;
    }
    size_t length = strlen(buffer);
    r->notes[r->note_count] = tn_allocate(length + 1, 1);
    memcpy(r->notes[r->note_count++], buffer, length);
}

/* ---- bodies and joints ---- */

static robot_kind kind_of(const char *type)
{
    static const struct { const char *name; robot_kind kind; } kinds[] = {
        { "fixed", ROBOT_FIXED }, { "revolute", ROBOT_REVOLUTE }, { "prismatic", ROBOT_PRISMATIC },
        { "translational", ROBOT_PRISMATIC },
        { "spherical", ROBOT_SPHERICAL }, { "universal", ROBOT_UNIVERSAL }, { "cylindrical", ROBOT_CYLINDRICAL },
        { "planar", ROBOT_PLANAR },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(type, kinds[i].name) == 0)
            return kinds[i].kind;
    return ROBOT_OTHER;
}

static int body_index(const robot *r, tn_id id)
{
    for (size_t i = 0; i < r->body_count; i++)
        if (r->bodies[i].id.index == id.index && r->bodies[i].id.kind == id.kind)
            return (int)i;
    return 0;
}

static void make_bodies(robot *r)
{
    size_t count = tn_model_count(r->model, TN_KIND_BODY);
    tn_id ground = tn_model_ground(r->model);
    r->bodies = tn_allocate(count + 1, sizeof *r->bodies);
    r->order = tn_allocate(count + 1, sizeof *r->order);
    r->bodies[0] = (robot_body){ .id = ground, .name = "ground", .pose = tn_pose_identity(), .joint = -1 };
    r->body_count = 1;
    for (size_t i = 0; i < count; i++) {
        tn_id id = tn_model_at(r->model, TN_KIND_BODY, i);
        if (id.index == ground.index || !tn_model_enabled(r->model, id))
            continue;
        robot_body *b = &r->bodies[r->body_count++];
        *b = (robot_body){ .id = id, .name = tn_model_entity_name(r->model, id), .joint = -1 };
        tn_model_body_mass(&b->mass, b->com, b->inertia, r->model, id);
        tn_session_pose(&b->pose, r->session, id);
        if (tn_model_dimension(r->model) == 2)     /* only the moment about z counts in the plane */
            b->inertia[0] = b->inertia[1] = b->inertia[2];
    }
}

/* In the plane a slide goes along x of its frame; z is the axis here. */
static void turn_slide(robot_joint *j)
{
    static const double origin[3] = { 0, 0, 0 }, x[3] = { 1, 0, 0 };
    tn_pose turn = tn_pose_z(origin, x);
    j->frame1 = tn_robot_compose(&j->frame1, &turn);
    j->frame2 = tn_robot_compose(&j->frame2, &turn);
}

static bool has_one_coordinate(const robot_joint *j)
{
    return j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC;
}

static void read_coordinates(robot *r, robot_joint *j)
{
    static const char *const names[][3] = {
        [ROBOT_REVOLUTE] = { "angle" }, [ROBOT_PRISMATIC] = { "position" }, [ROBOT_UNIVERSAL] = { "angle_1", "angle_2" },
        [ROBOT_CYLINDRICAL] = { "position", "angle" }, [ROBOT_PLANAR] = { "x", "y", "angle" }, [ROBOT_OTHER] = { NULL },
    };
    char channel[300];
    for (int k = 0; k < 3 && names[j->kind][k]; k++) {
        snprintf(channel, sizeof channel, "%s.%s", j->name, names[j->kind][k]);
        if (tn_session_value(&j->start[k], r->session, channel) < 0)
            j->start[k] = 0;
    }
    if (tn_model_limit_count(r->model, j->id) > 0 && !has_one_coordinate(j))
        tn_robot_note(r, "limits of joint '%s' (%s) are left out", j->name, j->type);
    else if (tn_model_limit_count(r->model, j->id) > 0) {
        tn_limit limit = tn_model_limit_at(r->model, j->id, 0);
        j->low = limit.low;
        j->high = limit.high;
    }
}

/* A joint that only measures: its bodies move freely elsewhere, too. */
static bool is_free(robot *r, tn_id id)
{
    bool free = strcmp(tn_model_entity_type(r->model, id), "free") == 0;
    if (free && tn_model_limit_count(r->model, id) > 0)
        tn_robot_note(r, "limits of joint '%s' (free) are left out", tn_model_entity_name(r->model, id));
    return free;
}

static void make_joints(robot *r)
{
    size_t count = tn_model_count(r->model, TN_KIND_JOINT);
    r->joints = tn_allocate(count + 1, sizeof *r->joints);
    for (size_t i = 0; i < count; i++) {
        tn_id id = tn_model_at(r->model, TN_KIND_JOINT, i);
        tn_end ends[2];
        if (!tn_model_enabled(r->model, id) || tn_model_ends(ends, r->model, id) != 2 || is_free(r, id))
            continue;
        robot_joint *j = &r->joints[r->joint_count++];
        *j = (robot_joint){ .id = id, .name = tn_model_entity_name(r->model, id), .type = tn_model_entity_type(r->model, id),
                            .body1 = body_index(r, ends[0].body), .body2 = body_index(r, ends[1].body), .frame1 = ends[0].pose,
                            .frame2 = ends[1].pose, .low = -INFINITY, .high = INFINITY };
        j->kind = kind_of(j->type);
        if (tn_model_dimension(r->model) == 2 && j->kind == ROBOT_PRISMATIC)
            turn_slide(j);
        read_coordinates(r, j);
    }
}

static int group_of(int *groups, int body)
{
    while (groups[body] != body)
        body = groups[body] = groups[groups[body]];
    return body;
}

/* The joints of the tree: those that loops cannot do without come first. */
static void choose_joints(robot *r)
{
    int *groups = tn_allocate(r->body_count, sizeof *groups);
    for (size_t i = 0; i < r->body_count; i++)
        groups[i] = (int)i;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < r->joint_count; i++) {
            robot_joint *j = &r->joints[i];
            bool easy = j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_SPHERICAL || j->kind == ROBOT_FIXED;
            int a = group_of(groups, j->body1), b = group_of(groups, j->body2);
            if (j->kind == ROBOT_OTHER || easy != (round == 1) || a == b)
                continue;
            groups[a] = b;
            j->tree = true;
        }
    free(groups);
}

/* Breadth first from ground; what ground does not reach hangs free in the world. */
static void make_tree(robot *r)
{
    bool *seen = tn_allocate(r->body_count, sizeof *seen);
    choose_joints(r);
    size_t head = 0, tail = 0;
    r->order[tail++] = 0;
    seen[0] = true;
    for (size_t next = 1; head < r->body_count; ) {
        if (head == tail) {
            while (seen[next])
                next++;
            seen[next] = true;
            r->bodies[next].parent = 0;
            r->order[tail++] = (int)next;
        }
        int at = r->order[head++];
        for (size_t i = 0; i < r->joint_count; i++) {
            robot_joint *j = &r->joints[i];
            bool forward = j->body1 == at && !seen[j->body2], backward = j->body2 == at && !seen[j->body1];
            if (!j->tree || (!forward && !backward))
                continue;
            int child = forward ? j->body2 : j->body1;
            j->reversed = backward;
            r->bodies[child].parent = at;
            r->bodies[child].joint = (int)i;
            seen[child] = true;
            r->order[tail++] = child;
        }
    }
    free(seen);
}

/* ---- couplings and losses ---- */

static int joint_index(const robot *r, tn_id id)
{
    for (size_t i = 0; i < r->joint_count; i++)
        if (r->joints[i].id.index == id.index)
            return (int)i;
    return -1;
}

static double property_of(const robot *r, tn_id id, const char *name, double otherwise)
{
    tn_property p;
    for (size_t i = 0; i < tn_model_property_count(r->model, id); i++)
        if (tn_model_property(&p, r->model, id, i) >= 0 && strcmp(p.name, name) == 0)
            return p.expression ? NAN : isnan(p.value) ? otherwise : p.value;
    return otherwise;
}

static void make_couplings(robot *r)
{
    size_t count = tn_model_count(r->model, TN_KIND_JOINT);
    r->couplings = tn_allocate(count + 1, sizeof *r->couplings);
    for (size_t i = 0; i < count; i++) {
        tn_id id = tn_model_at(r->model, TN_KIND_JOINT, i);
        tn_coupling_term terms[TN_MAX_COUPLED];
        tn_end ends[2];
        if (!tn_model_enabled(r->model, id) || tn_model_ends(ends, r->model, id) != 0)
            continue;
        const char *type = tn_model_entity_type(r->model, id), *name = tn_model_entity_name(r->model, id);
        size_t n = tn_model_coupled(terms, r->model, id);
        bool gear = strcmp(type, "gear") == 0, rack = strcmp(type, "rack-and-pinion") == 0;
        int a = n == 2 ? joint_index(r, terms[0].joint) : -1, b = n == 2 ? joint_index(r, terms[1].joint) : -1;
        if ((!gear && !rack && strcmp(type, "coupler") != 0) || a < 0 || b < 0) {
            tn_robot_note(r, "'%s' (%s) has no counterpart: left out", name, type);
            continue;
        }
        double f1 = gear ? 1 : rack ? -property_of(r, id, "radius", NAN) : terms[0].factor;
        double f2 = gear ? property_of(r, id, "ratio", NAN) : rack ? 1 : terms[1].factor;
        double built = f1 * r->joints[a].start[0] + f2 * r->joints[b].start[0];
        r->couplings[r->coupling_count++] = (robot_coupling){ name, a, b, f1, f2, property_of(r, id, "offset", built) };
    }
}

static void remove_coupling(robot *r, size_t index)
{
    memmove(&r->couplings[index], &r->couplings[index + 1], (--r->coupling_count - index) * sizeof *r->couplings);
}

/* Takes a body and its only joint out of the machine. */
static void remove_rotor(robot *r, int body, int joint)
{
    memmove(&r->bodies[body], &r->bodies[body + 1], (--r->body_count - (size_t)body) * sizeof *r->bodies);
    memmove(&r->joints[joint], &r->joints[joint + 1], (--r->joint_count - (size_t)joint) * sizeof *r->joints);
    for (size_t i = 0; i < r->joint_count; i++) {
        r->joints[i].body1 -= r->joints[i].body1 > body;
        r->joints[i].body2 -= r->joints[i].body2 > body;
    }
    for (size_t i = 0; i < r->coupling_count; i++) {
        r->couplings[i].joint1 -= r->couplings[i].joint1 > joint;
        r->couplings[i].joint2 -= r->couplings[i].joint2 > joint;
    }
}

/* Whether a joint is the axis of a rotor or slider ("rotor-axis") that takes part in the one coupling only. */
static bool is_rotor_axis(const robot *r, int joint, size_t coupling)
{
    const robot_joint *j = &r->joints[joint];
    const robot_body *b = &r->bodies[j->body2];
    const double *I = b->inertia;
    size_t length = strlen(b->name);
    bool rotor = j->body1 == 0 && j->body2 != 0 && has_one_coordinate(j) && strncmp(j->name, b->name, length) == 0 &&
                 strcmp(j->name + length, "-axis") == 0 && I[0] == b->mass && I[1] == b->mass && I[2] == b->mass;
    for (size_t i = 0; i < r->joint_count && rotor; i++)
        rotor = (int)i == joint || (r->joints[i].body1 != j->body2 && r->joints[i].body2 != j->body2);
    for (size_t i = 0; i < r->coupling_count && rotor; i++)
        rotor = i == coupling || (r->couplings[i].joint1 != joint && r->couplings[i].joint2 != joint);
    return rotor;
}

/* Rotors that turn with a coordinate of a joint are its armature elsewhere, not bodies. */
static void absorb_rotors(robot *r)
{
    for (size_t i = r->coupling_count; i-- > 0;) {
        const robot_coupling c = r->couplings[i];
        bool first = is_rotor_axis(r, c.joint1, i), second = !first && is_rotor_axis(r, c.joint2, i);
        if (!first && !second)
            continue;
        int rotor = first ? c.joint1 : c.joint2, body = r->joints[rotor].body2;
        robot_joint *j = &r->joints[first ? c.joint2 : c.joint1];
        double ratio = first ? c.factor2 / c.factor1 : c.factor1 / c.factor2;
        if (has_one_coordinate(j))
            j->armature += r->bodies[body].inertia[0] * ratio * ratio;
        else
            tn_robot_note(r, "rotor '%s' along '%s' (%s) is left out", r->bodies[body].name, j->name, j->type);
        remove_coupling(r, i);
        remove_rotor(r, body, rotor);
    }
    for (size_t i = r->coupling_count; i-- > 0;)
        if (!has_one_coordinate(&r->joints[r->couplings[i].joint1]) || !has_one_coordinate(&r->joints[r->couplings[i].joint2])) {
            tn_robot_note(r, "coupling '%s' of joints with several coordinates is left out", r->couplings[i].name);
            remove_coupling(r, i);
        }
}

/* The joint with one coordinate between the bodies that a spring acts on; -1: none, or several. */
static int joint_of_spring(const robot *r, tn_id id)
{
    tn_end ends[2];
    int found = -1, count = tn_model_ends(ends, r->model, id);
    for (size_t k = 0; count == 2 && k < r->joint_count; k++) {
        const robot_joint *j = &r->joints[k];
        if (j->body1 == body_index(r, ends[0].body) && j->body2 == body_index(r, ends[1].body) && has_one_coordinate(j))
            found = found < 0 ? (int)k : -2;
    }
    return found < 0 ? -1 : found;
}

/* Springs and dampers along the only coordinate of a joint. */
static bool take_spring(robot *r, tn_id id)
{
    double k = property_of(r, id, "stiffness", 0), c = property_of(r, id, "damping", 0), rest = property_of(r, id, "rest", 0);
    int found = joint_of_spring(r, id);
    if (found < 0 || !isfinite(k + c + rest) || property_of(r, id, "preload", 0) != 0)
        return false;
    r->joints[found].damping += c;
    r->joints[found].stiffness += k;
    r->joints[found].rest = k != 0 ? rest : r->joints[found].rest;
    return true;
}

/* Dry friction of a constant size along the only coordinate of a joint. */
static bool take_friction(robot *r, tn_id id)
{
    double size = property_of(r, id, "capacity", NAN), sticks = property_of(r, id, "limit", size);
    const char *along = tn_model_device_port(r->model, id, 0).text;
    for (size_t k = 0; along && size == sticks && k < r->joint_count; k++) {
        robot_joint *j = &r->joints[k];
        size_t length = strlen(j->name);
        if (!has_one_coordinate(j) || strncmp(along, j->name, length) != 0 ||
            strcmp(along + length, j->kind == ROBOT_REVOLUTE ? ".angle" : ".position") != 0)
            continue;
        j->friction += size;
        return true;
    }
    return false;
}

/* Losses that belong to a joint elsewhere. */
static void make_losses(robot *r)
{
    for (size_t i = 0; i < tn_model_count(r->model, TN_KIND_FORCE); i++) {
        tn_id id = tn_model_at(r->model, TN_KIND_FORCE, i);
        const char *type = tn_model_entity_type(r->model, id);
        bool rubs = strcmp(type, "clutch") == 0 || strcmp(type, "slide-brake") == 0;
        if (!tn_model_enabled(r->model, id) || (strcmp(type, "torsion-spring") == 0 && take_spring(r, id)) || (rubs && take_friction(r, id)))
            continue;
        tn_robot_note(r, "force '%s' (%s) is left out", tn_model_entity_name(r->model, id), type);
    }
}

int tn_robot_make(robot *out, tn_context *context, tn_model *model, cJSON *diagnostics)
{
    *out = (robot){ .model = model };
    int code = tn_session_open(&out->session, model, NULL);
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    out->model = tn_session_model(out->session);
    make_bodies(out);
    make_joints(out);
    make_couplings(out);
    absorb_rotors(out);
    make_tree(out);
    make_losses(out);
    return TN_EXIT_OK;
}

void tn_robot_destroy(robot *r)
{
    for (size_t i = 0; i < r->note_count; i++)
        free(r->notes[i]);
    free(r->notes);
    free(r->bodies);
    free(r->joints);
    free(r->couplings);
    free(r->order);
    tn_session_close(r->session);
    *r = (robot){ .model = NULL };
}
